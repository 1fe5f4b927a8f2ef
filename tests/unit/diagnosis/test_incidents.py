"""What a limit, an alarm or an emergency stop has done, told once, when it happens."""

from dataclasses import replace

import pytest
from held_engine import MODEL, HeldEngine, position_move, velocity_move

from wmx_core.values import EmergencyStop, LimitType, MotionStatus
from wmx_ros2_package.diagnosis.incidents import EVERY_AXIS, Incident, incidents


class Samples:
    """One sample after the other, each compared to the one before."""

    def __init__(self, first: MotionStatus) -> None:
        self._before = first

    def see(self, status: MotionStatus) -> list[Incident]:
        before, self._before = self._before, status
        return [*incidents(before, status)]


def test_nothing_happens_to_axes_that_move() -> None:
    held = HeldEngine().servo_on()
    samples = Samples(held.status())
    held.motion.move_absolute([position_move()])
    assert [samples.see(held.after(0.01)) for _ in range(200)] == [[]] * 200


def test_an_alarm_is_told_once() -> None:
    held = HeldEngine().servo_on()
    samples = Samples(held.status())
    held.raise_alarm(1, 0x2310)
    told = "alarm 0x2310 (continuous overcurrent at the output): its servo is off"
    assert samples.see(held.status()) == [Incident(1, told)]
    assert samples.see(held.after(0.01)) == []
    held.motion.clear_alarm(1)
    assert samples.see(held.status()) == []


@pytest.mark.parametrize(
    ("kind", "does"),
    [
        (LimitType.SERVO_OFF, "its servo is off"),
        (LimitType.DEC, "it slows down"),
        (LimitType.NONE, "it moves to a position"),
    ],
)
def test_what_a_limit_switch_does(kind: LimitType, does: str) -> None:
    model = replace(MODEL, negative_limit_switch=-1.0)
    held = HeldEngine(model=model, ls_type=kind, ls_dec=2.0).servo_on()
    samples = Samples(held.status())
    held.motion.move_absolute([position_move(0, -3.0)])
    [incident] = [each for _ in range(3000) for each in samples.see(held.after(0.001))]
    assert incident.axis == 0
    assert incident.text.startswith("negative limit switch on at -1")
    assert incident.text.endswith(f"u: {does}")


def test_a_soft_limit_that_ends_a_jog_is_told_once() -> None:
    held = HeldEngine(
        soft_limit_type=LimitType.DEC, soft_limit_positive=1.0, soft_limit_negative=-1.0
    ).servo_on()
    samples = Samples(held.status())
    held.motion.set_position(0, 0.0)  # soft limits hold for axes that know where they are
    held.motion.jog([velocity_move(velocity=2.0)])
    [incident] = [each for _ in range(3000) for each in samples.see(held.after(0.001))]
    assert incident.axis == 0
    assert incident.text.startswith("positive soft limit reached at ")


@pytest.mark.parametrize(
    ("level", "text"),
    [
        (EmergencyStop.FINAL, "emergency stop (final): every servo is off"),
        (EmergencyStop.LEVEL1, "emergency stop (level 1): every axis slows down"),
    ],
)
def test_an_emergency_stop_and_its_release(level: EmergencyStop, text: str) -> None:
    held = HeldEngine().servo_on()
    samples = Samples(held.status())
    held.motion.emergency_stop(level)
    [incident] = samples.see(held.status())
    assert incident.axis == EVERY_AXIS
    assert incident.text.startswith(text)
    held.motion.release_emergency_stop()
    [incident] = samples.see(held.status())
    assert "nothing moves until it is commanded again" in incident.text


def test_a_drive_that_drops_out() -> None:
    held = HeldEngine().servo_on()
    samples = Samples(held.status())
    held.play("[{drop_slave: {slave: 1}}]")
    assert samples.see(held.after(0.1)) == [Incident(1, "drive offline: its servo is off")]


def test_a_servo_that_a_client_switches_off_is_none() -> None:
    held = HeldEngine().servo_on()
    samples = Samples(held.status())
    held.motion.set_servo(0, on=False)
    assert samples.see(held.after(0.1)) == []
