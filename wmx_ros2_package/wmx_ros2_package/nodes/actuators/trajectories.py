"""Trajectories of actuators: planned one after the other, in a thread of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from uuid import uuid4

from wmx_core.values import CommandMode

from ...actuators.command import REPEAT_FOREVER, Command
from ...actuators.description import Actuator
from ...actuators.rules import check, require_axes
from ...actuators.trajectories import RULES, EndlessRepeat, goal_of, request_of
from ...control.following.context import Repeat, TrajectoryEnd
from ...control.following.execution import Execution
from ...node_base.context import NodeContext
from ...node_base.refusals import ReportedRefusal
from ...node_base.trajectories import trajectory_executor
from ...trajectories.plan import Prepared, require_plan
from .ids import CommandIds
from .parameters import ActuatorNodeParameters
from .started import Started

PURPOSE = "actuators"
"""The purpose for which the node owns the axes."""


class Trajectories:
    """The trajectories of `node`, of the actuators that `describe` returns."""

    def __init__(
        self,
        node: NodeContext[ActuatorNodeParameters],
        ids: CommandIds,
        describe: Callable[[], Mapping[str, Actuator]],
    ) -> None:
        self._node = node
        self._ids = ids
        self._describe = describe
        self.executor = trajectory_executor(node, "the node lets go of the axes")

    # In the thread that plans

    def start(
        self,
        commands: Sequence[Command],
        sent: float,
        wanted: Callable[[], bool] = lambda: True,
        *,
        delayed: bool = False,
    ) -> list[Started]:
        """Plan and begin trajectories that were `sent` then, unless they are not `wanted` any more.

        What is refused raises, and is published as refused: unless it was `delayed`, also what
        later commands have overtaken.
        """
        with self._ids.reported(commands):
            self._ids.require_new(commands)
            with self._ids.before_gate(commands):
                prepared = self.prepare(commands)
            commands = [c if c.id.int else replace(c, id=uuid4()) for c in commands]
            request = request_of(commands, prepared.plan, sent, PURPOSE)
            forever = commands[0].repeat == REPEAT_FOREVER
            repeat = _repeat(commands, prepared) if forever else None
            self._ids.remember(commands)
            execution = self.executor.start(
                prepared,
                request,
                at=wanted,  # else it waits until it is withdrawn
                repeat=repeat,
                mode=CommandMode.POSITION,
                newest=not delayed,
            )
        _require_begun(execution)
        id = execution.request.id
        return [Started(id, self._node.tracker.arrival(id))] * len(commands)

    def prepare(self, commands: Sequence[Command]) -> Prepared:
        """Judge and plan trajectories as the axes are now; BadRequest with the reasons."""
        actuators = self._describe()
        check(commands, actuators)
        require_axes(commands, actuators, self._node.engine_axes)
        return self.executor.prepare(*goal_of(commands, actuators), RULES)


def _repeat(commands: Sequence[Command], prepared: Prepared) -> Repeat:
    endless = EndlessRepeat(commands)
    goal, joints = prepared.goal, prepared.joints
    return Repeat(
        span=endless.span,
        part=lambda before, time: require_plan(goal, joints, before.start_at(time), RULES),
    )


def _require_begun(execution: Execution) -> None:
    """ReportedRefusal for a trajectory that was refused as it was to begin."""
    if execution.outcome.done():
        outcome = execution.outcome.result()
        if outcome.ending is TrajectoryEnd.NOT_STARTED:
            raise ReportedRefusal([outcome.text], code=outcome.code)
