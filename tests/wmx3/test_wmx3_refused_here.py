"""What breaks a rule of the seam is refused before the SDK is asked, by every engine's own rule."""

from collections.abc import Callable
from dataclasses import replace
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from checked_sdk import CheckedSdk
from held_engine import HeldEngine, position_move, velocity_move
from test_wmx3_splines import SPLINE

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.interface import Driver
from wmx_core.profile_types import MoveProfile, ProfileType
from wmx_core.values import IO_BYTES, REGISTER_SPACE, CommandMode, Gearing, LinearMove, TorqueMove

Order = Callable[[Any], Any]
"""Takes whatever has the Protocols of the seam: a driver, or a `HeldEngine`."""
REFUSED: dict[str, Order] = {
    "position nan": lambda d: d.motion.set_position(0, nan),
    "position inf": lambda d: d.motion.set_position(0, -inf),
    "position 1e16": lambda d: d.motion.set_position(0, 1e16),
    "numerator 0": lambda d: d.motion.set_gear_ratio(0, 0.0, 1.0),
    "numerator nan": lambda d: d.motion.set_gear_ratio(0, nan, 1.0),
    "denominator 0": lambda d: d.motion.set_gear_ratio(0, 1.0, 0.0),
    "denominator 1e16": lambda d: d.motion.set_gear_ratio(0, 1.0, 1e16),
    "mode 7": lambda d: d.motion.set_command_mode(0, 7),
    "polarity 0": lambda d: d.motion.set_polarity(0, 0),
    "polarity 5": lambda d: d.motion.set_polarity(0, 5),
    "input bit 9": lambda d: d.io.input_bit(0, 9),
    "input byte -1": lambda d: d.io.input_bit(-1, 0),
    "output bit 8": lambda d: d.io.output_bit(0, 8),
    "output byte -1": lambda d: d.io.output_bit(-1, 0),
    "byte 99999 set": lambda d: d.io.set_output_bit(99999, 0, value=True),
    "bit -1 set": lambda d: d.io.set_output_bit(0, -1, value=True),
    "second bit 8": lambda d: d.io.input_bits([(0, 0), (0, 8)]),
    "second bit set": lambda d: d.io.set_output_bits([(0, 0, True), (IO_BYTES, 0, True)]),
    "input block": lambda d: d.io.input_bytes(IO_BYTES - 1, 2),
    "input block elsewhere": lambda d: d.io.input_bytes(2**40, 1),
    "output block": lambda d: d.io.output_bytes(0, 0),
    "block set": lambda d: d.io.set_output_bytes(-1, b"1"),
    "index read": lambda d: d.ecat.read_sdo(0, 0, -1, 0, 4),
    "index 0x10000 read": lambda d: d.ecat.read_sdo(0, 0, 0x10000, 0, 4),
    "subindex read": lambda d: d.ecat.read_sdo(0, 0, 0x1000, 256, 4),
    "index written": lambda d: d.ecat.write_sdo(0, 0, -1, 0, b"1"),
    "subindex written": lambda d: d.ecat.write_sdo(0, 0, 0x1000, -1, b"1"),
    "register -1": lambda d: d.ecat.read_register(0, 0, -1, 1),
    "registers beyond": lambda d: d.ecat.read_register(0, 0, REGISTER_SPACE - 1, 2),
}


@pytest.mark.parametrize("name", REFUSED)
def test_the_sdk_is_not_asked(vendor: CheckedSdk, driver: Driver, name: str) -> None:
    """And the refusal is that of the simulated engine, to the word."""
    with pytest.raises(CommandRefused) as refused:
        REFUSED[name](driver)
    assert vendor.calls == []
    with pytest.raises(CommandRefused) as simulated:
        REFUSED[name](HeldEngine(1))
    assert str(refused.value) == str(simulated.value)


LINE = LinearMove(axes=(3, 1), targets=(1.5, -2.5), velocity=3.5, acc=4.5, dec=5.5)
VELOCITY = CommandMode.VELOCITY
S_CURVE = MoveProfile(type=ProfileType.S_CURVE)
HOLDS_STILL = np.array([[0.0, 0.0], [1.0, -1.0], [1.0, -1.0 + 5e-7]])


def several(order: str, make: Callable[..., Any], **wrong: float) -> Order:
    """An order for two axes, of which the second is as it must not be."""
    return lambda d: getattr(d.motion, order)([make(0), make(**{"axis": 1, **wrong})])


