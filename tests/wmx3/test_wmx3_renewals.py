"""Jogs that their clients renew: commanded twice, and then only let go on."""

from dataclasses import replace
from typing import Any

import pytest
from checked_sdk import CheckedSdk
from held_engine import HeldEngine, position_move
from test_wmx3_partly import takes_the_first

from wmx3.running_moves import LONGEST, Renewals
from wmx3.status import ATTEMPTS, HELD_UP
from wmx_core.errors import CommandRefused
from wmx_core.interface import Driver
from wmx_core.values import OperationState, VelocityMove

MOVE = VelocityMove(axis=0, velocity=1.0, acc=10.0, dec=10.0, run_time=0.2)
START = "Motion.StartJog_TimedJog"


@pytest.fixture
def vendor(over_held: CheckedSdk) -> CheckedSdk:
    return over_held


def hold(held: HeldEngine, driver: Driver, times: int, *moves: VelocityMove) -> None:
    """Jog every 50 ms, as a stick that is held down."""
    for _ in range(times):
        driver.motion.jog(moves or [MOVE])
        for _ in range(10):
            held.after(0.005)
            driver.motion.status()


def velocity(held: HeldEngine, axis: int = 0) -> float:
    return float(held.status().velocity_cmd[axis])


def test_it_is_commanded_twice_and_then_goes_on(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver
) -> None:
    hold(held, driver, 12)
    assert velocity(held) == pytest.approx(1.0)
    assert len(vendor.called(START)) == 2
    hold(held, driver, 40)
    assert velocity(held) == pytest.approx(1.0)
    assert len(vendor.called(START)) <= 2 + 3, "once more before the engine would end it"


def test_several_axes_are_renewed_together(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver
) -> None:
    both = MOVE, replace(MOVE, axis=1, velocity=-0.5)
    hold(held, driver, 10, *both)
    assert [velocity(held, axis) for axis in (0, 1)] == pytest.approx([1.0, -0.5])
    assert len(vendor.called(START)) == 2


@pytest.mark.parametrize("times", [1, 2, 6])
def test_it_ends_in_time_when_nobody_renews_it(
    held: HeldEngine, driver: Driver, times: int
) -> None:
    hold(held, driver, times - 1)
    driver.motion.jog([MOVE])
    began = held.clock.now_ns()
    while driver.motion.status().op_state[0] in (OperationState.JOG, OperationState.IDLE):
        held.after(0.001)
    assert 0.2 <= (held.clock.now_ns() - began) / 1e9 <= 0.205
    assert driver.motion.status().op_state[0] == OperationState.STOP


def test_another_velocity_ends_in_time_that_takes_longer_from_rest(
    held: HeldEngine, driver: Driver
) -> None:
    """The engine would let it go on for as long as the axis takes from rest to its velocity."""
    first = replace(MOVE, velocity=0.9, acc=1.0, dec=1.0, run_time=5.0)
    driver.motion.jog([first])
    held.after(2.0)
    driver.motion.jog([replace(first, velocity=1.0, run_time=0.2)])
    for _ in range(39):
        held.after(0.005)
        assert driver.motion.status().op_state[0] == OperationState.JOG
    held.after(0.01)
    driver.motion.status()
    assert held.after(0.005).op_state[0] == OperationState.STOP


def test_what_the_engine_ends_in_time_is_left_to_it(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver
) -> None:
    """First contact looks at when it does so: its time begins when it has taken the call."""

    def take_long(vendor: CheckedSdk, command: Any) -> None:
        held.after(0.05)
        vendor.real(START, command)

    vendor.play(START, take_long)
    driver.motion.jog([MOVE])
    for _ in range(60):
        held.after(0.005)
        driver.motion.status()
    assert held.status().op_state[0] == OperationState.IDLE
    assert not vendor.called("Motion.Stop_AxisSel")


def test_the_engine_ends_it_when_nobody_reads_the_status(held: HeldEngine, driver: Driver) -> None:
    hold(held, driver, 6)
    last = held.after(1.2)
    assert last.op_state[0] == OperationState.IDLE


def test_a_stop_comes_first_and_the_same_jog_begins_again(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver
) -> None:
    """It is given to the engine, which judges it, and not taken for one that goes on."""
    hold(held, driver, 4)
    driver.motion.stop([0])
    with pytest.raises(CommandRefused, match="NotIdleOrPosOrJogState"):
        driver.motion.jog([MOVE])
    held.after(0.5)
    hold(held, driver, 3)
    assert velocity(held) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("name", "order", "move"),
    [
        (START, "jog", replace(MOVE, velocity=2.0)),
        ("Motion.StartPos", "move_absolute", position_move(target=50.0)),
    ],
)
def test_it_is_commanded_after_a_refused_one_that_has_stopped_it(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver, name: str, order: str, move: Any
) -> None:
    """Also where the status does not show that yet."""
    hold(held, driver, 4, MOVE, replace(MOVE, axis=1))
    before = vendor.real("CoreMotion.GetStatus")
    vendor.play(name, takes_the_first(name))
    with pytest.raises(CommandRefused, match="were stopped"):
        getattr(driver.motion, order)([move, replace(move, axis=1)])
    vendor.restore(name)
    vendor.play("CoreMotion.GetStatus", lambda _: before)
    with pytest.raises(CommandRefused, match="NotIdleOrPosOrJogState"):
        driver.motion.jog([MOVE])


