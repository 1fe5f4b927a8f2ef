"""The client library: a machine as a program uses it, without ROS in its types.

    from wmx_ros2_package.client import Machine

    with Machine() as machine:
        axis = machine.axes[0]
        axis.on()
        axis.move(1.0, velocity=0.5).wait()

It needs a running system, see the README, and uses its topics, services and actions as every
client can. `docs/python.md` is its manual.
"""

try:
    import wmx_ros2_message.msg  # noqa: F401  # and with it rclpy
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"{error.name} is missing: the client library needs ROS 2 and the messages of this "
        "package, which `make build` and then `. ./env.sh` bring in",
        name=error.name,
    ) from None

from wmx_core.reactions import StopKind
from wmx_core.values import CommandMode, EcState

from ..actuators.description import Actuator
from ..control.axis_file.records import Speed
from ..control.request import EndReason, MotionKind
from .aio import aio
from .arm import Arm, Gripper
from .axes import Axes, Axis
from .axis_group import StopInputStatus
from .base import Base, Pose
from .curves import Recording
from .errors import (
    Closed,
    MachineError,
    MotionFailed,
    NoPart,
    NoSystem,
    NotAnswered,
    NotConnected,
    NotReady,
    Refused,
    SeveralSystems,
    SystemLost,
    UnknownAxis,
    WrongNamespace,
)
from .events import Event, MotionBegin, MotionEnd, Result
from .explanation import Explanation
from .machine import Machine
from .motion import Motion
from .plans import Plan, PlannedAxis, PlannedMotion, Step, exert, follow, jog, move
from .status import AxisStatus, Status
from .stream import Stream

__all__ = [
    "Actuator",
    "Arm",
    "Axes",
    "Axis",
    "AxisStatus",
    "Base",
    "Closed",
    "CommandMode",
    "EcState",
    "EndReason",
    "Event",
    "Explanation",
    "Gripper",
    "Machine",
    "MachineError",
    "Motion",
    "MotionBegin",
    "MotionEnd",
    "MotionFailed",
    "MotionKind",
    "NoPart",
    "NoSystem",
    "NotAnswered",
    "NotConnected",
    "NotReady",
    "Plan",
    "PlannedAxis",
    "PlannedMotion",
    "Pose",
    "Recording",
    "Refused",
    "Result",
    "SeveralSystems",
    "Speed",
    "Status",
    "Step",
    "StopInputStatus",
    "StopKind",
    "Stream",
    "SystemLost",
    "UnknownAxis",
    "WrongNamespace",
    "aio",
    "exert",
    "follow",
    "jog",
    "move",
]
