"""Axes in other units: what is commanded and what is shown agree, whatever the engine counts in."""

from math import pi
from typing import Any

import numpy as np
import pytest

from wmx_core.units import DEGREE, RPM, MotionInUnits
from wmx_core.values import PositionMove, SplineMove, VelocityMove


class Engine:
    """Keeps what is commanded, and shows two axes."""

    def __init__(self, status: Any) -> None:
        self._status = status
        self.commanded: list[Any] = []

    def status(self) -> Any:
        return self._status

    def __getattr__(self, name: str) -> Any:
        return lambda given: self.commanded.append(given)


@pytest.fixture
def engine(held: Any) -> Engine:
    """Its axes are on the way from 0 to different targets."""
    held.motion.move_absolute(
        [PositionMove(axis=i, target=9.0 + i, velocity=2.0, acc=9.0, dec=9.0) for i in range(2)]
    )
    held.after(1.0)
    return Engine(held.status())


@pytest.fixture
def motion(engine: Engine) -> MotionInUnits:
    return MotionInUnits(engine, {0: DEGREE, 1: RPM})  # type: ignore[arg-type]


def test_moves_reach_the_engine_in_its_units(motion: MotionInUnits, engine: Engine) -> None:
    move = PositionMove(axis=0, target=pi, velocity=pi / 2, acc=pi, dec=2 * pi)
    motion.move_absolute([move])
    [[done]] = engine.commanded
    values = (done.target, done.velocity, done.acc, done.dec)
    assert values == pytest.approx((180.0, 90.0, 180.0, 360.0))


@pytest.mark.parametrize("method", ["jog", "move_velocity"])
def test_so_do_velocities(motion: MotionInUnits, engine: Engine, method: str) -> None:
    getattr(motion, method)([VelocityMove(axis=1, velocity=2 * pi, acc=pi, dec=pi / 2)])
    [[done]] = engine.commanded
    values = (done.velocity, done.acc, done.dec)
    assert values == pytest.approx((60.0, 30.0, 15.0)), "a revolution a second"


def test_and_splines(motion: MotionInUnits, engine: Engine) -> None:
    times, positions = np.array([0.0, 1.0]), np.array([[0.0, 0.0, 1.0], [pi, pi, 2.0]])
    motion.move_spline(SplineMove(axes=(0, 1, 2), times=times, positions=positions))
    [done] = engine.commanded
    assert done.positions[1] == pytest.approx([180.0, 30.0, 2.0])


def test_the_status_is_in_the_other_units(motion: MotionInUnits, engine: Engine) -> None:
    before, now = engine.status(), motion.status()
    actual = "actual_pos", "actual_velocity", "following_error"
    for name in ("pos_cmd", "velocity_cmd", "target", *actual):
        assert getattr(before, name).all()
        assert getattr(now, name) == pytest.approx(getattr(before, name) * [DEGREE, RPM])


def test_what_has_units_and_is_not_translated_is_not_offered(motion: MotionInUnits) -> None:
    with pytest.raises(AttributeError, match="set_gear_ratio is not offered"):
        motion.set_gear_ratio(0, 1.0, 1.0)
