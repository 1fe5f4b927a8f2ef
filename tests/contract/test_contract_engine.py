"""Engine: its life, and that of the devices on it."""

from collections.abc import Callable

import moves
import pytest
from backends import Backend

from wmx_core.clock import STEADY
from wmx_core.errors import CommandRefused, EngineLost, ErrorCode
from wmx_core.values import EngineState, OperationState

pytestmark = pytest.mark.over_process

IDLE, RUNNING, COMMUNICATING = EngineState.IDLE, EngineState.RUNNING, EngineState.COMMUNICATING
ORDERS: dict[str, Callable[[Backend], object]] = {
    "set_servo": lambda backend: backend.motion.set_servo(0, on=True),
    "clear_alarm": lambda backend: backend.motion.clear_alarm(0),
    "set_polarity": lambda backend: backend.motion.set_polarity(0, 1),
    "move_absolute": lambda backend: backend.motion.move_absolute([moves.to(0, 0.0)]),
    "move_linear": lambda backend: backend.motion.move_linear(moves.line((0, 0.0), (1, 0.0))),
    "stop": lambda backend: backend.motion.stop([0]),
    "quick_stop": lambda backend: backend.motion.quick_stop([0]),
    "home": lambda backend: backend.motion.home(0),
    "input_bytes": lambda backend: backend.io.input_bytes(0, 1),
    "output_bit": lambda backend: backend.io.output_bit(0, 0),
    "set_output_bytes": lambda backend: backend.io.set_output_bytes(0, b"\0"),
    "start_hotconnect": lambda backend: backend.ecat.start_hotconnect(0),
}
"""Orders that need a network, and would do no harm with one."""
QUESTIONS: dict[str, Callable[[Backend], object]] = {
    "status": lambda backend: backend.motion.status(),
    "parameters": lambda backend: backend.motion.parameters(),
    "network_state": lambda backend: backend.ecat.network_state(0),
    "start_communication": lambda backend: backend.engine.start_communication(),
    "stop_communication": lambda backend: backend.engine.stop_communication(),
    "set_watchdog": lambda backend: backend.engine.set_watchdog(10.0),
}


def code_of(order: Callable[[Backend], object], backend: Backend) -> int:
    with pytest.raises(CommandRefused) as refused:
        order(backend)
    return refused.value.code


# Devices


def test_without_a_device_the_engine_is_idle(unattached: Backend) -> None:
    unattached.driver = unattached.open()
    assert unattached.engine.state() is IDLE
    unattached.engine.close_device()
    assert unattached.engine.state() is IDLE


@pytest.mark.parametrize("name", [*ORDERS, *QUESTIONS])
def test_without_a_device_orders_are_refused(unattached: Backend, name: str) -> None:
    unattached.driver = unattached.open()
    assert code_of((ORDERS | QUESTIONS)[name], unattached) == ErrorCode.DeviceIsNull


def test_the_first_device_starts_the_engine(attached: Backend) -> None:
    assert attached.engine.state() is RUNNING
    assert attached.motion.status().engine_state is RUNNING


def test_a_device_attaches_once(attached: Backend) -> None:
    with pytest.raises(CommandRefused) as refused:
        attached.engine.create_device(attached.path, "again")
    assert refused.value.code == ErrorCode.ResourceInUse
    assert attached.engine.state() is RUNNING, "and stays attached"


def test_a_closed_device_is_idle_and_can_attach_again(attached: Backend) -> None:
    attached.engine.close_device()
    assert attached.engine.state() is IDLE
    attached.engine.close_device()
    assert code_of(QUESTIONS["status"], attached) == ErrorCode.DeviceIsNull
    attached.engine.create_device(attached.path, "again")
    assert attached.engine.state() is RUNNING


def test_a_second_device_sees_the_same_engine(powered: Backend) -> None:
    second = powered.open()
    second.engine.create_device(powered.path, "second")
    assert second.engine.state() is COMMUNICATING
    assert second.motion.status().servo_on.tolist() == powered.motion.status().servo_on.tolist()
    second.motion.move_absolute([moves.to(powered.x, 0.25)])
    powered.until(lambda status: status.pos_cmd[powered.x] == pytest.approx(0.25), cycles=20)
    powered.motion.set_servo(powered.y, on=False)
    assert not second.motion.status().servo_on[powered.y]


