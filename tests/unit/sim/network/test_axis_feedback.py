"""What SDOs say of the axes of an engine."""

from dataclasses import replace

import numpy as np
import pytest
from held_engine import COUNTS, HeldEngine, position_move

from wmx_core.errors import CommandRefused
from wmx_core.values import CommandMode, EcState
from wmx_sim.engine.network.cia402 import axis_feedback


def signed(held: HeldEngine, slave_id: int, index: int) -> int:
    data = held.ecat.read_sdo(0, slave_id, index, 0, 4)
    return int.from_bytes(data, "little", signed=True)


@pytest.mark.parametrize("polarity", [1, -1])
@pytest.mark.parametrize("denominator", [1.0, 8.0])
def test_a_moving_axis_in_the_units_of_its_drive(polarity: int, denominator: float) -> None:
    held = HeldEngine(polarity=polarity, gear_ratio_denominator=denominator)
    held.servo_on()
    held.motion.move_absolute([position_move(1, target=5.0)])
    status = held.after(0.7)
    scale = polarity * COUNTS / denominator
    expected = {
        0x6062: status.pos_cmd[1] * scale,
        0x6064: status.actual_pos[1] * scale,
        0x606C: status.actual_velocity[1] * scale,
        0x607A: status.pos_cmd[1] * scale,
        0x60F4: status.following_error[1] * scale,
        0x60FF: status.velocity_cmd[1] * scale,
        0x6077: status.actual_torque[1] * polarity * 10,
    }
    shown = {index: signed(held, 1, index) for index in expected}
    assert shown == {index: round(value) for index, value in expected.items()}
    assert all(abs(value) >= 5 for value in shown.values()), "values worth comparing"
    assert shown[0x6064] != shown[0x6062]
    assert signed(held, 0, 0x6064) == 0
    assert signed(held, 1, 0x6071) == 0


@pytest.mark.parametrize("polarity", [1, -1])
def test_a_drive_counts_on_where_its_axis_gets_another_zero(polarity: int) -> None:
    held = HeldEngine(polarity=polarity, home_position=3.0).servo_on()
    held.motion.move_absolute([position_move(1, target=2.0)])
    held.after(5.0)
    for renumber in (lambda: held.motion.set_position(1, 7.0), lambda: held.motion.home(1)):
        renumber()
        held.after(1.0)
        counts = round(polarity * COUNTS * 2.0)
        assert [signed(held, 1, index) for index in (0x6062, 0x6064, 0x607A)] == [counts] * 3
    assert held.status().pos_cmd[1] == 3.0


def test_the_state_of_the_drive_follows_the_axis() -> None:
    held = HeldEngine()
    assert signed(held, 0, 0x6041) == 0x0231
    held.servo_on(0)
    assert [signed(held, slave_id, 0x6041) for slave_id in (0, 1)] == [0x1237, 0x0231]
    held.raise_alarm(0, 0x7305)
    assert [signed(held, 0, index) for index in (0x6041, 0x603F, 0x1001)] == [0x0218, 0x7305, 1]
    held.motion.clear_alarm(0)
    assert [signed(held, 0, index) for index in (0x6041, 0x603F, 0x1001)] == [0x0231, 0, 0]


def test_modes_and_limits_come_from_the_parameters() -> None:
    held = HeldEngine(max_torque_limit=150.0, max_motor_speed=4500.0)
    held.motion.set_command_mode(1, CommandMode.VELOCITY)
    assert [signed(held, slave_id, 0x6061) for slave_id in (0, 1)] == [8, 9]
    assert (signed(held, 0, 0x6072), signed(held, 0, 0x6080)) == (1500, 4500)


def test_torque_is_demanded_in_torque_mode_alone() -> None:
    held = HeldEngine(polarity=-1)
    torques = np.array([30.0, 40.0])
    modes = np.array([CommandMode.TORQUE, CommandMode.VELOCITY], np.int32)
    status = replace(held.status(), actual_torque=torques, command_mode=modes)
    axes = [axis_feedback(i, status, held.motion.parameters().axis(i), 0.0) for i in range(2)]
    assert [axis.torque_demand for axis in axes] == [-30.0, 0.0]
    assert [axis.torque_actual for axis in axes] == [-30.0, -40.0]


def test_switches_are_those_of_the_axis() -> None:
    held = HeldEngine()
    parameters = held.motion.parameters().axis(1)
    for shown, name in (
        ("negative_limit", "negative_ls"),
        ("positive_limit", "positive_ls"),
        ("home_switch", "home_switch"),
        ("following_error_alarm", "following_error_alarm"),
    ):
        status = replace(held.status(), **{name: np.array([False, True])})
        axis = axis_feedback(1, status, parameters, 0.0)
        flags = "negative_limit", "positive_limit", "home_switch", "following_error_alarm"
        assert [flag for flag in flags if getattr(axis, flag)] == [shown]


def test_a_refused_state_takes_no_axis_offline() -> None:
    held = HeldEngine().servo_on()
    with pytest.raises(CommandRefused):
        held.ecat.set_slave_state(0, 0, EcState.BOOT)
    assert held.status().servo_on.all()


def test_a_drive_that_is_lost_while_the_network_stands_is_homed_no_more() -> None:
    held = HeldEngine(clear_home_done_on_comm_stop=0).servo_on()
    for axis in (0, 1):
        held.motion.set_position(axis, 1.0)
    held.engine.stop_communication()
    assert held.status().home_done.tolist() == [True, True]
    held.fake.call("ecat", "drop_slave", 1)
    held.engine.start_communication()
    assert held.status().home_done.tolist() == [True, False]
