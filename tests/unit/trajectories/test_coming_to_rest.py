"""Axes on a path are stopped for as long as that is refused, and it is said."""

from collections.abc import Sequence

import numpy as np
import pytest
from held_engine import HeldEngine

from wmx_ros2_package.drivers.errors import CommandRefused, ErrorCode
from wmx_ros2_package.drivers.values import SplineMove
from wmx_ros2_package.drivers.wrapped_motion import WrappedMotion
from wmx_ros2_package.trajectories import coming_to_rest
from wmx_ros2_package.trajectories.coming_to_rest import bring_to_rest

AXES = (0, 1)


class StubbornMotion(WrappedMotion):
    """Of a held engine; refuses the first `refusals` stops."""

    def __init__(self, held: HeldEngine, refusals: int) -> None:
        super().__init__(held.motion)
        self.refusals = refusals

    def stop(self, axes: Sequence[int]) -> None:
        self.refusals -= 1
        if self.refusals >= 0:
            raise CommandRefused(ErrorCode.StartingPreviousCommand, "a command is pending")
        super().stop(axes)


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> HeldEngine:
    """Two axes on a long spline; whoever sleeps lets its time pass."""
    held = HeldEngine().servo_on()
    monkeypatch.setattr(coming_to_rest.time, "sleep", held.after)
    times, points = np.array([0.0, 100.0]), np.array([[0.0, 0.0], [100.0, 50.0]])
    held.motion.move_spline(SplineMove(axes=AXES, times=times, positions=points))
    held.after(20.0)
    return held


@pytest.mark.parametrize("refusals", [0, 1, 100])
def test_until_they_rest(held: HeldEngine, refusals: int) -> None:
    said: list[str] = []
    motion = StubbornMotion(held, refusals)
    left = bring_to_rest(
        motion, AXES, 1e-3, wanted=lambda: True, refused=said.append, late=lambda _: None
    )
    assert left == ""
    assert not held.status().velocity_cmd.any()
    expected = "stopping axes [0, 1], trying again: Error=1563 (StartingPreviousCommand)"
    assert [text[: len(expected)] for text in said] == [expected] * bool(refusals)


def test_it_is_said_when_they_do_not(held: HeldEngine) -> None:
    late: list[str] = []
    motion = StubbornMotion(held, 3000)
    bring_to_rest(motion, AXES, 1e-3, wanted=lambda: True, refused=lambda _: None, late=late.append)
    assert [text[:57] for text in late] == [
        "axes [0, 1] still move 10 s after they were stopped: Erro"
    ]
    assert not held.status().velocity_cmd.any(), "and it is tried all the same"


def test_not_for_longer_than_it_is_wanted(held: HeldEngine) -> None:
    end = held.status().time + 1.0
    motion = StubbornMotion(held, 10**6)
    bring_to_rest(
        motion,
        AXES,
        1e-3,
        wanted=lambda: held.status().time < end,
        refused=lambda _: None,
        late=lambda _: None,
    )
    assert held.status().velocity_cmd.all()
