"""A stream of velocities is a lease, and pauses after it was stopped."""

from collections.abc import Callable, Sequence

import pytest
from held_engine import HeldEngine, velocity_move

from wmx_ros2_package.drivers.errors import CommandRefused
from wmx_ros2_package.drivers.values import (
    CommandMode,
    EmergencyStop,
    OperationState,
    VelocityMove,
)
from wmx_ros2_package.streams import VelocityStream

PERIOD = 0.05


class Stick:
    """A joystick that jogs axis 0 of a held engine, 20 times a second."""

    def __init__(self, *, timeout: float = 0.2, run_time: float = 0.0) -> None:
        self.held = HeldEngine().servo_on()
        self.stream = VelocityStream(
            OperationState.JOG, timeout=timeout, run_time=run_time, clock=lambda: self.time
        )
        self.time = 100.0
        self.given: list[VelocityMove] = []

    def command(self, velocity: float = 2.0, *axes: int) -> None:
        moves = [velocity_move(axis, velocity) for axis in axes or (0,)]
        self.stream.command(moves, self.held.status(), self._order)

    def _order(self, moves: Sequence[VelocityMove]) -> None:
        self.held.motion.jog(moves)
        self.given += moves

    def wait(self, seconds: float) -> None:
        self.held.after(seconds)
        self.time += seconds

    def hold(self, seconds: float, period: float = PERIOD) -> list[bool]:
        """Hold the stick; whether each command got through."""
        through = []
        for _ in range(round(seconds / period)):
            try:
                self.command()
                through.append(True)
            except CommandRefused:
                through.append(False)
            self.wait(period)
        return through

    @property
    def velocity(self) -> float:
        return float(self.held.status().velocity_cmd[0])


def test_it_runs_for_as_long_as_it_is_held_and_stops_when_it_is_let_go() -> None:
    stick = Stick()
    assert all(stick.hold(10.0))
    assert stick.velocity == pytest.approx(2.0)
    stick.wait(0.151)  # 0.2 s after the last command; then 0.4 s of slowing down
    assert 0.0 < stick.velocity < 2.0
    stick.wait(0.4)
    assert stick.velocity == 0.0


def test_without_a_timeout_it_is_no_lease() -> None:
    stick = Stick(timeout=0.0)
    stick.command()
    stick.wait(3600.0)
    assert stick.velocity == pytest.approx(2.0)
    stick.held.motion.stop([0])
    stick.wait(1.0)
    stick.command()


def test_without_a_timeout_a_new_beginning_holds_nothing_back() -> None:
    stick = Stick(timeout=0.0)
    stick.stream.begin_anew("the engine is attached")
    stick.command()
    stick.wait(1.0)
    assert stick.velocity == pytest.approx(2.0)


ENDS: dict[str, Callable[[HeldEngine], None]] = {
    "stop": lambda held: held.motion.stop([0]),
    "emergency stop": lambda held: (
        held.motion.emergency_stop(EmergencyStop.LEVEL1),
        held.motion.release_emergency_stop(),
    )[1],
    "servo off and on": lambda held: (
        held.motion.set_servo(0, on=False),
        held.motion.set_servo(0, on=True),
    )[1],
}


@pytest.mark.parametrize("period", [0.002, 0.01, PERIOD])
@pytest.mark.parametrize("end", ENDS)
def test_what_was_stopped_stays_stopped_while_the_stick_is_held(end: str, period: float) -> None:
    stick = Stick()
    stick.hold(1.0, period)
    ENDS[end](stick.held)
    stick.wait(0.001)  # the engine shows it a cycle later
    assert not any(stick.hold(2.0, period))
    assert stick.velocity == 0.0
    stick.wait(0.21)
    assert all(stick.hold(1.0, period)), "it has been let go"


def test_velocity_zero_is_a_pause_too() -> None:
    stick = Stick()
    stick.hold(1.0)
    stick.held.motion.stop([0])
    stick.hold(1.0)
    with pytest.raises(CommandRefused, match=r"axis 0 has to pause for 0\.2 s or at velocity 0"):
        stick.command()
    stick.command(0.0)
    stick.command()


def test_what_the_engine_refuses_does_not_begin_by_itself() -> None:
    stick = Stick()
    stick.held.motion.set_command_mode(0, CommandMode.VELOCITY)
    assert not any(stick.hold(0.5))
    stick.held.motion.set_command_mode(0, CommandMode.POSITION)
    assert not any(stick.hold(0.5)), "until the stick is let go"
    stick.wait(0.21)
    assert all(stick.hold(0.5))


def test_it_runs_no_longer_than_its_run_time() -> None:
    stick = Stick(run_time=2.0)
    through = stick.hold(5.0)
    assert through == [True] * 40 + [False] * 60
    assert stick.velocity == 0.0
    with pytest.raises(CommandRefused, match="it has run for 2 s"):
        stick.command()
    stick.wait(0.21)
    assert all(stick.hold(1.9))


def test_the_last_lease_ends_with_the_run_time() -> None:
    stick = Stick(run_time=1.0)
    stick.hold(0.95)
    stick.command()
    assert stick.given[-1].run_time == pytest.approx(0.05)


def test_an_axis_that_pauses_holds_back_all_of_its_command() -> None:
    stick = Stick()
    stick.hold(1.0)
    stick.held.motion.stop([0])
    stick.wait(PERIOD)
    with pytest.raises(CommandRefused, match="axis 0 has to pause"):
        stick.command(1.0, 1, 0)
    assert stick.held.status().op_state[1] == OperationState.IDLE


@pytest.mark.parametrize("late", [0.0, 0.9])
def test_after_a_new_beginning_it_has_to_pause(late: float) -> None:
    stick = Stick()
    stick.hold(0.5)
    stick.stream.begin_anew("another engine")
    stick.wait(late)
    with pytest.raises(CommandRefused, match="another engine"):
        stick.command()
    assert not any(stick.hold(2.0))
    stick.wait(0.21)
    assert all(stick.hold(1.0))


def test_axes_that_are_to_pause_are_told_by_name() -> None:
    stick = Stick()
    stick.command(1.0, 0, 1)
    assert stick.stream.axes() == [0, 1]
    stick.stream.pause([1], "it was stopped by somebody")
    assert stick.stream.axes() == [0]
    with pytest.raises(CommandRefused, match=r"axis 1 .* it was stopped by somebody"):
        stick.command(1.0, 0, 1)
