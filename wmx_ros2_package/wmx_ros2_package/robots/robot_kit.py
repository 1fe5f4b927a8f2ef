"""A folder for a robot of one's own, made from its URDF and from what is known of its motors.

What protects a machine is in it from the first day: position, velocity and effort of each joint are
limited as in the URDF, and following errors, widths and decelerations are so many seconds of the
joint's velocity, as in the robots that are shipped.
"""

import math
import os
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from wmx_core.parameters.parameter_set import ParameterSet
from wmx_core.values import MAX_AXES, LimitType

from ..validation import BadRequest
from .urdf import Joint, RobotModel, mesh_file, read_urdf_file

TURN = 2.0 * math.pi
KINDS = "revolute", "continuous", "prismatic"
"""What a joint of a URDF is that moves by one axis."""
FAR = 1e6
"""rad: a limit that is as good as none."""
FASTEST_MOTOR = 3000.0
"""rpm, of most servo motors."""
# In s of a joint's velocity limit: what the robots that are shipped have.
STOPPING, ACCELERATING = 0.15, 0.3
FOLLOWING_ERROR_MOVING, FOLLOWING_ERROR_STOPPED = 0.16, 0.08
HOMING = 0.1
"""The part of its velocity limit with which an axis searches its home switch."""


@dataclass(frozen=True, slots=True)
class Drive:
    """A joint and the motor that moves it."""

    joint: Joint
    counts: int
    """Encoder counts of a motor revolution."""
    ratio: float
    """Motor revolutions of a revolution of the joint, or of 1 m."""

    @property
    def unit(self) -> float:
        """How many user units, rad or m, the ratio is for."""
        return 1.0 if self.joint.kind == "prismatic" else TURN

    @property
    def fastest(self) -> float:
        """What the motor reaches at 3000 rpm, rad/s or m/s."""
        return FASTEST_MOTOR / 60.0 / self.ratio * self.unit

    @property
    def ends(self) -> tuple[float, float]:
        """Between which positions it may be, rad or m."""
        return (-FAR, FAR) if self.joint.kind == "continuous" else (self.joint.low, self.joint.high)


