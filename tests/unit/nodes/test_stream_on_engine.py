"""What the simulated engine makes of the moves for a stream, cycle by cycle."""

import random
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from held_engine import HeldEngine

from wmx_core.values import Floats
from wmx_ros2_package.nodes.joint_position.stream_moves import (
    CYCLE,
    Now,
    StreamHistory,
    StreamRules,
    moves,
    worth_moving,
)

BRIDGE, STOP = 0.03, 0.1
RULES = StreamRules(
    default_velocity=0.5,
    accel_ratio=0.3,
    min_step=0.001,
    top_speed=np.full(2, np.inf),
    bridge_time=BRIDGE,
    stop_time=STOP,
)
SPEEDS = np.array([0.5, -0.05])
"""u/s, of steady streams."""
Path = Callable[[float], Floats]
"""Where joints are asked to be at a time."""


def follow(path: Path, period: int, delays: Sequence[int], after: int = 0) -> Floats:
    """The commanded positions (cycles, joints) while messages come, and for `after` cycles then.

    One is sent every `period` cycles, asks to be where `path` is a period later, and comes as many
    cycles later as `delays` say.
    """
    engine = HeldEngine()
    engine.servo_on(0, 1)
    arrivals = {i * period + delay: i for i, delay in enumerate(delays)}
    history, seen = StreamHistory(0.2), []
    for cycle in range(len(delays) * period + after):
        status = engine.status()
        seen.append(status.pos_cmd.copy())
        if (i := arrivals.get(cycle)) is not None:
            sent, wanted = i * period * CYCLE, period * CYCLE
            history = history.extended(sent, path(sent + wanted))
            now = Now(cycle * CYCLE, status.pos_cmd, status.velocity_cmd)
            if worth_moving(history.target, now, RULES):
                engine.motion.move_absolute(moves((0, 1), history, wanted, now, RULES))
        engine.clock.advance(CYCLE)
    return np.array(seen)


def drawn(count: int, *delays: int) -> list[int]:
    return random.Random(4).choices(delays, k=count)


def steadily(time: float) -> Floats:
    return SPEEDS * time


def faster(time: float) -> Floats:
    """As fast as steadily after 2 s."""
    return SPEEDS * time**2 / 4.0


def swing(time: float) -> Floats:
    """0.5 Hz: 0.94 u/s and 2.96 u/s^2 at most; it begins gently."""
    begun = min(1.0, time / 2.0)
    return np.array([0.3, -0.1]) * begun**2 * (3.0 - 2.0 * begun) * np.sin(np.pi * time)


def largest_acceleration(seen: Floats) -> Floats:
    """u/s^2 of each joint, from one cycle to the next."""
    largest: Floats = np.abs(np.diff(seen, n=2, axis=0)).max(axis=0) / CYCLE**2
    return largest


@pytest.mark.long
@pytest.mark.parametrize(
    ("period", "delays"),
    [(25, [0]), (25, [0, 8, 16]), (20, [0, 2, 4]), (10, [0, 5]), (1, [0])],
    ids=["40 Hz", "40 Hz, late", "50 Hz, late", "100 Hz, late", "1000 Hz"],
)
def test_the_commanded_velocity_of_a_steady_motion_varies_by_less_than_5_percent(
    period: int, delays: list[int]
) -> None:
    count = 3000 // period
    steady = np.diff(follow(steadily, period, drawn(count, *delays)), axis=0)[1000:] / CYCLE
    spread = (steady.max(axis=0) - steady.min(axis=0)) / np.abs(SPEEDS)
    assert spread.max() < 0.05
    assert steady.mean(axis=0) == pytest.approx(SPEEDS, rel=0.01)


@pytest.mark.long
@pytest.mark.parametrize(
    ("period", "delays", "behind"),
    [(25, [0, 5], 5), (10, [0, 3], 3), (4, [0, 1], 3), (1, [0], 3)],
    ids=["40 Hz", "100 Hz", "250 Hz", "1000 Hz"],
)
def test_joints_are_where_messages_ask_them_to_be_when_they_ask_for_it(
    period: int, delays: list[int], behind: int
) -> None:
    seen = follow(swing, period, drawn(5000 // period, *delays))
    asked = np.array([swing((cycle - behind) * CYCLE) for cycle in range(len(seen))])
    assert np.abs(seen - asked).max() < 0.01
    # With what stops a joint at its speed, and half of that more.
    assert (largest_acceleration(seen) < 1.5 * np.array([0.95, 0.32]) / STOP).all()


def test_a_message_that_is_late_by_the_bridge_time_is_not_felt() -> None:
    period, delays = 25, [0] * 120
    delays[60] = round(BRIDGE / CYCLE)
    delays[61] = 10  # after it, as messages of one topic come
    velocity = np.diff(follow(steadily, period, delays), axis=0)[1000:] / CYCLE
    assert np.abs(velocity / SPEEDS - 1.0).max() < 0.05


@pytest.mark.parametrize("path", [steadily, faster])
def test_a_stream_that_breaks_off_comes_to_rest_by_itself_along_its_path(path: Path) -> None:
    period, count = 25, 80
    seen = follow(path, period, [0] * count, after=400)
    asked, broken_off = path(count * period * CYCLE), (count - 1) * period
    stopping = broken_off + round((period * CYCLE + BRIDGE) / CYCLE)
    resting = stopping + round(STOP / CYCLE) + 3
    on = np.diff(seen[broken_off : stopping - 2], axis=0) / CYCLE
    assert on / SPEEDS == pytest.approx(1.0, abs=0.03)
    assert (np.diff(seen[resting:], axis=0) == 0.0).all()
    beyond = (seen[-1] - asked) / SPEEDS
    assert (beyond > BRIDGE).all()
    assert (beyond < BRIDGE + STOP / 2.0 + 0.005).all()
    off_the_line = seen[1000:, 0] / SPEEDS[0] - seen[1000:, 1] / SPEEDS[1]
    assert np.abs(off_the_line * SPEEDS[0]).max() < 1e-4
    assert (largest_acceleration(seen[1000:]) < 1.2 * np.abs(SPEEDS) / STOP).all()


@pytest.mark.parametrize("period", [25, 10, 4])
def test_a_stream_that_holds_still_ends_exactly_there(period: int) -> None:
    """Joints that are to stop from full speed at once slow down beyond, for a moment."""
    moving = 1000 // period

    def until_then(time: float) -> Floats:
        return steadily(min(time, moving * period * CYCLE))

    seen = follow(until_then, period, [0] * (moving + 30), after=400)
    end = until_then(10.0)
    assert seen[-1] == pytest.approx(end, abs=1e-9)
    beyond = ((seen - end) / SPEEDS).max(axis=0)
    assert (beyond < max(0.5 * period, 10.0) * CYCLE).all()


@pytest.mark.parametrize("period", [25, 4])
def test_a_step_is_not_passed(period: int) -> None:
    def step(time: float) -> Floats:
        return np.array([0.05, -0.02]) if time > 0.2 else np.zeros(2)

    seen = follow(step, period, [0] * (1000 // period), after=400)
    assert seen[-1] == pytest.approx(step(1.0), abs=1e-9)
    assert ((seen / step(1.0)).max(axis=0) <= 1.0 + 1e-9).all()
