"""Motion: what is set at rest only is refused while a motor moves, whatever its command does."""

from collections.abc import Callable, Mapping

import moves
import pytest
from backends import Backend

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.values import CommandMode, OperationState

SETTINGS: dict[str, Callable[[Backend], object]] = {
    "mode": lambda backend: backend.motion.set_command_mode(backend.x, CommandMode.VELOCITY),
    "polarity": lambda backend: backend.motion.set_polarity(backend.x, -1),
    "gear": lambda backend: backend.motion.set_gear_ratio(backend.x, 2.0, 1.0),
    "position": lambda backend: backend.motion.set_position(backend.x, 2.0),
    "parameters": lambda backend: backend.load(MotionParam_QuickStopDec=15.0),
}


@pytest.fixture
def axis_model() -> Mapping[str, object]:
    """Motors that lag far behind their commands."""
    return {"position_gain": 2.0}


@pytest.fixture(params=SETTINGS)
def setting(request: pytest.FixtureRequest) -> Callable[[Backend], object]:
    return SETTINGS[request.param]


def lag(backend: Backend) -> None:
    """The command of x rests at 1, its motor is on the way there."""
    backend.motion.move_absolute([moves.to(backend.x, 1.0)])
    backend.until(lambda status: status.op_state[backend.x] == OperationState.POS)
    status = backend.until(
        lambda status: status.op_state[backend.x] == OperationState.IDLE, cycles=20
    )
    assert status.actual_velocity[backend.x] > 0.5


def coast(backend: Backend) -> None:
    """The servo of x is off, its motor runs on for a second."""
    backend.load(MotionParam_QuickStopDec=2.0)
    backend.motion.jog([moves.at(backend.x, 3.0)])
    backend.until(lambda status: status.actual_velocity[backend.x] > 2.0, cycles=20)
    backend.motion.set_servo(backend.x, on=False)
    backend.until(lambda status: not status.servo_on[backend.x])


@pytest.mark.parametrize("begin", [lag, coast])
def test_it_is_refused_while_the_motor_moves_and_taken_at_rest(
    harmless_powered: Backend,
    begin: Callable[[Backend], None],
    setting: Callable[[Backend], object],
) -> None:
    backend = harmless_powered
    begin(backend)
    parameters = backend.motion.parameters()
    mode = backend.motion.status().command_mode.tolist()
    with pytest.raises(CommandRefused) as refused:
        setting(backend)
    assert refused.value.code == ErrorCode.NotIdleState
    assert backend.motion.parameters() == parameters
    seen = backend.motion.status()
    assert seen.command_mode.tolist() == mode
    assert seen.actual_velocity[backend.x] > 0.1, "it is refused, nothing is waited for"
    backend.at_rest()
    setting(backend)


@pytest.fixture
def lagging(harmless_powered: Backend) -> Backend:
    lag(harmless_powered)
    return harmless_powered


def test_an_axis_beside_one_that_moves_can_be_set(lagging: Backend) -> None:
    lagging.motion.set_polarity(lagging.y, -1)
    lagging.motion.set_command_mode(lagging.y, CommandMode.VELOCITY)


def test_a_servo_may_come_on_and_go_off_meanwhile(lagging: Backend) -> None:
    lagging.motion.set_servo(lagging.x, on=False)
    lagging.motion.set_servo(lagging.x, on=True)


def test_a_new_move_may_begin_meanwhile(lagging: Backend) -> None:
    lagging.motion.move_absolute([moves.to(lagging.x, 0.0)])
    assert lagging.advance(0.1).op_state[lagging.x] == OperationState.POS
