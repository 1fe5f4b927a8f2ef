"""A base on a held engine: smooth, on time, and never on one wheel."""

from collections.abc import Iterator

import pytest
from held_engine import HeldEngine

from wmx_core.errors import CommandRefused
from wmx_core.values import CommandMode, MotionStatus, OperationState, VelocityMove
from wmx_ros2_package.bases.differential import Base, Twist
from wmx_ros2_package.bases.drive import BaseDrive
from wmx_ros2_package.bases.speed import Speed, SpeedLimits

PERIOD = 0.01
BASE = Base(wheel_radius=0.1, wheel_distance=0.5)
AXES = [1, 0]


class Robot:
    """A base of a held engine, whose node looks 100 times a second."""

    def __init__(
        self, *, mode: CommandMode = CommandMode.POSITION, limits: SpeedLimits | None = None
    ) -> None:
        self.held = HeldEngine(velocity_feedforward_gain=100.0).servo_on(mode=mode)
        limits = limits or SpeedLimits()
        self.drive = BaseDrive(
            BASE,
            AXES,
            Speed(limits, acc_time=0.5, dec_time=0.5),
            Speed(limits, acc_time=0.5, dec_time=0.5),
            period=PERIOD,
            timeout=0.25,
            dec_time=0.5,
            latency=0.02,
        )
        self.time = 100.0
        self.braked_at: list[float] = []

    def step(self, *, alive: bool = True) -> MotionStatus:
        """One look of the node, unless it is not `alive`, and the time to the next."""
        status = self.held.status()
        if alive:
            if self.drive.brake_without_commands(self.time):
                self.braked_at.append(self.time)
            self.command(self.drive.step(self.time, status))
        self.time += PERIOD
        return self.held.after(PERIOD)

    def command(self, moves: list[VelocityMove]) -> None:
        if moves and self.drive.mode is CommandMode.POSITION:
            self.held.motion.jog(moves)
        elif moves:
            self.held.motion.move_velocity(moves)

    def run(
        self, seconds: float, twist: Twist | None = None, *, alive: bool = True
    ) -> Iterator[MotionStatus]:
        """The states while a client commands `twist` 20 times a second, or nothing."""
        for i in range(round(seconds / PERIOD)):
            if twist is not None and i % 5 == 0:
                self.drive.set_target(self.time, twist)
            yield self.step(alive=alive)

    def drives(self, seconds: float, *twist: float, alive: bool = True) -> MotionStatus:
        *_, last = self.run(seconds, Twist(*twist) if twist else None, alive=alive)
        return last


@pytest.mark.parametrize(
    ("mode", "state"),
    [
        (CommandMode.POSITION, OperationState.JOG),
        (CommandMode.VELOCITY, OperationState.VELOCITY),
    ],
)
def test_the_wheels_turn_as_the_twist_says_in_either_mode(
    mode: CommandMode, state: OperationState
) -> None:
    robot = Robot(mode=mode)
    status = robot.drives(1.0, 0.5, 0.4)
    left, right = BASE.wheels(Twist(0.5, 0.4))
    assert status.velocity_cmd[AXES] == pytest.approx([left, right])
    assert (status.op_state == state).all()
    status = robot.drives(1.0, 0.0, 0.0)
    assert not status.velocity_cmd.any()
    assert (status.op_state == OperationState.IDLE).all()
    assert not robot.braked_at


def test_a_change_takes_its_time_and_both_wheels_are_done_together() -> None:
    robot = Robot()
    speeds = [status.velocity_cmd[AXES] for status in robot.run(0.6, Twist(0.5, 1.0))]
    ratio = speeds[-1][0] / speeds[-1][1]
    for speed in speeds[:-10]:
        assert speed[0] == pytest.approx(ratio * speed[1], rel=1e-3)
    assert speeds[24] == pytest.approx(speeds[-1] / 2.0, rel=0.01)
    assert speeds[47] != pytest.approx(speeds[-1])
    assert speeds[51] == pytest.approx(speeds[-1])


