"""Motion.start_gearing: an axis that follows another."""

from collections.abc import Callable

import pytest
import simulation
from backends import Backend
from moves import at, line, to

from wmx_core.errors import ErrorCode
from wmx_core.values import (
    CommandMode,
    EmergencyStop,
    Gearing,
    OperationState,
)


def geared(backend: Backend, ratio: float = 2.0) -> Backend:
    """y follows x."""
    with backend.where_supported():
        backend.motion.start_gearing([Gearing(slave=backend.y, master=backend.x, ratio=ratio)])
    backend.advance(0.005)
    return backend


def at_rest(backend: Backend) -> None:
    """Both do nothing, and nothing follows: what moves the master moves the other no more."""
    before = backend.at_rest()
    backend.motion.move_relative([to(backend.x, 0.1)])
    after = backend.at_rest(backend.x)
    assert after.pos_cmd[backend.x] != before.pos_cmd[backend.x]
    assert after.pos_cmd[backend.y] == pytest.approx(before.pos_cmd[backend.y], abs=1e-9)


@pytest.mark.over_process("start_gearing")
@pytest.mark.parametrize("ratio", [2.0, -0.5, 1.0])
def test_a_slave_moves_by_the_ratio_in_the_same_cycles(powered: Backend, ratio: float) -> None:
    powered.motion.move_absolute([to(powered.x, 0.3), to(powered.y, -0.4)])
    start = powered.at_rest()
    geared(powered, ratio)
    powered.motion.move_absolute([to(powered.x, 1.3)])
    for _ in range(12):
        status = powered.advance(0.1)
        moved = status.pos_cmd - start.pos_cmd
        assert moved[powered.y] == pytest.approx(ratio * moved[powered.x], abs=1e-9)
        assert status.velocity_cmd[powered.y] == pytest.approx(
            ratio * status.velocity_cmd[powered.x], abs=1e-9
        )
        assert status.op_state[powered.y] == OperationState.SYNC
    assert status.pos_cmd[powered.x] == pytest.approx(1.3)
    powered.motion.stop([powered.y])
    at_rest(powered)


def test_its_motor_follows(harmless_powered: Backend) -> None:
    backend = geared(harmless_powered, 1.0)
    backend.motion.jog([at(backend.x, 1.0)])
    status = backend.advance(1.0)
    assert status.actual_velocity[backend.y] == pytest.approx(1.0, abs=0.01)
    backend.motion.stop([backend.x])
    backend.advance(1.0)
    backend.motion.stop([backend.y])
    at_rest(backend)


def test_it_has_neither_target_nor_end(powered: Backend) -> None:
    status = geared(powered).motion.status()
    assert status.target[powered.y] != status.target[powered.y]
    assert status.remaining[powered.y] == float("inf")
    assert not status.motion_complete[powered.y]
    powered.motion.stop([powered.y])
    at_rest(powered)


def test_a_stop_of_the_master_brings_both_to_rest(powered: Backend) -> None:
    geared(powered)
    powered.motion.jog([at(powered.x, 1.0)])
    powered.advance(0.5)
    powered.motion.stop([powered.x])
    status = powered.advance(1.0)
    assert status.velocity_cmd[[*powered.axes]].tolist() == [0.0, 0.0]
    assert status.op_state[powered.y] == OperationState.SYNC
    powered.motion.stop([powered.y])
    at_rest(powered)


@pytest.mark.parametrize("stop", ["stop", "quick_stop"])
@pytest.mark.parametrize("moving", [True, False])
def test_a_stop_of_the_slave_ends_the_gearing(powered: Backend, stop: str, moving: bool) -> None:
    geared(powered)
    if moving:
        powered.motion.jog([at(powered.x, 1.0)])
        before = powered.advance(0.5)
    getattr(powered.motion, stop)([powered.y])
    status = powered.advance(1.0)
    assert status.velocity_cmd[powered.y] == 0.0
    assert status.op_state[powered.y] == OperationState.IDLE
    if moving:
        assert status.velocity_cmd[powered.x] == pytest.approx(1.0)
        way = status.pos_cmd[powered.y] - before.pos_cmd[powered.y]
        assert 0.0 < way <= 2.0**2 / 2.0 / simulation.QUICK_STOP_DEC + 2.0 * 0.02
    powered.motion.stop([powered.x])
    at_rest(powered)


def test_a_stop_of_both(powered: Backend) -> None:
    geared(powered)
    powered.motion.jog([at(powered.x, 1.0)])
    powered.advance(0.5)
    powered.motion.stop(powered.axes)
    at_rest(powered)


def servo_off(backend: Backend) -> None:
    backend.motion.set_servo(backend.y, on=False)


def master_off(backend: Backend) -> None:
    backend.motion.set_servo(backend.x, on=False)


def alarm(backend: Backend) -> None:
    backend.play(simulation.raise_alarm(backend.y, 0x42))


def emergency(backend: Backend) -> None:
    backend.motion.emergency_stop(EmergencyStop.LEVEL1)


def dead_man(backend: Backend) -> None:
    backend.engine.feed_dead_man([backend.y], 0.05)
    backend.advance(0.2)


