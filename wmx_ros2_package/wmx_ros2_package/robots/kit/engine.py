"""The files of a robot of one's own that the engine and RViz read."""

from collections.abc import Sequence

from wmx_core.parameters.parameter_set import ParameterSet
from wmx_core.values import LimitType

from ..urdf import RobotModel
from .drives import FASTEST_MOTOR, TURN, Drive
from .text import number, plain, rounded

# In s of a joint's velocity limit: what the robots that are shipped have.
STOPPING, ACCELERATING = 0.15, 0.3
FOLLOWING_ERROR_MOVING, FOLLOWING_ERROR_STOPPED = 0.16, 0.08
HOMING = 0.1
"""The part of its velocity limit with which an axis searches its home switch."""


def engine_files(name: str, model: RobotModel, drives: Sequence[Drive]) -> dict[str, str]:
    """Return the parameters of the axes, the machine that is played, and what RViz shows."""
    return {
        "wmx_parameters.xml": _wmx_parameters_xml(drives),
        "machine.yaml": _machine_yaml(name, drives),
        "robot.rviz": robot_rviz(name, model),
    }


def _wmx_parameters_xml(drives: Sequence[Drive]) -> str:
    parameters = ParameterSet.defaults(len(drives))
    for axis, drive in enumerate(drives):
        velocity, (low, high) = drive.joint.velocity, drive.ends
        limited = drive.joint.kind != "continuous"
        width = 1e-3 if drive.unit == TURN else 1e-5
        width = max(width, 2.0 * drive.unit / (drive.counts * drive.ratio))
        stop, homing = rounded(velocity / STOPPING), rounded(HOMING * velocity)
        parameters = parameters.with_axis(
            axis,
            gear_ratio_numerator=drive.counts * drive.ratio,
            gear_ratio_denominator=drive.unit,
            max_motor_speed=FASTEST_MOTOR,
            in_pos_width=width,
            pos_set_width=width,
            delayed_pos_set_width=width,
            following_error_moving=rounded(FOLLOWING_ERROR_MOVING * velocity),
            following_error_stopped=rounded(FOLLOWING_ERROR_STOPPED * velocity),
            soft_limit_type=LimitType.DEC if limited else LimitType.NONE,
            soft_limit_positive=_soft_limit(high, width) if limited else 0.0,
            soft_limit_negative=_soft_limit(low, -width) if limited else 0.0,
            quick_stop_dec=stop,
            emergency_stop_dec=stop,
            ls_dec=stop,
            ls_slow_dec=rounded(stop / 4.0),
            homing_velocity_fast=homing,
            homing_velocity_fast_acc=rounded(homing / ACCELERATING),
            homing_velocity_fast_dec=rounded(homing / ACCELERATING),
            homing_velocity_slow=rounded(homing / 6.0),
            homing_velocity_slow_acc=rounded(homing / ACCELERATING),
            homing_velocity_slow_dec=rounded(homing / ACCELERATING),
            home_shift_velocity=homing,
            home_shift_acc=rounded(homing / ACCELERATING),
            home_shift_dec=rounded(homing / ACCELERATING),
        )
    return parameters.to_xml()


def _soft_limit(end: float, beside: float) -> float:
    """The soft limit of an end: `beside` 0 where it is there, for 0 is no limit to the engine."""
    return end if abs(end) >= abs(beside) else beside


def _machine_yaml(name: str, drives: Sequence[Drive]) -> str:
    slaves = "".join(
        f"""\
      - name: {plain(f"{drive.joint.name} drive")}
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


def robot_rviz(name: str, model: RobotModel) -> str:
    """Return what RViz shows of a robot: its shape, from its root."""
    return f"""\
Visualization Manager:
  Class: ""
  Displays:
    - {{Class: rviz_default_plugins/Grid, Name: Grid, Enabled: true}}
    - Class: rviz_default_plugins/RobotModel
      Name: {name}
      Enabled: true
      Description Topic: {{Value: robot_description}}
  Global Options: {{Fixed Frame: {plain(model.root)}}}
  Tools:
    - {{Class: rviz_default_plugins/MoveCamera}}
  Views:
    Current: {{Class: rviz_default_plugins/Orbit, Name: Current View, Distance: 3}}
"""


def _rate(drive: Drive) -> str:
    """The acceleration that rated torque gives the motor, encoder counts/s^2, 1 at least."""
    rate = drive.joint.velocity / ACCELERATING * drive.counts * drive.ratio / drive.unit
    return number(max(1.0, rate))


def _start(drive: Drive) -> str:
    """Where a motor stands at first whose joint must not be at 0: in the middle, revolutions."""
    low, high = drive.ends
    if low <= 0.0 <= high:
        return ""
    return f"          start_position: {number((low + high) / 2.0 / drive.unit * drive.ratio)}\n"
