"""A trajectory takes over from another in motion, also where a busy machine keeps it from that."""

import threading
from collections.abc import Callable

import numpy as np
import pytest
from held_engine import HeldEngine

from wmx_ros2_package.drivers.errors import CommandRefused
from wmx_ros2_package.drivers.interface import Motion
from wmx_ros2_package.drivers.values import MotionStatus, OperationState, SplineMove
from wmx_ros2_package.drivers.wrapped_motion import WrappedMotion
from wmx_ros2_package.trajectories import coming_to_rest, execution, following
from wmx_ros2_package.trajectories.execution import LEADS, Execution
from wmx_ros2_package.trajectories.goal import Goal, Joints, Rules
from wmx_ros2_package.trajectories.outcome import Ending, Outcome
from wmx_ros2_package.trajectories.setting import Demands, Setting
from wmx_ros2_package.trajectories.tolerances import Tolerances

NAMES = "a", "b"
ANYTHING = np.full(2, np.inf)
DEMANDS = Demands(
    path=Tolerances(names=NAMES, position=ANYTHING, velocity=ANYTHING),
    goal=Tolerances(names=NAMES, position=ANYTHING, velocity=ANYTHING),
    settling=0.0,
)


JOINTS = Joints(names=NAMES, axes=(0, 1), lower=-ANYTHING, upper=ANYTHING, top_speed=ANYTHING)


def goal(target: float, seconds: float) -> Goal:
    """Both joints go there in a straight line."""
    return Goal(
        joint_names=NAMES,
        times=[seconds],
        positions=[[target, target]],
        velocities=[[]],
        accelerations=[[]],
    )


def setting(motion: Motion, joints: Callable[[MotionStatus], Joints]) -> Setting:
    return Setting(
        joints=joints, rules=Rules(), motion=motion, cycle_time=1e-3, stopping=threading.Event()
    )


class BusyMotion(WrappedMotion):
    """Time passes while it is used, and more before each of its first orders."""

    def __init__(self, held: HeldEngine, delays: list[float]) -> None:
        super().__init__(held.motion)
        self.delays = delays
        self.refused: list[str] = []
        self.velocities: list[float] = []
        self.stopped_then = False
        """Whether somebody stops the axes when an order is refused."""
        self._held = held

    def status(self) -> MotionStatus:
        status = self._held.after(0.002)
        self.velocities.append(float(status.velocity_cmd[0]))
        return status

    def move_spline(self, spline: SplineMove) -> None:
        if self.delays:
            self._held.after(self.delays.pop(0))
        try:
            super().move_spline(spline)
        except CommandRefused as error:
            self.refused.append(str(error))
            if self.stopped_then:
                self._held.motion.stop([0, 1])
            raise


class SlowMotion(WrappedMotion):
    """Its order takes `delay` s to reach the engine."""

    def __init__(self, held: HeldEngine, delay: float) -> None:
        super().__init__(held.motion)
        self._order = lambda: held.after(delay)

    def move_spline(self, spline: SplineMove) -> None:
        self._order()
        super().move_spline(spline)


