"""Motion: when an axis is homed and when not any more, and homing that is refused or ended."""

from collections.abc import Callable, Mapping

import moves
import pytest
import simulation
from backends import Backend

from wmx_core.errors import ErrorCode
from wmx_core.values import HomeType, OperationState

IDLE, HOME = OperationState.IDLE, OperationState.HOME


def test_at_first_no_axis_is_homed(backend: Backend) -> None:
    if backend.simulated:
        assert not backend.motion.status().home_done.any()


@pytest.mark.over_process("home")
def test_homing_at_the_current_position_moves_nothing(powered: Backend) -> None:
    powered.motion.move_absolute([moves.to(powered.x, 0.5)])
    powered.at_rest()
    powered.advance(0.5)
    powered.home()
    status = powered.motion.status()
    assert status.pos_cmd[powered.x] == pytest.approx(0.0, abs=powered.tolerance)
    assert status.actual_pos[powered.x] == pytest.approx(0.0, abs=max(1e-6, powered.tolerance))
    assert status.actual_velocity[powered.x] == pytest.approx(0.0, abs=1e-3)
    powered.motion.move_absolute([moves.to(powered.x, -0.5)])
    assert powered.at_rest().pos_cmd[powered.x] == pytest.approx(-0.5, abs=powered.tolerance)


def test_home_moves_with_neither_unit_nor_direction(powered: Backend) -> None:
    powered.home()
    powered.motion.move_absolute([moves.to(powered.x, 0.5)])
    powered.at_rest()
    powered.advance(0.5)
    axis = powered.motion.parameters().axis(powered.x)
    powered.motion.set_gear_ratio(powered.x, 2.0 * axis.gear_ratio_numerator, 1.0)
    powered.motion.set_polarity(powered.x, -1)
    status = powered.motion.status()
    assert status.pos_cmd[powered.x] == pytest.approx(-0.25, abs=1e-6)
    assert status.home_done[powered.x]


CLEARED_BY: dict[str, Callable[[Backend], object]] = {
    "ServoOff": lambda backend: backend.motion.set_servo(backend.x, on=False),
    "CommStop": lambda backend: backend.engine.stop_communication(),
}


@pytest.mark.parametrize("by", CLEARED_BY)
@pytest.mark.parametrize("clear", [0, 1])
def test_it_is_cleared_where_the_parameters_say_so(backend: Backend, by: str, clear: int) -> None:
    backend.load(**{f"HomeParam_ClearHomeDoneOn{by}": clear})
    backend.servo_on()
    backend.home()
    CLEARED_BY[by](backend)
    status = backend.until(lambda status: not status.servo_on[backend.x])
    assert bool(status.home_done[backend.x]) is not bool(clear)


def test_a_stop_and_an_alarm_do_not_clear_it(powered: Backend) -> None:
    powered.home()
    powered.motion.move_absolute([moves.to(powered.x, 2.0)])
    powered.advance(0.2)
    powered.motion.stop([powered.x])
    assert powered.at_rest().home_done[powered.x]
    powered.play(simulation.raise_alarm(powered.x, 0x42))
    assert powered.at_rest().home_done[powered.x]


# Refusals


def test_homing_needs_a_resting_axis(powered: Backend) -> None:
    powered.motion.move_absolute([moves.to(powered.x, 2.0)])
    powered.advance(0.1)
    with powered.refuses(ErrorCode.NotIdleState):
        powered.motion.home(powered.x)


UNSUPPORTED = {
    HomeType.HS: ErrorCode.HomeSwitchDetectionUnsupported,
    HomeType.HS_Z_PULSE: ErrorCode.HomeSwitchDetectionUnsupported,
    HomeType.LS: ErrorCode.LimitSwitchDetectionUnsupported,
    HomeType.LS_REVERSE_Z_PULSE: ErrorCode.LimitSwitchDetectionUnsupported,
    HomeType.TOUCH_PROBE: ErrorCode.TouchProbeDetectionUnsupported,
}


@pytest.mark.parametrize("home_type", UNSUPPORTED)
def test_homing_needs_the_mark_it_looks_for(harmless: Backend, home_type: HomeType) -> None:
    """The machine of this module has none."""
    harmless.load(HomeParam_HomeType=home_type)
    harmless.servo_on()
    with harmless.refuses(UNSUPPORTED[home_type]):
        harmless.motion.home(harmless.x)


# A search that is ended


class TestSearch:
    """On a machine with a home switch, which x is looking for."""

    @pytest.fixture
    def axis_model(self) -> Mapping[str, object]:
        return simulation.SWITCHES

    @pytest.fixture
    def searching(self, backend: Backend) -> Backend:
        """x was homed at 0, and is looking for its home switch."""
        backend.servo_on()
        backend.home()
        backend.load(HomeParam_HomeType=HomeType.HS)
        backend.motion.home(backend.x)
        backend.advance(0.1)
        return backend

    def test_a_new_search_begins_without_a_home(self, searching: Backend) -> None:
        status = searching.motion.status()
        assert not status.home_done[searching.x]
        assert status.op_state[searching.x] == HOME
        assert not status.motion_complete[searching.x]

    ENDS: Mapping[str, Callable[[Backend], None]] = {
        "stop": lambda backend: backend.motion.stop([backend.x]),
        "quick stop": lambda backend: backend.motion.quick_stop([backend.x]),
        "servo off": lambda backend: backend.motion.set_servo(backend.x, on=False),
        "alarm": lambda backend: backend.play(simulation.raise_alarm(backend.x, 0x42)),
    }

    @pytest.mark.parametrize("end", ENDS)
    def test_a_search_that_is_ended_finds_no_home(self, searching: Backend, end: str) -> None:
        self.ENDS[end](searching)
        status = searching.at_rest()
        assert not status.home_done[searching.x]
        assert status.pos_cmd[searching.x] < simulation.HOME_SWITCH[0]
        later = searching.advance(0.5)
        assert not later.home_done[searching.x]
        assert later.pos_cmd[searching.x] == status.pos_cmd[searching.x], "positions stay"

    def test_after_a_stop_it_can_be_homed_again(self, searching: Backend) -> None:
        searching.motion.stop([searching.x])
        searching.at_rest()
        searching.home()

    def test_no_other_order_moves_it_meanwhile(self, searching: Backend) -> None:
        for order, code in (
            (searching.motion.move_absolute, ErrorCode.NotIdleOrPosOrJogState),
            (searching.motion.move_relative, ErrorCode.NotIdleOrPosOrJogState),
        ):
            with searching.refuses(code):
                order([moves.to(searching.x, 0.5)])
        with searching.refuses(ErrorCode.NotIdleState):
            searching.motion.home(searching.x)

    def test_the_other_axes_move_meanwhile(self, searching: Backend) -> None:
        searching.motion.move_absolute([moves.to(searching.y, 0.25)])
        assert searching.at_rest().pos_cmd[searching.y] == pytest.approx(0.25)