def drives_of(
    urdf: Path, counts: Sequence[int], ratios: Sequence[float], names: Sequence[str] = ()
) -> list[Drive]:
    """Return the joints of a URDF with their motors: all that move, or `names`, in their order.

    `counts` and `ratios` have one value for all joints, or one for each. BadRequest with all that
    the URDF leaves open, or that a motor does not reach.
    """
    model = read_urdf_file(urdf)
    moving = {j.name: j for j in model.joints if j.kind in KINDS and not j.mimic}
    chosen = [*names] or [*moving]
    wrong = [
        f"{urdf} has no joint {name!r} that moves by itself: must be one of {', '.join(moving)}"
        for name in chosen
        if name not in moving
    ]
    if len({*chosen}) < len(chosen):
        wrong.append("joints: must name each once")
    if not wrong and not 1 <= len(chosen) <= MAX_AXES:
        wrong.append(f"{urdf} has {len(chosen)} joints that move: must have 1 to {MAX_AXES}")
    for what, values in (("counts", counts), ("ratio", ratios)):
        if len(values) not in (1, len(chosen)):
            wrong.append(f"{what} has {len(values)} values: must have 1, or {len(chosen)}")
    if wrong:
        raise BadRequest(wrong)
    many = [*counts] * (len(chosen) // len(counts)), [*ratios] * (len(chosen) // len(ratios))
    drives = [
        Drive(moving[name], *each)
        for name, each in zip(chosen, zip(*many, strict=True), strict=True)
    ]
    if wrong := [text for drive in drives for text in _unusable(drive)]:
        raise BadRequest(wrong)
    return drives


def _unusable(drive: Drive) -> Iterable[str]:
    joint = drive.joint
    values = joint.low, joint.high, joint.velocity, joint.effort
    if not all(math.isfinite(value) for value in values):
        yield f"{joint.name}: its limits are {values}: must be finite"
        return
    if joint.kind != "continuous" and not joint.low < joint.high:
        yield f"{joint.name}: limit is {joint.low:g} to {joint.high:g}: upper must be above lower"
    if joint.velocity <= 0.0:
        yield f"{joint.name}: velocity of its limit is {joint.velocity:g}: must be above 0"
    elif joint.velocity > drive.fastest * (1.0 + 1e-6):
        yield (
            f"{joint.name}: velocity of its limit is {joint.velocity:g}: must be at most "
            f"{drive.fastest:.4g}, which its motor reaches at {FASTEST_MOTOR:g} rpm with ratio "
            f"{drive.ratio:g}"
        )


def make_robot(folder: Path, urdf: Path, drives: Sequence[Drive]) -> list[str]:
    """Make the folder of a robot; return what of its shape is not drawn, in words.

    It is complete as soon as it is there. BadRequest where there is something already; OSError.
    """
    if folder.exists():
        raise BadRequest([f"{folder} is there already: must be a new folder"])
    model = read_urdf_file(urdf)
    draft = folder.with_name(f".{folder.name}.{os.getpid()}")
    draft.mkdir(parents=True)
    try:
        for name, text_of in FILES.items():
            (draft / name).write_text(text_of(folder.name, model, drives), encoding="utf-8")
        shutil.copyfile(urdf, draft / "robot.urdf")
        draft.rename(folder)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    return [*_not_drawn(model, folder / "robot.urdf")]


def _not_drawn(model: RobotModel, urdf: Path) -> Iterable[str]:
    for name in dict.fromkeys(s.file for link in model.links.values() for s in link if s.file):
        try:
            mesh_file(name, urdf)
        except ValueError as error:
            yield f"{name}: {error}"


# The files


def _robot_yaml(name: str, model: RobotModel, drives: Sequence[Drive]) -> str:
    return """\
# The nodes of this robot, besides those of the engine: docs/robots.md has the rest of this folder.
nodes: [manipulator_state, follow_joint_trajectory_server, joint_position_controller]
"""


def _parameters_yaml(name: str, model: RobotModel, drives: Sequence[Drive]) -> str:
    joints = [drive.joint for drive in drives]
    names, axes = _list(j.name for j in joints), _list(range(len(drives)))
    lows, highs = (_numbers(drive.ends[i] for drive in drives) for i in (0, 1))
    velocities = _numbers(j.velocity for j in joints)
    kinds = _list("prismatic" if j.kind == "prismatic" else "revolute" for j in joints)
    effort = ""
    if all(j.effort > 0.0 for j in joints):
        effort = f"""\
    effort_max: {_numbers(j.effort for j in joints)}
    # As if the URDF's efforts were the rated torques: take those of your motors and gears.
    effort_per_percent: {_numbers(j.effort / 100.0 for j in joints)}
"""
    metres = ""
    if any(j.kind == "prismatic" for j in joints):
        metres = f"""\
    start_tolerance: 0.001
    spline_tolerance: 0.00001
    goal_tolerance: {_numbers(0.0005 if j.kind == "prismatic" else 0.005 for j in joints)}
    stopped_velocity_tolerance: {_numbers(0.001 if j.kind == "prismatic" else 0.01 for j in joints)}
"""
    return f"""\
# Parameters of the nodes of {name}; rad or m, and seconds. docs/robots.md explains all of them, and
# values not given here are the defaults. Limits are those of robot.urdf.

/**/wmx_core_motion_node:
  ros__parameters:
    axis_count: {len(drives)}

/**/wmx_actuator_node:
  ros__parameters:
    names: {names}
    kinds: {kinds}
    position_min: {lows}
    position_max: {highs}
    velocity_max: {velocities}
{effort}\
    velocity: {_numbers(0.1 * j.velocity for j in joints)}    # of a command that has none
    acceleration: {_numbers(j.velocity for j in joints)}

/**/manipulator_state:
  ros__parameters:
    joint_axes: {axes}
    joint_name: {names}
    encoder_joint_topic: /joint_states

/**/follow_joint_trajectory_server:
  ros__parameters:
    joint_axes: {axes}
    joint_name: {names}
    joint_trajectory_action: /{name}_controller/follow_joint_trajectory
    position_lower: {lows}
    position_upper: {highs}
    velocity_limit: {velocities}
{metres}
/**/joint_position_controller:
  ros__parameters:
    joint_axes: {axes}
    joint_name: {names}
    joint_trajectory_topic: /{name}_controller/joint_trajectory
    default_velocity: {_number(min(0.1 * j.velocity for j in joints))}
    velocity_limit: {velocities}
"""


def _wmx_parameters_xml(name: str, model: RobotModel, drives: Sequence[Drive]) -> str:
    parameters = ParameterSet.defaults(len(drives))
    for axis, drive in enumerate(drives):
        velocity, (low, high) = drive.joint.velocity, drive.ends
        limited = drive.joint.kind != "continuous"
        width = 1e-3 if drive.unit == TURN else 1e-5
        width = max(width, 2.0 * drive.unit / (drive.counts * drive.ratio))
        stop, homing = _rounded(velocity / STOPPING), _rounded(HOMING * velocity)
        parameters = parameters.with_axis(
            axis,
            gear_ratio_numerator=drive.counts * drive.ratio,
            gear_ratio_denominator=drive.unit,
            max_motor_speed=FASTEST_MOTOR,
            in_pos_width=width,
            pos_set_width=width,
            delayed_pos_set_width=width,
            following_error_moving=_rounded(FOLLOWING_ERROR_MOVING * velocity),
            following_error_stopped=_rounded(FOLLOWING_ERROR_STOPPED * velocity),
            soft_limit_type=LimitType.DEC if limited else LimitType.NONE,
            soft_limit_positive=high if limited else 0.0,
            soft_limit_negative=low if limited else 0.0,
            quick_stop_dec=stop,
            emergency_stop_dec=stop,
            ls_dec=stop,
            ls_slow_dec=_rounded(stop / 4.0),
            homing_velocity_fast=homing,
            homing_velocity_fast_acc=_rounded(homing / ACCELERATING),
            homing_velocity_fast_dec=_rounded(homing / ACCELERATING),
            homing_velocity_slow=_rounded(homing / 6.0),
            homing_velocity_slow_acc=_rounded(homing / ACCELERATING),
            homing_velocity_slow_dec=_rounded(homing / ACCELERATING),
            home_shift_velocity=homing,
            home_shift_acc=_rounded(homing / ACCELERATING),
            home_shift_dec=_rounded(homing / ACCELERATING),
        )
    return parameters.to_xml()


def _machine_yaml(name: str, model: RobotModel, drives: Sequence[Drive]) -> str:
    slaves = "".join(
        f"""\
      - name: {_yaml(f"{drive.joint.name} drive")}
        axes: 1
        axis_model:
          counts_per_revolution: {drive.counts}
          rated_acceleration: {_rate(drive)}   # encoder counts/s^2
{_start(drive)}\
"""
        for drive in drives
    )
    return f"""\
# The machine that the simulated engine plays for {name}: a drive for each joint, which reaches the
# joint's velocity limit in {ACCELERATING:g} s with the motor's rated torque, and digital inputs and
# outputs. config/fake_network.yaml explains each key.

parameters: wmx_parameters.xml

masters:
  - slaves:
{slaves}\
      - name: digital I/O
        input_size: 4
        output_size: 4
"""


def _moveit_controllers_yaml(name: str, model: RobotModel, drives: Sequence[Drive]) -> str:
    return f"""\
# For the MoveIt 2 configuration of {name}: where trajectories go. MoveIt's joint limits must not be
# wider than those of parameters.yaml.

moveit_controller_manager: moveit_simple_controller_manager/MoveItSimpleControllerManager

moveit_simple_controller_manager:
  controller_names:
    - {name}_controller

  {name}_controller:
    type: FollowJointTrajectory
    action_ns: follow_joint_trajectory
    default: true
    joints: {_list(drive.joint.name for drive in drives)}

trajectory_execution:
  allowed_start_tolerance: 0.01         # start_tolerance of the server, or less
  allowed_execution_duration_scaling: 1.2
  allowed_goal_duration_margin: 5.5     # s; more than goal_time_tolerance of the server
"""


def _robot_rviz(name: str, model: RobotModel, drives: Sequence[Drive]) -> str:
    return f"""\
Visualization Manager:
  Class: ""
  Displays:
    - {{Class: rviz_default_plugins/Grid, Name: Grid, Enabled: true}}
    - Class: rviz_default_plugins/RobotModel
      Name: {name}
      Enabled: true
      Description Topic: {{Value: /robot_description}}
  Global Options: {{Fixed Frame: {_yaml(model.root)}}}
  Tools:
    - {{Class: rviz_default_plugins/MoveCamera}}
  Views:
    Current: {{Class: rviz_default_plugins/Orbit, Name: Current View, Distance: 3}}
"""


FILES: dict[str, Callable[[str, RobotModel, Sequence[Drive]], str]] = {
    "robot.yaml": _robot_yaml,
    "parameters.yaml": _parameters_yaml,
    "wmx_parameters.xml": _wmx_parameters_xml,
    "machine.yaml": _machine_yaml,
    "moveit_controllers.yaml": _moveit_controllers_yaml,
    "robot.rviz": _robot_rviz,
}
"""What is in a folder besides the URDF, and what its text is made by."""


def _rate(drive: Drive) -> str:
    """The acceleration that rated torque gives the motor, encoder counts/s^2, 1 at least."""
    rate = drive.joint.velocity / ACCELERATING * drive.counts * drive.ratio / drive.unit
    return _number(max(1.0, rate))


def _start(drive: Drive) -> str:
    """Where a motor stands at first whose joint must not be at 0: in the middle, revolutions."""
    low, high = drive.ends
    if low <= 0.0 <= high:
        return ""
    return f"          start_position: {_number((low + high) / 2.0 / drive.unit * drive.ratio)}\n"


def _list(values: Iterable[object]) -> str:
    return _yaml([*values])


def _numbers(values: Iterable[float]) -> str:
    return _yaml([_rounded(value, 9) for value in values])


def _number(value: float) -> str:
    return _yaml(_rounded(value, 9))


def _yaml(value: object) -> str:
    """A value as YAML has it in one line: a joint may be called `off`, which alone is no name."""
    return yaml.safe_dump(value, default_flow_style=True, width=math.inf).splitlines()[0]


def _rounded(value: float, digits: int = 3) -> float:
    return float(f"{value:.{digits}g}")
