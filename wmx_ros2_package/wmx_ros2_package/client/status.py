"""What the axes of a machine do, at one moment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from wmx_core.values import REST_VELOCITY, Flags, Floats

AT_REST = "at rest"
_FLAGS = {
    "servo_on": "servo",
    "alarm": "ALARM",
    "homed": "homed",
    "home_switch": "home switch",
    "negative_limit": "limit -",
    "positive_limit": "limit +",
    "at_rest": AT_REST,
}
_HEADER = ("axis", "name", "unit", "command", "position", "velocity /s", "torque %", "flags")
_LEFT = (1, 2, len(_HEADER) - 1)
"""The columns that hold words."""
UNKNOWN_UNIT = "u"
"""The user unit of an axis for which no node has one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AxisStatus:
    """One axis at one moment; u is its `unit`."""

    axis: int
    name: str
    unit: str
    """Of positions: "rad", "m" or "deg", or "u" where no node has it."""
    command: float
    """Commanded position, u."""
    position: float
    """Measured position, u."""
    velocity: float
    """Measured velocity, u/s."""
    command_velocity: float
    """Commanded velocity, u/s."""
    torque: float
    """Measured torque, percent of rated torque."""
    servo_on: bool
    """The drive is enabled and holds or follows its command."""
    alarm: bool
    """The drive reports an alarm; `explain` has that of a following error."""
    homed: bool
    """The position is referenced to the home position."""
    home_switch: bool
    negative_limit: bool
    """The limit switch at the negative end is active."""
    positive_limit: bool
    at_rest: bool
    """Nothing is under way, and the motor rests in position."""

    @property
    def flags(self) -> list[str]:
        """What holds of the axis, in words: "servo" or "off", "ALARM", "limit +"..."""
        words = [word for name, word in _FLAGS.items() if getattr(self, name)]
        # Where the servo is off, that nothing is under way would read as if all were well.
        return words if self.servo_on else ["off", *(word for word in words if word != AT_REST)]

    def row(self) -> tuple[str, ...]:
        """The axis as texts, one for each column of a table."""
        numbers = (self.command, self.position, self.velocity)
        return (
            str(self.axis),
            self.name,
            self.unit,
            *(in_digits(value, 4) for value in numbers),
            in_digits(self.torque, 2),
            " ".join(self.flags),
        )

    def _repr_html_(self) -> str:
        return html_table(_HEADER, [self.row()])


@dataclass(frozen=True, slots=True, kw_only=True)
class Status(Sequence[AxisStatus]):
    """All axes, sampled in one communication cycle: an array over axes of each quantity.

    `status[0]` is one axis; a notebook shows a table, as `print` does.
    """

    time: float
    """When the engine took the sample, s since the epoch (or of simulated time)."""
    names: tuple[str, ...]
    units: tuple[str, ...]
    """Of the positions, see `AxisStatus.unit`."""
    command: Floats
    """Commanded positions, u."""
    position: Floats
    """Measured positions, u."""
    velocity: Floats
    """Measured velocities, u/s."""
    command_velocity: Floats
    """Commanded velocities, u/s."""
    torque: Floats
    """Measured torques, percent of rated torque."""
    servo_on: Flags
    alarm: Flags
    homed: Flags
    home_switch: Flags
    negative_limit: Flags
    positive_limit: Flags
    at_rest: Flags

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, axis: Any) -> Any:
        if isinstance(axis, slice):
            return [self[i] for i in range(*axis.indices(len(self)))]
        axis = range(len(self))[axis]
        values = {name: getattr(self, name)[axis].item() for name in (*_MEASURED, *_FLAGS)}
        return AxisStatus(axis=axis, name=self.names[axis], unit=self.units[axis], **values)

    def __iter__(self) -> Iterator[AxisStatus]:
        return (self[axis] for axis in range(len(self)))

    def __str__(self) -> str:
        rows = [_HEADER, *(axis.row() for axis in self)]
        widths = [max(len(row[i]) for row in rows) for i in range(len(_HEADER))]
        return "\n".join(
            "  ".join(
                text.ljust(width) if i in _LEFT else text.rjust(width)
                for i, (text, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in rows
        )

    def _repr_html_(self) -> str:
        return html_table(_HEADER, [axis.row() for axis in self])


_MEASURED = ("command", "position", "velocity", "command_velocity", "torque")
_FIELD_OF = {
    "command": "pos_cmd",
    "position": "actual_pos",
    "velocity": "actual_velocity",
    "command_velocity": "velocity_cmd",
    "torque": "actual_torque",
    "servo_on": "servo_on",
    "alarm": "amp_alarm",
    "homed": "home_done",
    "home_switch": "home_switch",
    "negative_limit": "negative_ls",
    "positive_limit": "positive_ls",
    "at_rest": "motion_complete",
}
"""The fields of AxisState."""


def status_of(message: Any, names: Sequence[str], units: Sequence[str]) -> Status:
    """The status that an AxisState holds; axes beyond `names` and `units` get their number.

    Its arrays are those of the message.
    """
    count = len(message.pos_cmd)
    arrays = {ours: np.asarray(getattr(message, its)) for ours, its in _FIELD_OF.items()}
    turning = np.abs(arrays["velocity"]) > REST_VELOCITY
    arrays["at_rest"] = np.logical_and(arrays["at_rest"], ~turning)
    stamp = message.header.stamp
    return Status(
        time=stamp.sec + stamp.nanosec * 1e-9,
        names=tuple(names[:count]) + tuple(str(axis) for axis in range(len(names), count)),
        units=tuple(units[:count]) + (UNKNOWN_UNIT,) * (count - len(units)),
        **arrays,
    )


def in_digits(value: float, digits: int) -> str:
    """A number with so many decimals, and no negative zero."""
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if float(text) == 0.0 else text


def html_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table for a notebook."""
    columns = "".join(f"<th>{escape(text)}</th>" for text in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(text)}</td>" for text in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{columns}</tr></thead><tbody>{body}</tbody></table>"
