"""The axes: their state, their motion commands, and their settings."""

import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from wmx_ros2_message.msg import AxisPose, AxisState, AxisVelocity
from wmx_ros2_message.srv import SetAxis, SetAxisGearRatio

from .. import conversion
from ..axis_state_cdr import AxisStateCdr
from ..drivers.errors import CommandRefused, EngineLost, ErrorCode, WmxError
from ..drivers.values import CommandMode, MotionStatus, OperationState
from ..features.parameter_services import ParameterServices
from ..node.base import COMPLAINT_PERIOD
from ..node.engine_client import FollowerNode
from ..node.runner import run
from ..node.state_stream import AxisStateThread
from ..node.waiting import until
from ..per_axis import Outcome, answer, carry_out
from ..validation import known_axes, one_of, orders, positive

_ON_OFF = "off", "on"


class CoreMotionNode(FollowerNode):
    """`wmx_core_motion_node`."""

    not_ready = "CoreMotion not initialized. Engine not ready."
    ready_topic = "wmx/core_motion/ready"

    def __init__(self, **options: Any) -> None:
        super().__init__("wmx_core_motion_node", **options)
        self._axis_count = self.setting("axis_count", 6, "axes in AxisState", (1, 128))
        self._rate = self.setting("rate", 100, "AxisState messages a second, Hz", (1, 1000))
        self._servo_timeout = self.setting(
            "servo_timeout", 1.0, "how long set_on waits for a servo, s", (0.0, 60.0)
        )
        self._homing_timeout = self.setting(
            "homing_timeout", 60.0, "how long homing may take until it is stopped, s", (0.0, 3600.0)
        )
        self._engine_axes = 0
        self._state_thread: AxisStateThread | None = None
        self._state_message = (
            AxisStateCdr(self._axis_count, conversion.FRAME_ID)
            if sys.byteorder == "little"
            else partial(conversion.axis_state, self._axis_count)
        )
        self._ros_clock = self.get_clock().handle
        self._state_publisher = self.create_publisher(AxisState, "wmx/axis/state", 10)
        self.listen(AxisPose, "wmx/axis/position", self.move_absolute)
        self.listen(AxisPose, "wmx/axis/position/relative", self.move_relative)
        self.listen(AxisVelocity, "wmx/axis/velocity", self.move_velocity)
        self.serve(SetAxis, "wmx/axis/set_on", self.set_on)
        self.serve(SetAxis, "wmx/axis/clear_alarm", self.clear_alarm)
        self.serve(SetAxis, "wmx/axis/set_mode", self.set_mode)
        self.serve(SetAxis, "wmx/axis/set_polarity", self.set_polarity)
        self.serve(SetAxisGearRatio, "wmx/axis/set_gear_ratio", self.set_gear_ratio)
        self.serve(SetAxis, "wmx/axis/homing", self.home, failed=lambda _: "Failed to home axes.")
        self._parameter_services = ParameterServices(self, lambda: self._engine_axes)

    # Motion commands

    def move_absolute(self, message: AxisPose) -> None:
        """Move axes to their targets, all starting together."""
        self.driver.motion.move_absolute(conversion.position_moves(message, self._engine_axes))

    def move_relative(self, message: AxisPose) -> None:
        """Move axes by their targets, all starting together."""
        self.driver.motion.move_relative(conversion.position_moves(message, self._engine_axes))

    def move_velocity(self, message: AxisVelocity) -> None:
        """Move axes at their velocities, all starting together."""
        self.driver.motion.move_velocity(conversion.velocity_moves(message, self._engine_axes))

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
            lambda axis, on: self.driver.motion.set_servo(axis, on=bool(on)),
            done=lambda axis, on: f"Set axis {axis} {_ON_OFF[on]}",
            failed=lambda axis, on: f"Failed to set axis {axis} {_ON_OFF[on]}",
        )
        wanted = dict(switches)

        def switched(status: MotionStatus, axis: int) -> bool:
            if wanted[axis] and status.amp_alarm[axis]:
                raise CommandRefused(ErrorCode.AxisAmpAlarm)
            return bool(status.servo_on[axis]) is bool(wanted[axis])

        for axis in await self._wait(outcomes, switched, self._servo_timeout):
            # An order that was answered as failed must not be carried out later.
            try:
                self.driver.motion.set_servo(axis, on=False)
            except CommandRefused as error:
                self.say_error(f"Switching axis {axis} off again: {error}")
        response.success, response.message = answer(outcomes)

    def clear_alarm(self, request: SetAxis.Request, response: SetAxis.Response) -> None:
        """Clear the alarms of amplifiers; `data` is not looked at."""
        outcomes = carry_out(
            orders(request.index),
            self.driver.motion.clear_alarm,
            done=lambda axis: f"Cleared alarm axis {axis}",
            failed=lambda axis: f"Failed to clear alarm axis {axis}",
        )
        response.success, response.message = answer(outcomes)

    def set_mode(self, request: SetAxis.Request, response: SetAxis.Response) -> None:
        """Choose what commands axes."""
        mode = one_of(request.data, CommandMode, "Invalid mode {value} for axis {axis}")
        outcomes = carry_out(
            orders(request.index, data=mode),
            lambda axis, m: self.driver.motion.set_command_mode(axis, CommandMode(m)),
            done=lambda axis, m: f"Set axis {axis} in {CommandMode(m).name.title()} mode",
            failed=lambda axis, m: f"Failed to set axis {axis} mode {m}",
        )
        response.success, response.message = answer(outcomes)

    def set_polarity(self, request: SetAxis.Request, response: SetAxis.Response) -> None:
        """Choose the positive direction of axes."""
        polarity = one_of(request.data, (1, -1), "Invalid polarity value for axis {axis}: {value}")
        outcomes = carry_out(
            orders(request.index, data=polarity),
            self.driver.motion.set_polarity,
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
            self.driver.motion.set_gear_ratio,
            done=lambda axis, *_: f"Set gear ratio on axis {axis}",
            failed=lambda axis, *_: f"Failed to set gear ratio on axis {axis}",
        )
        response.success, response.message = answer(outcomes)

    async def home(self, request: SetAxis.Request, response: SetAxis.Response) -> None:
        """Home axes as their parameters say, and wait until they are; `data` is ignored."""
        with self.commanding():
            outcomes = carry_out(
                known_axes(request.index, self._engine_axes),
                self.driver.motion.home,
                done=lambda axis: f"Homed axis {axis}",
                failed=lambda axis: f"Failed to home axis {axis}",
            )

        def homed(status: MotionStatus, axis: int) -> bool:
            if status.op_state[axis] == OperationState.HOME:
                return False
            if not status.home_done[axis]:
                raise CommandRefused(ErrorCode.NotHomeState, "homing ended before it was done")
            return True

        if late := await self._wait(outcomes, homed, self._homing_timeout):
            self.driver.motion.stop(late)
        response.success, response.message = answer(outcomes)

    # The state

    def on_attach(self) -> None:
        self._engine_axes = self.driver.motion.status().axes
        if self._engine_axes < self._axis_count:
            raise WmxError(
                ErrorCode.ParamOutOfRange,
                f"parameter axis_count is {self._axis_count}: "
                f"must be 1 to {self._engine_axes}, the axes of the engine",
            )
        self.get_logger().info(
            f"The engine has {self._engine_axes} axes, wmx/axis/state shows {self._axis_count}"
        )
        if self.driver.simulated:  # real ones show what they have understood
            self._parameter_services.doubt(self.driver.motion.parameters())
        self._state_thread = AxisStateThread(
            self._rate, self.driver.motion.status, self._publish_state, self._state_failed
        )

    def on_detach(self) -> None:
        try:
            with suppress(EngineLost):  # and every servo is off
                self.bring_to_rest()
        finally:
            if self._state_thread:
                self._state_thread.stop()

    def _publish_state(self, status: MotionStatus) -> None:
        age = time.monotonic() - status.time
        stamp = self._ros_time_ago(age)
        self._state_publisher.publish(self._state_message(status, stamp))

    def _ros_time_ago(self, age: float) -> int:
        """ROS time `age` seconds ago, ns; with `use_sim_time` the last that /clock has said.

        Simulated time has a rate of its own and stands still between two messages, so a span of
        real time cannot be taken from it. `Clock.now` takes 35 us where this takes 11 us.
        """
        clock = self._ros_clock
        with clock:
            now: int = clock.get_now().nanoseconds
            simulated: bool = clock.get_ros_time_override_is_enabled()
        return now if simulated else max(0, now - int(age * 1e9))

    def _state_failed(self, error: Exception) -> None:
        if isinstance(error, EngineLost):
            self.lose_engine(error)
        else:
            self.get_logger().error(
                f"wmx/axis/state: {error!r}", throttle_duration_sec=COMPLAINT_PERIOD
            )

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
            status = self.driver.motion.status()
            for outcome in list(pending):
                try:
                    if arrived(status, outcome.axis):
                        pending.remove(outcome)
                except CommandRefused as error:
                    outcome.error = error
                    pending.remove(outcome)
            return not pending

        if pending and not await until(self, all_arrived, timeout):
            for outcome in pending:
                outcome.error = CommandRefused(ErrorCode.WaitTimeout)
        return [outcome.axis for outcome in pending]


def main() -> int:
    """Run the node until SIGINT or SIGTERM."""
    return run(lambda: [CoreMotionNode()])
