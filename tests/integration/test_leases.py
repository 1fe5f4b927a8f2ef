"""Who orders a motion dies or hangs in the middle of it: what is leased stops all the same.

The axes are watched from here, by a device of the test on the same engine, for the node that
publishes their state is among those that die.
"""

import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
import system as systems
from ros import JOG, Client
from system import MOVING, SERVICES_OF, Process, System, pause
from waits import at_best, eventually

from wmx_core.interface import Driver
from wmx_ros2_package.control.leases import SUSPENSION as LATE

DEAD_MAN = "dead_man_timeout:=10.0"
"""Longer than a busy machine keeps a node from its processor: here leases stop axes, or nothing."""
SETTINGS = "velocity_timeout:=0.2", "jog_run_time:=0.0", DEAD_MAN
STOPPED_WITHIN = 1.0
"""The timeout of 0.2 s, 0.1 s of slowing down, and what a busy machine takes, s."""
AXIS = 0
VELOCITY = "wmx/axis/velocity"
SILENCE = "No heartbeat of the engine node for 3 s"
HEARD = "The heartbeat of the engine node is back"
NODE = "wmx_core_motion_node"
JOYSTICK = str(Path(__file__).parents[1] / "joystick.py")


class Cell:
    """The nodes that move axes, an observer, and joysticks that other processes hold."""

    def __init__(self, system: System, driver: Driver) -> None:
        self.system = system
        self._driver = driver

    @property
    def client(self) -> Client:
        return self.system.client

    @property
    def node(self) -> Process:
        """The newest process of the node that moves the axes."""
        return [p for p in self.system.place.processes if p.name == NODE][-1]

    @property
    def velocity(self) -> float:
        return float(self._driver.motion.status().velocity_cmd[AXIS])

    def runs(self) -> None:
        eventually(lambda: abs(self.velocity - 1.0) < 1e-6, "the axis runs")

    def runs_soon(self) -> bool:
        """Whether the axis runs before long.

        A node that a busy machine kept from running lets a joystick pause that goes on.
        """
        deadline = time.monotonic() + 3.0
        while time.monotonic() < deadline:
            if abs(self.velocity - 1.0) < 1e-6:
                return True
            pause(0.01)
        return False

    def stops(self) -> float:
        """How long it takes until the axis has stopped, s."""
        start = time.monotonic()
        eventually(lambda: self.velocity == 0.0, "the axis stops")
        return time.monotonic() - start

    def goes(
        self, client: Client, topic: str, velocity: float, what: str, *move: Sequence[float]
    ) -> None:
        """What is refused for a moment, as while an axis is given back, is sent again."""

        def moves() -> bool:
            client.move(topic, *move)
            pause(0.2)
            return abs(self.velocity - velocity) < 1e-6

        eventually(moves, what)

    def make_ready(self, mode: int) -> None:
        """The axis is on, in `mode`."""
        client = self.client
        client.must("wmx/axis/set_on", index=[AXIS], data=[0])
        eventually(lambda: client.call("wmx/axis/set_mode", index=[AXIS], data=[mode]).success, "")
        client.must("wmx/axis/set_on", index=[AXIS], data=[1])

    @contextmanager
    def held_joystick(self, topic: str) -> Iterator[Process]:
        """A joystick moves the axis; on a busy machine it may have to be let go and held again.

        A node that gets no processor for longer than the timeout lets it pause.
        """
        for _ in range(5):
            with self.joystick(topic) as process:
                if self.runs_soon():
                    yield process
                    return
            pause(LATE)
        raise AssertionError("the axis does not run")

    @contextmanager
    def joystick(self, topic: str) -> Iterator[Process]:
        """Another process holds a joystick."""
        place = self.system.place
        process = place.run([sys.executable, JOYSTICK, topic])
        place.processes.remove(process)
        try:
            process.says("holds")
            yield process
        finally:
            process.kill()

    def can_be_moved(self, topic: str) -> None:
        with self.held_joystick(topic):
            self.runs()

    def start_node_again(self) -> None:
        """After its death."""
        self.node.wait()
        self.system.place.processes.remove(self.node)
        self.system.place.start(NODE, *SETTINGS)
        self.client.meet(SERVICES_OF[NODE])
        self.client.states.next()
        self.client.attached()


@pytest.fixture(scope="module")
def cell() -> Iterator[Cell]:
    with (
        systems.place() as place,
        systems.system(place, *SETTINGS, executables=MOVING) as system,
    ):
        system.client.attached()
        with place.driver() as driver:
            yield Cell(system, driver)


@pytest.fixture
def topic(request: pytest.FixtureRequest, cell: Cell) -> str:
    cell.make_ready(mode=int(request.param == VELOCITY))
    return str(request.param)


