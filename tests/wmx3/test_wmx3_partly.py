"""Commands of which the engine takes a part, and calls that are not answered in time."""

from collections.abc import Callable
from typing import Any

import pytest
from checked_sdk import Act, CheckedSdk, Refused
from held_engine import HeldEngine, position_move, velocity_move
from not_answered import not_answered
from test_wmx3_splines import SPLINE
from test_wmx3_splines import START as START_SPLINE

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.interface import Driver, Motion
from wmx_core.values import (
    CommandMode,
    Gearing,
    LinearMove,
    OperationState,
    TorqueMove,
)

POSITION, VELOCITY, TORQUE = CommandMode
LINE = LinearMove(axes=(0, 1), targets=(1.0, 2.0), velocity=3.0, acc=4.0, dec=5.0)


@pytest.fixture
def vendor(over_held: CheckedSdk) -> CheckedSdk:
    return over_held


def takes_the_first(name: str) -> Act:
    """A function that carries out the first of its commands, and is refused."""

    def act(vendor: CheckedSdk, count: int, commands: Any) -> Any:
        vendor.real(name, commands[0])
        raise Refused(65549)

    return act


def test_what_the_engine_has_taken_of_a_refused_command_is_stopped(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver
) -> None:
    held.motion.move_absolute([position_move(2, 50.0)])
    began = held.after(0.1).time
    vendor.play("Motion.StartPos", takes_the_first("Motion.StartPos"))
    with pytest.raises(CommandRefused) as refused:
        driver.motion.move_absolute([position_move(0, 5.0), position_move(1, 5.0)])
    assert refused.value.code == 65549
    assert "axes [0]" in refused.value.detail
    states = held.status().op_state.tolist()
    assert states == [OperationState.STOP, OperationState.IDLE, OperationState.POS]
    assert held.status().time - began == pytest.approx(0.003), "by then the status shows it"


def test_what_a_refused_command_may_have_begun_is_stopped_where_no_status_shows_it(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver
) -> None:
    def take_the_first(vendor: CheckedSdk, _count: int, commands: Any) -> None:
        vendor.real("Motion.StartPos", commands[0])
        vendor.refuse("CoreMotion.GetStatus", ErrorCode.WaitTimeout)
        raise Refused(65549)

    vendor.play("Motion.StartPos", take_the_first)
    with pytest.raises(CommandRefused) as refused:
        driver.motion.move_absolute([position_move(0, 5.0), position_move(1, 5.0)])
    assert refused.value.code == 65549
    assert "axes [0, 1] may have begun" in refused.value.detail
    assert held.status().op_state[0] == OperationState.STOP


def test_a_refused_command_leaves_what_moves_alone(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver
) -> None:
    driver.motion.move_absolute([position_move(axis, 50.0) for axis in range(3)])
    held.after(0.5)

    vendor.refuse("Motion.StartPos", 65549)
    with pytest.raises(CommandRefused) as refused:
        driver.motion.move_absolute([position_move(0, 5.0), position_move(1, 5.0)])
    assert "stopped" not in refused.value.detail
    assert (held.status().op_state == OperationState.POS).all()


@pytest.mark.parametrize(
    ("name", "order", "path"),
    [("Motion.StartLinearIntplPos", "move_linear", LINE), (START_SPLINE, "move_spline", SPLINE)],
)
def test_a_path_that_is_refused_has_begun_nothing(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver, name: str, order: str, path: Any
) -> None:
    """So an axis is left alone that jogs, and speeds up meanwhile."""
    driver.motion.jog([velocity_move(axis) for axis in path.axes])
    vendor.refuse(name, 65549)
    with pytest.raises(CommandRefused):
        getattr(driver.motion, order)(path)
    assert (held.after(0.1).op_state[list(path.axes)] == OperationState.JOG).all()


def test_a_jog_that_a_refused_command_has_made_faster_is_stopped(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver
) -> None:
    driver.motion.jog([velocity_move(axis, 2.0) for axis in range(3)])
    held.after(1.0)
    vendor.play("Motion.StartJog", takes_the_first("Motion.StartJog"))
    with pytest.raises(CommandRefused) as refused:
        driver.motion.jog([velocity_move(0, 3.0), velocity_move(1, 3.0)])
    assert "axes [0]" in refused.value.detail
    states = held.status().op_state.tolist()
    assert states == [OperationState.STOP, OperationState.JOG, OperationState.JOG]


