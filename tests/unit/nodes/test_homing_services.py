"""Homing: when an axis has homed, and what becomes of one that takes too long."""

from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

import pytest
from held_engine import MODEL, HeldEngine
from held_node import HeldNode, hold_time
from wmx_ros2_message.srv import SetAxis

from wmx_ros2_package.control.request import EndReason, MotionKind
from wmx_ros2_package.drivers.errors import CommandRefused, ErrorCode
from wmx_ros2_package.drivers.values import HomeType, OperationState
from wmx_ros2_package.node_base.waiting import Awaited
from wmx_ros2_package.nodes.core_motion.homing import Homing, has_homed


def test_what_was_homed_before_the_command_does_not_count() -> None:
    held = HeldEngine(homing_velocity_fast=1.0, home_type=0).servo_on()
    held.motion.home(0)
    before = held.after(1.0)
    assert before.home_done[0]
    held.motion.home(0)
    shown_from = before.time + 0.02
    assert not has_homed(before, 0, shown_from), "a sample of before"
    assert not has_homed(held.after(0.02), 0, shown_from), "it may not show yet"
    assert has_homed(held.after(0.001), 0, shown_from)


def test_that_it_has_not_begun_yet_is_no_failure() -> None:
    held = HeldEngine().servo_on()
    status = held.status()
    assert not status.home_done[0]
    assert not has_homed(status, 0, status.time)
    with pytest.raises(CommandRefused, match="homing ended before it was done"):
        has_homed(held.after(0.001), 0, status.time)


class Stubborn:
    """The motion of `held`, which refuses the first stops."""

    def __init__(self, held: HeldEngine, refusals: int) -> None:
        self.refusals = refusals
        self._motion = held.motion

    def __getattr__(self, name: str) -> Any:
        return getattr(self._motion, name)

    def stop(self, axes: Sequence[int]) -> None:
        self.refusals -= 1
        if self.refusals >= 0:
            raise CommandRefused(ErrorCode.StartingPreviousCommand)
        self._motion.stop(axes)


def finished(coroutine: Coroutine[Any, Any, None]) -> None:
    with pytest.raises(StopIteration):
        coroutine.send(None)


@pytest.mark.parametrize("refusals", [0, 3])
def test_axes_that_are_late_are_stopped_however_often_that_is_refused(
    nodes: Callable[..., HeldNode], monkeypatch: pytest.MonkeyPatch, refusals: int
) -> None:
    far = HeldEngine(
        model=replace(MODEL, home_switch_from=1e3, home_switch_to=1e3 + 1.0),
        home_type=HomeType.HS,
        homing_velocity_fast=1.0,
    )
    hold_time(far.servo_on(), monkeypatch)
    motion: Any = Stubborn(far, refusals)
    node = nodes(far, motion=motion)

    def in_worker(work: Callable[[], Any]) -> Any:
        done: Future[Any] = Future()
        done.set_result(work())
        return Awaited(done)

    def until(condition: Callable[[], bool], timeout: float) -> Any:
        node.after(timeout)
        assert far.status().op_state[1] == OperationState.HOME
        return in_worker(condition)

    node.in_worker, node.until = in_worker, until
    node.parameters = type("Parameters", (), {"homing_timeout": 1.0})
    homing = Homing(node)  # type: ignore[arg-type]
    response = SetAxis.Response()
    finished(homing.home(SetAxis.Request(index=[1]), response, node.now()))
    assert not response.success
    assert "WaitTimeout" in response.message
    node.after(2.0)
    assert far.status().op_state[1] == OperationState.IDLE
    assert motion.refusals == -1, "and once is enough"
    assert [(begin.kind, begin.axes) for begin in node.begins()] == [(MotionKind.HOMING, (1,))]
    assert node.reasons() == [EndReason.TIMED_OUT]
    assert len(node.logged) == bool(refusals)
    assert node.supervisor.names() == []
