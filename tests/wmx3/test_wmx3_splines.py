"""Splines as the SDK gets them: what the engine leaves out by itself is never passed."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from checked_sdk import CheckedSdk, Refused
from held_engine import HeldEngine
from recorder import Recorder

from wmx_core.errors import CommandRefused
from wmx_core.interface import Driver
from wmx_core.values import SplineMove

SPLINE = SplineMove(
    axes=(2, 1),
    times=np.array([0.0, 0.5, 1.25]),
    positions=np.array([[0.0, 0.0], [1.0, -1.0], [2.5, -0.5]]),
)
START = "AdvMotion.StartCSplinePos_PointTime"


def test_the_engine_gets_the_points_after_the_present_one(
    vendor: CheckedSdk, driver: Driver, recorder: Recorder
) -> None:
    driver.motion.move_spline(SPLINE)
    ((order, move),) = recorder.orders
    assert (order, move.axes) == ("move_spline", (2, 1))
    assert move.times.tolist() == SPLINE.times.tolist()
    assert move.positions.tolist() == SPLINE.positions.tolist()
    ((channel, _, count, points, times),) = vendor.called(START)
    assert (channel, count, len(points)) == (1, 2, 2)
    assert times == [500.0, 1250.0]


def test_a_first_point_beside_the_axis_shifts_nothing(
    vendor: CheckedSdk, driver: Driver, recorder: Recorder
) -> None:
    """The engine would keep the point and leave out its time."""
    beside = SPLINE.positions.copy()
    beside[0, 1] = 9e-7
    driver.motion.move_spline(replace(SPLINE, positions=beside))
    ((_, move),) = recorder.orders
    assert move.positions.tolist() == SPLINE.positions.tolist()


@pytest.mark.parametrize("moving", [False, True])
def test_a_spline_to_one_point_is_the_same_cubic(moving: bool) -> None:
    """The engine needs two points besides the present one."""
    held = HeldEngine(2).servo_on()
    twin = HeldEngine(2).servo_on()
    driver = CheckedSdk(held.fake).attached()
    way = np.array([[0.0, 0.0], [0.5, -0.25], [1.0, 1.0]])
    first = SplineMove(axes=(0, 1), times=np.array([0.0, 0.5, 1.0]), positions=way)
    for motion, clock in ((driver.motion, held.clock), (twin.motion, twin.clock)):
        if moving:
            motion.move_spline(first)
            clock.advance(0.3)
        here = motion.status().pos_cmd
        points = np.array([here, here + np.array([0.5, 0.25])])
        motion.move_spline(SplineMove(axes=(0, 1), times=np.array([0.0, 0.8]), positions=points))
    for _ in range(9):
        seen, expected = held.after(0.1), twin.after(0.1)
        assert seen.pos_cmd == pytest.approx(expected.pos_cmd, abs=1e-12)
        assert seen.velocity_cmd == pytest.approx(expected.velocity_cmd, abs=1e-11)


def test_the_buffer_of_a_channel_is_made_large_once(vendor: CheckedSdk, driver: Driver) -> None:
    longer = replace(SPLINE, times=np.arange(4.0), positions=np.column_stack([np.arange(4.0)] * 2))
    for move in (SPLINE, SPLINE, longer, SPLINE):
        driver.motion.move_spline(move)
    changes = [call for call in vendor.calls if call[0].endswith("eSplineBuffer")]
    assert changes == [("AdvMotion.CreateSplineBuffer", 1, 1001)]


def test_the_buffer_of_another_program_is_made_larger_when_its_memory_is_back(
    vendor: CheckedSdk, driver: Driver
) -> None:
    vendor.real("AdvMotion.CreateSplineBuffer", 1, 2)
    tries: list[int] = []

    def create(_: CheckedSdk, channel: int, points: int) -> Any:
        tries.append(points)
        if len(tries) < 4:
            raise Refused(vendor.code("MemoryAllocFailed"))
        return vendor.real("AdvMotion.CreateSplineBuffer", channel, points)

    vendor.play("AdvMotion.CreateSplineBuffer", create)
    driver.motion.move_spline(SPLINE)
    assert tries == [1001] * 4
    assert vendor.real("AdvMotion.GetSplineBufferPoints", 1) == (1001,)


def test_a_buffer_for_which_there_is_no_memory(
    vendor: CheckedSdk, driver: Driver, recorder: Recorder
) -> None:
    vendor.refuse("AdvMotion.CreateSplineBuffer", vendor.code("MemoryAllocFailed"))
    with pytest.raises(CommandRefused, match="MemoryAllocFailed"):
        driver.motion.move_spline(SPLINE)
    assert len(vendor.called("AdvMotion.CreateSplineBuffer")) == 10
    assert recorder.clock.now() == pytest.approx(0.09)


def test_a_release_whose_splines_have_fewer_axes(recorder: Recorder) -> None:
    """Its binding would write behind the end of a C array."""
    vendor = CheckedSdk(Recorder(16))
    vendor.sdk.constants = SimpleNamespace(maxSplineDimensions=6)
    driver = vendor.attached()
    seven = np.outer(np.arange(3.0), np.arange(1.0, 8.0))
    with pytest.raises(CommandRefused, match="takes at most 6") as refused:
        driver.motion.move_spline(replace(SPLINE, axes=(*range(7),), positions=seven))
    assert refused.value.name == "DimensionOutOfRange"
    assert vendor.calls == []
    driver.motion.move_spline(replace(SPLINE, axes=(*range(6),), positions=seven[:, :6]))


def test_splines_of_other_axes_have_other_channels(vendor: CheckedSdk, driver: Driver) -> None:
    vendor.real("AdvMotion.CreateSplineBuffer", 0, 3)  # by another program
    driver.motion.move_spline(SPLINE)
    driver.motion.move_spline(replace(SPLINE, axes=(3, 0)))
    assert [args[0] for args in vendor.called(START)] == [1, 0]
    assert vendor.called("AdvMotion.CreateSplineBuffer") == [[1, 1001]], "the other has room"


def test_eight_axes() -> None:
    recorder = Recorder(16)
    vendor = CheckedSdk(recorder)
    axes = (*range(15, 7, -1),)
    positions = np.outer(np.arange(3.0), np.arange(1.0, 9.0))
    vendor.attached().motion.move_spline(replace(SPLINE, axes=axes, positions=positions))
    ((_, move),) = recorder.orders
    assert move.axes == axes
    assert move.positions.tolist() == positions.tolist()