def test_a_jog_that_a_refused_command_would_bring_to_rest_goes_on(
    held: HeldEngine, driver: Driver
) -> None:
    driver.motion.jog([velocity_move(0)])
    held.after(1.0)
    held.motion.set_servo(1, on=False)
    with pytest.raises(CommandRefused):
        driver.motion.jog([velocity_move(0, 0.0, run_time=1.0), velocity_move(1, run_time=1.0)])
    assert held.after(1.0).velocity_cmd[0] == pytest.approx(2.0)


def test_a_jog_is_stopped_that_began_with_one_to_rest_that_is_refused(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver
) -> None:
    vendor.refuse("Motion.StartJog", 65549)
    with pytest.raises(CommandRefused, match=r"axes \[1\] may have begun"):
        driver.motion.jog([velocity_move(0, 0.0, run_time=1.0), velocity_move(1, run_time=1.0)])
    assert held.status().op_state[1] == OperationState.STOP


def test_a_position_that_is_not_home_is_put_back(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver
) -> None:
    driver.motion.set_position(0, 2.0)
    vendor.refuse("Home.SetHomeDone", 1557)
    with pytest.raises(CommandRefused) as refused:
        driver.motion.set_position(0, 5.0)
    assert "put back" not in refused.value.detail
    assert held.status().pos_cmd[0] == 2.0


def test_a_position_that_is_not_answered_in_time_is_put_back(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver
) -> None:
    driver.motion.set_position(0, 2.0)
    vendor.play("Home.SetCommandPos", not_answered("Home.SetCommandPos"))
    with pytest.raises(CommandRefused) as refused:
        driver.motion.set_position(0, 5.0)
    assert refused.value.name == "APIChannelTimeOut"
    assert held.status().pos_cmd[0] == 2.0


def test_a_position_that_cannot_be_put_back_is_named(vendor: CheckedSdk, driver: Driver) -> None:
    def late(vendor: CheckedSdk, axis: int, done: int) -> None:
        vendor.refuse("Home.SetCommandPos", 1557)
        raise Refused(1557)

    vendor.play("Home.SetHomeDone", late)
    with pytest.raises(
        CommandRefused, match=r"position 5\.0 now, and was not put back: Error=1557"
    ):
        driver.motion.set_position(0, 5.0)


STARTS: dict[str, tuple[list[int], CommandMode, Callable[[Motion], None]]] = {
    "Motion.StartPos": ([0], POSITION, lambda m: m.move_absolute([position_move(0, 5.0)])),
    "Motion.StartMov": ([0], POSITION, lambda m: m.move_relative([position_move(0, 5.0)])),
    "Motion.StartJog": ([0], POSITION, lambda m: m.jog([velocity_move(0)])),
    "Velocity.StartVel": ([0], VELOCITY, lambda m: m.move_velocity([velocity_move(0)])),
    "Torque.StartTrq": ([0], TORQUE, lambda m: m.move_torque([TorqueMove(axis=0, torque=9.0)])),
    "Motion.StartLinearIntplPos": ([0, 1], POSITION, lambda m: m.move_linear(LINE)),
    START_SPLINE: ([2, 1], POSITION, lambda m: m.move_spline(SPLINE)),
    "Sync.SetSyncGearRatio": (
        [0],
        POSITION,
        lambda m: m.start_gearing([Gearing(slave=0, master=1, ratio=1.0)]),
    ),
}
"""What each function starts: axes, in a mode, by a command."""


@pytest.mark.parametrize("name", STARTS)
def test_a_start_that_is_not_answered_in_time_is_stopped(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver, name: str
) -> None:
    """It may have been taken, and "refused" means that nothing moves because of it."""
    axes, mode, start = STARTS[name]
    held.servo_on(*axes, mode=mode)
    vendor.play(name, not_answered(name))
    with pytest.raises(CommandRefused) as refused:
        start(driver.motion)
    assert f"axes {axes} may have begun all the same, and were stopped" in refused.value.detail
    status = held.after(0.6)
    assert not status.busy.size
    assert status.actual_velocity == pytest.approx([0.0] * 3, abs=1e-3)
