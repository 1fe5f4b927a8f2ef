"""Homing: when an axis has homed, and what becomes of one that takes too long."""

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from held_engine import MODEL, HeldEngine, position_move
from held_node import HeldNode
from stubborn import Stubborn
from wmx_ros2_message.srv import SetAxis

from wmx_core.values import HomeType, OperationState
from wmx_ros2_package.control.request import Begin, End, EndReason, MotionKind
from wmx_ros2_package.nodes.core_motion.homing import Homing


def homed(node: HeldNode, *axes: int, timeout: float = 30.0) -> SetAxis.Response:
    """The answer of the service."""
    node.parameters = SimpleNamespace(homing_timeout=timeout)
    homing: Any = Homing(node)  # type: ignore[arg-type]
    response = SetAxis.Response()
    with pytest.raises(StopIteration):
        homing.home(SetAxis.Request(index=list(axes)), response, node.now()).send(None)
    return response


@pytest.mark.parametrize("again", [False, True])
def test_axes_are_homed_when_their_motions_have_arrived(node: HeldNode, *, again: bool) -> None:
    node.held.apply(home_type=HomeType.CURRENT_POS)
    if again:  # what was homed before the command does not count
        node.held.motion.home(0)
        node.after(1.0)
    response = homed(node, 0, 1)
    assert (response.success, response.message) == (True, "Homed axis 0; Homed axis 1; ")
    assert node.reasons() == [EndReason.ARRIVED] * 2
    assert node.held.status().home_done.all()


def test_an_axis_whose_motor_is_elsewhere_is_not_homed(node: HeldNode) -> None:
    node.held.apply(home_type=HomeType.CURRENT_POS)
    node.held.fake.call("motion", "freeze_encoder", 0, frozen=True)
    node.held.motion.move_absolute([position_move(0, 0.3)])
    node.after(1.0)
    response = homed(node, 0, 1)
    assert not response.success
    assert "Failed to home axis 0. Error=" in response.message
    assert "axis 0: the motor is 0.3 u from its target" in response.message
    assert response.message.endswith("Homed axis 1; ")


def far_switch() -> HeldEngine:
    """A machine whose home switch is a thousand revolutions away."""
    far = HeldEngine(
        model=replace(MODEL, home_switch_from=1e3, home_switch_to=1e3 + 1.0),
        home_type=HomeType.HS,
        homing_velocity_fast=1.0,
    )
    return far.servo_on()


def test_homing_that_is_stopped_is_not_done(nodes: Callable[..., HeldNode]) -> None:
    node = nodes(far_switch())

    def stop(_: object) -> bool:
        if node.begins():
            node.gate.stop([0], message="stopped by a client")
        return not node.begins()

    node.supervisor.add_task("a client", stop)
    response = homed(node, 0)
    assert not response.success
    assert "stopped by a client" in response.message
    assert node.reasons() == [EndReason.STOPPED]


def test_homing_that_ends_by_itself_says_that_it_was_not_done(
    nodes: Callable[..., HeldNode],
) -> None:
    """It is a setting, which is no reason."""
    node = nodes(far_switch())
    node.tracker.listen(lambda _: node.held.motion.stop([0]))  # as a limit, or another program
    response = homed(node, 0)
    assert "homing of axis 0 ended before it was done" in response.message
    assert node.reasons() == [EndReason.STOPPED]


def test_homing_has_its_time_limit_though_a_status_is_refused(
    nodes: Callable[..., HeldNode],
) -> None:
    far = far_switch()
    motion = Stubborn(far, "status", refusals=0)
    node = nodes(far, motion=motion)

    def refuse_next(event: Begin | End) -> None:
        motion.refusals = isinstance(event, Begin)

    node.tracker.listen(refuse_next)
    response = homed(node, 0, timeout=1.0)
    assert motion.refusals == 0
    assert "WaitTimeout" in response.message
    node.after(2.0)
    assert node.reasons() == [EndReason.TIMED_OUT]


@pytest.mark.parametrize("refusals", [0, 3])
def test_axes_that_are_late_are_stopped_together_however_often_that_is_refused(
    nodes: Callable[..., HeldNode], refusals: int
) -> None:
    far = far_switch()
    motion = Stubborn(far, "stop", refusals=refusals)
    node = nodes(far, motion=motion)
    response = homed(node, 0, 1, timeout=1.0)
    assert not response.success
    assert "WaitTimeout" in response.message
    node.after(2.0)
    assert far.status().op_state.tolist() == [OperationState.IDLE] * 2
    one_by_one = [("stop", [0]), ("stop", [1])]  # as where a list is refused
    assert motion.taken == (one_by_one if refusals else [("stop", [0, 1])]), "and once is enough"
    begun = [(begin.kind, begin.axes) for begin in node.begins()]
    assert begun == [(MotionKind.HOMING, (0,)), (MotionKind.HOMING, (1,))]
    assert node.reasons() == [EndReason.TIMED_OUT] * 2
    assert len(node.logged) == (2 if refusals else 0), "each once"
    assert node.supervisor.names() == []
