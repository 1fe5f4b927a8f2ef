"""The axes: their state, their motion commands, and their settings."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from wmx_ros2_message.msg import AxisPose, AxisState
from wmx_ros2_message.srv import SetAxis, SetAxisGearRatio, SetAxisOverride, SetAxisPosition

from ..drivers.errors import CommandRefused, ErrorCode, WmxError
from ..drivers.values import CommandMode, MotionStatus, PositionMove
from ..features.axis_stop import AxisStop
from ..features.diagnostics import Diagnostics
from ..features.explain import Explain
from ..features.hardware_errors import HardwareErrors
from ..features.homing import Homing
from ..features.move_profiles import ProfileParameters
from ..features.parameter_services import ParameterServices
from ..features.velocity_topics import VelocityTopics
from ..messages import conversion
from ..messages.axis_state_cdr import AxisStateCdr
from ..node.context import NodeContext
from ..node.kind import NodeKind
from ..node.parameters import parameter
from ..node.runner import run
from ..node.state_stream import StateStream
from ..per_axis import Outcome, answer, carry_out
from ..validation import finite, one_of, orders, positive, within

_ON_OFF = "off", "on"


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreMotionParameters(ProfileParameters):
    """Of `wmx_core_motion_node`."""

    axis_count: int = parameter(6, "axes in AxisState", (1, 128))
    rate: int = parameter(100, "AxisState messages a second, Hz", (1, 1000))
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
        0.2, "how long a message on wmx/axis/jog holds, s", (0.01, 3600.0)
    )
    jog_run_time: float = parameter(
        2.0, "how long a jog may last until it has to pause, s; 0 for ever", (0.0, 3600.0)
    )


class CoreMotion:
    """`wmx_core_motion_node`."""

    def __init__(self, node: NodeContext[CoreMotionParameters]) -> None:
        self._node = node
        self._motion = node.driver.motion
        self._positions = node.motion("position")
        self._axis_count = node.parameters.axis_count
        self._engine_axes = 0
        self._state_message = (
            AxisStateCdr(self._axis_count, conversion.FRAME_ID)
            if sys.byteorder == "little"
            else partial(conversion.axis_state, self._axis_count)
        )
        self._state_publisher = node.publish(AxisState, "wmx/axis/state")
        node.listen(AxisPose, "wmx/axis/position", self.move_absolute)
        node.listen(AxisPose, "wmx/axis/position/relative", self.move_relative)
        velocities = VelocityTopics(
            node,
            lambda: self._engine_axes,
            velocity_timeout=node.parameters.velocity_timeout,
            jog_timeout=node.parameters.jog_timeout,
            jog_run_time=node.parameters.jog_run_time,
        )
        AxisStop(node, lambda: self._engine_axes, velocities.stopping)
        Explain(node, self._axis_count)
        node.serve(SetAxis, "wmx/axis/set_on", self.set_on)
        node.serve(SetAxis, "wmx/axis/clear_alarm", self.clear_alarm)
        node.serve(SetAxis, "wmx/axis/set_mode", self.set_mode)
        node.serve(SetAxis, "wmx/axis/set_polarity", self.set_polarity)
        node.serve(SetAxisGearRatio, "wmx/axis/set_gear_ratio", self.set_gear_ratio)
        node.serve(SetAxisPosition, "wmx/axis/reference", self.set_position)
        node.serve(SetAxisOverride, "wmx/axis/set_override", self.set_override)
        Homing(node, self._positions, lambda: self._engine_axes, self._wait)
        self._parameter_services = ParameterServices(node, lambda: self._engine_axes)
        node.on_attach(self._attach)
        stream = StateStream(node)
        stream.feed(self._publish_state, node.parameters.rate, name="wmx/axis/state")
        Diagnostics(node, stream)
        HardwareErrors(node, stream)

    # Motion commands

    def move_absolute(self, message: AxisPose) -> None:
        """Move axes to their targets, all starting together."""
        self._positions.move_absolute(self._moves(message))

    def move_relative(self, message: AxisPose) -> None:
        """Move axes by their targets, all starting together."""
        self._positions.move_relative(self._moves(message))

    def _moves(self, message: AxisPose) -> list[PositionMove]:
        profile_of = self._node.parameters.profile_of
        return conversion.position_moves(message, self._engine_axes, profile_of)

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
            lambda axis, on: self._motion.set_servo(axis, on=bool(on)),
            done=lambda axis, on: f"Set axis {axis} {_ON_OFF[on]}",
            failed=lambda axis, on: f"Failed to set axis {axis} {_ON_OFF[on]}",
        )
        wanted = dict(switches)

        def switched(status: MotionStatus, axis: int) -> bool:
            if wanted[axis] and status.amp_alarm[axis]:
                raise CommandRefused(ErrorCode.AxisAmpAlarm)
            return bool(status.servo_on[axis]) is bool(wanted[axis])

        for axis in await self._wait(outcomes, switched, self._node.parameters.servo_timeout):
            # An order that was answered as failed must not be carried out later.
            try:
                self._motion.set_servo(axis, on=False)
            except CommandRefused as error:
                self._node.say_error(f"Switching axis {axis} off again: {error}")
        response.success, response.message = answer(outcomes)

    def clear_alarm(self, request: SetAxis.Request, response: SetAxis.Response) -> None:
        """Clear the alarms of amplifiers; `data` is not looked at."""
        outcomes = carry_out(
            orders(request.index),
            self._motion.clear_alarm,
            done=lambda axis: f"Cleared alarm axis {axis}",
            failed=lambda axis: f"Failed to clear alarm axis {axis}",
        )
        response.success, response.message = answer(outcomes)

    def set_mode(self, request: SetAxis.Request, response: SetAxis.Response) -> None:
        """Choose what commands axes."""
        mode = one_of(request.data, CommandMode, "Invalid mode {value} for axis {axis}")
        outcomes = carry_out(
            orders(request.index, data=mode),
            lambda axis, m: self._motion.set_command_mode(axis, CommandMode(m)),
            done=lambda axis, m: f"Set axis {axis} in {CommandMode(m).name.title()} mode",
            failed=lambda axis, m: f"Failed to set axis {axis} mode {m}",
        )
        response.success, response.message = answer(outcomes)

    def set_polarity(self, request: SetAxis.Request, response: SetAxis.Response) -> None:
        """Choose the positive direction of axes."""
        polarity = one_of(request.data, (1, -1), "Invalid polarity value for axis {axis}: {value}")
        outcomes = carry_out(
            orders(request.index, data=polarity),
            self._motion.set_polarity,
            done=lambda axis, _: f"Set polarity on axis {axis}",
            failed=lambda axis, _: f"Failed to set polarity on axis {axis}",
        )
        response.success, response.message = answer(outcomes)

    def set_gear_ratio(
        self, request: SetAxisGearRatio.Request, response: SetAxisGearRatio.Response
    ) -> None:
        """Choose the user units of axes."""
        outcomes = carry_out(
            orders(
                request.index,
                numerator=positive(request.numerator, "numerator"),
                denominator=positive(request.denominator, "denominator"),
            ),
            self._motion.set_gear_ratio,
            done=lambda axis, *_: f"Set gear ratio on axis {axis}",
            failed=lambda axis, *_: f"Failed to set gear ratio on axis {axis}",
        )
        response.success, response.message = answer(outcomes)

    def set_position(
        self, request: SetAxisPosition.Request, response: SetAxisPosition.Response
    ) -> None:
        """Declare where axes stand, without motion."""
        outcomes = carry_out(
            orders(request.index, position=finite(request.position, "position")),
            self._motion.set_position,
            done=lambda axis, position: f"Axis {axis} stands at {position:g}",
            failed=lambda axis, _: f"Failed to set the position of axis {axis}",
        )
        response.success, response.message = answer(outcomes)

    def set_override(
        self, request: SetAxisOverride.Request, response: SetAxisOverride.Response
    ) -> None:
        """Change the velocity of running moves."""
        outcomes = carry_out(
            orders(request.index, percent=within(request.percent, "percent", 0.0, 200.0)),
            self._motion.set_override,
            done=lambda axis, percent: f"Axis {axis} goes on at {percent:g} %",
            failed=lambda axis, percent: f"Failed to let axis {axis} go on at {percent:g} %",
        )
        response.success, response.message = answer(outcomes)

    # The state

    def _attach(self) -> None:
        self._engine_axes = self._motion.status().axes
        if self._engine_axes < self._axis_count:
            raise WmxError(
                ErrorCode.ParamOutOfRange,
                f"parameter axis_count is {self._axis_count}: "
                f"must be 1 to {self._engine_axes}, the axes of the engine",
            )
        self._node.log.info(
            f"The engine has {self._engine_axes} axes, wmx/axis/state shows {self._axis_count}"
        )
        if self._node.driver.simulated:  # real ones show what they have understood
            self._parameter_services.doubt(self._motion.parameters())

    def _publish_state(self, status: MotionStatus) -> None:
        stamp = self._node.ros_time.at(status.time)
        self._state_publisher.publish(self._state_message(status, stamp))

    # How it does it

    async def _wait(
        self,
        outcomes: Sequence[Outcome],
        arrived: Callable[[MotionStatus, int], bool],
        timeout: float,
    ) -> list[int]:
        """Wait until `arrived(status, axis)` for all that have not failed.

        What it raises is the axis's error; the axes returned were still under way at the end.
        """
        pending = [outcome for outcome in outcomes if outcome.error is None]

        def all_arrived() -> bool:
            status = self._motion.status()
            for outcome in list(pending):
                try:
                    if arrived(status, outcome.axis):
                        pending.remove(outcome)
                except CommandRefused as error:
                    outcome.error = error
                    pending.remove(outcome)
            return not pending

        if pending and not await self._node.until(all_arrived, timeout):
            for outcome in pending:
                outcome.error = CommandRefused(ErrorCode.WaitTimeout)
        return [outcome.axis for outcome in pending]


CORE_MOTION = NodeKind(
    "wmx_core_motion_node",
    CoreMotion,
    CoreMotionParameters,
    not_ready="CoreMotion not initialized. Engine not ready.",
    ready_topic="wmx/core_motion/ready",
    moves=True,
)


def main() -> int:
    """Run the node until SIGINT or SIGTERM."""
    return run(CORE_MOTION)