@pytest.mark.parametrize("what", [servo_off, master_off, alarm, emergency, dead_man])
def test_what_stops_the_slave_ends_the_gearing(
    harmless_powered: Backend, what: Callable[[Backend], None]
) -> None:
    backend = geared(harmless_powered)
    backend.motion.jog([at(backend.x, 1.0)])
    backend.advance(0.5)
    what(backend)
    backend.motion.stop([backend.x])
    backend.at_rest()
    backend.motion.release_emergency_stop()
    backend.motion.clear_alarm(backend.y)
    backend.servo_on()
    at_rest(backend)


def test_a_limit_of_the_slave_ends_it(harmless_powered: Backend) -> None:
    backend = harmless_powered
    for axis in backend.axes:
        backend.motion.set_position(axis, 0.0)
    backend.load(LimitParam_SoftLimitType=3, LimitParam_SoftLimitPositivePos=1.0)
    geared(backend)
    backend.motion.jog([at(backend.x, 0.4)])
    status = backend.until(lambda s: s.op_state[backend.y] != OperationState.SYNC, cycles=20)
    assert status.pos_cmd[backend.y] >= 0.99
    backend.motion.stop([backend.x])
    backend.at_rest()
    backend.motion.move_absolute([to(backend.x, 0.0)])
    assert backend.at_rest().pos_cmd[backend.y] == pytest.approx(1.0, abs=0.1)


def test_a_slave_takes_no_other_motion(powered: Backend) -> None:
    geared(powered)
    for command in (
        lambda: powered.motion.move_absolute([to(powered.y)]),
        lambda: powered.motion.jog([at(powered.y)]),
        lambda: powered.motion.move_linear(line((powered.x, 1.0), (powered.y, 1.0))),
        lambda: powered.motion.home(powered.y),
    ):
        with pytest.raises(Exception, match="Error="):
            command()
        assert powered.advance(0.01).op_state[powered.y] == OperationState.SYNC
    powered.motion.stop(powered.axes)
    at_rest(powered)


def test_settings_of_both_are_refused(powered: Backend) -> None:
    motion = geared(powered).motion
    codes = {powered.x: ErrorCode.IsSyncMaster, powered.y: ErrorCode.NotIdleState}
    for axis, code in codes.items():
        with powered.refuses(code):
            motion.set_position(axis, 5.0)
        with powered.refuses(code):
            motion.set_command_mode(axis, CommandMode.VELOCITY)
        with powered.refuses(code):
            motion.set_gear_ratio(axis, 10.0, 1.0)
    with powered.refuses(ErrorCode.IsSyncMaster):
        motion.home(powered.x)
    powered.motion.stop([powered.y])
    at_rest(powered)


def gearing(slave: int, master: int, ratio: float = 1.0) -> Gearing:
    return Gearing(slave=slave, master=master, ratio=ratio)


REFUSED: dict[str, tuple[ErrorCode, Callable[[Backend], list[Gearing]]]] = {
    "itself": (ErrorCode.IsSyncSlave, lambda b: [gearing(b.x, b.x)]),
    "twice": (ErrorCode.DuplicateAxis, lambda b: [gearing(b.y, b.x), gearing(b.y, 2)]),
    "a chain": (ErrorCode.IsSyncSlave, lambda b: [gearing(b.y, b.x), gearing(b.x, 2)]),
    "no ratio": (ErrorCode.SyncGearRatioOutOfRange, lambda b: [gearing(b.y, b.x, 0.0)]),
    "nan": (ErrorCode.SyncGearRatioOutOfRange, lambda b: [gearing(b.y, b.x, float("nan"))]),
    "large": (ErrorCode.SyncGearRatioOutOfRange, lambda b: [gearing(b.y, b.x, 1e9)]),
    "slave": (ErrorCode.AxisOutOfRange, lambda b: [gearing(1000, b.x)]),
    "master": (ErrorCode.AxisOutOfRange, lambda b: [gearing(b.y, 1000)]),
    "servo off": (ErrorCode.ServoOff, lambda b: [gearing(b.y, b.x), gearing(2, b.x)]),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_gears_nothing(harmless_powered: Backend, name: str) -> None:
    code, wrong = REFUSED[name]
    with harmless_powered.refuses(code):
        harmless_powered.motion.start_gearing(wrong(harmless_powered))
    at_rest(harmless_powered)


def test_axes_that_move_are_refused(powered: Backend) -> None:
    powered.motion.jog([at(powered.x)])
    powered.advance(0.2)
    for slave, master in (powered.axes, powered.axes[::-1]):
        with powered.refuses(ErrorCode.NotIdleState):
            powered.motion.start_gearing([gearing(slave, master)])
    powered.motion.stop([powered.x])
    at_rest(powered)


def test_one_that_follows_leads_none(powered: Backend) -> None:
    geared(powered)
    with powered.refuses(ErrorCode.IsSyncSlave):
        powered.motion.start_gearing([gearing(2, powered.y)])
    powered.motion.stop([powered.y])
    at_rest(powered)
