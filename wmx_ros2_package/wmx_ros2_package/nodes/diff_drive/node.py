"""`diff_drive_controller`: drives a base on two wheels, and publishes its odometry."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import isfinite, nan

from geometry_msgs.msg import Twist

from ...bases.differential import Base, Odometry, Wheels
from ...bases.differential import Twist as BaseTwist
from ...bases.drive import BaseDrive
from ...bases.speed import Speed, SpeedLimits
from ...control.gate import GateClosed
from ...control.request import EndReason, MotionKind, MotionRequest
from ...control.stopping import Stopping
from ...drivers.errors import CommandRefused, ErrorCode, WmxError
from ...drivers.units import RPM
from ...drivers.values import CommandMode, MotionStatus, VelocityMove
from ...node_base.context import NodeContext
from ...node_base.kind import NodeKind
from ...node_base.parameters import parameter
from ...node_base.servo_start import ServoStart
from ...validation import BadRequest
from .commands import subscribe_to_twists
from .messages import BaseMessages

FASTEST = 1000.0
"""The greatest speed in SI units: more is a mistake."""
LIMITS = (0.0, 1e6)
UNITS = {"rad/s": 1.0, "rpm": RPM}
"""Of the wheels' velocity, and how many rad the user unit of a wheel's axis is then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffDriveParameters:
    """The parameters of `diff_drive_controller`."""

    left_axis: int = parameter(0, "axis of the left wheel", (0, 127))
    right_axis: int = parameter(1, "axis of the right wheel", (0, 127))
    wheel_radius: float = parameter(0.095, "m", (0.001, 10.0))
    wheel_velocity_unit: str = parameter(
        "rad/s",
        "velocity of the wheels' axes: rad/s, or rpm with 60 user units a revolution",
        words=UNITS,
    )
    wheel_to_wheel: float = parameter(0.55, "from wheel to wheel, m", (0.01, 100.0))
    rate: int = parameter(100, "messages a second, and steps of the speed, Hz", (1, 1000))
    acc_time: float = parameter(
        1.0,
        "how long a change to a faster speed takes without max_..._acceleration, s",
        (0.0, 60.0),
    )
    dec_time: float = parameter(1.0, "the same to a slower speed, s", (0.0, 60.0))
    max_linear_velocity: float = parameter(0.0, "m/s; 0: no limit", LIMITS)
    max_linear_acceleration: float = parameter(0.0, "m/s^2; 0: acc_time", LIMITS)
    max_linear_deceleration: float = parameter(0.0, "m/s^2; 0: that of acceleration", LIMITS)
    max_linear_jerk: float = parameter(0.0, "m/s^3; 0: no limit", LIMITS)
    max_angular_velocity: float = parameter(0.0, "rad/s; 0: no limit", LIMITS)
    max_angular_acceleration: float = parameter(0.0, "rad/s^2; 0: acc_time", LIMITS)
    max_angular_deceleration: float = parameter(0.0, "rad/s^2; 0: that of acceleration", LIMITS)
    max_angular_jerk: float = parameter(0.0, "rad/s^3; 0: no limit", LIMITS)
    cmd_vel_topic: str = parameter("cmd_vel_safe", "where velocities are commanded")
    use_stamped_vel: bool = parameter(True, "they are TwistStamped rather than Twist")
    cmd_vel_timeout: float = parameter(
        0.25, "the base slows down when no command has come for so long, s", (0.02, 60.0)
    )
    encoder_odometry_topic: str = parameter("odom_enc", "Odometry from the encoders")
    encoder_omega_topic: str = parameter("omega_enc", "JointState of the wheels, as measured")
    cmd_omega_topic: str = parameter("omega_cmd", "JointState of the wheels, as commanded")
    encoder_vel_topic: str = parameter("", "Twist as commanded; empty: none")
    encoder_omega_array_topic: str = parameter(
        "", "measured wheel speeds as Float64MultiArray; empty: none"
    )
    joint_name: tuple[str, ...] = parameter(
        ("left_wheel_joint", "right_wheel_joint"), "of the left and the right wheel"
    )
    publish_tf: bool = parameter(False, "publish odom_frame -> base_frame on /tf as well")
    odom_frame: str = parameter("odom", "the frame that the base started in")
    base_frame: str = parameter("base_link", "the frame of the base")
    pose_covariance_diagonal: tuple[float, ...] = parameter(
        (0.01, 0.01, 99999.0, 99999.0, 99999.0, 0.01), "x y z roll pitch yaw", (0.0, 1e300)
    )
    twist_covariance_diagonal: tuple[float, ...] = parameter(
        (0.01, 0.01, 99999.0, 99999.0, 99999.0, 0.01), "x y z roll pitch yaw", (0.0, 1e300)
    )
    wmx_param_file_path: str = parameter("", "WMX parameter file to load; empty: none")
    auto_servo_on: bool = parameter(True, "clear alarms and switch servos on at the start")
    servo_timeout: float = parameter(5.0, "how long that may take, s", (0.0, 60.0))

    def __post_init__(self) -> None:
        reasons = []
        if self.left_axis == self.right_axis:
            reasons.append(f"right_axis is {self.right_axis}: must not be left_axis, too")
        if len(self.joint_name) != 2 or len(set(self.joint_name)) != 2 or "" in self.joint_name:
            reasons.append(f"joint_name is {list(self.joint_name)}: must be two names")
        for name in ("pose_covariance_diagonal", "twist_covariance_diagonal"):
            if len(getattr(self, name)) != 6:
                reasons.append(f"{name} has {len(getattr(self, name))} elements: must have 6")
        for name in ("linear", "angular"):
            if getattr(self, f"max_{name}_jerk") and not getattr(self, f"max_{name}_acceleration"):
                reasons.append(f"max_{name}_jerk needs max_{name}_acceleration: must not be 0")
        for name in ("cmd_vel_topic", "encoder_odometry_topic", "odom_frame", "base_frame"):
            if not getattr(self, name):
                reasons.append(f"{name} is empty: must be a name")
        if reasons:
            raise BadRequest(reasons)

    def axis_units(self) -> Mapping[int, float]:
        """How many rad the user unit of a wheel's axis is."""
        return dict.fromkeys((self.left_axis, self.right_axis), UNITS[self.wheel_velocity_unit])

    def speed(self, direction: str) -> Speed:
        """The speed in `direction`, linear or angular, with its limits."""
        limits = SpeedLimits(
            **{
                name: getattr(self, f"max_{direction}_{name}")
                for name in ("velocity", "acceleration", "deceleration", "jerk")
            }
        )
        return Speed(limits, acc_time=self.acc_time, dec_time=self.dec_time)


