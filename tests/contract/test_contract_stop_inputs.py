"""Inputs that stop axes inside the engine."""

import pytest
import simulation
from backends import Backend
from moves import at, to, torque

from wmx_core.errors import ErrorCode
from wmx_core.reactions import MOST_STOP_INPUTS, StopInput, StopKind
from wmx_core.values import CommandMode, EmergencyStop, OperationState

BYTE, BIT = 1, 3
STOPPED = OperationState.STOP, OperationState.IDLE


@pytest.fixture
def door(harmless_powered: Backend) -> Backend:
    """An input that is on while the door is shut, and x and y with their servos on."""
    harmless_powered.play(simulation.force_input(BYTE, BIT, True))
    return harmless_powered


def opens(backend: Backend) -> None:
    backend.play(simulation.force_input(BYTE, BIT, False))


def stops(axis: int, kind: StopKind = StopKind.STOP, *, value: bool = False) -> StopInput:
    return StopInput(axis=axis, address=BYTE, bit=BIT, value=value, kind=kind)


def set_inputs(backend: Backend, *inputs: StopInput) -> None:
    with backend.where_supported():
        backend.reactions.set_stop_inputs(inputs)


@pytest.mark.over_process
@pytest.mark.parametrize("kind", [StopKind.STOP, StopKind.QUICK_STOP])
def test_it_stops_its_axis_and_no_other(door: Backend, kind: StopKind) -> None:
    set_inputs(door, stops(door.x, kind))
    door.motion.jog([at(door.x), at(door.y)])
    assert (door.advance(0.5).op_state[[*door.axes]] == OperationState.JOG).all()
    opens(door)
    status = door.advance(0.005)
    assert status.op_state[door.x] in STOPPED
    assert status.op_state[door.y] == OperationState.JOG
    door.motion.stop([door.y])
    assert abs(door.at_rest().velocity_cmd[door.x]) == 0.0


def test_it_acts_in_the_cycle_in_which_it_comes_on(door: Backend) -> None:
    if not door.exact:
        pytest.skip("the clock runs")
    set_inputs(door, stops(door.x))
    door.motion.jog([at(door.x)])
    door.advance(1.0)
    opens(door)
    assert door.advance(0.002).op_state[door.x] == OperationState.STOP


@pytest.mark.parametrize(
    ("kind", "dec"),
    [(StopKind.STOP, 10.0), (StopKind.QUICK_STOP, simulation.QUICK_STOP_DEC)],
)
def test_how_hard_it_stops(door: Backend, kind: StopKind, dec: float) -> None:
    if not door.exact:
        pytest.skip("the clock runs")
    set_inputs(door, stops(door.x, kind))
    door.motion.jog([at(door.x)])
    moving = door.advance(1.0)
    opens(door)
    way = door.at_rest().pos_cmd[door.x] - moving.pos_cmd[door.x]
    most = moving.velocity_cmd[door.x] * 0.003
    least = moving.velocity_cmd[door.x] ** 2 / 2.0 / dec
    assert least - 1e-6 <= way <= least + most


def test_an_emergency_stop_is_of_all_axes_and_stays(door: Backend) -> None:
    set_inputs(door, stops(door.x, StopKind.EMERGENCY_STOP))
    door.motion.jog([at(door.x), at(door.y)])
    door.advance(0.5)
    opens(door)
    assert door.advance(0.005).emergency_stop is EmergencyStop.LEVEL1
    door.at_rest()
    with door.refuses(ErrorCode.EmergencyStopSignalOn):
        door.motion.jog([at(door.y)])
    door.play(simulation.force_input(BYTE, BIT, True))
    door.motion.release_emergency_stop()
    door.motion.move_absolute([to(door.x, 0.0)])
    assert door.at_rest().emergency_stop is None


@pytest.mark.parametrize("kind", StopKind)
def test_one_that_is_on_already_acts_at_once(door: Backend, kind: StopKind) -> None:
    door.motion.jog([at(door.x)])
    door.advance(0.5)
    set_inputs(door, stops(door.x, kind, value=True))
    assert door.advance(0.005).op_state[door.x] in STOPPED
    emergency = door.at_rest().emergency_stop
    assert (emergency is not None) is (kind is StopKind.EMERGENCY_STOP)
    door.motion.release_emergency_stop()


def test_it_acts_again(door: Backend) -> None:
    set_inputs(door, stops(door.x))
    for _ in range(2):
        door.play(simulation.force_input(BYTE, BIT, True))
        door.motion.jog([at(door.x)])
        assert door.advance(0.2).op_state[door.x] == OperationState.JOG
        opens(door)
        assert door.advance(0.005).op_state[door.x] in STOPPED
        door.at_rest()


def test_one_that_was_taken_away_stops_nothing(door: Backend) -> None:
    set_inputs(door, stops(door.x), stops(door.y))
    set_inputs(door, stops(door.y))
    door.motion.jog([at(door.x), at(door.y)])
    door.advance(0.2)
    opens(door)
    status = door.advance(0.005)
    assert status.op_state[door.x] == OperationState.JOG
    assert status.op_state[door.y] in STOPPED
    door.motion.stop([door.x])
    door.at_rest()


def test_it_outlives_the_device_that_has_set_it(door: Backend) -> None:
    other = door.open()
    other.engine.create_device(door.path, "other")
    with door.where_supported():
        other.reactions.set_stop_inputs([stops(door.x)])
    other.engine.close_device()
    door.motion.jog([at(door.x)])
    door.advance(0.2)
    opens(door)
    assert door.advance(0.005).op_state[door.x] in STOPPED


def test_an_axis_in_torque_mode(door: Backend) -> None:
    """It is stopped as by `stop`, by an engine that can do that."""
    if not door.driver.stops_every_mode:
        pytest.skip("this engine stops axes in position mode alone")
    door.servo_on(door.x, mode=CommandMode.TORQUE)
    set_inputs(door, stops(door.x))
    door.motion.move_torque([torque(door.x, 10.0)])
    door.advance(0.2)
    opens(door)
    assert door.advance(0.01).op_state[door.x] != OperationState.TRQ
    door.at_rest()


REFUSED = {
    "axis": (ErrorCode.AxisOutOfRange, lambda b: [stops(1000)]),
    "byte": (
        ErrorCode.IOAddressOutOfRange,
        lambda b: [StopInput(axis=b.x, address=8000, bit=0, value=True, kind=StopKind.STOP)],
    ),
    "bit": (
        ErrorCode.ArgumentOutOfRange,
        lambda b: [StopInput(axis=b.x, address=0, bit=8, value=True, kind=StopKind.STOP)],
    ),
    "twice": (ErrorCode.DuplicateAxis, lambda b: [stops(b.x), stops(b.x)]),
    "too many": (ErrorCode.IDOutOfRange, lambda b: [stops(b.x)] * (MOST_STOP_INPUTS + 1)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_refused_one_changes_nothing(door: Backend, name: str) -> None:
    set_inputs(door, stops(door.x))
    code, wrong = REFUSED[name]
    with door.refuses(code):
        door.reactions.set_stop_inputs([stops(door.y), *wrong(door)])
    door.motion.jog([at(door.x), at(door.y)])
    door.advance(0.2)
    opens(door)
    status = door.advance(0.005)
    assert status.op_state[door.x] in STOPPED
    assert status.op_state[door.y] == OperationState.JOG
    door.motion.stop([door.y])
    door.at_rest()


def test_without_communication(attached: Backend) -> None:
    with attached.refuses(ErrorCode.CommNotStarted):
        attached.reactions.set_stop_inputs([])
