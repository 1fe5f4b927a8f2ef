"""Topics that move axes to positions: converted, judged by `parameters`, given to the gate."""

from wmx_ros2_message.msg import AxisPose
from wmx_ros2_message.srv import SetAxisOverride

from ...control.request import MotionKind, requests_of
from ...messages import conversion
from ...node_base.context import NodeContext
from ...node_base.handlers import AnswerMode
from ...validation import rows, within
from .parameters import CoreMotionParameters
from .per_axis import answer, carry_out


class Moves:
    """`wmx/axis/position`, `wmx/axis/position/relative` and `wmx/axis/set_override` of `node`."""

    def __init__(self, node: NodeContext[CoreMotionParameters]) -> None:
        self._node = node
        self._gate = node.gate
        node.on_command(AxisPose, "wmx/axis/position", self.move_absolute)
        node.on_command(AxisPose, "wmx/axis/position/relative", self.move_relative)
        node.create_service(
            SetAxisOverride, "wmx/axis/set_override", self.set_override, run=AnswerMode.IN_WORKER
        )

    def move_absolute(self, message: AxisPose, sent: float) -> None:
        """Move axes to their targets, all starting together."""
        profile_of = self._node.parameters.profile_of
        moves = conversion.position_moves(message, self._node.engine_axes, profile_of)
        self._node.parameters.require_within_limits(moves)
        requests = requests_of(MotionKind.POSITION, moves, sent, "position")
        self._gate.issue(requests, lambda motion: motion.move_absolute(moves))

    def move_relative(self, message: AxisPose, sent: float) -> None:
        """Move axes by their targets, all starting together."""
        profile_of = self._node.parameters.profile_of
        moves = conversion.position_moves(message, self._node.engine_axes, profile_of)
        self._node.parameters.require_within_limits(moves)
        requests = requests_of(MotionKind.POSITION, moves, sent, "position", relative=True)
        self._gate.issue(requests, lambda motion: motion.move_relative(moves))

    def set_override(
        self, request: SetAxisOverride.Request, response: SetAxisOverride.Response
    ) -> None:
        """Change the velocity of running moves."""
        overrides = rows(request.index, percent=within(request.percent, "percent", 0.0, 200.0))
        self._node.parameters.require_overrides_within_limits(overrides)
        outcomes = carry_out(
            overrides,
            self._gate.set_override,
            done=lambda axis, percent: f"Axis {axis} goes on at {percent:g} %",
            failed=lambda axis, percent: f"Failed to let axis {axis} go on at {percent:g} %",
        )
        response.success, response.message = answer(outcomes)
