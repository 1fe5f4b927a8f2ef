"""Homing axes by their parameters."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any
from uuid import UUID, uuid4

from wmx_ros2_message.srv import SetAxis

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.values import MotionStatus

from ...control.request import Begin, End, EndReason, MotionKind, MotionRequest
from ...node_base.context import NodeContext
from ...validation import known_axes
from .per_axis import answer, carry_out, wait_for


class Homing:
    """The service `wmx/axis/homing` of `node`."""

    def __init__(self, node: NodeContext[Any]) -> None:
        self._node = node
        self._ends: dict[UUID, End | None] = {}
        """The ends of the motions that are awaited, by their ids; None until then."""
        node.tracker.listen(self._on_event)
        failed = "Failed to home axes."
        node.create_service(
            SetAxis, "wmx/axis/homing", self.home, failed=lambda _: failed, dated=True
        )

    async def home(self, request: SetAxis.Request, response: SetAxis.Response, sent: float) -> None:
        """Home axes, and wait until they are; `data` is ignored."""
        wanted = known_axes(request.index, self._node.engine_axes)
        ids = {axis: uuid4() for (axis,) in wanted}
        self._ends |= dict.fromkeys(ids.values())
        try:
            await self._home(wanted, ids, response, sent)
        finally:
            for id in ids.values():
                self._ends.pop(id, None)

    async def _home(
        self,
        wanted: Sequence[tuple[int]],
        ids: Mapping[int, UUID],
        response: SetAxis.Response,
        sent: float,
    ) -> None:
        def home_one(axis: int) -> None:
            homing = MotionRequest(
                id=ids[axis],
                kind=MotionKind.HOMING,
                axes=(axis,),
                asked_at=sent,
                purpose="position",
            )
            self._node.gate.issue([homing], lambda motion: motion.home(axis))

        outcomes = await self._node.in_worker(
            lambda: carry_out(
                wanted,
                home_one,
                done=lambda axis: f"Homed axis {axis}",
                failed=lambda axis: f"Failed to home axis {axis}",
            )
        )
        node, gate = self._node, self._node.gate

        def homed(_status: MotionStatus, axis: int) -> bool:
            end = self._ends[ids[axis]]
            if end is not None and end.reason is not EndReason.ARRIVED:
                raise CommandRefused(ErrorCode.NotHomeState, end.message or end.reason.name)
            return end is not None

        timeout = node.parameters.homing_timeout
        if late := await wait_for(outcomes, homed, gate.status, node.until, timeout):
            with suppress(CommandRefused):  # the gate gives it again
                gate.stop(late, reason=EndReason.TIMED_OUT, message="homing took too long")
        response.success, response.message = answer(outcomes)

    def _on_event(self, event: Begin | End) -> None:
        if isinstance(event, End) and event.id in self._ends:
            self._ends[event.id] = event
