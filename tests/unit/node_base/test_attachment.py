"""When a node is ready, and whose heartbeat it takes for that of its engine node."""

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from held_engine import HeldEngine
from held_node import HeldNode
from std_msgs.msg import Bool

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.values import EngineState
from wmx_ros2_package.node_base.attachment import HEARTBEAT_TIMEOUT, EngineAttachment, ReadyTopic
from wmx_ros2_package.node_base.common_parameters import CommonParameters
from wmx_ros2_package.node_base.refusals import NotReady


@pytest.mark.parametrize("led", [True, False])
def test_once_its_engine_was_led_no_other_system_is_its_heartbeat(
    held: HeldEngine, nodes: Callable[..., HeldNode], led: bool
) -> None:
    engine = nodes(held, "/engine").ownership.file
    assert engine is not None
    if led:
        assert engine.lead()
        engine.engine_ready = True
    node: Any = nodes(held, "/mover")
    timers: list[Callable[[], None]] = []
    node.create_timer = lambda _, act: timers.append(act)
    node.kind = SimpleNamespace(ready_topic="", not_ready="", commands_motion=True)
    node.common = CommonParameters(driver="held", device_path="")
    attachment = EngineAttachment(node)
    with pytest.raises(NotReady):
        attachment.require_engine()
    attachment.attached = True

    def beat(seconds: float) -> bool:
        """A message arrives, and so long after it the heartbeat is checked: whether it is lost."""
        node.commands["wmx/engine/ready"](Bool(data=True))
        held.after(seconds)
        for each in timers:
            each()
        return bool(node.leases.heartbeat_lost)

    assert not beat(0.5 * HEARTBEAT_TIMEOUT)
    assert not beat(0.9 * HEARTBEAT_TIMEOUT)
    engine.close()
    assert beat(0.5 * HEARTBEAT_TIMEOUT) is led
    again = nodes(held, "/engine").ownership.file
    assert again is not None
    assert again.lead()
    assert not beat(0.5 * HEARTBEAT_TIMEOUT)


def test_an_engine_that_lives_and_does_not_answer_in_time_is_asked_again_later(node: Any) -> None:
    """With the next heartbeat: its node neither lets go of it nor fails."""
    asked: list[ErrorCode] = []

    def state() -> EngineState:
        asked.append(ErrorCode.WaitTimeout)
        raise CommandRefused(asked[-1])

    node.kind = SimpleNamespace(ready_topic="", not_ready="", commands_motion=True)
    node.common = CommonParameters(driver="held", device_path="")
    node.driver = replace(node.driver, engine=SimpleNamespace(state=state))
    attachment = EngineAttachment(node)
    node.on_activate[-1]()
    attachment.attached = True
    for beat in 1, 2:
        node.commands["wmx/engine/ready"](Bool(data=True))
        assert (len(asked), attachment.attached) == (beat, True)


def test_readiness_is_published_as_a_node_becomes_active_and_when_it_changes(node: Any) -> None:
    topic = ReadyTopic(node, "ready")
    for act in *node.on_activate, *[lambda: topic.set(True)] * 2:
        act()
    assert [message.data for message in node.published["ready"]] == [False, True]
