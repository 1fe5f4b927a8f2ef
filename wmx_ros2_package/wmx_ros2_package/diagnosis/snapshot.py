"""What is known of a machine when it is asked why an axis does not move."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from wmx_core.values import EngineState, MotionStatus, NetworkState, SlaveInfo

from ..control.axis_file.records import Speed
from ..control.settings.document import Loss

FULL = Speed()
"""Axes move as fast as they are asked to, and are not paused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """All that is known at the time of a question; what is not known is left out."""

    node: str
    """Who moves the axes, by its full name."""
    program: str = "wmx"
    """What a person types to run `wmx` here, see `wmx_program`."""
    active: bool = True
    """Whether that node is."""
    engine_state: EngineState | None = None
    """None without an engine."""
    status: MotionStatus | None = None
    networks: Sequence[NetworkState] = ()
    """In the order of their master ids."""
    owners: Mapping[int, str] = field(default_factory=dict)
    """Who owns which axis."""
    stopped_by: Mapping[int, str] = field(default_factory=dict)
    """The stop inputs that are on, by their axes, as people write inputs."""
    lost: Mapping[int, Sequence[Loss]] = field(default_factory=dict)
    """What was lost with an engine of what clients have set."""
    shared_names: Mapping[str, str] = field(default_factory=dict)
    """The names that nodes of other systems serve, too, each with the node of this one."""
    time_is_held: bool = False
    """That of a simulated engine, by a script of faults."""
    out_of_position: Mapping[int, float] = field(default_factory=dict)
    """How far motors are off that stand elsewhere than their command rests, u, by their axes."""
    speed: Speed = FULL
    """The override and the pause of the whole system."""
    file_problem: str = ""
    """Why the file of owners and stops cannot be used, where it cannot."""

    @property
    def namespace(self) -> str:
        """Where the node's services are: "" or "/robot"."""
        return self.node.rpartition("/")[0]


def slaves_by_axis(networks: Sequence[NetworkState]) -> list[tuple[NetworkState, SlaveInfo]]:
    """Which slave moves which axis: axes are numbered along the ring, master after master."""
    return [
        (network, slave)
        for network in networks
        for slave in network.slaves
        for _ in range(slave.axes)
    ]
