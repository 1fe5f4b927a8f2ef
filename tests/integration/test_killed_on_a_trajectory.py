"""What dies or hangs while a trajectory runs: the arm comes to rest, and takes the next one.

One arm of separate processes; after each fault what is gone is started again.
"""

import signal
import time
from collections.abc import Iterator

import pytest

pytest.importorskip("control_msgs", reason="control_msgs is neither built nor installed")

import system as systems
from arms import ABORTED, AXES, SERVER, SUCCEEDED, Arm, Sent, trajectory
from fault_injection import ENGINE, KILL, LONG_SUSPENSION, STOP, SUSPENSION, FaultInjection
from ros import WAIT_TIMEOUT, eventually
from system import MOVING
from waits import at_best

from wmx_ros2_package.robots.catalogue import ROBOTS

LONG = 12.0
"""What a trajectory with a fault would last, s."""
USABLE_WITHIN = 10.0
"""As `test_killed_in_the_middle` has it, s."""
PAUSE = 0.25
"""Longer than a stream has to pause that was refused, s."""
TOO_SHORT = 0.05
"""So far before the last place that it was asked for the arm may stop: half of what it is behind,
rad."""
MIN_STEP = 0.001
"""So near its target a joint that rests is left alone, as after a late message of a stream, rad."""


class Cell:
    """The arm, and the faults that it gets."""

    def __init__(self, arm: Arm, faults: FaultInjection) -> None:
        self.arm = arm
        self.system = arm.system
        self.inject = faults.inject

    def begin(self) -> Sent:
        """Start a trajectory, and see it run."""
        sent = self.arm.send(self.arm.away(0.1 * LONG, LONG))
        assert sent.accepted()
        self.arm.state(lambda s: s.velocity_cmd[0] > 0.09)
        return sent

    def rests(self) -> None:
        """Wait until the arm rests, long before the trajectory would have ended."""
        start = time.monotonic()
        self.arm.at_rest()
        assert time.monotonic() < start + 0.5 * LONG

    def usable(self) -> float:
        """The arm goes back to zero by a new trajectory; how long until that was possible, s."""
        start = time.monotonic()
        eventually(self._switched_on, "the servos can be switched on")
        eventually(self._goal_is_accepted, "a trajectory is accepted")
        taken = time.monotonic() - start
        self.arm.home()
        return taken

    def _switched_on(self) -> bool:
        client = self.arm.client
        try:
            client.call("wmx/axis/clear_alarm", 1.0, index=AXES)
            return bool(client.call("wmx/axis/set_on", 1.0, index=AXES, data=[1] * 6).success)
        except TimeoutError:
            return False

    def _goal_is_accepted(self) -> bool:
        try:
            sent = self.arm.send(self.arm.away(0.01, 0.5))
            return sent.accepted(1.0) and sent.ended(3.0)[0] == SUCCEEDED
        except TimeoutError:
            return False


@pytest.fixture(scope="module")
def cell() -> Iterator[Cell]:
    robot = ROBOTS["arm"]
    settings = f"device_path:={robot.machine}", "retry_delay:=0.1"
    ros = ("--params-file", str(robot.parameters))
    loaded = f"wmx_param_file_path:={robot.wmx_parameters}"
    executables = *MOVING, "manipulator_state", SERVER, "joint_position_controller"
    with (
        systems.place() as place,
        systems.system(place, *settings, loaded, executables=executables, ros=ros) as system,
    ):
        system.client.attached()
        arm = Arm(system)
        arm.accepts()
        yield Cell(arm, FaultInjection(system, (*settings, loaded), ros))


def case(
    victim: str,
    number: signal.Signals,
    *ends: int,
    hangs: float = SUSPENSION,
    slow: bool = False,
) -> object:
    marks = pytest.mark.slow if slow else ()
    return pytest.param(victim, number, hangs, ends, marks=marks)


@pytest.mark.parametrize(
    ("victim", "number", "hangs", "ends"),
    [
        case(ENGINE, KILL, ABORTED),
        case(ENGINE, STOP, ABORTED, slow=True),  # its dead man was not fed
        case(SERVER, KILL),  # nobody is left to tell the end of that goal
        case(SERVER, STOP, ABORTED, slow=True),
        # It depends on whether the server hears of the new one before that is ready.
        case("wmx_engine_node", KILL, ABORTED, SUCCEEDED),
        case("wmx_core_motion_node", KILL, SUCCEEDED, slow=True),
        case(ENGINE, STOP, ABORTED, hangs=LONG_SUSPENSION, slow=True),
        # DDS takes who hangs for gone after 20 s: the answer may come before they meet again.
        case(SERVER, STOP, hangs=LONG_SUSPENSION, slow=True),
        case("wmx_engine_node", STOP, SUCCEEDED, hangs=LONG_SUSPENSION, slow=True),
        case("wmx_core_motion_node", STOP, SUCCEEDED, hangs=LONG_SUSPENSION, slow=True),
    ],
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_the_arm_comes_to_rest_and_takes_the_next(
    cell: Cell, victim: str, number: signal.Signals, hangs: float, ends: tuple[int, ...]
) -> None:
    def attempt() -> float:
        sent = cell.begin()
        cell.inject(victim, number, hangs)
        if ends:
            assert sent.ended()[0] in ends
        cell.rests()
        return cell.usable()

    at_best(attempt, USABLE_WITHIN, attempts=3)


def test_a_stream_whose_node_dies_stops_the_arm_along_its_path(cell: Cell) -> None:
    """The engine carries out the rest of the last move, which has its stop in it.

    Each message asks for a place some time ahead, so that no late one stops the arm before.
    """
    cell.usable()
    speed, period, ahead, begin = 0.2, 0.02, 0.5, time.monotonic()
    asked = 0.0

    def follows() -> bool:
        nonlocal asked
        asked = speed * (time.monotonic() - begin)
        cell.arm.stream.publish(trajectory((ahead,), ([asked] * 6,)))
        time.sleep(period)
        states = cell.arm.client.states.since(time.monotonic() - 0.1)
        along = bool(states) and all(state.velocity_cmd[0] > 0.9 * speed for state in states)
        # What is on its way still when the node dies reaches nobody.
        return along and states[-1].pos_cmd[0] > asked - speed * ahead - TOO_SHORT

    while not follows():
        assert asked < speed * WAIT_TIMEOUT, "the arm does not follow"
    cell.inject("joint_position_controller", KILL)
    cell.arm.at_rest()
    place = cell.arm.position()
    assert place == pytest.approx([place[0]] * 6, abs=1e-3)
    # What it asked for last, and on for the time that bridges a late message and stops the arm.
    assert asked - TOO_SHORT < place[0] < asked + speed * (0.03 + 0.1) + 0.01
    assert cell.usable() < USABLE_WITHIN


def test_a_stream_is_followed_after_the_server_has_died(cell: Cell) -> None:
    """What the dead server said last, that a trajectory runs, counts no more."""
    arm = cell.arm
    cell.begin()
    arm.active.latest(lambda message: message.data)
    arm.system.place.kill(SERVER)
    cell.rests()
    assert arm.active.latest().data
    target = [angle - 0.05 for angle in arm.position()]

    def is_there() -> bool:
        """An announcement counts for a second; a stream that was refused then has to pause."""
        arm.stream.publish(trajectory((0.5,), (target,)))
        time.sleep(PAUSE)
        return arm.position() == pytest.approx(target, abs=MIN_STEP)

    eventually(is_there, "the stream is followed")
