"""Motion: limit switches, by what their type makes an axis do that runs into one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import moves
import pytest
import simulation
from backends import Backend
from limit_types import DECELERATION, FURTHER, SERVO_OFF

from wmx_core.errors import ErrorCode
from wmx_core.values import CommandMode, LimitType, OperationState

IDLE = OperationState.IDLE
SPEED = 1.0


@pytest.fixture
def axis_model() -> Mapping[str, object]:
    return simulation.LIMIT_SWITCHES


@dataclass(frozen=True)
class Side:
    """The positive side of an axis, or the negative one."""

    sign: int

    @property
    def switch(self) -> str:
        """The name in a status."""
        return "positive_ls" if self.sign > 0 else "negative_ls"

    @property
    def other_switch(self) -> str:
        return "negative_ls" if self.sign > 0 else "positive_ls"

    def jog(self, backend: Backend, speed: float) -> Callable[[], None]:
        """To this side where `speed` is positive."""
        return lambda: backend.motion.jog([moves.at(backend.x, self.sign * speed)])


@pytest.fixture(params=[1, -1], ids=["positive", "negative"])
def side(request: pytest.FixtureRequest) -> Side:
    return Side(request.param)


def prepare(backend: Backend, limit_type: LimitType, **parameters: float) -> None:
    """x stands 0.2 u before its positive switch, or its negative one, without lag."""
    backend.load(LimitParam_LSType=limit_type, AxisParam_VelocityFeedforwardGain=100, **parameters)
    backend.servo_on()


def approach(backend: Backend, side: Side, near: float = 0.2) -> None:
    """Move x close to the switch of `side`."""
    backend.motion.move_absolute([moves.to(backend.x, side.sign * (simulation.LIMIT - near))])
    backend.at_rest()


def run_into(backend: Backend, side: Side, limit_type: LimitType, **parameters: float) -> None:
    """x runs into the switch of `side` at SPEED and comes to rest."""
    prepare(backend, limit_type, **parameters)
    approach(backend, side)
    side.jog(backend, SPEED)()
    backend.until(lambda status: getattr(status, side.switch)[backend.x], cycles=20)
    backend.at_rest()


def test_a_switch_shows(backend: Backend, side: Side) -> None:
    prepare(backend, LimitType.DEC)
    approach(backend, side, 0.02)
    status = backend.motion.status()
    assert not (status.positive_ls | status.negative_ls).any()
    side.jog(backend, 0.1)()
    before, status = backend.edge(lambda status: getattr(status, side.switch)[backend.x])
    seen = [side.sign * each.actual_pos[backend.x] for each in (before, status)]
    assert seen[0] - 1e-6 <= simulation.LIMIT <= seen[1] + 1e-6
    assert not getattr(status, side.other_switch).any()
    assert not getattr(status, side.switch)[backend.y]


@pytest.mark.parametrize("limit_type", DECELERATION)
def test_an_axis_that_runs_into_it_slows_down(
    backend: Backend, side: Side, limit_type: LimitType
) -> None:
    run_into(backend, side, limit_type)
    status = backend.motion.status()
    stopping = SPEED**2 / (2 * DECELERATION[limit_type])
    due = side.sign * (simulation.LIMIT + stopping)
    assert status.pos_cmd[backend.x] == pytest.approx(due, abs=3 * SPEED * backend.cycle_time)
    assert getattr(status, side.switch)[backend.x]
    assert bool(status.servo_on[backend.x]) is (limit_type not in SERVO_OFF)


def test_a_move_beyond_it_ends_at_it(backend: Backend, side: Side) -> None:
    prepare(backend, LimitType.DEC)
    backend.motion.move_absolute([moves.to(backend.x, side.sign * 3.0)])
    status = backend.at_rest()
    due = simulation.LIMIT + moves.VELOCITY**2 / (2 * simulation.LIMIT_DEC)
    assert side.sign * status.pos_cmd[backend.x] == pytest.approx(due, abs=0.01)


def test_servo_off_is_at_once(backend: Backend, side: Side) -> None:
    prepare(backend, LimitType.SERVO_OFF)
    approach(backend, side)
    side.jog(backend, SPEED)()
    before, after = backend.edge(lambda status: not status.servo_on[backend.x])
    seen = [side.sign * each.actual_pos[backend.x] for each in (before, after)]
    slack = 3 * SPEED * backend.cycle_time
    assert seen[0] - slack <= simulation.LIMIT <= seen[1] + slack
    backend.at_rest()


@pytest.mark.parametrize("limit_type", [LimitType.DEC_SERVO_OFF, LimitType.SLOW_DEC_SERVO_OFF])
def test_servo_off_after_slowing_down_is_not_before(
    backend: Backend, limit_type: LimitType
) -> None:
    side = Side(1)
    prepare(backend, limit_type)
    approach(backend, side)
    side.jog(backend, SPEED)()
    last_on, _ = backend.edge(lambda status: not status.servo_on[backend.x])
    stopping = SPEED**2 / (2 * DECELERATION[limit_type])
    assert last_on.pos_cmd[backend.x] <= simulation.LIMIT + stopping + 0.003
    if backend.exact:
        slowest = 2 * DECELERATION[limit_type] * backend.cycle_time
        assert abs(last_on.velocity_cmd[backend.x]) <= slowest


def test_without_a_type_it_only_shows(backend: Backend, side: Side) -> None:
    prepare(backend, LimitType.NONE)
    backend.motion.move_absolute([moves.to(backend.x, side.sign * 2.3)])
    status = backend.at_rest()
    assert side.sign * status.pos_cmd[backend.x] == pytest.approx(2.3)
    assert getattr(status, side.switch)[backend.x]


def test_each_side_may_have_a_type_of_its_own(backend: Backend, side: Side) -> None:
    none, dec = LimitType.NONE, LimitType.DEC
    types = (dec, none) if side.sign > 0 else (none, dec)
    separate = {"LimitParam_PositiveLSType": types[0], "LimitParam_NegativeLSType": types[1]}
    prepare(backend, LimitType.SEPARATE, **separate)
    for sign, reached in ((side.sign, 2.1), (-side.sign, 2.3)):
        backend.motion.move_absolute([moves.to(backend.x, sign * 2.3)])
        status = backend.at_rest()
        assert sign * status.pos_cmd[backend.x] == pytest.approx(reached, abs=0.01)


@pytest.mark.parametrize("way", FURTHER)
def test_on_the_switch_no_move_goes_further(backend: Backend, side: Side, way: str) -> None:
    run_into(backend, side, LimitType.DEC)
    with backend.refuses(ErrorCode.AxisHardLimit):
        FURTHER[way](backend, side.sign)


def test_in_velocity_mode_too(backend: Backend, side: Side) -> None:
    run_into(backend, side, LimitType.DEC)
    backend.motion.set_command_mode(backend.x, CommandMode.VELOCITY)
    backend.at_rest()
    with backend.refuses(ErrorCode.AxisHardLimit):
        backend.motion.move_velocity([moves.at(backend.x, side.sign * 0.1)])


def test_one_axis_on_its_switch_keeps_the_others_from_starting(backend: Backend) -> None:
    run_into(backend, Side(1), LimitType.DEC)
    with backend.refuses(ErrorCode.AxisHardLimit):
        both = [moves.to(backend.y, 0.5), moves.to(backend.x, 2.4)]
        backend.motion.move_absolute(both)


def test_away_from_the_switch_an_axis_may_move(backend: Backend, side: Side) -> None:
    run_into(backend, side, LimitType.DEC)
    target = side.sign * (simulation.LIMIT - 0.5)
    backend.motion.move_absolute([moves.to(backend.x, target)])
    status = backend.at_rest()
    assert status.pos_cmd[backend.x] == pytest.approx(target)
    assert not getattr(status, side.switch)[backend.x]
    FURTHER["relative"](backend, side.sign)
    status = backend.at_rest()
    assert status.pos_cmd[backend.x] == pytest.approx(target + side.sign * 0.1), "and back again"


def test_after_servo_off_an_axis_may_move_away(backend: Backend, side: Side) -> None:
    run_into(backend, side, LimitType.SERVO_OFF)
    backend.servo_on(backend.x)
    backend.motion.move_absolute([moves.to(backend.x, side.sign * 1.5)])
    assert side.sign * backend.at_rest().pos_cmd[backend.x] == pytest.approx(1.5)


def test_the_other_axes_go_on(backend: Backend) -> None:
    prepare(backend, LimitType.DEC)
    both = [moves.to(backend.x, 3.0), moves.to(backend.y, 1.9, velocity=0.8)]
    backend.motion.move_absolute(both)
    status = backend.at_rest()
    assert status.pos_cmd[backend.x] < 2.2
    assert status.pos_cmd[backend.y] == pytest.approx(1.9)


def test_on_a_line_all_axes_stop(backend: Backend) -> None:
    prepare(backend, LimitType.DEC)
    backend.motion.move_linear(moves.line((backend.x, 3.0), (backend.y, 1.5)))
    status = backend.at_rest()
    assert simulation.LIMIT <= status.pos_cmd[backend.x] < 2.5
    assert simulation.LIMIT / 2 - 0.01 <= status.pos_cmd[backend.y] < 1.25
