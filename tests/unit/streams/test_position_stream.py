"""A stream of positions pauses after something else has ended what it moves."""

from collections.abc import Callable

import pytest
from held_engine import HeldEngine, position_move

from wmx_ros2_package.drivers.errors import CommandRefused
from wmx_ros2_package.drivers.values import EmergencyStop
from wmx_ros2_package.streams import PositionStream

AXES = [0, 1]


class Servo:
    """Streams positions of two axes of a held engine that move at 1 u/s, every `period` s."""

    def __init__(self, period: float = 0.02) -> None:
        self.held = HeldEngine().servo_on()
        self.stream = PositionStream(AXES, timeout=0.2, clock=lambda: self.held.status().time)
        self.period = period
        self.target = 0.0

    def send(self, step: float | None = None) -> None:
        self.target += self.period if step is None else step
        status = self.held.status()
        self.stream.hear()
        if reason := self.stream.end_of(status):
            self.stream.pause(reason)
        self.stream.require_running()
        if self.stream.begins(status):
            return
        moves = [position_move(axis, self.target, velocity=1.0, acc=100.0) for axis in AXES]
        self.held.motion.move_absolute(moves)
        self.stream.sent(dict.fromkeys(AXES, self.target), status)

    def hold(self, seconds: float) -> list[bool]:
        """Whether each message got through."""
        through = []
        for _ in range(round(seconds / self.period)):
            try:
                self.send()
                through.append(True)
            except CommandRefused:
                through.append(False)
            self.held.after(self.period)
        return through


@pytest.mark.parametrize("period", [0.005, 0.02, 0.19])
def test_a_stream_that_nothing_ends_gets_through(period: float) -> None:
    assert all(Servo(period).hold(1.0))


def test_axes_that_arrive_and_rest_have_not_been_stopped() -> None:
    servo = Servo()
    for _ in range(5):
        servo.send(0.002)
        servo.held.after(0.19)
        assert servo.stream.end_of(servo.held.status()) == ""
    servo.send(0.0)


ENDS: dict[str, Callable[[HeldEngine], object]] = {
    "stop": lambda held: held.motion.stop([1]),
    "quick stop": lambda held: held.motion.quick_stop([0]),
    "emergency stop": lambda held: (
        held.motion.emergency_stop(EmergencyStop.LEVEL1),
        held.motion.release_emergency_stop(),
    ),
    "servo off and on": lambda held: (
        held.motion.set_servo(0, on=False),
        held.motion.set_servo(0, on=True),
    ),
}


@pytest.mark.parametrize("after", [0.0, 0.3])
@pytest.mark.parametrize("period", [0.005, 0.02])
@pytest.mark.parametrize("end", ENDS)
def test_what_was_ended_stays_ended_until_the_stream_pauses(
    end: str, period: float, after: float
) -> None:
    servo = Servo(period)
    assert all(servo.hold(0.5))
    ENDS[end](servo.held)
    servo.held.after(min(after, period))
    servo.hold(0.03)  # the engine needs a cycle to show it
    assert not any(servo.hold(1.0))
    assert not servo.held.status().velocity_cmd.any()
    servo.held.after(0.21)
    servo.target = float(servo.held.status().pos_cmd[0])
    assert all(servo.hold(0.2)), "it has been let go"


def test_a_stop_before_the_axes_begin_to_move_counts() -> None:
    servo = Servo(0.005)
    servo.send()
    servo.held.motion.stop(AXES)
    servo.held.after(0.005)
    servo.hold(0.05)
    assert not any(servo.hold(1.0))


def test_the_reason_names_the_axis_and_where_it_is() -> None:
    servo = Servo()
    servo.send(1.0)
    servo.held.after(0.2)
    servo.held.motion.stop([1])
    servo.held.after(0.1)
    with pytest.raises(
        CommandRefused, match=r"pause for 0\.2 s .* axis 1 was stopped \(state STOP"
    ):
        servo.send()
    servo.held.after(0.19)
    with pytest.raises(CommandRefused, match="has to pause"):
        servo.send()


def test_after_a_new_beginning_it_has_to_pause() -> None:
    servo = Servo()
    servo.hold(0.5)
    servo.stream.begin_anew("another engine")
    assert not any(servo.hold(2.0))
    servo.held.after(0.21)
    assert all(servo.hold(0.1))
