"""Which axes a node feeds to the dead man of its engine, and when."""

from collections.abc import Callable
from math import inf
from types import SimpleNamespace
from typing import Any

import pytest
from held_engine import HeldEngine, velocity_move

from wmx_core.errors import CommandRefused, EngineLost, ErrorCode
from wmx_core.values import MotionStatus, OperationState
from wmx_ros2_package.control.dead_man import DeadMan


class Node:
    """A node on a held engine that owns the axes in `axes`."""

    def __init__(self, timeout: float = 0.2) -> None:
        self.held = HeldEngine(3).servo_on()
        self.axes: list[int] = []
        self.fed: list[tuple[list[int], float]] = []
        self.refuses: ErrorCode | None = None
        self.refusals = inf
        """How many more feeds are refused so."""
        self.period = 0.02
        """How often its supervisor calls tasks, s."""
        self.gone = False
        """Whether the engine has died."""
        self.others: list[int] = []
        """The axes that another node owns."""
        self.refused: list[CommandRefused] = []
        ownership: Any = SimpleNamespace(
            clock=self.held.clock,
            owned=lambda _: self.axes,
            owners=lambda axes, _: {a: "/other" for a in axes if a in self.others},
        )
        engine: Any = SimpleNamespace(feed_dead_man=self._feed)
        self.tasks: list[Callable[[MotionStatus], object]] = []
        supervisor: Any = SimpleNamespace(ensure_task=self._ensure_task)
        self.dead_man = DeadMan(engine, ownership, supervisor, timeout, self.refused.append)

    def _feed(self, axes: list[int], timeout: float) -> None:
        if self.gone:
            raise EngineLost(ErrorCode.DeviceIsNull, "it is gone")
        if self.refuses is not None and self.refusals > 0:
            self.refusals -= 1
            raise CommandRefused(self.refuses)
        self.fed.append((axes, timeout))
        self.held.engine.feed_dead_man(axes, timeout)

    def _ensure_task(self, _: str, task: Callable[[MotionStatus], object], period: float) -> None:
        self.period = period
        if task not in self.tasks:
            self.tasks.append(task)

    def command(self, *axes: int) -> None:
        """Own and feed `axes`, as the gate does before it commands them."""
        self.axes = list(axes)
        self.dead_man.feed_before_command(axes)

    def lives(self, seconds: float) -> None:
        for _ in range(round(seconds / self.period)):
            status = self.held.after(self.period)
            self.tasks = [task for task in self.tasks if task(status)]


def test_what_a_node_moves_is_stopped_when_the_node_does_nothing_any_more() -> None:
    node = Node()
    node.dead_man.feed_before_command([1])
    node.held.motion.jog([velocity_move(1), velocity_move(2)])
    node.axes = [1]
    node.lives(1.0)
    assert node.held.status().op_state[1] == OperationState.JOG
    assert len(node.fed) == pytest.approx(50, abs=2), "ten times in its timeout"
    status = node.held.after(0.25)
    assert status.op_state[1] != OperationState.JOG
    assert status.op_state[2] == OperationState.JOG, "that axis is another's"


def test_an_axis_that_the_node_owns_no_more_is_let_go() -> None:
    node = Node()
    node.command(0, 1)
    node.lives(0.1)
    node.axes = [1]
    node.lives(0.02)
    assert ([0], 0.0) in node.fed
    node.dead_man.release()
    assert node.fed[-1] == ([1], 0.0)
    node.held.motion.jog([velocity_move(0), velocity_move(1)])
    assert (node.held.after(1.0).op_state[:2] == OperationState.JOG).all()


@pytest.mark.parametrize("others", [[], [1]])
def test_an_axis_whose_release_is_refused_once_is_let_go_all_the_same(others: list[int]) -> None:
    """Else the engine would stop it a little later, for nothing, and by an emergency stop."""
    node = Node()
    node.command(0, *others)
    node.lives(0.1)
    node.axes, node.refuses, node.refusals = others, ErrorCode.ResourceInUse, 1
    node.lives(0.06)
    assert ([0], 0.0) in node.fed
    assert len(node.refused) == 1
    node.held.motion.jog([velocity_move(0)])
    node.lives(1.0)
    assert node.held.status().op_state[0] == OperationState.JOG


def test_an_axis_whose_release_was_refused_is_left_to_the_node_that_takes_it_over() -> None:
    node = Node()
    node.command(0)
    node.lives(0.1)
    node.axes, node.refuses, node.refusals = [], ErrorCode.ResourceInUse, 1
    node.lives(0.02)
    assert node.refusals == 0
    node.others = [0]
    node.lives(0.1)
    assert ([0], 0.0) not in node.fed
    assert node.tasks == []


