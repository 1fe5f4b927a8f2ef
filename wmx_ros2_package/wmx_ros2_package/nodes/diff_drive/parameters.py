"""The parameters of a base on two wheels."""

from collections.abc import Mapping
from dataclasses import dataclass

from ...bases.differential import WHEEL_UNITS
from ...bases.speed import Speed, SpeedLimits
from ...node_base.common_parameters import OwnUnits
from ...node_base.parameters import parameter
from ...validation import BadRequest

LIMITS = (0.0, 1e6)


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffDriveParameters(OwnUnits):
    """The parameters of `diff_drive_controller`."""

    left_axis: int = parameter(0, "axis of the left wheel", (0, 127))
    right_axis: int = parameter(1, "axis of the right wheel", (0, 127))
    wheel_radius: float = parameter(0.095, "m", (0.001, 10.0))
    wheel_velocity_unit: str = parameter(
        "rad/s",
        "velocity of the wheels' axes: rad/s, or rpm with 60 user units a revolution",
        words=WHEEL_UNITS,
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
        # A step commands the engine for twice the timeout, in which the next one has to come.
        if self.cmd_vel_timeout < 1.0 / self.rate:
            rule = f"must be {1.0 / self.rate:g} s (1 / rate) or more"
            reasons.append(f"cmd_vel_timeout is {self.cmd_vel_timeout:g} s: {rule}")
        for name in ("linear", "angular"):
            if getattr(self, f"max_{name}_jerk") and not getattr(self, f"max_{name}_acceleration"):
                reasons.append(f"max_{name}_jerk needs max_{name}_acceleration: must not be 0")
        for name in ("cmd_vel_topic", "encoder_odometry_topic", "odom_frame", "base_frame"):
            if not getattr(self, name):
                reasons.append(f"{name} is empty: must be a name")
        if reasons:
            raise BadRequest(reasons)

    def axis_units(self) -> Mapping[int, float]:
        """As `OwnUnits`: rad of a wheel."""
        wheels = WHEEL_UNITS[self.wheel_velocity_unit]
        return dict.fromkeys((self.left_axis, self.right_axis), wheels)

    def speed(self, direction: str) -> Speed:
        """The speed in `direction`, linear or angular, with its limits."""
        limits = SpeedLimits(
            **{
                name: getattr(self, f"max_{direction}_{name}")
                for name in ("velocity", "acceleration", "deceleration", "jerk")
            }
        )
        return Speed(limits, acc_time=self.acc_time, dec_time=self.dec_time)
