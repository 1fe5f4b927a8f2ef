"""An axis has homed when the engine says so of the order, not of one before it."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
from held_engine import HeldEngine
from wmx_ros2_message.srv import SetAxis

from wmx_ros2_package.drivers.errors import CommandRefused, ErrorCode
from wmx_ros2_package.features.homing import STOP_PATIENCE, Homing, has_homed
from wmx_ros2_package.per_axis import Outcome


def test_what_was_homed_before_the_order_does_not_count() -> None:
    held = HeldEngine(homing_velocity_fast=1.0, home_type=0).servo_on()
    held.motion.home(0)
    before = held.after(1.0)
    assert before.home_done[0]
    held.motion.home(0)
    ordered = before.time
    assert not has_homed(before, 0, ordered), "a sample of before"
    assert not has_homed(held.after(0.019), 0, ordered), "it may not show yet"
    assert has_homed(held.after(0.002), 0, ordered)


def test_that_it_has_not_begun_yet_is_no_failure() -> None:
    held = HeldEngine().servo_on()
    status = held.status()
    assert not status.home_done[0]
    assert not has_homed(status, 0, status.time)
    with pytest.raises(CommandRefused, match="homing ended before it was done"):
        has_homed(held.after(0.021), 0, status.time)


class StubbornNode:
    """Homes an axis that never gets there, and whose stop is refused at first."""

    def __init__(self, refusals: int) -> None:
        self.refusals = refusals
        self.said: list[str] = []
        self.parameters = SimpleNamespace(homing_timeout=1.0)
        self.commanding = nullcontext
        self.say_error = self.said.append
        self.serve = lambda *_, **__: None

    def home(self, axis: int) -> None:
        assert axis == 1

    def stop(self, axes: Sequence[int]) -> None:
        assert axes == [1]
        self.refusals -= 1
        if self.refusals >= 0:
            raise CommandRefused(ErrorCode.StartingPreviousCommand, "a command is pending")

    async def late(self, outcomes: Sequence[Outcome], *_: object) -> list[int]:
        for outcome in outcomes:
            outcome.error = CommandRefused(ErrorCode.WaitTimeout)
        return [outcome.axis for outcome in outcomes]

    async def until(self, condition: Callable[[], bool], timeout: float) -> bool:
        assert timeout == STOP_PATIENCE
        return any(condition() for _ in range(10))


@pytest.mark.parametrize(("refusals", "last"), [(0, ""), (3, "trying"), (99, "home on, they")])
def test_axes_that_are_late_are_stopped_however_often_that_is_refused(
    refusals: int, last: str
) -> None:
    node: Any = StubbornNode(refusals)
    homing = Homing(node, node, lambda: 6, node.late)
    response = SetAxis.Response()
    with pytest.raises(StopIteration):
        homing.home(SetAxis.Request(index=[1]), response).send(None)
    assert not response.success
    assert "WaitTimeout" in response.message
    assert last in "".join(node.said[-1:])
    assert bool(node.said) is bool(refusals)
    assert node.refusals == max(-1, refusals - 10)