def test_it_is_commanded_after_it_was_ended(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver
) -> None:
    """Also where the status does not show that yet."""
    hold(held, driver, 4)
    held.after(0.21)
    before = vendor.real("CoreMotion.GetStatus")
    driver.motion.status()
    vendor.play("CoreMotion.GetStatus", lambda _: before)
    with pytest.raises(CommandRefused, match="NotIdleOrPosOrJogState"):
        driver.motion.jog([MOVE])


@pytest.mark.parametrize("other", [{"velocity": 0.5}, {"acc": 5.0}, {"dec": 5.0}])
def test_another_jog_is_commanded(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver, other: dict[str, float]
) -> None:
    hold(held, driver, 4)
    hold(held, driver, 2, replace(MOVE, **other))
    assert len(vendor.called(START)) == 4
    assert velocity(held) == pytest.approx(other.get("velocity", 1.0), abs=1e-6)


def test_a_jog_for_ever_is_one(held: HeldEngine, vendor: CheckedSdk, driver: Driver) -> None:
    hold(held, driver, 4)
    driver.motion.jog([replace(MOVE, run_time=0.0)])
    for _ in range(30):
        held.after(0.1)
        driver.motion.status()
    assert velocity(held) == pytest.approx(1.0)


def test_a_velocity_that_was_overridden_is_commanded_again(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver
) -> None:
    hold(held, driver, 4)
    driver.motion.set_override(0, 50.0)
    hold(held, driver, 2)
    assert velocity(held) == pytest.approx(1.0)


@pytest.mark.parametrize("order", ["move_absolute", "move_relative"])
def test_a_move_that_takes_over_is_not_due(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver, order: str
) -> None:
    """The jog would be, which a status that was read just before shows."""
    hold(held, driver, 4)
    held.after(0.16)
    before = vendor.real("CoreMotion.GetStatus")

    def late(vendor: CheckedSdk) -> tuple[Any, ...]:
        vendor.restore("CoreMotion.GetStatus")
        getattr(driver.motion, order)([position_move(0, 50.0)])
        return before

    vendor.play("CoreMotion.GetStatus", late)
    assert driver.motion.status().op_state[0] == OperationState.JOG
    assert held.after(0.01).op_state[0] == OperationState.POS
    hold(held, driver, 4)
    held.after(0.21)
    driver.motion.status()
    assert held.after(0.005).op_state[0] == OperationState.STOP, "the next jog is due"


def test_a_status_does_not_wait_for_a_jog_that_is_just_commanded(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver
) -> None:
    hold(held, driver, 4)
    vendor.play(START, lambda *_: driver.motion.status() and None)
    driver.motion.jog([replace(MOVE, velocity=0.5)])


@pytest.mark.parametrize(
    ("axis", "state"), [(0, OperationState.JOG), (1, OperationState.STOP)], ids=["its", "another"]
)
def test_it_ends_in_time_unless_the_engine_takes_long_over_its_own_axis(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver, axis: int, state: OperationState
) -> None:
    hold(held, driver, 4)
    states: list[int] = []

    def take_long(*_: Any) -> int:
        for _ in range(50):
            held.after(0.005)
            states.append(driver.motion.status().op_state[0])
        return 0

    vendor.play("Motion.StartPos", take_long)
    driver.motion.move_absolute([position_move(axis, 1.0)])
    assert states[0] == OperationState.JOG
    assert states[40] == state


def test_what_refuses_to_stop_is_stopped_at_the_next_status(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver
) -> None:
    hold(held, driver, 4)

    vendor.refuse("Motion.Stop_AxisSel", 1545)
    held.after(0.21)
    assert driver.motion.status().op_state[0] == OperationState.JOG
    with pytest.raises(CommandRefused):
        driver.motion.stop([0])
    vendor.restore("Motion.Stop_AxisSel")
    driver.motion.status()
    held.after(0.005)
    assert driver.motion.status().op_state[0] == OperationState.STOP


def test_a_jog_that_has_just_begun_is_not_forgotten_by_an_older_status(held: HeldEngine) -> None:
    """A thread that has read it may have waited for long since."""
    before = held.status()
    renewals, now = Renewals(), before.time + 1.0
    given = replace(MOVE, run_time=LONGEST)
    renewals.commanded(now - 0.95, [MOVE], [given], now - 0.95, {MOVE.axis: 0.1})
    assert renewals.over(now, before) == []
    assert MOVE.axis in renewals
    renewals.over(now, replace(before, time=now))
    assert MOVE.axis not in renewals


def test_a_jog_that_took_long_to_begin_is_not_forgotten_by_a_status_of_that_time(
    held: HeldEngine, vendor: CheckedSdk, driver: Driver
) -> None:
    """The engine would let it go on for LONGEST, though its client has released it."""
    idle = vendor.real("CoreMotion.GetStatus")
    driver.motion.jog([MOVE])
    held.after(0.05)

    def take_long(vendor: CheckedSdk, command: Any) -> None:
        vendor.restore(START)
        held.after(0.3)
        vendor.real(START, command)

    attempts = list(range(ATTEMPTS))

    def late(vendor: CheckedSdk) -> tuple[Any, ...]:
        if attempts.pop():
            held.after(2.0 * HELD_UP)
        else:
            vendor.restore("CoreMotion.GetStatus")
            driver.motion.jog([MOVE])
        return idle

    vendor.play(START, take_long)
    vendor.play("CoreMotion.GetStatus", late)
    driver.motion.status()
    held.after(0.2)
    driver.motion.status()
    assert held.after(0.005).op_state[0] == OperationState.STOP
