"""The parameters that every node has, and those of every node with joints."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

from wmx_core.clock import ProcessClock
from wmx_core.opening import default_device_path, default_driver
from wmx_core.options import (
    LONGEST_DEAD_MAN,
    LONGEST_TIMEOUT,
    SHORTEST_WATCHDOG,
    DriverOptions,
)
from wmx_core.units import DEGREE, RPM

from ..control.motion_ends import IN_POSITION_WIDTH, InPosition
from ..robots.joint_layout import USUAL_JOINTS, JointLayout, joint_layout
from ..validation import BadRequest
from .absolute_names import POLICIES, REFUSE
from .parameters import parameter

_DEFAULT = DriverOptions()
LEAST_DEAD_MAN = 0.2
"""Several times what a busy machine may hold up a thread that feeds it, s."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonParameters:
    """How a node starts, and how it reaches the engine."""

    autostart: bool = parameter(True, "configure and activate the node when it starts")
    strict_parameters: bool = parameter(
        True, "a section or parameter that no node knows is an error; false: a warning"
    )
    absolute_names: str = parameter(
        REFUSE,
        "names of topics, services and actions with a leading slash, where the node has a "
        "namespace: refuse them, move them into it, or keep them",
        words=POLICIES,
    )
    # Clients read this one, to find whether hardware moves.
    driver: str = parameter(
        default_driver, "backend: fake or wmx3; empty for that of WMX_DRIVER, else fake"
    )
    device_path: str = parameter(
        default_device_path,
        "where the SDK stands, or a machine file (.yaml) for the simulated engine",
    )
    device_timeout: float = parameter(
        _DEFAULT.timeout,
        "how long a real engine may take to start, and its network, s",
        (0.1, 600.0),
    )
    device_core: int = parameter(
        _DEFAULT.core,
        "CPU core of a real engine, -1 for its own",
        (-1, 1023),
        aliases={"core": 1.0},
    )
    device_affinity: int = parameter(
        _DEFAULT.affinity,
        "CPU cores of a real engine, bit n for core n",
        (0, 2**32 - 1),
        aliases={"affinity_mask": 1.0},
    )
    device_watchdog: float = parameter(
        0.0,
        "s after this process has died until a real engine closes its device, at least "
        f"{SHORTEST_WATCHDOG:g}; 0: its own default",
        (0.0, LONGEST_TIMEOUT),
    )

    dead_man_timeout: float = parameter(
        1.0,
        "s after a node that moves axes has died or hangs until the engine stops them; the same "
        "for all nodes; 0: it does not",
        (0.0, LONGEST_DEAD_MAN),
    )

    in_position_width: float = parameter(
        IN_POSITION_WIDTH,
        "how far from its target a motor may be that has arrived, u, where InPosWidth of its axis "
        "is more or 0",
        (1e-9, 1e9),
    )
    in_position_timeout: float = parameter(
        InPosition().timeout,
        "s until a motor has to be there after its command has ended; then the motion ends as "
        "NOT_ARRIVED",
        (0.0, 3600.0),
    )

    def __post_init__(self) -> None:
        if 0.0 < self.dead_man_timeout < LEAST_DEAD_MAN:
            rule = f"must be 0, or {LEAST_DEAD_MAN:g} to {LONGEST_DEAD_MAN:g}"
            raise BadRequest([f"dead_man_timeout is {self.dead_man_timeout:g}: {rule}"])
        if 0.0 < self.device_watchdog < SHORTEST_WATCHDOG:
            raise BadRequest(
                [
                    f"device_watchdog is {self.device_watchdog:g}: must be 0, or "
                    f"{SHORTEST_WATCHDOG:g} to {LONGEST_TIMEOUT:g}"
                ]
            )

    @property
    def driver_name(self) -> str:
        """The backend that is meant."""
        return self.driver or default_driver()

    def driver_options(
        self, *, hosts_engine: bool, starts_engine: bool, clock: ProcessClock
    ) -> DriverOptions:
        """How the driver of the node is opened."""
        return DriverOptions(
            hosts_engine=hosts_engine,
            starts_engine=starts_engine,
            device_path=self.device_path,
            timeout=self.device_timeout,
            core=self.device_core,
            affinity=self.device_affinity,
            clock=clock,
        )


class OwnUnits(ABC):
    """Parameters of a node some of whose axes are in other units than the engine's."""

    __slots__ = ()

    @abstractmethod
    def axis_units(self) -> Mapping[int, float]:
        """How many of the node's units the user unit of an axis is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JointParameters(OwnUnits):
    """Which joints a node has, on which axes and in which units."""

    joint_number: int = parameter(USUAL_JOINTS, "joints on axes 0 to joint_number - 1", (1, 128))
    joint_axes: tuple[int, ...] = parameter((), "axis of each joint, instead of joint_number")
    joint_name: tuple[str, ...] = parameter(
        (), "name of each joint; empty: joint1, joint2 and so on; further ones are a gripper's"
    )
    degree_axes: tuple[int, ...] = parameter((), "axes of joints whose user unit is the degree")
    rpm_axes: tuple[int, ...] = parameter(
        (), "axes of joints with 60 user units a revolution, whose velocity is in rpm"
    )

    def __post_init__(self) -> None:
        axes = self.layout().axes
        for name in ("degree_axes", "rpm_axes"):
            if strange := [axis for axis in getattr(self, name) if axis not in axes]:
                raise BadRequest([f"{name} names {strange}: must be of the joints' axes {axes}"])
        if both := set(self.degree_axes) & set(self.rpm_axes):
            raise BadRequest([f"axes {sorted(both)} are in degree_axes and in rpm_axes"])

    def layout(self) -> JointLayout:
        """The joints and their axes."""
        return joint_layout(self.joint_number, self.joint_axes, self.joint_name)

    def axis_units(self) -> Mapping[int, float]:
        """As `OwnUnits`: rad, where joints are not in user units."""
        return {
            **dict.fromkeys(self.degree_axes, DEGREE),
            **dict.fromkeys(self.rpm_axes, RPM),
        }
