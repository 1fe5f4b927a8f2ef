"""A node opens its device, and stops the axes that it lets go of, whatever is refused then."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from held_engine import HeldEngine, velocity_move
from held_node import HeldNode
from stubborn import Stubborn

from wmx_core.errors import CommandRefused, EngineLost, ErrorCode
from wmx_ros2_package.control.gate import GateClosed
from wmx_ros2_package.control.request import EndReason, MotionKind
from wmx_ros2_package.node_base.device import bring_to_rest, open_device


@pytest.mark.parametrize("refused", [False, True])
def test_a_watchdog_is_set_or_the_device_is_given_up(node: Any, *, refused: bool) -> None:
    engine = Mock()
    if refused:
        engine.set_watchdog.side_effect = CommandRefused(ErrorCode.ParamOutOfRange)
    node.driver = replace(node.driver, engine=engine)
    node.common = SimpleNamespace(device_watchdog=2.0)
    with pytest.raises(CommandRefused) if refused else nullcontext():
        open_device(node, "", "it")
    engine.set_watchdog.assert_called_once_with(2.0)
    assert engine.close_device.called is refused


@pytest.mark.parametrize("refusals", [0, 1, 4, 100_000])
@pytest.mark.parametrize("hook", ["takes it", "raises"])
@pytest.mark.parametrize("axes", [[0], None])
def test_axes_that_a_node_lets_go_of_are_stopped(
    held: HeldEngine,
    nodes: Callable[..., HeldNode],
    axes: list[int] | None,
    refusals: int,
    hook: str,
) -> None:
    motion = Stubborn(held, "status", refusals=0)
    node = nodes(held, motion=motion)
    jog = node.request(0, kind=MotionKind.VELOCITY)
    node.gate.issue([jog], lambda motion: motion.jog([velocity_move(0)]))
    node.after(1.0)
    motion.refusals = refusals

    def let_go() -> None:
        if hook == "raises":
            raise CommandRefused(ErrorCode.WaitTimeout)

    node.on_let_go.append(let_go)
    try:
        at_rest = bring_to_rest(node, axes)  # type: ignore[arg-type]
        assert hook == "takes it"
        assert at_rest is (refusals < 100)
        assert at_rest or "come to rest is not known" in node.logged[-1]
    except CommandRefused:
        assert hook == "raises"
    assert node.held.status().velocity_cmd[0] == 0.0
    with pytest.raises(GateClosed):
        node.gate.issue([jog], lambda motion: motion.jog([velocity_move(0)]))
    node.after(1.0)
    assert node.reasons() == [EndReason.NODE_ENDED]


@pytest.mark.parametrize("refusals", [1, 100_000])
@pytest.mark.parametrize("axes", [[0], None])
def test_axes_of_an_engine_that_seems_lost_are_stopped_as_it_may_live(
    held: HeldEngine, nodes: Callable[..., HeldNode], axes: list[int] | None, refusals: int
) -> None:
    motion = Stubborn(held, "status", refusals=0, error=EngineLost)
    node = nodes(held, motion=motion)
    jog = node.request(0, kind=MotionKind.VELOCITY)
    node.gate.issue([jog], lambda motion: motion.jog([velocity_move(0)]))
    began = node.after(1.0)
    motion.refusals = refusals
    at_rest = bring_to_rest(node, axes)  # type: ignore[arg-type]
    assert at_rest is (refusals == 1), "else the engine goes on to watch the axes"
    assert held.now() - began.time < 2.0, "a lost engine is not waited for"
    motion.refusals = 0
    assert held.after(1.0).velocity_cmd[0] == 0.0
    node.after(1.0)
    assert node.reasons() == [EndReason.ENGINE_LOST]
