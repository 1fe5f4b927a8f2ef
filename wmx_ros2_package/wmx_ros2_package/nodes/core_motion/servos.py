"""Servos of axes: switching them, and clearing the alarms of their amplifiers."""

from contextlib import suppress
from typing import Any

from wmx_ros2_message.srv import SetAxis

from wmx_core.errors import CommandRefused, EngineLost, ErrorCode, WmxError
from wmx_core.values import MotionStatus

from ...control.stopping import with_every_axis
from ...node_base.context import NodeContext
from ...node_base.refusals import NotReady
from ...validation import one_of, rows
from .per_axis import answer, carry_out, wait_for

_ON_OFF = "off", "on"


class Servos:
    """The services `wmx/axis/set_on` and `wmx/axis/clear_alarm` of `node`."""

    def __init__(self, node: NodeContext[Any]) -> None:
        self._node = node
        self._gate = node.gate
        self._switching_on: dict[int, SetAxis.Request] = {}
        """The newest request that switches each servo on, until it is answered."""
        self._unanswered: set[int] = set()
        """The axes whose servos were off until such a request switched them on."""
        node.on_let_go.append(self._let_go)
        node.create_service(SetAxis, "wmx/axis/set_on", self.set_on, dated=True)
        node.create_service(SetAxis, "wmx/axis/clear_alarm", self.clear_alarm)

    async def set_on(
        self, request: SetAxis.Request, response: SetAxis.Response, sent: float
    ) -> None:
        """Switch servos, and wait until they are switched."""
        switches = rows(
            request.index,
            data=one_of(
                request.data,
                (0, 1),
                "Invalid data {value} for axis {axis}: must be 1 (on) or 0 (off)",
            ),
        )
        wanted = dict(switches)

        def switch(axis: int, on: int) -> None:
            if not on:
                self._gate.set_servo(axis, on=False)
                self._forget(axis)
                return
            with suppress(NotReady):  # told below: axes after it may have to be switched off
                self._node.require_engine()
                was_on = self._gate.switch_on(axis, sent)
                self._switching_on[axis] = request
                if not was_on:
                    self._unanswered.add(axis)

        try:
            outcomes = carry_out(
                switches,
                switch,
                done=lambda axis, on: f"Set axis {axis} {_ON_OFF[on]}",
                failed=lambda axis, on: f"Failed to set axis {axis} {_ON_OFF[on]}",
            )
            self._node.require_engine()
        except NotReady:
            self._let_go()  # also of what was switched on after the worker had done so
            raise

        def switched(status: MotionStatus, axis: int) -> bool:
            if wanted[axis] and status.amp_alarm[axis]:
                raise CommandRefused(ErrorCode.AxisAmpAlarm)
            return bool(status.servo_on[axis]) is bool(wanted[axis])

        timeout, node = self._node.parameters.servo_timeout, self._node
        late = await wait_for(outcomes, switched, self._gate.status, node.until, timeout)
        for axis in wanted:
            if self._switching_on.get(axis) is request:
                self._forget(axis)
                if axis in late:
                    self._take_back(axis)
        response.success, response.message = answer(outcomes)

    def _forget(self, axis: int) -> None:
        self._switching_on.pop(axis, None)
        self._unanswered.discard(axis)

    def _let_go(self) -> None:
        """Take back what requests have switched on that are answered as failed now.

        What moves by now, or is kept, another client has commanded: it is left on, where a status
        shows that.
        """
        switched_on = {*self._unanswered}
        self._switching_on.clear()
        self._unanswered -= switched_on
        with suppress(WmxError):
            status = self._gate.status()
            kept = self._node.ownership.owners(switched_on, status)
            switched_on.difference_update(status.busy.tolist(), kept)
        with suppress(EngineLost):
            with_every_axis(self._take_back, sorted(switched_on))

    def _take_back(self, axis: int) -> None:
        """Let a request that was answered as failed not be carried out later."""
        try:
            self._gate.set_servo(axis, on=False)
        except CommandRefused as error:
            self._node.log_error(f"Switching axis {axis} off again: {error}")

    def clear_alarm(self, request: SetAxis.Request, response: SetAxis.Response) -> None:
        """Clear the alarms of amplifiers; `data` is not looked at."""
        outcomes = carry_out(
            rows(request.index),
            self._gate.clear_alarm,
            done=lambda axis: f"Cleared alarm axis {axis}",
            failed=lambda axis: f"Failed to clear alarm axis {axis}",
        )
        response.success, response.message = answer(outcomes)
