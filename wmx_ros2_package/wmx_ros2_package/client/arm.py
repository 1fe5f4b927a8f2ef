"""The arm or gantry of a machine: its joints as axes, and its gripper."""

from __future__ import annotations

from std_srvs.srv import SetBool

from ..robots.joint_layout import joint_layout
from .axes import Axes, Axis
from .description import parameters, running_name
from .errors import START_ROBOT
from .session import Session

_SERVER, _GRIPPER = "follow_joint_trajectory_server", "gripper_controller"
_START = START_ROBOT.format("arm")


class Gripper:
    """A gripper on a digital output."""

    def __init__(self, session: Session) -> None:
        """NoPart where no `gripper_controller` runs."""
        self._session = session
        node = running_name(session.link, _GRIPPER, start=_START)
        [self._service] = parameters(session.link, node, "wmx_gripper_topic")

    def close(self) -> None:
        """Close it, and wait until it confirms that; Refused where it does not in time."""
        self._session.call(SetBool, self._service, data=True)

    def open(self) -> None:
        """Open it, and wait until it confirms that; Refused where it does not in time."""
        self._session.call(SetBool, self._service, data=False)


class Arm:
    """An arm: `joints` are axes, which move, follow trajectories and stop as all others do."""

    def __init__(self, session: Session) -> None:
        """NoPart where no `follow_joint_trajectory_server` runs."""
        self._session = session
        node = running_name(session.link, _SERVER, start=_START)
        number, axes, names = parameters(
            session.link, node, "joint_number", "joint_axes", "joint_name"
        )
        layout = joint_layout(number, list(axes or ()), list(names or ()))
        self.joints = Axes(session, [Axis(session, axis) for axis in layout.axes])

    @property
    def positions(self) -> list[float]:
        """Where the joints are measured to be, in their order, u: see `Axis.unit`."""
        status = self._session.status()
        return [float(status.position[axis]) for axis in self.joints.numbers]

    @property
    def gripper(self) -> Gripper:
        """Its gripper; NoPart where it has none."""
        return self._session.part(Gripper)
