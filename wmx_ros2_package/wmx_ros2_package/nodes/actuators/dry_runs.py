"""The service that computes what commands would do: `wmx/motion/plan`."""

from __future__ import annotations

from wmx_ros2_message.srv import PlanMotion

from wmx_sim.copies import copy_of

from ...dry_run import DryRun, Outcome, StepRefused, Trial, axes_of, messages
from ...node_base.context import NodeContext
from ...node_base.waiting import Awaited
from ...validation import BadRequest
from .control import ActuatorControl
from .parameters import ActuatorNodeParameters


class DryRuns:
    """Dry runs of `node`: its own thread computes one after the other, and a few may wait."""

    def __init__(self, node: NodeContext[ActuatorNodeParameters], control: ActuatorControl) -> None:
        self._node = node
        self._control = control
        node.create_service(PlanMotion, "wmx/motion/plan", self.answer, logged=False)

    async def answer(self, request: PlanMotion.Request, response: PlanMotion.Response) -> None:
        """Answer what would happen, or why a step would be refused; nothing moves."""
        response.refused_step = -1
        work = self._node.threads.dry_runs.submit(lambda: self._fill(request, response))
        await Awaited(work)

    def _fill(self, request: PlanMotion.Request, response: PlanMotion.Response) -> None:
        commands = [command for step in request.steps for command in step.commands]
        if foreign := self._control.judge_system(commands):
            raise BadRequest([foreign])
        try:
            messages.fill(response, self._try(messages.trial(request)))
        except StepRefused as refused:
            response.refused_step = refused.step
            raise refused.error from None

    def _try(self, trial: Trial) -> Outcome:
        actuators = self._control.actuators
        axes = axes_of(trial, actuators)
        copy = copy_of(self._node.driver, axes)
        run = DryRun(
            trial,
            actuators,
            copy,
            judge=self._control.require_possible,
            wanted=lambda: not self._node.deactivating.is_set(),
            in_position=self._node.in_position,
        )
        return run.outcome()
