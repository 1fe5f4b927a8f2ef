"""Velocities of axes: a zero that stops waits neither for other commands nor for a lock."""

from collections.abc import Callable
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest
from held_engine import position_move
from held_node import HeldNode
from wmx_ros2_message.msg import AxisVelocity

from wmx_core.interface import Motion
from wmx_core.values import CommandMode
from wmx_ros2_package.control.gate import StoppedSince
from wmx_ros2_package.control.request import EndReason, MotionKind
from wmx_ros2_package.nodes.core_motion.velocities import VelocityTopic


class Velocities:
    """The topic of a node, and how it was subscribed to."""

    def __init__(self, node: HeldNode, timeout: float = 0.0) -> None:
        limits = SimpleNamespace(require_within_limits=lambda _: None)
        node.parameters, node.worker.is_full = limits, False
        self.options: dict[str, Any] = {}
        self._take: Callable[[Any, float], None] = lambda _, __: None
        node.on_command = self._on_command  # type: ignore[method-assign]
        VelocityTopic(
            node,  # type: ignore[arg-type]
            "velocity",
            MotionKind.VELOCITY,
            lambda motion, moves: motion.move_velocity(moves),
            timeout=timeout,
        )
        self._node = node

    def _on_command(self, _: Any, __: str, act: Callable[..., None], **options: Any) -> None:
        self._take, self.options = act, options

    def command(self, axis: int, velocity: float, sent: float | None = None) -> None:
        self._take(velocities([axis], velocity), self._node.now() if sent is None else sent)


def velocities(axes: list[int], velocity: float) -> AxisVelocity:
    several = len(axes)
    return AxisVelocity(
        index=axes, velocity=[velocity] * several, acc=[5.0] * several, dec=[5.0] * several
    )


@pytest.fixture
def turning(node: HeldNode) -> Velocities:
    """Axis 0 turns."""
    made = Velocities(node)
    node.held.motion.set_command_mode(0, CommandMode.VELOCITY)
    node.after(0.1)
    made.command(0, 0.5)
    node.after(1.0)
    return made


def test_a_zero_stops_while_another_command_is_being_given(
    node: HeldNode, turning: Velocities
) -> None:
    def slow(motion: Motion) -> None:
        stop = Thread(target=lambda: turning.options["overtake"](velocities([0], 0.0), node.now()))
        stop.start()
        stop.join(10.0)
        assert not stop.is_alive(), "it waits for the command"
        motion.move_absolute([position_move(1)])

    sent = node.now()
    node.gate.issue([node.request(1)], slow)
    node.after(1.0)
    [end] = [end for end in node.ends() if end.axes == (0,)]
    assert end.reason is EndReason.STOPPED
    with pytest.raises(StoppedSince):
        turning.command(0, 0.5, sent)
    turning.command(0, 0.5)
    assert node.after(1.0).velocity_cmd[0] == 0.5


def test_a_zero_overtakes_where_it_stops_what_its_topic_moves(
    node: HeldNode, turning: Velocities
) -> None:
    """A zero of an axis that something else moves is refused in its turn."""
    stops = turning.options["stops"]
    assert stops(velocities([0], 0.0))
    assert not stops(velocities([0], 0.1))
    assert not stops(velocities([0, 1], 0.0))
    node.worker.is_full = True
    assert stops(velocities([0, 1], 0.0))
    node.gate.issue([node.request(1)], lambda motion: motion.move_absolute([position_move(1)]))
    turning.options["overtake"](velocities([0, 1], 0.0), node.now())
    node.after(0.2)
    assert not node.held.status().velocity_cmd[0]
    assert node.held.status().velocity_cmd[1]


def test_a_zero_of_a_lease_waits_for_the_lease_ends_the_motion(node: HeldNode) -> None:
    assert Velocities(node, timeout=0.2).options == {}


@pytest.mark.parametrize(("velocity", "stops"), [(0.0, True), (0.3 - 3 * 0.1, True), (1e-9, False)])
def test_what_rounding_has_left_of_a_velocity_overtakes_as_a_zero(
    turning: Velocities, velocity: float, stops: bool
) -> None:
    assert turning.options["stops"](velocities([0], velocity)) is stops