def test_a_dead_client_stops_the_wheels_within_the_timeout() -> None:
    robot = Robot()
    robot.drives(1.0, 0.5, 0.0)
    last = max(i for i in range(100) if i % 5 == 0)
    heard = (last - 99) * PERIOD
    speeds = [status.velocity_cmd[0] for status in robot.run(0.8)]
    slowing = next(i for i, speed in enumerate(speeds) if speed < 0.999 * speeds[0])
    assert 0.25 - 2 * PERIOD <= slowing * PERIOD - heard <= 0.25 + 2 * PERIOD
    assert speeds[slowing + 51] == 0.0
    assert len(robot.braked_at) == 1


def test_a_dead_node_stops_the_wheels_within_twice_the_timeout() -> None:
    """The engine does it, whose lease on the motion is over."""
    robot = Robot()
    robot.drives(1.0, 0.5, 0.2)
    speeds = [status.velocity_cmd[0] for status in robot.run(1.2, alive=False)]
    assert speeds[30] == pytest.approx(speeds[0])
    assert speeds[51] < 0.99 * speeds[0]
    assert speeds[110] == 0.0


def test_a_node_that_is_late_for_once_stops_nothing() -> None:
    robot = Robot()
    robot.drives(1.0, 0.5, 0.0)
    for status in robot.run(0.35, Twist(0.5, 0.0), alive=False):
        assert status.velocity_cmd.all()
    assert robot.drives(1.0, 0.5, 0.0).velocity_cmd == pytest.approx([5.0, 5.0])


@pytest.mark.parametrize("target", [0.5, 0.05, -0.3])
def test_a_node_that_dies_while_it_slows_down_gently_stops_the_wheels_all_the_same(
    target: float,
) -> None:
    robot = Robot(limits=SpeedLimits(acceleration=0.2, jerk=0.2))
    robot.drives(6.0, 0.6, 0.0)
    robot.drives(0.1, target, 0.0)
    assert not robot.drives(2.0, alive=False).velocity_cmd.any()


def test_a_steady_speed_is_told_to_the_engine_only_to_renew_its_lease() -> None:
    robot = Robot()
    robot.drives(1.0, 0.5, 0.0)
    told = 0
    jog = robot.held.motion.jog

    def counted(moves: object) -> None:
        nonlocal told
        told += 1
        jog(moves)  # type: ignore[arg-type]

    robot.held.motion.jog = counted  # type: ignore[method-assign]
    robot.drives(2.0, 0.5, 0.0)
    assert 2.0 / 0.25 <= told <= 2.0 / 0.125 + 1
    robot.drives(1.0, 0.0, 0.0)
    told = 0
    robot.drives(1.0, 0.0, 0.0)
    assert not told


@pytest.mark.parametrize(
    "twists",
    [
        [(0.3, 0.0), (-0.3, 0.0)],
        [(0.3, 0.3 / 0.25), (0.3, -0.3 / 0.25)],
        [(0.1 * 3.0, 1.2), (0.0, 1e-12), (0.3, 0.0)],
        [(1e-9, 0.0), (0.3, 1e-9)],
    ],
    ids=["reverse", "about one wheel", "next to standing", "next to nothing"],
)
def test_a_wheel_that_next_to_stands_stands(twists: list[tuple[float, float]]) -> None:
    """Engines refuse velocities next to zero, which sums of floats are full of."""
    robot = Robot()
    for twist in twists:
        status = robot.drives(1.2, *twist)
        assert status.velocity_cmd[AXES] == pytest.approx(
            list(BASE.wheels(Twist(*twist))), abs=1e-6
        )


def test_a_wheel_that_does_not_show_its_command_yet_has_not_been_stopped() -> None:
    robot = Robot()
    status = robot.held.status()
    robot.drive.set_target(100.0, Twist(0.5, 0.4))
    robot.drive.step(100.0, status)
    robot.drive.step(100.019, status)
    with pytest.raises(CommandRefused, match="axis 1 was stopped by something else"):
        robot.drive.step(100.04, status)
    robot.drive.reset()
    robot.drive.set_target(100.05, Twist(0.5, 0.4))
    begins = [move.velocity for move in robot.drive.step(100.05, status)]
    assert begins == pytest.approx(list(BASE.wheels(Twist(0.01, 0.008)))), "from rest"
