"""A system under a campaign: its clients, what is lost, and the rules of docs/safety.md between.

What motors did is read from the engine by a device of its own; what was answered is held against
that.
"""

import os
import random
import signal
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from actuator_client import Actuators
from campaign import AXES, Faults, Hand
from campaign_observer import Observer
from ros import Client
from system import CONFIG, System
from wmx_ros2_message.msg import ActuatorCommand, EndMotion

from wmx_core.errors import EngineLost
from wmx_core.interface import Driver
from wmx_core.parameters.parameter_set import read_parameters
from wmx_core.values import CommandMode, Flags, MotionStatus, OperationState
from wmx_ros2_package.control.ownership import Ownership

ALL = list(range(AXES + 2))
"""Those of the base as well."""
STILL = 0.3
"""How long axes that were stopped are watched, s."""
SETTLED = 1e-4
"""How far an axis that is held may be commanded, u: to where its motor is, when a stop ends."""
RESTS = 0.011
"""A motor that is slower rests, u/s."""
STUCK = 0.4
"""How far an axis is moved whose motor stands, u: less than raises an alarm."""
SETTINGS = (
    "left_axis:=6",
    "right_axis:=7",
    "axis_count:=8",
    "auto_servo_on:=false",
    "allow_partial_joints_goal:=true",
)


