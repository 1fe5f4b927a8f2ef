"""What an engine does by itself in the communication cycle in which an input changes.

No message of a node is that quick, and no node has to live for it. Refusals and units are those of
`interface`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

from .errors import CommandRefused, ErrorCode
from .io_range import require_bits
from .move_rules import require_axes, require_position

MOST_STOP_INPUTS = 32


class StopKind(IntEnum):
    """What a stop input does, numbered as in `wmx/engine/set_stop_inputs`."""

    STOP = 0
    """Its axis slows down with the deceleration of its motion."""
    QUICK_STOP = 1
    """Its axis slows down with its quick stop deceleration."""
    EMERGENCY_STOP = 2
    """An emergency stop of level 1, of all axes, until its release."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StopInput:
    """An input that stops `axis` when it becomes `value`: it is on then."""

    axis: int
    address: int
    bit: int
    value: bool
    kind: StopKind

    @property
    def place(self) -> str:
        """The input as people write it."""
        return f"{self.address}.{self.bit}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TouchProbe:
    """An input that latches where the motor of `axis` is when it changes to `value`."""

    axis: int
    address: int
    bit: int
    value: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionOutput:
    """An output that is `value` while `axis` is commanded to be beyond `position` (u), else not."""

    axis: int
    address: int
    bit: int
    position: float
    value: bool


class Reactions(Protocol):
    """The engine's own reactions."""

    def set_stop_inputs(self, inputs: Sequence[StopInput]) -> None:
        """Let `inputs` stop axes, and no others any more.

        What breaks a rule changes nothing. What an engine refuses may have changed some: who sets
        them puts those of before in force again, for they may be those of another device.

        An input acts in the cycle in which it comes on, or within some cycles of this call where it
        is on already. It does not keep its axis from being commanded afterwards. Each axis has one
        at most, and there are MOST_STOP_INPUTS at most. Some engines can stop a single axis in
        position mode only, see `Driver.stops_every_mode`.
        """

    def set_touch_probes(self, axes: Sequence[int], probes: Sequence[TouchProbe]) -> None:
        """Have `probes` in the place of the touch probes of `axes`; all of it or, refused, nothing.

        A probe latches once, in the cycle in which its input first changes to its value. An axis
        has one at most.
        """

    def touched(self, axes: Sequence[int]) -> tuple[float | None, ...]:
        """Where the motors of `axes` were when their touch probes latched, u; None until then.

        To be asked of the device that has set them. Refused with ArgumentOutOfRange for an axis
        without a touch probe.
        """

    def set_position_outputs(self, axes: Sequence[int], outputs: Sequence[PositionOutput]) -> None:
        """Have `outputs` in the place of those that `axes` switch; all of it or, refused, nothing.

        An output is set in the cycle in which its axis passes the position, or one later, and at
        first by where the axis is. One that is switched no more stays as it is. An axis switches
        one at most, until communication ends, and an output is switched by one axis: some engines
        check against those alone that the same device has set.
        """


def require_stop_inputs(inputs: Sequence[StopInput], axes: int) -> None:
    """Refuse stop inputs that no engine of so many axes takes."""
    if len(inputs) > MOST_STOP_INPUTS:
        rule = f"{len(inputs)} stop inputs: must be {MOST_STOP_INPUTS} at most"
        raise CommandRefused(ErrorCode.IDOutOfRange, rule)
    require_axes([each.axis for each in inputs], axes)
    require_bits([(each.address, each.bit) for each in inputs])


def require_touch_probes(axes: Sequence[int], probes: Sequence[TouchProbe], count: int) -> None:
    """Refuse touch probes that no engine of `count` axes takes."""
    require_axes(axes, count)
    require_axes([each.axis for each in probes], count)
    require_bits([(each.address, each.bit) for each in probes])


def require_position_outputs(
    axes: Sequence[int],
    outputs: Sequence[PositionOutput],
    count: int,
    in_force: Iterable[PositionOutput],
) -> None:
    """Refuse position outputs that no engine of `count` axes takes besides those `in_force`."""
    require_axes(axes, count)
    require_axes([each.axis for each in outputs], count)
    require_bits([(each.address, each.bit) for each in outputs])
    for each in outputs:
        require_position(each.position, f"position of axis {each.axis}")
    places = [(each.address, each.bit) for each in outputs]
    rule = "must be switched by one axis"
    if len(set(places)) < len(places):
        raise CommandRefused(ErrorCode.ArgumentOutOfRange, f"outputs {places}: each {rule}")
    named = {*axes, *(each.axis for each in outputs)}
    for each in in_force:
        if each.axis not in named and (each.address, each.bit) in places:
            place = f"output {each.address}.{each.bit}, which axis {each.axis} switches"
            raise CommandRefused(ErrorCode.ArgumentOutOfRange, f"{place}: {rule}")


def no_touch_probe(axis: int) -> CommandRefused:
    """Return the refusal of what is asked of a touch probe that was not set."""
    return CommandRefused(ErrorCode.ArgumentOutOfRange, f"axis {axis} has no touch probe")
