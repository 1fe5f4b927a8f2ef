"""What `wmx_core_motion_node` logs and publishes of what happens to axes."""

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from held_engine import HeldEngine
from held_node import HeldNode
from wmx_ros2_message.msg import HardwareError

from wmx_ros2_package.control.conditions import CONDITIONS
from wmx_ros2_package.node_base.hooks import call_all
from wmx_ros2_package.nodes.core_motion.diagnostics import Diagnostics

Said = tuple[str, bool, int]


@pytest.fixture
def errors(node: HeldNode) -> Callable[[], list[Said]]:
    """What was published since the last call: name, whether it is there, and code."""
    node.threads: Any = SimpleNamespace(aside=lambda _: None)
    node.deactivating: Any = SimpleNamespace(is_set=lambda: False)
    Diagnostics(node)  # type: ignore[arg-type]
    published: list[HardwareError] = node.published["wmx/hardware_error"]

    def taken() -> list[Said]:
        found = [(each.name, each.active, each.code) for each in published]
        published.clear()
        return found

    return taken


def test_what_breaks_is_published_and_logged_once_and_so_is_its_end(
    node: HeldNode, errors: Callable[[], list[Said]]
) -> None:
    node.after(0.1)
    assert errors() == []
    node.held.raise_alarm(1, 0x2310)
    node.after(0.1)
    assert errors() == [("AmpAlarm", True, 0x2310)]
    assert [text for text in node.logged if text.startswith("axis 1: alarm 0x2310")] == node.logged
    node.held.motion.clear_alarm(1)
    node.after(0.1)
    assert errors() == [("AmpAlarm", False, 0)]
    assert len(node.logged) == 1


def test_only_what_is_broken_in_hardware_is_published(
    node: HeldNode, errors: Callable[[], list[Said]]
) -> None:
    node.after(0.01)
    errors()
    status = node.held.status()
    for condition in CONDITIONS:
        flags = getattr(status, condition.flag).copy()
        flags[1] = condition.when
        node.supervisor.read(replace(status, **{condition.flag: flags}))
        node.supervisor.read(status)
        name = condition.name
        broken = name in {"ServoOffline", "AmpAlarm", "FollowingErrorAlarm"}
        assert errors() == [(name, True, 0), (name, False, 0)] * broken, name


def test_what_is_broken_at_the_first_sample_is_published_but_did_not_happen_now(
    node: HeldNode, errors: Callable[[], list[Said]]
) -> None:
    node.held.raise_alarm(0, 0x4310)
    node.after(0.01)
    assert errors() == [("AmpAlarm", True, 0x4310)]
    assert node.logged == []


def test_another_engine_is_not_compared(
    node: HeldNode, errors: Callable[[], list[Said]], monkeypatch: pytest.MonkeyPatch
) -> None:
    node.after(0.01)
    other = HeldEngine(3)
    other.raise_alarm(2, 0x4310)
    node.supervisor.read(other.status())
    assert errors() == [("AmpAlarm", True, 0x4310)]
    assert node.logged == []


def test_an_engine_that_is_lost_is_broken_until_it_is_there_again(
    node: HeldNode, errors: Callable[[], list[Said]]
) -> None:
    call_all(node.on_attached)
    assert errors() == []
    call_all(node.on_detach)
    call_all(node.on_attached)
    call_all(node.on_attached)
    assert errors() == [("EngineLost", True, 0), ("EngineLost", False, 0)]


def test_an_engine_that_the_node_cannot_attach_to_is_lost_once(
    node: HeldNode, errors: Callable[[], list[Said]]
) -> None:
    call_all(node.on_detach)
    assert errors() == [], "it never was attached"
    call_all(node.on_attached)
    for _ in range(3):  # attempts, each of which fails
        call_all(node.on_attach)
        call_all(node.on_detach)
    assert errors() == [("EngineLost", True, 0)]


def test_what_heals_while_the_node_is_detached_is_over_when_it_is_back(
    node: HeldNode, errors: Callable[[], list[Said]]
) -> None:
    node.held.raise_alarm(1, 0x2310)
    node.after(0.01)
    call_all(node.on_detach)
    node.held.motion.clear_alarm(1)
    call_all(node.on_attach)
    node.after(0.1)
    assert errors() == [("AmpAlarm", True, 0x2310), ("AmpAlarm", False, 0)]


def test_diagnostics_that_wait_to_be_made_are_made_once(node: HeldNode) -> None:
    """Else those of a busy machine keep all other work of the node from being done aside."""
    wait: list[Callable[[], None]] = []
    node.threads: Any = SimpleNamespace(aside=wait.append)
    Diagnostics(node)  # type: ignore[arg-type]
    for code in 0x2310, 0x7121:
        node.held.raise_alarm(1, code)
        node.after(0.1)
    assert len(wait) == 1
    wait.pop()()
    node.held.motion.clear_alarm(1)
    node.after(0.1)
    assert len(wait) == 1


def test_an_alarm_that_another_one_follows_is_published_with_each_code(
    node: HeldNode, errors: Callable[[], list[Said]]
) -> None:
    for code in 0x2310, 0x2310, 0x7121:
        node.held.raise_alarm(1, code)
        node.after(0.1)
    assert errors() == [("AmpAlarm", True, 0x2310), ("AmpAlarm", True, 0x7121)]