class DiffDrive:
    """Drives the wheels as `cmd_vel` commands, and publishes the odometry."""

    def __init__(self, node: NodeContext[DiffDriveParameters]) -> None:
        self._node = node
        parameters = node.parameters
        self._axes = [parameters.left_axis, parameters.right_axis]
        base = Base(wheel_radius=parameters.wheel_radius, wheel_distance=parameters.wheel_to_wheel)
        self._base = base
        self._odometry = Odometry(base)
        self._lock = threading.Lock()
        """Of the drive and of what follows: the worker and the supervisor take it."""
        self._drive = BaseDrive(
            base,
            self._axes,
            parameters.speed("linear"),
            parameters.speed("angular"),
            period=1.0 / parameters.rate,
            timeout=parameters.cmd_vel_timeout,
            dec_time=parameters.dec_time,
            latency=4.0 * node.driver.status_latency,
        )
        self._sent = 0.0
        """When the newest command was sent."""
        self._stopping: Stopping | None = None
        """Brings the wheels to rest, until a new stream takes over."""
        self._lease = node.leases.add(self._axes, parameters.cmd_vel_timeout)
        node.leases.on_interrupted(self._end)
        self._messages = BaseMessages(node, parameters)
        topic, stamped = parameters.cmd_vel_topic, parameters.use_stamped_vel
        subscribe_to_twists(node, topic, self.follow, stamped=stamped)
        node.on_attach.append(self._attach)
        node.on_detach.append(self._detach)
        stream = node.supervisor
        stream.add_sink(self._publish, parameters.rate, name=parameters.encoder_odometry_topic)
        stream.add_sink(self._update, parameters.rate, name=parameters.cmd_vel_topic)
        ServoStart(
            node,
            self._axes,
            parameters.wmx_param_file_path,
            switch_on=parameters.auto_servo_on,
            timeout=parameters.servo_timeout,
        )

    # In the worker

    def follow(self, twist: Twist, sent: float) -> None:
        """Drive at `twist` from now on; what a base cannot do of it is ignored."""
        ahead, turn = twist.linear.x, twist.angular.z
        for name, value in (("linear.x", ahead), ("angular.z", turn)):
            if not (isfinite(value) and abs(value) <= FASTEST):
                raise BadRequest([f"{name} is {value}: must be {-FASTEST:g} to {FASTEST:g}"])
        self._node.leases.require_heartbeat()
        with self._lock:
            if ahead == 0.0 and turn == 0.0 and not self._drive.moving:
                self._drive.reset()  # also what was commanded since the last step
                self._lease.clear()  # a stop: the next command begins a new stream
                return
            self._lease.refresh(sent, self._node.ownership.stopped)
            self._sent, self._stopping = sent, None
            self._drive.set_target(time.monotonic(), BaseTwist(ahead, turn))

    # In the supervisor

    def _publish(self, status: MotionStatus) -> None:
        angles = Wheels(*status.actual_pos[self._axes].tolist())
        speeds = Wheels(*status.actual_velocity[self._axes].tolist())
        pose = self._odometry.update(status.time, angles, speeds)
        commanded = Wheels(*status.velocity_cmd[self._axes].tolist())
        self._messages.publish(
            self._node.ros_time.at(status.time),
            pose,
            self._base,
            angles=angles,
            speeds=speeds,
            commanded_angles=Wheels(*status.pos_cmd[self._axes].tolist()),
            commanded_speeds=commanded,
        )

    def _update(self, status: MotionStatus) -> None:
        """Command the wheels, and stop both when one of them does not follow."""
        with self._lock:
            now = time.monotonic()
            if self._drive.brake_without_commands(now):
                timeout = self._node.parameters.cmd_vel_timeout
                self._node.log_info(f"No command for {timeout:g} s: the base slows down")
            moved = self._drive.moving
            try:
                if moves := self._drive.step(now, status):
                    self._command(moves)
            except GateClosed:
                return  # the node is letting go of the engine, and stops the wheels
            except CommandRefused as error:
                self._lease.end(str(error))
                self._reset(stop=moved, reason=str(error))
                self._node.log.error(f"Driving: {error}", throttle_duration_sec=1.0)

    def _command(self, moves: Sequence[VelocityMove]) -> None:
        """Both wheels are one motion, however often they are commanded."""
        request = MotionRequest(
            kind=MotionKind.STREAM,
            axes=tuple(self._axes),
            asked_at=self._sent,
            targets=(nan, nan),
        )
        if self._drive.mode is CommandMode.POSITION:
            self._node.gate.issue([request], lambda motion: motion.jog(moves))
        else:
            self._node.gate.issue([request], lambda motion: motion.move_velocity(moves))

    # How it ends

    def _end(self, reason: str) -> None:
        """Stop the wheels if they turn; the commands have to pause."""
        with self._lock:
            self._reset(stop=self._drive.moving, reason=reason)

    def _reset(self, *, stop: bool, reason: str) -> None:
        """Stop both wheels as hard as they can: a base with one braked wheel swerves."""
        self._drive.reset()
        if not stop:  # else whatever moves the wheels is not of this node
            return
        gate = self._node.gate

        def quick_stop(axes: Sequence[int]) -> None:
            gate.stop(axes, quick=True, reason=EndReason.STOPPED, message=reason, recorded=False)

        with suppress(CommandRefused):  # then it is tried again
            quick_stop(self._axes)
        stopping = Stopping(quick_stop, self._axes, self._node.driver.status_latency)
        self._stopping = stopping

        def update(status: MotionStatus) -> bool:
            with self._lock:  # until it is done, or a new stream takes over
                return self._stopping is stopping and not stopping.update(status)

        self._node.supervisor.add_task("stopping the wheels", update)

    # The engine

    def _attach(self) -> None:
        count = self._node.engine_axes
        if max(self._axes) >= count:
            raise WmxError(
                ErrorCode.ParamOutOfRange,
                f"a wheel is on axis {max(self._axes)}: must be 0 to {count - 1}, the axes of the "
                "engine",
            )
        self._odometry.resume()

    def _detach(self) -> None:
        with self._lock:
            self._drive.reset()


KIND = NodeKind(
    DiffDrive,
    DiffDriveParameters,
    not_ready="DiffDriveController not initialized. Engine not ready.",
    commands_motion=True,
    names=("diff_drive_controller", "differential_drive_controller"),
)
