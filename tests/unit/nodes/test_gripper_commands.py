"""What becomes of a command to a gripper when another one comes; and its power."""

from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import Mock

import pytest
from held_engine import HeldEngine
from held_node import HeldNode
from refusing import refuses
from std_srvs.srv import SetBool

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_ros2_package.nodes import gripper


class Waiting:
    """What a command awaits, until its gripper is `there`."""

    def __init__(self, there: Callable[[], bool], _timeout: float) -> None:
        self.there = there

    def __await__(self) -> Iterator["Waiting"]:
        yield self


def refuse(*_: Any, **__: Any) -> None:
    raise CommandRefused(ErrorCode.CommNotStarted)


@pytest.fixture(autouse=True)
def _without_action(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gripper, "ActionServer", lambda *_, **__: None)


@pytest.mark.parametrize(("comes", "said"), [("true", "is on"), ("false", "is off, output byte 1")])
def test_its_power_is_switched_on_and_the_log_says_whether_it_comes(
    held: HeldEngine, nodes: Callable[..., HeldNode], comes: str, said: str
) -> None:
    power = {"pre_setup_io": True, "pre_setup_output": (1, 0x71), "pre_setup_input": (0, 2)}
    node: Any = nodes(held, parameters=gripper.GripperParameters(**power))
    gripper.GripperController(node)
    held.play(f"[{{after: 1000, force_input: {{input: '0.2', value: {comes}}}}}]")
    for switch_on in node.on_attached:
        switch_on()
    assert node.driver.io.output_bytes(1, 1) == bytes([0x71])
    assert f"input 0.2 {said}" in node.logged[-1]


@pytest.mark.parametrize("refused", [None, ErrorCode.WaitTimeout, ErrorCode.CommNotStarted])
def test_its_power_is_not_switched_on_again(
    held: HeldEngine, nodes: Callable[..., HeldNode], refused: ErrorCode | None
) -> None:
    """A client may have switched it off, and a new engine has its outputs off.

    A refusal may hide that it was switched on, but for one without communication.
    """
    power = {"pre_setup_io": True, "pre_setup_output": (1, 0x71), "confirm_timeout": 0.0}
    node: Any = nodes(held, parameters=gripper.GripperParameters(**power))
    gripper.GripperController(node)
    [switch_on] = node.on_attached
    with pytest.MonkeyPatch.context() as patch:
        if refused:
            refusal = Mock(side_effect=CommandRefused(refused))
            patch.setattr(node.driver.io, "set_output_bytes", refusal)
        switch_on()
    held.io.set_output_bytes(1, bytes([0]))
    switch_on()
    is_set = refused is ErrorCode.CommNotStarted
    assert node.driver.io.output_bytes(1, 1) == bytes([0x71 * is_set])
    assert ("output byte 1 is left as it is" in node.logged[-1]) is not is_set


def test_one_that_the_engine_refuses_does_not_end_the_one_before(
    held: HeldEngine, nodes: Callable[..., HeldNode], monkeypatch: pytest.MonkeyPatch
) -> None:
    parameters = gripper.GripperParameters(gripper_address=(0, 3), confirm_address=(1, 2))
    node: Any = nodes(held, parameters=parameters)
    node.until = Waiting
    controller = gripper.GripperController(node)

    def begin(*, closed: bool) -> Waiting:
        asked = SetBool.Request(data=closed)
        waiting: Waiting = controller.set_gripper(asked, SetBool.Response()).send(None)
        return waiting

    closing = begin(closed=True)
    with monkeypatch.context() as patch, refuses(ErrorCode.CommNotStarted):
        patch.setattr(node.driver.io, "set_output_bit", refuse)
        begin(closed=False)
    assert not closing.there()
    begin(closed=False)
    with refuses(ErrorCode.NotIdleState, "another command has taken over"):
        closing.there()


def test_what_does_not_open_holds_no_object(
    held: HeldEngine, nodes: Callable[..., HeldNode]
) -> None:
    parameters = gripper.GripperParameters(confirm_address=(1, 2), allow_stalling=True)
    node: Any = nodes(held, parameters=parameters)
    node.until = Waiting
    controller = gripper.GripperController(node)
    opening = controller.set_gripper(SetBool.Request(data=False), SetBool.Response())
    opening.send(None)
    with refuses(ErrorCode.WaitTimeout, "does not say open"):
        opening.send(None)  # as where the time is over


def test_an_input_that_is_refused_once_is_read_again(
    held: HeldEngine, nodes: Callable[..., HeldNode], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is refused to the end does not say that the gripper has stalled."""
    parameters = gripper.GripperParameters(confirm_address=(1, 2), allow_stalling=True)
    node: Any = nodes(held, parameters=parameters)
    node.until = Waiting
    closing = gripper.GripperController(node).set_gripper(
        SetBool.Request(data=True), SetBool.Response()
    )
    waiting: Waiting = closing.send(None)
    with monkeypatch.context() as patch:
        patch.setattr(node.driver.io, "input_bit", refuse)
        assert not waiting.there()
    assert not waiting.there()
    held.play("[{after: 0, force_input: {input: '1.2', value: true}}]")
    held.after(0.01)
    assert waiting.there()
    monkeypatch.setattr(node.driver.io, "input_bit", refuse)
    assert not waiting.there()
    with refuses(ErrorCode.CommNotStarted):
        closing.send(None)  # as where the time is over
