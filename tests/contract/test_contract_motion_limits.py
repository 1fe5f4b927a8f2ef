"""Motion: limit switches and soft limits, by what their type makes an axis do that runs into one.

Soft limits hold once an axis is homed.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import moves
import pytest
import simulation
from backends import Backend

from wmx_core.errors import ErrorCode
from wmx_core.values import CommandMode, LimitType, MotionStatus

SPEED = 1.0
DECELERATION = {
    LimitType.DEC: simulation.LIMIT_DEC,
    LimitType.SLOW_DEC: simulation.LIMIT_SLOW_DEC,
    LimitType.DEC_SERVO_OFF: simulation.LIMIT_DEC,
    LimitType.SLOW_DEC_SERVO_OFF: simulation.LIMIT_SLOW_DEC,
}
"""u/s^2, by the types that slow an axis down."""
SERVO_OFF = {LimitType.SERVO_OFF, LimitType.DEC_SERVO_OFF, LimitType.SLOW_DEC_SERVO_OFF}
"""The types that take the servo off in the end."""


@dataclass(frozen=True)
class Limit:
    """A limit at one side of x: a switch, which the motor reaches."""

    sign: int
    name: str = "LS"
    at: float = simulation.LIMIT
    code: ErrorCode = ErrorCode.AxisHardLimit
    by: str = "actual_pos"
    """What reaches it, as the status calls it."""
    shown: tuple[str, str] = ("positive_ls", "negative_ls")
    axis_model: Mapping[str, object] = field(default_factory=lambda: simulation.LIMIT_SWITCHES)

    def prepare(self, backend: Backend, limit_type: LimitType, **other: float) -> None:
        """x and y have limits of `limit_type` on both sides, and follow without lag."""
        backend.load(
            **{f"LimitParam_{self.name}Type": limit_type},
            AxisParam_VelocityFeedforwardGain=100,
            **other,
        )
        backend.servo_on()

    def shows(self, status: MotionStatus) -> list[bool]:
        """Whether the axes are shown to be at this side's limit."""
        shown: list[bool] = getattr(status, self.shown[self.sign < 0]).tolist()
        return shown

    def reach(self, backend: Backend, near: float = 0.2, speed: float = SPEED) -> None:
        """Move x close to this side's limit, and jog it on from there."""
        backend.motion.move_absolute([moves.to(backend.x, self.sign * (self.at - near))])
        backend.at_rest()
        backend.motion.jog([moves.at(backend.x, self.sign * speed)])

    def run_into(self, backend: Backend, limit_type: LimitType) -> MotionStatus:
        """x runs into the limit at SPEED and comes to rest."""
        self.prepare(backend, limit_type)
        self.reach(backend)
        backend.until(lambda status: self.shows(status)[backend.x], cycles=20)
        return backend.at_rest()


@dataclass(frozen=True)
class SoftLimit(Limit):
    """A limit of the commanded position."""

    name: str = "SoftLimit"
    at: float = 1.0
    code: ErrorCode = ErrorCode.AxisSoftLimit
    by: str = "pos_cmd"
    shown: tuple[str, str] = ("positive_soft_limit", "negative_soft_limit")
    axis_model: Mapping[str, object] = field(default_factory=dict)

    def prepare(
        self, backend: Backend, limit_type: LimitType, *, home: bool = True, **other: float
    ) -> None:
        """And x is homed where it is, at 0."""
        places = {
            "LimitParam_SoftLimitPositivePos": self.at,
            "LimitParam_SoftLimitNegativePos": -self.at,
        }
        super().prepare(backend, limit_type, **(places | other))
        if home:
            backend.home()


SIDES = {"positive": 1, "negative": -1}
SWITCHES = {f"{side} switch": Limit(sign) for side, sign in SIDES.items()}
SOFT_LIMITS = {f"{side} soft limit": SoftLimit(sign) for side, sign in SIDES.items()}
ALL = SWITCHES | SOFT_LIMITS


@pytest.fixture(params=ALL)
def limit(request: pytest.FixtureRequest) -> Limit:
    return ALL[request.param]


@pytest.fixture
def axis_model(limit: Limit) -> Mapping[str, object]:
    return limit.axis_model


of_switches = pytest.mark.parametrize("limit", SWITCHES, indirect=True)
of_one_switch = pytest.mark.parametrize("limit", ["positive switch"], indirect=True)
of_soft_limits = pytest.mark.parametrize("limit", SOFT_LIMITS, indirect=True)


