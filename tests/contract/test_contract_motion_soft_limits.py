"""Motion: soft limits, which hold once an axis is homed."""

from collections.abc import Callable

import moves
import pytest
from backends import Backend
from limit_types import DECELERATION, FURTHER, SERVO_OFF

from wmx_core.errors import ErrorCode
from wmx_core.values import CommandMode, LimitType

LIMIT = 1.0
SPEED = 1.0


@pytest.fixture(params=[1, -1], ids=["positive", "negative"])
def sign(request: pytest.FixtureRequest) -> int:
    return int(request.param)


def prepare(backend: Backend, limit_type: LimitType, *, home: bool = True, **other: float) -> None:
    """x and y have soft limits at LIMIT on both sides; x is homed where it is, at 0."""
    limits = {
        "LimitParam_SoftLimitType": limit_type,
        "LimitParam_SoftLimitPositivePos": LIMIT,
        "LimitParam_SoftLimitNegativePos": -LIMIT,
    }
    backend.load(**limits | other)
    backend.servo_on()
    if home:
        backend.motion.home(backend.x)
        backend.until(lambda status: status.home_done[backend.x], cycles=20)
        backend.at_rest()


def run_into(backend: Backend, sign: int, limit_type: LimitType) -> None:
    """x jogs beyond its limit and comes to rest."""
    prepare(backend, limit_type)
    backend.motion.jog([moves.at(backend.x, sign * SPEED)])
    backend.until(lambda status: abs(status.pos_cmd[backend.x]) >= LIMIT, cycles=20)
    backend.at_rest()


@pytest.mark.parametrize("limit_type", DECELERATION)
def test_an_axis_that_passes_it_slows_down(
    backend: Backend, sign: int, limit_type: LimitType
) -> None:
    run_into(backend, sign, limit_type)
    status = backend.motion.status()
    due = LIMIT + SPEED**2 / (2 * DECELERATION[limit_type])
    late = 3 * SPEED * backend.cycle_time
    assert sign * status.pos_cmd[backend.x] == pytest.approx(due, abs=late)
    assert bool(status.servo_on[backend.x]) is (limit_type not in SERVO_OFF)


def test_the_status_shows_it(backend: Backend, sign: int) -> None:
    name = "positive_soft_limit" if sign > 0 else "negative_soft_limit"
    run_into(backend, sign, LimitType.DEC)
    status = backend.motion.status()
    assert getattr(status, name).tolist() == [axis == backend.x for axis in range(status.axes)]
    assert (status.positive_soft_limit | status.negative_soft_limit).sum() == 1
    backend.motion.move_absolute([moves.to(backend.x, sign * 0.5)])
    status = backend.at_rest()
    assert not (status.positive_soft_limit | status.negative_soft_limit).any()


def test_servo_off_is_at_once(backend: Backend, sign: int) -> None:
    prepare(backend, LimitType.SERVO_OFF)
    backend.motion.jog([moves.at(backend.x, sign * SPEED)])
    before, after = backend.edge(lambda status: not status.servo_on[backend.x])
    assert sign * before.pos_cmd[backend.x] <= LIMIT + 3 * SPEED * backend.cycle_time
    assert sign * after.pos_cmd[backend.x] >= LIMIT - 0.05, "the lag is given up"
    assert backend.at_rest().servo_on[backend.y]


def test_a_move_up_to_it_is_within_it(backend: Backend, sign: int) -> None:
    prepare(backend, LimitType.DEC)
    backend.motion.move_absolute([moves.to(backend.x, sign * LIMIT)])
    status = backend.at_rest()
    assert status.pos_cmd[backend.x] == pytest.approx(sign * LIMIT, abs=backend.tolerance)
    assert status.servo_on[backend.x]


@pytest.mark.parametrize("way", FURTHER)
def test_beyond_it_no_move_goes_further(backend: Backend, sign: int, way: str) -> None:
    run_into(backend, sign, LimitType.DEC)
    with backend.refuses(ErrorCode.AxisSoftLimit):
        FURTHER[way](backend, sign)


def test_in_velocity_mode_too(backend: Backend, sign: int) -> None:
    run_into(backend, sign, LimitType.DEC)
    backend.motion.set_command_mode(backend.x, CommandMode.VELOCITY)
    backend.at_rest()
    with backend.refuses(ErrorCode.AxisSoftLimit):
        backend.motion.move_velocity([moves.at(backend.x, sign * 0.1)])


def test_back_from_it_an_axis_may_move(backend: Backend, sign: int) -> None:
    run_into(backend, sign, LimitType.DEC)
    backend.motion.move_absolute([moves.to(backend.x, sign * 0.5)])
    assert sign * backend.at_rest().pos_cmd[backend.x] == pytest.approx(0.5)
    FURTHER["relative"](backend, sign)
    assert sign * backend.at_rest().pos_cmd[backend.x] == pytest.approx(0.6), "and forth again"


NO_LIMIT: dict[str, Callable[[Backend], None]] = {
    "an axis that is not homed": lambda backend: prepare(backend, LimitType.DEC, home=False),
    "no type": lambda backend: prepare(backend, LimitType.NONE),
    "limits at zero": lambda backend: prepare(
        backend, LimitType.DEC, LimitParam_SoftLimitPositivePos=0, LimitParam_SoftLimitNegativePos=0
    ),
}


@pytest.mark.parametrize("why", NO_LIMIT)
def test_there_is_none_with(backend: Backend, sign: int, why: str) -> None:
    NO_LIMIT[why](backend)
    backend.motion.move_absolute([moves.to(backend.x, sign * 1.25)])
    assert sign * backend.at_rest().pos_cmd[backend.x] == pytest.approx(1.25)


def test_each_side_may_have_a_type_of_its_own(backend: Backend, sign: int) -> None:
    none, dec = LimitType.NONE, LimitType.DEC
    types = (dec, none) if sign > 0 else (none, dec)
    separate = {
        "LimitParam_PositiveSoftLimitType": types[0],
        "LimitParam_NegativeSoftLimitType": types[1],
    }
    prepare(backend, LimitType.SEPARATE, **separate)
    backend.motion.jog([moves.at(backend.x, sign * SPEED)])
    backend.until(lambda status: abs(status.pos_cmd[backend.x]) >= LIMIT, cycles=20)
    assert abs(backend.at_rest().pos_cmd[backend.x]) < 1.1
    backend.motion.move_absolute([moves.to(backend.x, sign * -1.25)])
    assert sign * backend.at_rest().pos_cmd[backend.x] == pytest.approx(-1.25)
