"""Axes: one by number or name, or several, and what can be asked of them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, overload

import numpy as np
from wmx_ros2_message.msg import ActuatorCommand
from wmx_ros2_message.srv import SetAxisPosition

from .axis_group import AxisGroup
from .checked import real
from .commands import (
    Key,
    Targets,
    continuous_command,
    numbered,
    position_commands,
)
from .curves import Recording
from .errors import UnknownAxis
from .link import nothing
from .motion import Motion
from .session import Session
from .status import AxisStatus


class Axis(AxisGroup):
    """One axis; u is its `unit`.

    `move` and its like need an actuator of `wmx_actuator_node` on the axis.
    """

    def __init__(self, session: Session, number: int) -> None:
        super().__init__(session, [number])
        self.number = number
        self.name = session.names[number]
        """Of its actuator or joint; its number where it has none."""
        self.unit = session.units[number]
        """Of positions: "rad", "m" or "deg", or "u" where no node publishes it."""

    def __repr__(self) -> str:
        return f"<Axis {self.number}: {self.name}>"

    @property
    def status(self) -> AxisStatus:
        """What the axis does now; NotReady while no engine communicates."""
        found: AxisStatus = self._session.status()[self.number]
        return found

    @property
    def position(self) -> float:
        """Measured position, u."""
        return self.status.position

    @property
    def velocity(self) -> float:
        """Measured velocity, u/s."""
        return self.status.velocity

    @property
    def torque(self) -> float:
        """Measured torque, percent of rated torque."""
        return self.status.torque

    def move(
        self,
        target: float,
        *,
        velocity: float | None = None,
        acceleration: float | None = None,
        duration: float | None = None,
    ) -> Motion:
        """Move to `target` (u), and hold there.

        `velocity` (u/s) and `acceleration` (u/s^2, also the deceleration, which is harder where a
        limit of position is that near) default to those of the actuator. With a `duration` (s) it
        arrives then, or the move is refused; at a lower speed of the system, see
        `Machine.set_speed`, it arrives later.
        """
        return _move(self._session, {self.number: target}, velocity, acceleration, duration)

    def move_by(
        self,
        distance: float,
        *,
        velocity: float | None = None,
        acceleration: float | None = None,
        duration: float | None = None,
    ) -> Motion:
        """Move by `distance` (u) from where the axis is commanded to be now; options as `move`."""
        by = real(distance, "distance")
        [start] = self._session.commanded(self.numbers)
        return self.move(
            start + by,
            velocity=velocity,
            acceleration=acceleration,
            duration=duration,
        )

    def jog(
        self,
        velocity: float,
        *,
        acceleration: float | None = None,
        duration: float | None = None,
        before: Callable[[], object] = nothing,
    ) -> Motion:
        """Run at `velocity` (u/s, signed) until the handle is canceled.

        As a context manager it runs as long as the block, and rests afterwards. It ends by
        itself after `duration` (s), at a limit of position, and when this process dies. `before`
        is called just before the axis is commanded, and again and again until it is known to have
        begun: what it raises is raised, and the axis does not move, or slows down.
        """
        command = continuous_command(ActuatorCommand.VELOCITY, velocity, duration, acceleration)
        what = f"jog at {command['value']:g}"
        return self._session.begin({self.number: command}, what, before)

    def exert(self, effort: float, *, duration: float | None = None) -> Motion:
        """Exert `effort` (N*m or N, signed) until the handle is canceled; as `jog` otherwise."""
        command = continuous_command(ActuatorCommand.EFFORT, effort, duration)
        return self._session.begin({self.number: command}, f"exert at {command['value']:g}")

    def follow_axis(self, master: Axis, ratio: float = 1.0) -> Motion:
        """Move `ratio` u for each u that `master` is commanded to move, from where both rest now.

        It ends when the handle is canceled, when the axis is stopped, and when this process dies.
        """
        if not isinstance(master, Axis):
            raise ValueError(f"master is {master!r}: must be an axis, such as machine.axes[1]")
        return self._session.gear(self.number, master.number, real(ratio, "ratio"))

    def set_position(self, position: float) -> None:
        """Declare that the axis, which must rest, stands at `position` (u): nothing moves."""
        self._call(SetAxisPosition, "reference", position=[real(position, "position")])

    def record(self) -> Recording:
        """Record command and feedback of the axis, see `Recording`."""
        return Recording(self._session.states, [self.number], [self.name], [self.unit])


class Axes(AxisGroup, Sequence[Axis]):
    """Several axes: `axes[0]`, `axes["joint1"]`, `axes[0:3]`, `axes["joint1", "joint2"]`."""

    def __init__(self, session: Session, axes: Sequence[Axis]) -> None:
        if not axes:
            raise UnknownAxis("no axis is named")
        numbers = [axis.number for axis in axes]
        if twice := [axis for axis in axes if numbers.count(axis.number) > 1]:
            raise ValueError(f"axis {twice[0].number} ({twice[0].name}) is named twice")
        super().__init__(session, numbers)
        self._axes = tuple(axes)

    @overload
    def __getitem__(self, key: Key) -> Axis: ...
    @overload
    def __getitem__(self, key: slice | tuple[Key, ...] | list[Any]) -> Axes: ...
    def __getitem__(self, key: Key | slice | tuple[Key, ...] | list[Any]) -> Axis | Axes:
        """The axis of this number or name, or several; UnknownAxis where there is none.

        So is a selection of none: to the nodes a command to no axis is one to all. A name is NoPart
        or NotAnswered where the node that names axes did not answer.
        """
        if isinstance(key, slice):
            return Axes(self._session, self._axes[key])
        if isinstance(key, (int, str, np.integer)):
            return self._axis(key)
        return Axes(self._session, [self._axis(each) for each in key])

    def __len__(self) -> int:
        return len(self._axes)

    def __iter__(self) -> Iterator[Axis]:
        return iter(self._axes)

    def __reversed__(self) -> Iterator[Axis]:  # what a Sequence has would take places for numbers
        return reversed(self._axes)

    def index(self, value: Any, start: int = 0, stop: int = sys.maxsize) -> int:
        """The place of an axis, a number or a name among them; ValueError where it is none."""
        numbers = {key: axis.number for axis in self._axes for key in (axis.number, axis.name)}
        number = value.number if isinstance(value, Axis) else numbers.get(value, -1)
        return self.numbers.index(number, start, stop)

    def __contains__(self, key: object) -> bool:
        return any(key in (axis, axis.number, axis.name) for axis in self._axes)

    def __repr__(self) -> str:
        return f"<Axes {', '.join(f'{axis.number}: {axis.name}' for axis in self._axes)}>"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the axes, in their order."""
        return tuple(axis.name for axis in self._axes)

    @property
    def units(self) -> tuple[str, ...]:
        """The units of the positions of the axes, in their order, see `Axis.unit`."""
        return tuple(axis.unit for axis in self._axes)

    def move(
        self,
        targets: Sequence[float] | Targets,
        *,
        velocity: float | None = None,
        acceleration: float | None = None,
        duration: float | None = None,
    ) -> Motion:
        """Move to targets (u), one for each axis or by number or name; options as `Axis.move`.

        All start in the same cycle, or Refused is raised and none does.
        """
        if isinstance(targets, Mapping):
            by_number = numbered((self._axis(key).number, key, at) for key, at in targets.items())
        elif isinstance(targets, str) or not hasattr(targets, "__len__"):
            raise ValueError(
                f"targets is {targets!r}: must be a list of {len(self)} numbers, one for each "
                "axis, or name the axes, such as {0: 1.0}"
            )
        elif len(targets) == len(self):
            by_number = dict(zip(self.numbers, targets, strict=True))
        else:
            raise ValueError(f"targets has {len(targets)} elements: must have {len(self)}")
        if not by_number:
            raise ValueError("targets is empty: must name an axis")
        return _move(self._session, by_number, velocity, acceleration, duration)

    def record(self) -> Recording:
        """Record command and feedback of the axes, see `Recording`."""
        return Recording(self._session.states, self.numbers, self.names, self.units)

    def _axis(self, key: Key) -> Axis:
        for axis in self._axes:
            # True would be axis 1, and so would be that of numpy, such as of a mask.
            if not isinstance(key, (bool, np.bool_)) and key in (axis.number, axis.name):
                return axis
        if isinstance(key, str):
            self._session.description.require_names(repr(key))
        known = ", ".join(f"{axis.number} ({axis.name})" for axis in self._axes)
        alike = get_close_matches(str(key), [axis.name for axis in self._axes], n=1)
        meant = f"did you mean {alike[0]}? There" if alike else "there"
        raise UnknownAxis(f"there is no axis {key!r}: {meant} are {known}")


def _move(
    session: Session,
    targets: Mapping[int, float],
    velocity: float | None,
    acceleration: float | None,
    duration: float | None,
) -> Motion:
    commands = position_commands(targets, velocity, acceleration, duration)
    ways = ", ".join(f"{axis} to {command['value']:g}" for axis, command in commands.items())
    return session.begin(commands, f"axis {ways}")