@pytest.mark.parametrize("limit_type", DECELERATION)
def test_an_axis_that_runs_into_it_slows_down(
    backend: Backend, limit: Limit, limit_type: LimitType
) -> None:
    status = limit.run_into(backend, limit_type)
    due = limit.sign * (limit.at + SPEED**2 / (2 * DECELERATION[limit_type]))
    assert status.pos_cmd[backend.x] == pytest.approx(due, abs=3 * SPEED * backend.cycle_time)
    assert limit.shows(status)[backend.x]
    assert bool(status.servo_on[backend.x]) is (limit_type not in SERVO_OFF)


def test_servo_off_is_at_once(backend: Backend, limit: Limit) -> None:
    limit.prepare(backend, LimitType.SERVO_OFF)
    limit.reach(backend)
    edge = backend.edge(lambda status: not status.servo_on[backend.x])
    before, after = (limit.sign * getattr(status, limit.by)[backend.x] for status in edge)
    slack = 3 * SPEED * backend.cycle_time
    assert before - slack <= limit.at <= after + slack
    assert backend.at_rest().servo_on[backend.y]


@pytest.mark.parametrize("limit_type", [LimitType.DEC_SERVO_OFF, LimitType.SLOW_DEC_SERVO_OFF])
@of_one_switch
def test_servo_off_after_slowing_down_is_not_before(
    backend: Backend, limit: Limit, limit_type: LimitType
) -> None:
    limit.prepare(backend, limit_type)
    limit.reach(backend)
    last_on, _ = backend.edge(lambda status: not status.servo_on[backend.x])
    stopping = SPEED**2 / (2 * DECELERATION[limit_type])
    assert last_on.pos_cmd[backend.x] <= limit.at + stopping + 0.003
    if backend.exact:
        slowest = 2 * DECELERATION[limit_type] * backend.cycle_time
        assert abs(last_on.velocity_cmd[backend.x]) <= slowest


def test_each_side_may_have_a_type_of_its_own(backend: Backend, limit: Limit) -> None:
    none, dec = LimitType.NONE, LimitType.DEC
    types = {
        f"LimitParam_{side}{limit.name}Type": dec if sign == limit.sign else none
        for side, sign in (("Positive", 1), ("Negative", -1))
    }
    limit.prepare(backend, LimitType.SEPARATE, **types)
    limit.reach(backend)
    backend.until(lambda status: limit.shows(status)[backend.x], cycles=20)
    assert limit.sign * backend.at_rest().pos_cmd[backend.x] < limit.at + 0.1
    beyond = -limit.sign * (limit.at + 0.25)
    backend.motion.move_absolute([moves.to(backend.x, beyond)])
    assert backend.at_rest().pos_cmd[backend.x] == pytest.approx(beyond)


FURTHER: dict[str, Callable[[Backend, float], object]] = {
    "jog": lambda backend, way: backend.motion.jog([moves.at(backend.x, 0.1 * way)]),
    "absolute": lambda backend, way: backend.motion.move_absolute([moves.to(backend.x, 2.4 * way)]),
    "relative": lambda backend, way: backend.motion.move_relative([moves.to(backend.x, 0.1 * way)]),
    "line": lambda backend, way: backend.motion.move_linear(moves.line((backend.x, 2.4 * way))),
}
"""Moves of x to its positive side, or with the way -1, its negative one, beyond any limit."""


@pytest.mark.parametrize("way", FURTHER)
def test_beyond_it_no_move_goes_further(backend: Backend, limit: Limit, way: str) -> None:
    limit.run_into(backend, LimitType.DEC)
    with backend.refuses(limit.code):
        FURTHER[way](backend, limit.sign)


def test_in_velocity_mode_too(backend: Backend, limit: Limit) -> None:
    limit.run_into(backend, LimitType.DEC)
    backend.motion.set_command_mode(backend.x, CommandMode.VELOCITY)
    backend.at_rest()
    with backend.refuses(limit.code):
        backend.motion.move_velocity([moves.at(backend.x, limit.sign * 0.1)])


def test_back_from_it_an_axis_may_move(backend: Backend, limit: Limit) -> None:
    limit.run_into(backend, LimitType.DEC)
    target = limit.at - 0.5
    backend.motion.move_absolute([moves.to(backend.x, limit.sign * target)])
    status = backend.at_rest()
    assert limit.sign * status.pos_cmd[backend.x] == pytest.approx(target)
    assert not limit.shows(status)[backend.x]
    FURTHER["relative"](backend, limit.sign)
    forth = limit.sign * backend.at_rest().pos_cmd[backend.x]
    assert forth == pytest.approx(target + 0.1), "and forth again"


# Limit switches


