"""`wmx_core_motion_node`: state, switches and motion of single axes."""

from dataclasses import dataclass

from wmx_ros2_message.msg import AxisPose, AxisState
from wmx_ros2_message.srv import SetAxis, SetAxisOverride

from ...control.request import MotionKind, requests_of
from ...drivers.errors import CommandRefused, ErrorCode, WmxError
from ...drivers.values import MotionStatus
from ...messages import conversion
from ...messages.axis_state_cdr import AxisStateCdr
from ...node_base.context import NodeContext
from ...node_base.handlers import AnswerMode
from ...node_base.kind import NodeKind
from ...node_base.parameters import parameter
from ...per_axis import answer, carry_out, wait_for
from ...validation import BadRequest, one_of, orders, within
from .diagnostics import Diagnostics
from .explain import Explain
from .gearing import GearingService
from .homing import Homing
from .parameter_files import ParameterFiles
from .profiles import ProfileParameters
from .reactions import Reactions
from .settings import Settings
from .stops import Stops
from .velocities import VelocityTopic

_ON_OFF = "off", "on"


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreMotionParameters(ProfileParameters):
    """The parameters of `wmx_core_motion_node`."""

    axis_count: int = parameter(6, "axes in AxisState", (1, 128))
    rate: int = parameter(
        100, "AxisState messages a second, Hz", (1, 1000), aliases={"axes_status_rate": 1.0}
    )
    servo_timeout: float = parameter(
        1.0, "how long set_on waits for a servo, s", (0.0, 60.0), changeable=True
    )
    homing_timeout: float = parameter(
        60.0,
        "how long homing may take until it is stopped, s",
        (0.0, 3600.0),
        changeable=True,
    )
    velocity_timeout: float = parameter(
        0.0,
        "how long a message on wmx/axis/velocity holds, s; 0 for ever, 0.25 recommended",
        (0.0, 3600.0),
    )
    jog_timeout: float = parameter(
        0.2,
        "how long a message on wmx/axis/jog holds, s",
        (0.01, 3600.0),
        aliases={"jog_timeout_ms": 1e-3},
    )
    jog_run_time: float = parameter(
        2.0,
        "how long a jog may last until it has to pause, s; 0 for ever",
        (0.0, 3600.0),
        aliases={"jog_run_time_ms": 1e-3},
    )


class CoreMotion:
    """Serves the topics and services `wmx/axis/...`."""

    def __init__(self, node: NodeContext[CoreMotionParameters]) -> None:
        self._node = node
        self._gate = node.gate
        self._axis_count = node.parameters.axis_count
        self._state = AxisStateCdr(self._axis_count, conversion.FRAME_ID)
        self._to_state = node.create_publisher(AxisState, "wmx/axis/state")
        node.supervisor.add_sink(self._publish, node.parameters.rate, name="wmx/axis/state")
        node.on_command(AxisPose, "wmx/axis/position", self.move_absolute)
        node.on_command(AxisPose, "wmx/axis/position/relative", self.move_relative)
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
        node.create_service(SetAxis, "wmx/axis/set_on", self.set_on)
        node.create_service(SetAxis, "wmx/axis/clear_alarm", self.clear_alarm)
        node.create_service(
            SetAxisOverride, "wmx/axis/set_override", self.set_override, run=AnswerMode.IN_WORKER
        )
        Settings(node)
        Homing(node)
        self._parameter_files = ParameterFiles(node)
        node.on_attach.append(self._attach)
        node.on_change.append(self._change)
        Diagnostics(node)

    # Motion commands

    def move_absolute(self, message: AxisPose, sent: float) -> None:
        """Move axes to their targets, all starting together."""
        profile_of = self._node.parameters.profile_of
        moves = conversion.position_moves(message, self._node.engine_axes, profile_of)
        requests = requests_of(MotionKind.POSITION, moves, sent, "position")
        self._gate.issue(requests, lambda motion: motion.move_absolute(moves))

    def move_relative(self, message: AxisPose, sent: float) -> None:
        """Move axes by their targets, all starting together."""
        profile_of = self._node.parameters.profile_of
        moves = conversion.position_moves(message, self._node.engine_axes, profile_of)
        requests = requests_of(MotionKind.POSITION, moves, sent, "position", targets_are_ends=False)
        self._gate.issue(requests, lambda motion: motion.move_relative(moves))

    # Services

    async def set_on(self, request: SetAxis.Request, response: SetAxis.Response) -> None:
        """Switch servos, and wait until they are switched."""
        switches = orders(
            request.index,
            data=one_of(
                request.data,
                (0, 1),
                "Invalid data {value} for axis {axis}: must be 1 (on) or 0 (off)",
            ),
        )
        outcomes = carry_out(
            switches,
            lambda axis, on: self._gate.set_servo(axis, on=bool(on)),
            done=lambda axis, on: f"Set axis {axis} {_ON_OFF[on]}",
            failed=lambda axis, on: f"Failed to set axis {axis} {_ON_OFF[on]}",
        )
        wanted = dict(switches)

        def switched(status: MotionStatus, axis: int) -> bool:
            if wanted[axis] and status.amp_alarm[axis]:
                raise CommandRefused(ErrorCode.AxisAmpAlarm)
            return bool(status.servo_on[axis]) is bool(wanted[axis])

        timeout, node = self._node.parameters.servo_timeout, self._node
        for axis in await wait_for(outcomes, switched, self._gate.status, node.until, timeout):
            # An order that was answered as failed must not be carried out later.
            try:
                self._gate.set_servo(axis, on=False)
            except CommandRefused as error:
                self._node.log_error(f"Switching axis {axis} off again: {error}")
        response.success, response.message = answer(outcomes)

    def clear_alarm(self, request: SetAxis.Request, response: SetAxis.Response) -> None:
        """Clear the alarms of amplifiers; `data` is not looked at."""
        outcomes = carry_out(
            orders(request.index),
            self._gate.clear_alarm,
            done=lambda axis: f"Cleared alarm axis {axis}",
            failed=lambda axis: f"Failed to clear alarm axis {axis}",
        )
        response.success, response.message = answer(outcomes)

    def set_override(
        self, request: SetAxisOverride.Request, response: SetAxisOverride.Response
    ) -> None:
        """Change the velocity of running moves."""
        outcomes = carry_out(
            orders(request.index, percent=within(request.percent, "percent", 0.0, 200.0)),
            self._gate.set_override,
            done=lambda axis, percent: f"Axis {axis} goes on at {percent:g} %",
            failed=lambda axis, percent: f"Failed to let axis {axis} go on at {percent:g} %",
        )
        response.success, response.message = answer(outcomes)

    # How it does it

    def _publish(self, status: MotionStatus) -> None:
        stamp = self._node.ros_time.at(status.time)
        self._to_state.publish(self._state(status, stamp))

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


ONE_OWNER = "an axis has one owner at a time, whichever node that is (docs/safety.md)"

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