def test_a_node_that_ends_asks_again_to_be_watched_no_more() -> None:
    node = Node()
    node.command(0)
    node.refuses, node.refusals = ErrorCode.ResourceInUse, 2
    node.dead_man.release()
    assert node.fed[-1] == ([0], 0.0)
    node.command(0)
    node.refusals = inf
    began = node.held.clock.now()
    node.dead_man.release()
    assert node.held.clock.now() - began < 0.1, "and ends all the same"


def test_an_axis_that_resists_its_stop_stays_watched_when_the_node_ends() -> None:
    node = Node()
    node.command(0)
    node.held.motion.jog([velocity_move(0)])
    node.dead_man.release(at_rest=False)
    assert node.held.after(1.0).op_state[0] != OperationState.JOG


def test_without_a_timeout_nothing_is_fed() -> None:
    node = Node(timeout=0.0)
    node.dead_man.feed_before_command([0])
    node.axes = [0]
    node.lives(0.1)
    assert node.fed == []


def test_a_node_that_owns_nothing_any_more_is_not_asked_until_it_commands_again() -> None:
    node = Node()
    node.command(0)
    node.lives(0.1)
    node.axes = []
    node.lives(0.04)
    assert node.tasks == []
    node.command(1)
    assert len(node.tasks) == 1


def test_an_axis_that_another_node_has_taken_over_is_left_to_it() -> None:
    node = Node()
    node.command(0)
    node.lives(0.1)
    node.axes, node.others = [], [0]
    node.lives(0.1)
    assert ([0], 0.0) not in node.fed


def test_an_axis_that_the_engine_lacks_does_not_end_the_feeding() -> None:
    node = Node()
    node.axes = [0]
    node.dead_man.feed_before_command([1000])
    node.held.motion.jog([velocity_move(0)])
    node.lives(1.0)
    assert node.held.status().op_state[0] == OperationState.JOG
    assert node.refused == []


def test_an_engine_without_a_dead_man_is_asked_once() -> None:
    node = Node()
    node.refuses = ErrorCode.NoSupportedFunction
    node.axes = [0]
    node.dead_man.feed_before_command([0])
    node.lives(0.1)
    assert [error.code for error in node.refused] == [ErrorCode.NoSupportedFunction]
    node.axes = []
    node.lives(0.02)
    assert node.tasks == [], "nothing is to be let go"


def test_an_engine_that_is_found_to_have_no_dead_man_keeps_no_node_from_ending() -> None:
    node = Node()
    node.command(0)
    node.refuses = ErrorCode.NoSupportedFunction
    began = node.held.clock.now()
    node.dead_man.release()
    assert (node.held.clock.now() - began, len(node.refused)) == (0.0, 1)


def test_a_feed_that_is_refused_once_does_not_end_the_feeding() -> None:
    node = Node()
    node.refuses = ErrorCode.ResourceInUse
    node.command(0)
    node.lives(0.02)
    node.refuses = None
    node.held.motion.jog([velocity_move(0)])
    node.lives(0.1)
    assert len(node.refused) == 2
    assert node.held.after(0.3).op_state[0] != OperationState.JOG


def test_axes_that_were_fed_just_now_are_not_fed_before_a_command_again() -> None:
    node = Node()
    node.refuses = ErrorCode.ResourceInUse
    node.command(0)
    node.refuses = None
    for axes in (0,), (0,), (0, 1), (1,):
        node.command(*axes)
    node.held.after(node.period)
    node.command(1)
    assert [axes for axes, _ in node.fed] == [[0], [0, 1], [0, 1]]


def test_axes_that_were_switched_to_another_mode_are_fed_anew() -> None:
    """What the engine does to them once they are not fed depends on their mode."""
    node = Node()
    node.command(0, 1)
    node.dead_man.feed_before_command([1], [1])
    node.dead_man.feed_before_command([1], [])
    assert [axes for axes, _ in node.fed] == [[0, 1], [0, 1]]


def test_axes_are_fed_again_after_the_engine_was_lost() -> None:
    """The supervisor has ended all tasks by then."""
    node = Node()
    node.command(0)
    node.gone = True
    with pytest.raises(EngineLost):
        node.dead_man.release()
    node.tasks.clear()
    node.gone = False
    node.command(0)
    node.held.motion.jog([velocity_move(0)])
    node.lives(1.0)
    assert node.held.status().op_state[0] == OperationState.JOG
