"""Axes that follow other axes: the service that begins it, and what ends it beside a stop."""

from functools import partial
from typing import Any
from uuid import UUID, uuid4

from wmx_ros2_message.srv import SetGearing

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.move_rules import require_gearings
from wmx_core.values import CommandMode, Gearing, MotionStatus, OperationState

from ...control.conditions import blocked
from ...control.request import MotionKind, MotionRequest
from ...node_base.context import NodeContext
from ...node_base.handlers import AnswerMode
from ...validation import any_of, finite, rows

WATCH_PERIOD = 0.01
"""How often masters are looked at, s."""


class GearingService:
    """The service `wmx/axis/set_gearing` of `node`.

    Each slave is a motion of its own. It ends by a stop of the slave, as every motion does, and is
    stopped here when its master is commanded no longer: the vendor's engine would let the slave
    follow the motor of a master whose servo is off.
    """

    def __init__(self, node: NodeContext[Any]) -> None:
        self._node = node
        node.create_service(
            SetGearing,
            "wmx/axis/set_gearing",
            self.set,
            failed=lambda _: "Failed to set gearing.",
            run=AnswerMode.IN_WORKER,
            dated=True,
        )

    def set(self, request: SetGearing.Request, _: SetGearing.Response, sent: float) -> str:
        """Let slaves follow masters: all of them or none."""
        gearings = self._gearings(request)
        require_gearings(gearings)
        requests = [
            MotionRequest(
                kind=MotionKind.GEARING,
                axes=(each.slave,),
                asked_at=sent,
                purpose="gearing",
                id=uuid4(),
            )
            for each in gearings
        ]
        self._node.gate.issue(requests, lambda motion: motion.start_gearing(gearings))
        for asked, each in zip(requests, gearings, strict=True):
            watch = partial(self._watch, asked.id, each)
            self._node.supervisor.add_task("gearing", watch, WATCH_PERIOD)
        return "; ".join(
            f"axis {each.slave} follows axis {each.master} by {each.ratio:g}" for each in gearings
        )

    def _gearings(self, request: SetGearing.Request) -> list[Gearing]:
        count = self._node.engine_axes
        wanted = rows(
            request.index,
            count=count,
            master=any_of(request.master),
            ratio=finite(request.ratio, "ratio"),
        )
        for axis, master, _ in wanted:
            if not 0 <= master < count:
                detail = f"master {master} of axis {axis}: must be 0 to {count - 1}"
                raise CommandRefused(ErrorCode.AxisOutOfRange, detail)
        return [Gearing(slave=slave, master=master, ratio=ratio) for slave, master, ratio in wanted]

    def _watch(self, id: UUID, gearing: Gearing, status: MotionStatus) -> bool:
        """Stop a slave whose master is commanded no longer; go on while it follows."""
        if not self._node.tracker.is_open(id):
            return False
        if why := _lost(status, gearing.master):
            self._node.gate.end_until_rest([gearing.slave], f"its master: {why}")
            return False
        return True


def _lost(status: MotionStatus, master: int) -> str:
    """Why `master` is commanded no longer by positions, in words; empty while it is."""
    if master >= status.axes:
        return f"axis {master} is gone"
    if status.command_mode[master] != CommandMode.POSITION:
        return f"axis {master} is in another command mode"
    if status.op_state[master] == OperationState.HOME:
        return f"axis {master} is homing"
    return blocked(status, [master])