A_JOG = pytest.mark.parametrize("topic", [JOG], indirect=True)
"""Jogs and velocities have their leases in common: one of them is enough for each time."""


@pytest.mark.parametrize(
    ("topic", "number"),
    [
        pytest.param(JOG, signal.SIGKILL, id="jog-killed"),
        pytest.param(VELOCITY, signal.SIGSTOP, id="velocity-stopped"),
    ],
    indirect=["topic"],
)
def test_whoever_holds_the_stick_is_gone(cell: Cell, topic: str, number: signal.Signals) -> None:
    def attempt() -> float:
        with cell.held_joystick(topic) as joystick:
            joystick.send_signal(number)
            taken = cell.stops()
        pause(LATE)
        return taken

    at_best(attempt, STOPPED_WITHIN)


@A_JOG
def test_a_stick_that_goes_on_moves_the_axis_again(cell: Cell, topic: str) -> None:
    with cell.held_joystick(topic) as joystick:
        for _ in range(5):
            joystick.send_signal(signal.SIGSTOP)
            cell.stops()
            pause(LATE)
            joystick.send_signal(signal.SIGCONT)
            if cell.runs_soon():
                return
    raise AssertionError("the axis does not run")


@A_JOG
def test_the_node_is_killed(cell: Cell, topic: str) -> None:
    def attempt() -> float:
        with cell.held_joystick(topic):
            cell.node.send_signal(signal.SIGKILL)
            taken = cell.stops()
            cell.start_node_again()
        cell.stops()
        pause(LATE)
        cell.can_be_moved(topic)
        return taken

    at_best(attempt, STOPPED_WITHIN)


@pytest.mark.parametrize(("topic", "seconds"), [(JOG, 1.0), (VELOCITY, 4.0)], indirect=["topic"])
def test_the_node_hangs(cell: Cell, topic: str, seconds: float) -> None:
    """For less time than it takes to miss the engine node, and for more."""

    def attempt() -> float:
        with cell.held_joystick(topic):
            cell.node.send_signal(signal.SIGSTOP)
            taken = cell.stops()
            pause(seconds)
            cell.node.send_signal(signal.SIGCONT)
            cell.client.states.next()
            pause(0.5)
            assert cell.velocity == 0.0, "what was sent meanwhile is no command any more"
        pause(LATE)
        cell.can_be_moved(topic)
        pause(LATE)
        return taken

    at_best(attempt, STOPPED_WITHIN)


@A_JOG
def test_the_engine_node_is_not_heard_any_more(cell: Cell, topic: str) -> None:
    """StreamLeases end, and begin again when it is heard again and the joystick has been let go."""
    [engine] = [p for p in cell.system.place.processes if p.name == "wmx_engine_node"]
    with cell.held_joystick(topic):
        engine.send_signal(signal.SIGSTOP)
        try:
            silences = cell.node.output.count(SILENCE)
            eventually(lambda: cell.node.output.count(SILENCE) > silences, "it is missed")
            cell.stops()
            pause(0.5)
            assert cell.velocity == 0.0
        finally:
            engine.send_signal(signal.SIGCONT)
        eventually(lambda: cell.node.output.count(HEARD) > silences, "it is heard")
    pause(LATE)
    cell.can_be_moved(topic)


def test_two_nodes_fight_over_an_axis(cell: Cell) -> None:
    cell.make_ready(mode=0)
    place = cell.system.place
    remap = ["-r", "__ns:=/second", "-r", "wmx/engine/ready:=/wmx/engine/ready"]
    place.start(NODE, DEAD_MAN, ros=remap)
    second = place.processes.pop()
    other = Client(place.domain, "/second")
    far = [AXIS], [1e6], [1.0], [50.0], [10.0]
    back = [AXIS], [-1e6], [1.0], [50.0], [10.0]
    position = "wmx/axis/position"
    try:
        other.meet(SERVICES_OF[NODE])
        other.states.next()
        cell.goes(cell.client, position, 1.0, "the axis runs", *far)
        deadline = time.monotonic() + 1.0
        while time.monotonic() < deadline:
            other.move(position, *back)
            other.move(JOG, [AXIS], [-1.0], [50.0], [10.0])
            assert cell.velocity > 0.99, second.output
            pause(0.02)
        second.says("owned by /wmx_core_motion_node (position), process")
        eventually(lambda: other.call("wmx/axis/stop").success, "a stop is for everybody")
        cell.stops()
        cell.goes(other, position, -1.0, "it is free at rest", *back)
        os.kill(second.pid, signal.SIGKILL)
        second.wait()
        cell.goes(cell.client, position, 1.0, "what the dead node had is free", *far)
    finally:
        other.close()
        if second.running():
            second.send_signal(signal.SIGKILL)
    cell.client.must("wmx/axis/stop")