def torque(axis: int, torque: float = 12.5) -> TorqueMove:
    return TorqueMove(axis=axis, torque=torque)


def a_line(**wrong: Any) -> Order:
    return lambda d: d.motion.move_linear(replace(LINE, **wrong))


def a_spline(**wrong: Any) -> Order:
    return lambda d: d.motion.move_spline(replace(SPLINE, **wrong))


def a_gear(**axes: int) -> Order:
    return lambda d: d.motion.start_gearing([Gearing(**axes, ratio=1.0)])


OWN: list[tuple[ErrorCode | str, str, Order]] = [
    (ErrorCode.AxisOutOfRange, "axis 4", lambda d: d.motion.set_servo(4, on=True)),
    (ErrorCode.AxisOutOfRange, "axis -1", lambda d: d.motion.set_servo(-1, on=False)),
    (ErrorCode.AxisOutOfRange, "axis 4", lambda d: d.motion.clear_alarm(4)),
    (ErrorCode.AxisOutOfRange, "axis 4", lambda d: d.motion.set_command_mode(4, VELOCITY)),
    (ErrorCode.AxisOutOfRange, "axis 4", lambda d: d.motion.set_polarity(4, -1)),
    (ErrorCode.AxisOutOfRange, "axis 4", lambda d: d.motion.set_gear_ratio(4, 2.0, 1.0)),
    (ErrorCode.AxisOutOfRange, "axis 4", lambda d: d.motion.home(4)),
    (ErrorCode.AxisOutOfRange, "axis 4", several("move_absolute", position_move, axis=4)),
    (ErrorCode.AxisOutOfRange, "axis -1", several("move_relative", position_move, axis=-1)),
    (ErrorCode.AxisOutOfRange, "axis 4", several("jog", velocity_move, axis=4)),
    (ErrorCode.AxisOutOfRange, "axis 4", several("move_velocity", velocity_move, axis=4)),
    (ErrorCode.AxisOutOfRange, "axis 4",
     lambda d: d.motion.jog([velocity_move(axis, run_time=1.0) for axis in (0, 4)])),
    (ErrorCode.AxisOutOfRange, "axis 1099511627776", several("move_torque", torque, axis=2**40)),
    (ErrorCode.AxisOutOfRange, "axis 4", a_line(axes=(0, 4))),
    (ErrorCode.AxisOutOfRange, "axis 4", a_spline(axes=(2, 4))),
    (ErrorCode.AxisOutOfRange, "axis 4", a_gear(slave=4, master=0)),
    (ErrorCode.AxisOutOfRange, "axis 4", a_gear(slave=0, master=4)),
    (ErrorCode.DuplicateAxis, "", several("move_absolute", position_move, axis=0)),
    (ErrorCode.DuplicateAxis, "", several("move_relative", position_move, axis=0)),
    (ErrorCode.DuplicateAxis, "", several("jog", velocity_move, axis=0)),
    (ErrorCode.DuplicateAxis, "", several("move_velocity", velocity_move, axis=0)),
    (ErrorCode.DuplicateAxis, "", lambda d: d.motion.jog([velocity_move(0, run_time=1.0)] * 2)),
    (ErrorCode.DuplicateAxis, "", several("move_torque", torque, axis=0)),
    (ErrorCode.DuplicateAxis, "", a_line(axes=(1, 1))),
    (ErrorCode.DuplicateAxis, "", a_spline(axes=(2, 2))),
    (ErrorCode.PositionArgumentOutOfRange, "target nan",
     several("move_absolute", position_move, target=nan)),
    (ErrorCode.PositionArgumentOutOfRange, "target -inf",
     several("move_relative", position_move, target=-inf)),
    (ErrorCode.PositionArgumentOutOfRange, "target nan", a_line(targets=(0.0, nan))),
    (ErrorCode.PositionArgumentOutOfRange, "inf", a_spline(positions=np.full((3, 2), inf))),
    (ErrorCode.VelocityArgumentOutOfRange, "velocity 0.0",
     several("move_absolute", position_move, velocity=0.0)),
    (ErrorCode.VelocityArgumentOutOfRange, "velocity -2.0",
     several("move_relative", position_move, velocity=-2.0)),
    (ErrorCode.VelocityArgumentOutOfRange, "velocity nan",
     several("jog", velocity_move, velocity=nan)),
    (ErrorCode.VelocityArgumentOutOfRange, "velocity nan",
     lambda d: d.motion.jog([velocity_move(a, v, run_time=1.0) for a, v in ((0, 2.0), (1, nan))])),
    (ErrorCode.VelocityArgumentOutOfRange, "velocity inf",
     several("move_velocity", velocity_move, velocity=inf)),
    (ErrorCode.VelocityArgumentOutOfRange, "velocity 0.0", a_line(velocity=0.0)),
    (ErrorCode.AccArgumentOutOfRange, "acc 0.0", several("jog", velocity_move, acc=0.0)),
    (ErrorCode.AccArgumentOutOfRange, "acc nan", several("move_absolute", position_move, acc=nan)),
    (ErrorCode.AccArgumentOutOfRange, "acc -1.0", a_line(acc=-1.0)),
    (ErrorCode.AccArgumentOutOfRange, "acc 1e-320",
     lambda d: d.motion.jog([velocity_move(0, acc=1e-320, run_time=1.0)])),
    (ErrorCode.TimeArgumentOutOfRange, "run_time 1e+306",
     lambda d: d.motion.jog([velocity_move(0, run_time=1e306)])),
    (ErrorCode.ProfileTypeNotSupported, "axis 0: only a trapezoid has a run_time, not S_CURVE",
     lambda d: d.motion.jog([replace(velocity_move(0, run_time=1.0), profile=S_CURVE)])),
    (ErrorCode.DecArgumentOutOfRange, "dec inf", several("move_relative", position_move, dec=inf)),
    (ErrorCode.DecArgumentOutOfRange, "dec -1.0",
     several("move_velocity", velocity_move, dec=-1.0)),
    (ErrorCode.DecArgumentOutOfRange, "dec nan", a_line(dec=nan)),
    (ErrorCode.TorqueArgumentOutOfRange, "torque nan", several("move_torque", torque, torque=nan)),
    (ErrorCode.AxisCountOutOfRange, "", a_line(axes=(0, 1, 2))),
    (ErrorCode.AxisCountOutOfRange, "", a_spline(axes=(0, 1, 2))),
    (ErrorCode.PointCountOutOfRange, "", a_spline(times=np.array([0.0, 1.0]))),
    (ErrorCode.TimeArgumentOutOfRange, "0.1", a_spline(times=np.array([0.1, 0.5, 1.0]))),
    (ErrorCode.TimeArgumentOutOfRange, "nan", a_spline(times=np.array([0.0, nan, 1.0]))),
    (ErrorCode.TimeArgumentOutOfRange, "inf", a_spline(times=np.array([0.0, 0.5, inf]))),
    (ErrorCode.TimeArgumentOutOfRange, "", a_spline(times=np.array([0.0, 0.5, 0.5000009]))),
    (ErrorCode.TimeArgumentOutOfRange, "numbers", a_spline(times=np.array(["now", "soon", "on"]))),
    ("DimensionOutOfRange", "9", a_spline(axes=(*range(9),), positions=np.zeros((3, 9)))),
    ("DistanceBetweenPointsTooClose", "", a_spline(positions=HOLDS_STILL)),
    (ErrorCode.ArgumentOutOfRange, "7: must be one of FINAL, LEVEL1",
     lambda d: d.motion.emergency_stop(7)),
    (ErrorCode.ArgumentOutOfRange, "7: must", lambda d: d.ecat.set_slave_state(0, 0, 7)),
    (ErrorCode.IDOutOfRange, "master -1", lambda d: d.ecat.network_state(-1)),
    (ErrorCode.IDOutOfRange, "master 2", lambda d: d.ecat.scan_network(2)),
    (ErrorCode.ArgumentOutOfRange, "0 bytes", lambda d: d.ecat.read_sdo(0, 1, 0x1018, 4, 0)),
    (ErrorCode.ArgumentOutOfRange, "65536", lambda d: d.ecat.read_sdo(0, 1, 0x1018, 4, 0x10000)),
    (ErrorCode.ArgumentOutOfRange, "0 bytes", lambda d: d.ecat.write_sdo(0, 1, 0x1018, 4, b"")),
]  # fmt: skip
"""By a rule of the driver's own: the code, and what the refusal names."""


@pytest.mark.parametrize(("code", "named", "order"), OWN)
def test_the_driver_judges_before_it_asks(
    vendor: CheckedSdk, driver: Driver, code: ErrorCode | str, named: str, order: Order
) -> None:
    """One wrong axis of several keeps all of them from starting."""
    with pytest.raises(CommandRefused) as refused:
        order(driver)
    assert code in (refused.value.code, refused.value.name)
    assert named in refused.value.detail
    assert vendor.calls == []
