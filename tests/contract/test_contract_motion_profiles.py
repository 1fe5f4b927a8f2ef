"""Motion: moves of every profile type of the vendor's."""

from dataclasses import replace

import moves
import pytest
from backends import Backend
from profile_shapes import SHAPE, shaped

from wmx_core.errors import ErrorCode
from wmx_core.profile_types import TIME_ACC, MoveProfile, ProfileType
from wmx_core.values import OperationState


@pytest.mark.parametrize("kind", ProfileType, ids=lambda kind: kind.name.lower())
def test_a_move_of_every_type_ends_at_its_target(powered: Backend, kind: ProfileType) -> None:
    move = replace(moves.to(powered.x, 1.0), profile=shaped(kind))
    with powered.where_supported():
        powered.motion.move_absolute([move])
    status = powered.at_rest()
    assert status.pos_cmd[powered.x] == pytest.approx(1.0, abs=powered.tolerance)
    assert status.velocity_cmd[powered.x] == 0.0


def test_a_smooth_move_is_half_way_at_half_time(powered: Backend) -> None:
    """2 u/s at 10 u/s^2, mean: 0.2 s up, 0.3 s on, 0.2 s down; at 0.1 s it does 1 u/s."""
    profile = MoveProfile(type=ProfileType.S_CURVE)
    move = replace(moves.to(powered.x, 1.0, acc=10.0, dec=10.0), profile=profile)
    order = powered.order(lambda: powered.motion.move_absolute([move]))
    times = 0.1, 0.35, 0.6
    seen = powered.seen(order, times)
    for status, time, position, velocity in zip(
        seen, times, (1 / 30, 0.5, 29 / 30), (1.0, 2.0, 1.0), strict=True
    ):
        late = (status.cycle - order.starts[0] + 1) * powered.cycle_time - time
        assert status.pos_cmd[powered.x] == pytest.approx(position, abs=2.0 * late)
        assert status.velocity_cmd[powered.x] == pytest.approx(velocity, abs=20.0 * late)


@pytest.mark.parametrize("kind", sorted(TIME_ACC), ids=lambda kind: kind.name.lower())
def test_a_jog_may_be_smooth_and_is_stopped_so(powered: Backend, kind: ProfileType) -> None:
    with powered.where_supported():
        powered.motion.jog([replace(moves.at(powered.x, 1.0), profile=shaped(kind))])
    jogging = powered.advance(0.3)
    assert jogging.velocity_cmd[powered.x] == pytest.approx(1.0, abs=powered.tolerance)
    powered.motion.stop([powered.x])
    assert powered.advance(0.1).op_state[powered.x] == OperationState.STOP
    assert powered.advance(0.15).op_state[powered.x] == OperationState.IDLE


def test_a_line_may_be_smooth(powered: Backend) -> None:
    line = replace(
        moves.line((powered.x, 0.5), (powered.y, -0.25)), profile=shaped(ProfileType.ADVANCED_S)
    )
    with powered.where_supported():
        powered.motion.move_linear(line)
    for _ in range(20):
        x, y = powered.advance(0.02).pos_cmd[list(powered.axes[:2])]
        assert x == pytest.approx(-2.0 * y, abs=powered.tolerance)
    x, y = powered.at_rest().pos_cmd[list(powered.axes[:2])]
    assert (x, y) == pytest.approx((0.5, -0.25), abs=powered.tolerance)


WRONG = {
    "jerk_acc_ratio": (ProfileType.JERK_RATIO, 1.5, ErrorCode.JerkAccRatioArgumentOutOfRange),
    "jerk_dec_ratio": (ProfileType.JERK_RATIO, -0.5, ErrorCode.JerkDecRatioArgumentOutOfRange),
    "jerk_acc": (ProfileType.JERK_LIMITED, 0.0, ErrorCode.JerkAccArgumentOutOfRange),
    "acc_time": (ProfileType.TIME_ACC_SIN, 0.0, ErrorCode.AccArgumentOutOfRange),
    "second_velocity": (
        ProfileType.TWO_VELOCITY_S_CURVE,
        0.0,
        ErrorCode.SecondVelocityArgumentOutOfRange,
    ),
    "starting_velocity": (
        ProfileType.TRAPEZOIDAL,
        5.0,
        ErrorCode.StartingVelocityArgumentOutOfRange,
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_profile_that_cannot_be_is_refused(powered: Backend, name: str) -> None:
    kind, value, code = WRONG[name]
    profile = replace(SHAPE, type=kind, **{name: value})
    with powered.refuses(code):
        powered.motion.move_absolute([replace(moves.to(powered.x, 1.0), profile=profile)])
    with powered.refuses(code):
        powered.motion.move_linear(
            replace(moves.line((powered.x, 0.5), (powered.y, -0.25)), profile=profile)
        )


def test_an_endless_motion_has_no_type_that_needs_a_target(powered: Backend) -> None:
    profile = shaped(ProfileType.PARABOLIC_VELOCITY)
    with powered.refuses(ErrorCode.ProfileTypeNotSupported):
        powered.motion.jog([replace(moves.at(powered.x, 1.0), profile=profile)])


def test_a_velocity_that_takes_too_hard_a_ramp_is_refused(harmless_powered: Backend) -> None:
    """The real engine never moves then: DeepSeek-R1-M1/181 of the public logs, 1e15 in 50 ms."""
    profile = replace(SHAPE, type=ProfileType.TIME_ACC_JERK_RATIO, acc_time=0.05)
    with harmless_powered.refuses(ErrorCode.AccArgumentOutOfRange):
        harmless_powered.motion.move_absolute(
            [replace(moves.to(harmless_powered.x, 1.0, velocity=1e15), profile=profile)]
        )