def test_a_device_that_closes_leaves_the_others_alone(powered: Backend) -> None:
    second = powered.open()
    second.engine.create_device(powered.path, "second")
    second.engine.close_device()
    assert second.engine.state() is IDLE
    assert powered.engine.state() is COMMUNICATING
    assert powered.motion.status().servo_on[powered.x]
    powered.motion.move_absolute([moves.to(powered.x, 0.25)])
    assert powered.at_rest().pos_cmd[powered.x] == pytest.approx(0.25)


def test_the_driver_says_whether_it_is_simulated(unattached: Backend) -> None:
    driver = unattached.open()
    assert driver.simulated is (driver.name == "fake")


@pytest.mark.parametrize("timeout", [1.0, 10.0, 3600.0])
def test_a_watchdog_leaves_a_living_process_alone(powered: Backend, timeout: float) -> None:
    powered.engine.set_watchdog(timeout)
    powered.motion.move_absolute([moves.to(powered.x, 0.25)])
    assert powered.at_rest().pos_cmd[powered.x] == pytest.approx(0.25)
    assert powered.engine.state() is COMMUNICATING


@pytest.mark.parametrize("timeout", [0.0, 0.9, -1.0, float("nan"), 3601.0])
def test_what_is_no_watchdog(attached: Backend, timeout: float) -> None:
    with attached.refuses(ErrorCode.ParamOutOfRange):
        attached.engine.set_watchdog(timeout)


# Communication


def test_communication_starts(attached: Backend) -> None:
    attached.engine.start_communication()
    assert attached.engine.state() is COMMUNICATING
    status = attached.motion.status()
    assert status.engine_state is COMMUNICATING
    assert status.communicating
    assert not status.servo_offline[list(attached.axes)].any()


def test_starting_a_running_communication_disturbs_nothing(powered: Backend) -> None:
    powered.motion.move_absolute([moves.to(powered.x, 1.0, velocity=0.2)])
    powered.advance(0.1)
    powered.engine.start_communication()
    assert powered.engine.state() is COMMUNICATING
    status = powered.motion.status()
    assert status.op_state[powered.x] == OperationState.POS
    assert powered.at_rest().pos_cmd[powered.x] == pytest.approx(1.0)


def test_communication_stops_and_takes_the_servos_off(powered: Backend) -> None:
    powered.engine.stop_communication()
    assert powered.engine.state() is RUNNING
    status = powered.motion.status()
    assert status.engine_state is RUNNING
    assert not status.communicating
    assert not status.servo_on.any()
    assert status.servo_offline[list(powered.axes)].all()


def test_no_servo_comes_back_with_communication(powered: Backend) -> None:
    powered.engine.stop_communication()
    powered.engine.start_communication()
    assert not powered.advance(0.2).servo_on.any()


def test_no_motion_comes_back_with_communication(powered: Backend) -> None:
    powered.motion.move_absolute([moves.to(powered.x, 2.0, velocity=0.2)])
    powered.advance(0.2)
    powered.engine.stop_communication()
    powered.engine.start_communication()
    powered.at_rest()
    powered.servo_on()
    before = powered.motion.status()
    after = powered.advance(0.2)
    assert after.pos_cmd[powered.x] == before.pos_cmd[powered.x] < 2.0


def test_stopping_no_communication_does_nothing(attached: Backend) -> None:
    attached.engine.stop_communication()
    assert attached.engine.state() is RUNNING


@pytest.mark.parametrize("name", ORDERS)
def test_without_communication_orders_are_refused(attached: Backend, name: str) -> None:
    assert code_of(ORDERS[name], attached) == ErrorCode.CommNotStarted


# A lost engine


def test_a_lost_engine_is_noticed_by_every_call(backend: Backend) -> None:
    backend.kill_engine()
    for name, call in (ORDERS | QUESTIONS).items():
        with pytest.raises(EngineLost):
            raise AssertionError(f"{name} answers {call(backend)}")
    with pytest.raises(EngineLost):
        backend.engine.state()


def test_an_engine_that_stands_still_is_lost(powered: Backend) -> None:
    """Whatever it said last: that it communicates."""
    powered.motion.move_absolute([moves.to(powered.x, 1.0)])
    powered.freeze_engine()
    asked = STEADY.now()
    with pytest.raises(EngineLost):
        powered.engine.state()
    assert STEADY.now() - asked < 10.0


def test_after_a_lost_engine_the_next_can_be_attached_to(backend: Backend) -> None:
    if not backend.restarts:
        pytest.skip("there is no next engine")
    backend.kill_engine()
    backend.engine.close_device()
    assert backend.engine.state() is IDLE
    backend.engine.create_device(backend.path, "again")
    assert backend.engine.state() is RUNNING
    backend.communicate()
    backend.servo_on()
