"""`wmx_core_motion_node`: state, switches and motion of single axes."""

from wmx_core.errors import ErrorCode, WmxError

from ...control.request import MotionKind
from ...node_base.context import NodeContext
from ...node_base.kind import NodeKind
from ...validation import BadRequest
from .diagnostics import Diagnostics
from .explain import Explain
from .gearing import GearingService
from .homing import Homing
from .moves import Moves
from .parameter_files import ParameterFiles
from .parameters import CoreMotionParameters
from .reactions import Reactions
from .servos import Servos
from .settings import Settings
from .state import StateTopic
from .stops import Stops
from .velocities import VelocityTopic


class CoreMotion:
    """Serves the topics and services `wmx/axis/...`."""

    def __init__(self, node: NodeContext[CoreMotionParameters]) -> None:
        self._node = node
        self._axis_count = node.parameters.axis_count
        StateTopic(node)
        Moves(node)
        VelocityTopic(
            node,
            "wmx/axis/velocity",
            MotionKind.VELOCITY,
            lambda motion, moves: motion.move_velocity(moves),
            timeout=node.parameters.velocity_timeout,
        )
        VelocityTopic(
            node,
            "wmx/axis/jog",
            MotionKind.JOG,
            lambda motion, moves: motion.jog(moves),
            timeout=node.parameters.jog_timeout,
            run_time=node.parameters.jog_run_time,
        )
        Stops(node)
        GearingService(node)
        Reactions(node)
        Explain(node)
        Servos(node)
        Settings(node)
        Homing(node)
        self._parameter_files = ParameterFiles(node)
        node.on_attach.append(self._attach)
        node.on_change.append(self._change)
        Diagnostics(node)

    def _attach(self) -> None:
        axes = self._node.engine_axes
        if axes < self._axis_count:
            raise WmxError(
                ErrorCode.ParamOutOfRange,
                f"parameter axis_count is {self._axis_count}: "
                f"must be 1 to {axes}, the axes of the engine",
            )
        if reasons := self._node.parameters.too_long(axes):
            raise WmxError(ErrorCode.ParamOutOfRange, "; ".join(reasons))
        self._node.log.info(f"The engine has {axes} axes, wmx/axis/state shows {self._axis_count}")
        if self._node.driver.simulated:  # real ones show what they have understood
            self._parameter_files.warn_of_suspicious(self._node.driver.motion.parameters())

    def _change(self, parameters: CoreMotionParameters) -> None:
        axes = self._node.engine_axes  # 0 until the engine was ready first: then `_attach` judges
        if axes and (reasons := parameters.too_long(axes)):
            raise BadRequest(reasons)


ONE_OWNER = "an axis has one owner at a time, whichever node that is (docs/who-moves-an-axis.md)"

KIND = NodeKind(
    CoreMotion,
    CoreMotionParameters,
    not_ready="CoreMotion not initialized. Engine not ready.",
    ready_topic="wmx/core_motion/ready",
    commands_motion=True,
    ineffective={
        "motion_controllers": ONE_OWNER,
        "controller_resync_period": ONE_OWNER,
        "jog_jerk_ratio": "a jog has a trapezoidal profile",
    },
)
