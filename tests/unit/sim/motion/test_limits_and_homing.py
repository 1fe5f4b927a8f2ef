"""Where limits and searches for home meet: nothing goes further the way of a limit that is on."""

import random
from dataclasses import replace

import numpy as np
import pytest
from held_engine import MODEL, HeldEngine, position_move

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.values import HomeType, OperationState, SplineMove

SWITCHED = replace(
    MODEL, home_switch_from=0.9, home_switch_to=1.1, positive_limit_switch=1.3, z_pulse=0.8
)
HOMING = {
    f"homing_velocity_{speed}{of}": value
    for speed, values in {"slow": (0.5, 20.0, 20.0), "fast": (2.0, 20.0, 20.0)}.items()
    for of, value in zip(("", "_acc", "_dec"), values, strict=True)
}
SHIFT = {"home_shift_velocity": 2.0, "home_shift_acc": 20.0, "home_shift_dec": 20.0}


def machine(home_type: HomeType, **parameters: float) -> HeldEngine:
    given = {**HOMING, **SHIFT, "ls_dec": 50.0, "home_type": home_type, **parameters}
    return HeldEngine(1, model=SWITCHED, **given).servo_on()


@pytest.mark.parametrize(
    ("home_type", "parameters"),
    [(HomeType.HS_Z_PULSE, {}), (HomeType.HS, {"home_shift_distance": 2.0})],
    ids=["for a Z pulse beyond it", "by the shift"],
)
def test_beyond_the_home_switch_the_limit_switch_is_a_limit(
    home_type: HomeType, parameters: dict[str, float]
) -> None:
    held = machine(home_type, **parameters)
    held.motion.home(0)
    at_rest = held.after(10.0)
    assert (at_rest.op_state[0], bool(at_rest.home_done[0])) == (OperationState.IDLE, False)
    assert 1.3 < at_rest.actual_pos[0] < 1.4, "slowed down by the limit"


def test_a_switch_that_sticks_ends_the_search() -> None:
    held = machine(HomeType.HS)
    held.motion.home(0)
    held.after(0.1)
    held.fake.call("motion", "stick_switch", 0, "positive", True)
    at_rest = held.after(1.0)
    assert (at_rest.op_state[0], bool(at_rest.home_done[0])) == (OperationState.IDLE, False)
    assert at_rest.actual_pos[0] < 0.5


def run_into_the_limit_switch(home_type: HomeType) -> HeldEngine:
    held = machine(home_type)
    held.motion.move_absolute([position_move(target=5.0)])
    held.after(5.0)
    assert held.status().positive_ls[0]
    return held


@pytest.mark.parametrize(
    ("home_type", "refused"), [(HomeType.Z_PULSE, True), (HomeType.HS, False), (HomeType.LS, False)]
)
def test_only_a_search_that_deals_with_a_limit_begins_on_it(
    home_type: HomeType, refused: bool
) -> None:
    held = run_into_the_limit_switch(home_type)
    if refused:
        with pytest.raises(CommandRefused) as error:
            held.motion.home(0)
        assert error.value.code == ErrorCode.AxisHardLimit
    else:
        held.motion.home(0)
        assert held.after(20.0).home_done[0]


@pytest.mark.parametrize("home_type", [HomeType.HS, HomeType.LS])
def test_a_search_that_begins_backwards_needs_that_way_free(home_type: HomeType) -> None:
    """Its own switch and the limit switch behind it are on."""
    model = replace(
        SWITCHED, home_switch_from=-1.5, home_switch_to=-0.5, negative_limit_switch=-1.0
    )
    given = {**HOMING, **SHIFT, "ls_dec": 50.0, "home_type": home_type}
    held = HeldEngine(1, model=model, **given).servo_on()
    held.motion.move_absolute([position_move(target=-1.2)])
    here = held.after(5.0).pos_cmd[0]
    assert held.status().negative_ls[0]
    if home_type is HomeType.LS:
        held.fake.call("motion", "stick_switch", 0, "positive", True)
    with pytest.raises(CommandRefused) as error:
        held.motion.home(0)
    assert error.value.code == ErrorCode.AxisHardLimit
    assert (held.after(1.0).pos_cmd[0], held.status().op_state[0]) == (here, OperationState.IDLE)


def test_a_spline_that_bulges_past_a_limit_is_refused_where_the_limit_is_on() -> None:
    held = run_into_the_limit_switch(HomeType.HS)
    here = held.status().pos_cmd[0]
    bulging = SplineMove(
        axes=(0,),
        times=np.array([0.0, 1.0, 1.2]),
        positions=np.array([[here], [here - 0.001], [here - 20.0]]),
    )
    with pytest.raises(CommandRefused) as error:
        held.motion.move_spline(bulging)
    assert error.value.code == ErrorCode.AxisHardLimit


@pytest.mark.parametrize("ratio", [(1e308, 1e-308), (1e300, 1.0), (1.0, 1e-10), (5e-324, 1.0)])
def test_a_gear_ratio_beyond_reason_changes_nothing(ratio: tuple[float, float]) -> None:
    held = HeldEngine(1).servo_on()
    held.motion.move_absolute([position_move(target=1.0)])
    held.after(5.0)
    with pytest.raises(CommandRefused) as refused:
        held.motion.set_gear_ratio(0, *ratio)
    assert refused.value.code == ErrorCode.ParamOutOfRange
    held.motion.set_gear_ratio(0, 2000.0, 1.0)
    assert held.status().actual_pos[0] == pytest.approx(0.5)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("seed", range(12))
def test_a_mechanical_end_that_is_the_new_zero_keeps_nothing_busy(seed: int) -> None:
    """Renumbered, the motor may be some rounding beyond its end: that is no collision."""
    some = random.Random(seed)
    end, slow = some.uniform(0.1, 5.0), some.uniform(0.7, 3.0)
    held = HeldEngine(
        1,
        model=replace(MODEL, positive_end=end),
        **{**HOMING, **SHIFT, "homing_velocity_slow": slow},
        home_type=HomeType.MECHANICAL_END_DETECTION,
        mechanical_end_error=0.2,
    ).servo_on()
    held.motion.home(0)
    at_rest = held.after(20.0)
    assert at_rest.home_done[0]
    assert at_rest.actual_pos[0] == pytest.approx(0.0, abs=1e-9)
