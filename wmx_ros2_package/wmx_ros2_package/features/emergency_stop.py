"""The emergency stop of the machine: latched in the engine, for all axes, nodes and processes."""

from typing import Any

from std_srvs.srv import SetBool

from ..drivers.errors import CommandRefused, ErrorCode, WmxError
from ..drivers.values import EmergencyStop
from ..node.context import NodeContext
from ..node.ready import Ready

WATCH_PERIOD = 0.1
"""How often it is looked whether somebody else has stopped or released, s."""


class EmergencyStopVerbs:
    """`wmx/engine/estop` and `wmx/engine/estop_active` of `node`, whose parameters have
    `estop_level`.
    """

    def __init__(self, node: NodeContext[Any]) -> None:
        self._node = node
        self._motion = node.driver.motion
        self._active = Ready(node, "wmx/engine/estop_active")
        node.serve(SetBool, "wmx/engine/estop", self.set, failed=lambda _: "Emergency stop:")
        node.every(WATCH_PERIOD, self._watch)

    def set(self, request: SetBool.Request, response: SetBool.Response) -> None:
        """Stop every axis, and keep it stopped until the release."""
        if request.data:
            level = EmergencyStop(self._node.parameters.estop_level)
            response.message = self._stop(level)
        else:
            self._motion.release_emergency_stop()
            self._active.set(False)
            response.message = "Emergency stop released: nothing moves until it is commanded anew"
        response.success = True

    def _stop(self, level: EmergencyStop) -> str:
        try:
            self._motion.emergency_stop(level)
        except CommandRefused as error:
            if error.code != ErrorCode.CurrentEmergencyStopLevelIsHigher:
                raise
            return "A harder emergency stop is active already"
        self._active.set(True)
        return f"Emergency stop ({level.name.lower()}) active: motion is refused until its release"

    def _watch(self) -> None:
        try:
            active = self._motion.status().emergency_stop is not None
        except WmxError:  # without an engine nothing is stopped
            active = False
        self._active.set(active)