@of_switches
def test_a_switch_shows(backend: Backend, limit: Limit) -> None:
    limit.prepare(backend, LimitType.DEC)
    limit.reach(backend, near=0.02, speed=0.1)
    status = backend.motion.status()
    assert not (status.positive_ls | status.negative_ls).any()
    edge = backend.edge(lambda status: limit.shows(status)[backend.x])
    before, after = (limit.sign * status.actual_pos[backend.x] for status in edge)
    assert before - 1e-6 <= limit.at <= after + 1e-6
    assert not any(Limit(-limit.sign).shows(edge[1]))
    assert not limit.shows(edge[1])[backend.y]


@of_switches
def test_a_move_beyond_it_ends_at_it(backend: Backend, limit: Limit) -> None:
    limit.prepare(backend, LimitType.DEC)
    backend.motion.move_absolute([moves.to(backend.x, limit.sign * 3.0)])
    status = backend.at_rest()
    due = limit.at + moves.VELOCITY**2 / (2 * simulation.LIMIT_DEC)
    assert limit.sign * status.pos_cmd[backend.x] == pytest.approx(due, abs=0.01)


@of_switches
def test_without_a_type_it_only_shows(backend: Backend, limit: Limit) -> None:
    limit.prepare(backend, LimitType.NONE)
    backend.motion.move_absolute([moves.to(backend.x, limit.sign * 2.3)])
    status = backend.at_rest()
    assert limit.sign * status.pos_cmd[backend.x] == pytest.approx(2.3)
    assert limit.shows(status)[backend.x]


@of_one_switch
def test_one_axis_on_its_switch_keeps_the_others_from_starting(
    backend: Backend, limit: Limit
) -> None:
    limit.run_into(backend, LimitType.DEC)
    with backend.refuses(ErrorCode.AxisHardLimit):
        both = [moves.to(backend.y, 0.5), moves.to(backend.x, 2.4)]
        backend.motion.move_absolute(both)


@of_switches
def test_after_servo_off_an_axis_may_move_away(backend: Backend, limit: Limit) -> None:
    limit.run_into(backend, LimitType.SERVO_OFF)
    backend.servo_on(backend.x)
    backend.motion.move_absolute([moves.to(backend.x, limit.sign * 1.5)])
    assert limit.sign * backend.at_rest().pos_cmd[backend.x] == pytest.approx(1.5)


@of_one_switch
def test_the_other_axes_go_on(backend: Backend, limit: Limit) -> None:
    limit.prepare(backend, LimitType.DEC)
    both = [moves.to(backend.x, 3.0), moves.to(backend.y, 1.9, velocity=0.8)]
    backend.motion.move_absolute(both)
    status = backend.at_rest()
    assert status.pos_cmd[backend.x] < 2.2
    assert status.pos_cmd[backend.y] == pytest.approx(1.9)


@of_one_switch
def test_on_a_line_all_axes_stop(backend: Backend, limit: Limit) -> None:
    limit.prepare(backend, LimitType.DEC)
    backend.motion.move_linear(moves.line((backend.x, 3.0), (backend.y, 1.5)))
    status = backend.at_rest()
    assert simulation.LIMIT <= status.pos_cmd[backend.x] < 2.5
    assert simulation.LIMIT / 2 - 0.01 <= status.pos_cmd[backend.y] < 1.25


# Soft limits


@of_soft_limits
def test_the_status_shows_a_soft_limit(backend: Backend, limit: SoftLimit) -> None:
    status = limit.run_into(backend, LimitType.DEC)
    assert limit.shows(status) == [axis == backend.x for axis in range(status.axes)]
    assert not any(SoftLimit(-limit.sign).shows(status))


@of_soft_limits
def test_a_move_up_to_it_is_within_it(backend: Backend, limit: SoftLimit) -> None:
    limit.prepare(backend, LimitType.DEC)
    backend.motion.move_absolute([moves.to(backend.x, limit.sign * limit.at)])
    status = backend.at_rest()
    end = limit.sign * limit.at
    assert status.pos_cmd[backend.x] == pytest.approx(end, abs=backend.tolerance)
    assert status.servo_on[backend.x]


NO_LIMIT: dict[str, Callable[[SoftLimit, Backend], None]] = {
    "an axis that is not homed": lambda limit, b: limit.prepare(b, LimitType.DEC, home=False),
    "no type": lambda limit, b: limit.prepare(b, LimitType.NONE),
    "limits at zero": lambda limit, b: limit.prepare(
        b, LimitType.DEC, LimitParam_SoftLimitPositivePos=0, LimitParam_SoftLimitNegativePos=0
    ),
}


@of_soft_limits
@pytest.mark.parametrize("why", NO_LIMIT)
def test_there_is_none_with(backend: Backend, limit: SoftLimit, why: str) -> None:
    NO_LIMIT[why](limit, backend)
    backend.motion.move_absolute([moves.to(backend.x, limit.sign * 1.25)])
    assert limit.sign * backend.at_rest().pos_cmd[backend.x] == pytest.approx(1.25)