class Leader:
    """Takes over from a trajectory of 40 s that moves two axes at 0.5 u/s."""

    def __init__(self, plans: list[float], orders: list[float], first: float = 0.0) -> None:
        """Planning takes so long each time, ordering as well, and ordering the first one (s)."""
        self.held = HeldEngine().servo_on()
        self.first = self._execution(20.0, 40.0, SlowMotion(self.held, first), [])
        self._thread = threading.Thread(target=self.first.play)
        self._thread.start()
        while not self.held.status().velocity_cmd.all():
            assert self.first.outcome is None, self.first.outcome
            self.held.after(0.01)
        self.held.after(0.5)
        self.motion = BusyMotion(self.held, orders)
        self.second = self._execution(0.6, 1.0, self.motion, plans)

    def _execution(
        self, target: float, seconds: float, motion: Motion, delays: list[float]
    ) -> Execution:
        def joints(_: MotionStatus) -> Joints:
            if delays:
                self.held.after(delays.pop(0))
            return JOINTS

        return Execution(setting(motion, joints), goal(target, seconds), DEMANDS)

    def take_over(self) -> Outcome:
        """What becomes of the second one."""
        return self.second.play(lambda: [self.first])

    def end(self) -> None:
        """End the first one, too."""
        self.first.cancel()
        while not self.first.ended.wait(1e-4):
            self.held.after(0.01)
        self._thread.join()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for real time, which means nothing here."""
    for module in execution, following, coming_to_rest:
        monkeypatch.setattr(module, "LOOK_PERIOD", 1e-4)


@pytest.mark.parametrize("delay", [0.0, 0.3])
def test_it_does_so_without_a_jolt(delay: float) -> None:
    """However late a busy machine ordered what it takes over from."""
    leader = Leader([], [], delay)
    assert leader.take_over().ending is Ending.SUCCEEDED
    assert leader.first.outcome is not None
    assert leader.first.outcome.ending is Ending.PREEMPTED
    assert leader.held.status().pos_cmd == pytest.approx([0.6, 0.6], abs=1e-9)
    assert np.abs(np.diff(leader.motion.velocities)).max() < 0.02


@pytest.mark.parametrize("times", [1, len(LEADS) - 1])
def test_planning_that_takes_too_long_is_done_again(times: int) -> None:
    leader = Leader([LEADS[-1] + 0.1] * times, [])
    id = leader.second.id
    assert leader.take_over().ending is Ending.SUCCEEDED
    assert leader.second.id != id
    assert leader.held.status().pos_cmd == pytest.approx([0.6, 0.6], abs=1e-9)


@pytest.mark.parametrize("times", [1, len(LEADS) - 1])
def test_so_it_is_where_the_axes_have_moved_on_before_the_order_arrives(times: int) -> None:
    leader = Leader([], [0.2] * times)
    id = leader.second.id
    assert leader.take_over().ending is Ending.SUCCEEDED
    assert len(leader.motion.refused) == times
    assert all("must be within" in text for text in leader.motion.refused)
    assert leader.second.id != id, "what was refused has had its end"
    assert leader.held.status().pos_cmd == pytest.approx([0.6, 0.6], abs=1e-9)


def test_one_that_cannot_begin_leaves_the_first_one_alone() -> None:
    leader = Leader([1.0] * len(LEADS), [])
    assert leader.take_over() == Outcome(
        ending=Ending.NOT_STARTED, text=f"planned too late to take over, {len(LEADS)} times"
    )
    assert leader.first.outcome is None, "it still leads"
    leader.end()


def test_axes_that_nobody_leads_any_more_are_brought_to_rest() -> None:
    leader = Leader([], [0.2] * len(LEADS))
    outcome = leader.take_over()
    assert outcome.ending is Ending.OFF_PATH
    assert outcome.text.startswith(f"planned too late to take over, {len(LEADS)} times: Error=")
    rests(leader.held)


def test_what_was_stopped_meanwhile_stays_stopped() -> None:
    leader = Leader([], [0.2])
    leader.motion.stopped_then = True
    outcome = leader.take_over()
    assert outcome.ending is Ending.OFF_PATH
    assert "a (axis 0) was stopped" in outcome.text
    rests(leader.held)


def test_axes_that_begin_to_move_while_it_is_planned_are_taken_over_in_motion() -> None:
    held = HeldEngine().servo_on()
    motion = BusyMotion(held, [])

    def move() -> None:
        times, points = np.array([0.0, 10.0]), np.array([[0.0, 0.0], [5.0, 5.0]])
        held.motion.move_spline(SplineMove(axes=(0, 1), times=times, positions=points))
        held.after(0.1)

    meanwhile = [move]

    def joints(status: MotionStatus) -> Joints:
        if meanwhile:
            meanwhile.pop()()
        return JOINTS

    execution = Execution(setting(motion, joints), goal(3.0, 4.0), DEMANDS)
    assert execution.play().ending is Ending.SUCCEEDED
    assert held.status().pos_cmd == pytest.approx([3.0, 3.0], abs=1e-9)
    assert np.abs(np.diff(motion.velocities)).max() < 0.1


def rests(held: HeldEngine) -> None:
    status = held.status()
    assert not status.velocity_cmd.any()
    assert (status.op_state == OperationState.IDLE).all()