class Stage:
    """Nodes, clients, and a device that looks at the engine."""

    blocked: Sequence[int] = ()
    """Axes whose motors meet the end of the machine."""

    def __init__(
        self, system: System, machine: Path, driver: Driver, seed: int, clients: Sequence[Client]
    ) -> None:
        self.system = system
        self.machine = machine
        self.driver = driver
        self.random = random.Random(seed)
        self.kills: Counter[str] = Counter()
        """By the full names of nodes."""
        self.losses: Counter[str] = Counter()
        self.observer = Observer(system.client)
        self.actuators = Actuators(system.client)
        self.faults = Faults(system.client, seed)
        self.hands = [Hand(client, seed + i) for i, client in enumerate(clients)]
        for hand in self.hands:
            hand.meet()

    @property
    def client(self) -> Client:
        return self.system.client

    @property
    def commanded(self) -> int:
        """How many commands clients have given."""
        return sum(sum(hand.counts.values()) for hand in self.hands)

    @property
    def goals(self) -> Counter[str]:
        """What came of trajectories of joints."""
        return sum((hand.goals.counts for hand in self.hands if hand.goals), Counter())

    # What is asked

    def asked(self, service: str, **fields: Any) -> Any:
        """Ask until it succeeds: the answer of a node that has just been started may be lost."""
        refused: list[str] = []

        def ask() -> Any:
            with suppress(TimeoutError):
                answer = self.client.call(service, timeout=5.0, **fields)
                refused.append(answer.message)
                return answer.success and answer
            return None

        try:
            return self.client.eventually(ask, service)
        except AssertionError as error:
            seen = "\n".join([*refused[-1:], *self.owners(), *self.stacks(str(refused[-1:]))])
            raise AssertionError(f"{error}: {seen}") from None

    def owners(self) -> list[str]:
        """What the axis file has of each axis, to be read where a test has failed."""
        ownership = Ownership(self.driver.name, self.status, self.driver.status_latency)
        with patch.dict(os.environ, XDG_RUNTIME_DIR=str(self.system.place.folder)):
            ownership.open(str(self.machine), "observer")
        try:
            file = ownership.file
            assert file is not None
            records, states = file.records(), self.status().op_state
            return [
                f"axis {axis}: state {states[axis]}, commanded {records.commanded[axis]}, kept "
                f"{records.kept[axis]} by {file.member_name(owner)}, alive {file.is_alive(owner)}"
                for axis, owner in enumerate(records.owner.tolist()[: len(ALL)])
            ]
        finally:
            ownership.close()

    def stacks(self, words: str) -> list[str]:
        """Where the threads of the nodes are that are named in `words`; it ends them."""
        named = [each for each in self.system.place.processes if f"/{each.name}" in words]
        for process in named:
            process.send_signal(signal.SIGABRT)  # faulthandler then shows every thread
            process.wait()
        return [process.output[-20_000:] for process in named]

    def encoders(self, axes: Iterable[int], does: str) -> None:
        """The encoders of `axes` "freeze", so that their motors stand, or are "free" again."""
        script = ", ".join(f"{{{does}_encoder: {{axis: {axis}}}}}" for axis in axes)
        self.asked("wmx/simulation/inject_faults", script=f"[{script}]")

    def make_ready(self) -> None:
        """All axes rest in position mode, with their servos on and nothing that blocks them."""
        self.asked("wmx/engine/estop", data=False)
        self.client.eventually(self._commanded_to_rest, "axes are on in position mode")
        self.actuators.meet()

    def _commanded_to_rest(self) -> bool:
        zeros, ones = [0] * len(ALL), [1] * len(ALL)
        for name, fields in (
            ("stop", {}),
            ("clear_alarm", {"index": ALL}),
            ("set_mode", {"index": ALL, "data": zeros}),
            ("set_on", {"index": ALL, "data": ones}),
        ):
            answer = self.client.call(f"wmx/axis/{name}", **fields)
            if not answer.success:
                print(f"{name}: {answer.message}")
                return False
        return not any(self.client.states.next().velocity_cmd)

    # What is seen

    def status(self) -> MotionStatus:
        """What the engine shows; that which is there now, where the one before was lost."""
        engine = self.driver.engine
        try:
            return self.driver.motion.status()
        except EngineLost:
            engine.close_device()
            self.asked("wmx/params/get", index=[0])  # by its nodes: a device may begin an engine
            engine.create_device(str(self.machine), "observer")
            return self.driver.motion.status()

    def _moving(self) -> bool:
        status = self.status()
        acts = (status.op_state != OperationState.IDLE) | (status.velocity_cmd != 0.0)
        return bool((acts | (abs(status.actual_velocity) > RESTS)).any())

    def require_rest(self) -> None:
        """Fail unless all axes come to rest, and stay there.

        A command that passed its gate before the stop may reach the engine after it: its gate stops
        the axes again, and says so.
        """
        known = len(self.observer.ends)
        while not self._stays_at_rest():
            self.client.eventually(
                lambda n=known: self._stopped_on_its_way(n), "what moved was stopped again"
            )
            known = len(self.observer.ends)

    def _stays_at_rest(self) -> bool:
        self.client.eventually(lambda: not self._moving(), "axes rest after a stop")
        first = self.status()
        deadline = self.client.clock.now() + STILL
        while self.client.clock.now() < deadline:
            self.client.clock.sleep(0.01)
            now = self.status()
            way = abs(now.pos_cmd - first.pos_cmd)
            if self._moving() or (way[_held(first) & _held(now)] > SETTLED).any():
                return False
            assert (way <= RESTS * STILL).all()  # the command of what is not held is its motor
        return True

    def _stopped_on_its_way(self, known: int) -> bool:
        return any("after the command was sent" in e.message for e in self.observer.ends[known:])

    # Moves whose ends are known

    def move_each(self) -> None:
        """Each axis moves, and ends where its motor is."""
        since = len(self.observer.ends)
        ids = [
            self.client.eventually(lambda a=axis: self._move(a), f"a move of axis {axis}")
            for axis in range(AXES)
        ]
        for axis, id in enumerate(ids):
            end = self._end_of(axis, id)
            while end.reason == EndMotion.STOPPED and "stopped by command" in end.message:
                end = self._end_of(axis, self._move(axis))  # a client's STOP was still on its way
            arrives = (EndMotion.ARRIVED,)
            ends = (*arrives, EndMotion.NOT_ARRIVED, EndMotion.ALARM)
            expected = ends if axis in self.blocked else arrives
            assert end.reason in expected, (end.source, end.reason, end.message)
        self.client.eventually(
            lambda: len(self.observer.ends) >= since + AXES, "the ends are heard"
        )
        self.observer.require_positions(self.status(), since)

    def stand_still(self, axis: int) -> None:
        """A motor that does not move has not arrived; a following error alarm may say more."""
        self.encoders([axis], "freeze")
        here = float(self.status().actual_pos[axis])
        moved = self.client.eventually(lambda: self._move(axis, STUCK), f"a move of axis {axis}")
        end = self._end_of(axis, moved)
        assert end.reason in (EndMotion.NOT_ARRIVED, EndMotion.ALARM), (end.reason, end.message)
        assert end.final_position[0] == pytest.approx(here, abs=1e-6)
        self.encoders([axis], "free")

    def _end_of(self, axis: int, id: Any) -> EndMotion:
        """The end of a move of `axis`, as the observer heard it."""
        return self.client.eventually(
            lambda: next((end for end in self.observer.ends if end.command_id == id), None),
            f"a move of axis {axis} ends",
        )

    def _move(self, axis: int, most: float = 1.0) -> object:
        here = float(self.status().pos_cmd[axis])  # efforts may have turned it far
        answer = self.actuators.execute(
            f"axis_{axis}",
            ActuatorCommand.POSITION,
            here + self.random.choice([-1.0, 1.0]) * self.random.uniform(most / 2.0, most),
            velocity=5.0,
            acceleration=50.0,
        )
        return answer.accepted and answer.command_id

    def choose(self, kinds: dict[str, Callable[[], object]], none: float) -> str:
        """Let one of `kinds` happen, or none with that probability; its name."""
        if self.random.random() < none:
            self.losses["nothing"] += 1
            return ""
        name = self.random.choice(list(kinds))
        self.losses[name] += 1
        kinds[name]()
        return name


def _held(status: MotionStatus) -> Flags:
    """Which axes are held by their position loops."""
    held: Flags = status.servo_on & (status.command_mode == CommandMode.POSITION)
    return held


def radians(folder: Path) -> Path:
    """A parameter file of eight axes that turn in radians."""
    six = read_parameters(CONFIG / "wmx_parameters_6_axes.xml")
    ratio = six.axis(0).gear_ratio_numerator, six.axis(0).gear_ratio_denominator
    for axis in 6, 7:
        six = six.with_axis(axis, gear_ratio_numerator=ratio[0], gear_ratio_denominator=ratio[1])
    file = folder / "radians.xml"
    file.write_text(six.to_xml())
    return file
