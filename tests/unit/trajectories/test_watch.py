"""What an execution says of axes that do not follow, read from samples of an engine."""

from held_engine import HeldEngine

from wmx_ros2_package.drivers.values import EmergencyStop
from wmx_ros2_package.trajectories import watch

NAMES, AXES = ("a", "b"), (0, 1)


def test_axes_that_can_move() -> None:
    assert watch.unfit(HeldEngine().servo_on().status(), NAMES, AXES) == ""


def test_servo_off() -> None:
    engine = HeldEngine().servo_on()
    engine.motion.set_servo(1, on=False)
    assert watch.unfit(engine.after(0.1), NAMES, AXES) == "the servo of b (axis 1) is off"


def test_alarm() -> None:
    engine = HeldEngine().servo_on()
    engine.raise_alarm(0, 0x7121)
    assert watch.unfit(engine.after(0.01), NAMES, AXES) == "a (axis 0) has amplifier alarm 0x7121"


def test_emergency_stop() -> None:
    engine = HeldEngine().servo_on()
    engine.motion.emergency_stop(EmergencyStop.LEVEL1)
    assert "emergency stop (level1)" in watch.unfit(engine.after(0.01), NAMES, AXES)


def test_no_communication() -> None:
    engine = HeldEngine().servo_on()
    engine.engine.stop_communication()
    assert watch.unfit(engine.after(0.01), NAMES, AXES) == "the engine does not communicate"


def test_axes_that_rest_were_stopped() -> None:
    status = HeldEngine().servo_on().status()
    assert watch.rests(status, AXES)
    assert (
        watch.interrupted(status, NAMES, AXES) == "a (axis 0) rests before the end: it was stopped"
    )
