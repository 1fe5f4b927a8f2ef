"""`diff_drive_controller`: drives a base on two wheels, and publishes its odometry."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from math import isfinite, nan

from geometry_msgs.msg import Twist

from wmx_core.errors import CommandRefused
from wmx_core.values import CommandMode, MotionStatus, VelocityMove

from ...bases.differential import SAMPLE_RATE, Base, Odometry, Pose, Wheels
from ...bases.differential import Twist as BaseTwist
from ...bases.drive import BaseDrive
from ...control.axis_file.records import FULL_SPEED
from ...control.gate import GateClosed
from ...control.request import EndReason, MotionKind, MotionRequest
from ...node_base.context import NodeContext
from ...node_base.domain.sole_server import sole_topic
from ...node_base.kind import NodeKind
from ...node_base.servo_start import ServoStart
from ...robots.joint_layout import require_axes
from ...validation import BadRequest
from .commands import subscribe_to_twists
from .messages import BaseMessages
from .parameters import DiffDriveParameters

FASTEST = 1000.0
"""The greatest speed in SI units: more is a mistake."""


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
        """Guards the drive and what follows: the worker and the supervisor take it."""
        self._drive = BaseDrive(
            base,
            self._axes,
            parameters.speed("linear"),
            parameters.speed("angular"),
            period=1.0 / parameters.rate,
            timeout=parameters.cmd_vel_timeout,
            acc_time=parameters.acc_time,
            dec_time=parameters.dec_time,
            latency=4.0 * node.driver.status_latency,
        )
        self._sent = 0.0
        """When the newest command was sent."""
        self._lease = node.leases.add(self._axes, parameters.cmd_vel_timeout)
        node.leases.on_interrupted(self._end)
        self._messages = BaseMessages(node)
        self._sole = sole_topic(node.graph, parameters.cmd_vel_topic, node.clock)
        subscribe_to_twists(node, self.follow)
        node.on_attach.append(self._attach)
        node.on_detach.append(self._detach)
        stream = node.supervisor
        # However seldom the odometry is published:
        stream.add_sink(self._locate, SAMPLE_RATE, name="odometry")
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
        if ahead or turn:  # a stop is carried out by all
            self._sole.require()
        with self._lock:
            if ahead == 0.0 and turn == 0.0 and not self._drive.moving:
                self._drive.reset()  # also what was commanded since the last step
                self._lease.clear()  # a stop: the next command begins a new stream
                # ... and a new motion, though the motors may not be in position yet.
                self._node.tracker.set_end_reason(EndReason.ARRIVED, axes=self._axes)
                return
            self._lease.refresh(sent)
            self._sent = sent
            self._drive.set_target(self._node.clock.now(), BaseTwist(ahead, turn))

    # In the supervisor

    def _locate(self, status: MotionStatus) -> tuple[Pose, Wheels, Wheels]:
        """Where the base is, and the angles and speeds of its wheels."""
        angles = Wheels(*status.actual_pos[self._axes].tolist())
        speeds = Wheels(*status.actual_velocity[self._axes].tolist())
        time = status.time * status.clock_rate  # speeds are of the time of the engine
        return self._odometry.update(time, angles, speeds), angles, speeds

    def _publish(self, status: MotionStatus) -> None:
        pose, angles, speeds = self._locate(status)
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
            now = self._node.clock.now()
            if self._drive.brake_without_commands(now):
                timeout = self._node.parameters.cmd_vel_timeout
                self._node.log_info(f"No command for {timeout:g} s: the base slows down")
            moved = self._drive.moving
            override = self._node.gate.speed.speed.percent / FULL_SPEED
            try:
                if moves := self._drive.step(now, status, override):
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
            is_timed=True,  # the drive leads the override
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
        self._node.gate.end_until_rest(
            self._axes,
            reason,
            quick=True,
            wanted=lambda: not self._drive.moving,  # else a new stream has taken over
            lock=self._lock,
        )

    # The engine

    def _attach(self) -> None:
        require_axes(self._axes, self._node.engine_axes, named_by="wheels are on the axes")
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
