"""Axes as values, and axes made of these, in another process, too.

An axis and its parts hold what they do in attributes whose values never change themselves: numbers,
curves, ramps, moves. Those are read and put into new axes. Attributes that refer to other objects
(`_LINKS`) are not; these links are described by numbers of axes and made again.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from wmx_core.parameters.parameter_set import ParameterSet

from ..machine.description import AxisModel
from .axis import Axis
from .axis_motion import Gear
from .drive import Drive
from .group import Group
from .limits import Limit
from .profile import Segment
from .profile_player import ProfilePlayer
from .shared_state import SharedState, layout, states_of

_LINKS: dict[type, set[str]] = {
    Axis: {
        *("_index", "_model", "column", "_parameters", "_vendor_rules", "_inputs"),
        *("_drive", "_player", "_limits", "_homing", "_search", "_until", "_act"),
        *("group", "_gear", "_gears"),
    },
    Drive: {"_model", "_column", "_motor"},
    ProfilePlayer: {"_drive", "_upcoming", "_at_rest", "course", "_lead"},
    Limit: {"name", "direction", "code", "_of_command"},
}
"""What a new axis has already, or gets otherwise."""
Values = dict[str, Any]
CopiedGroup = tuple[tuple[int, ...], float, bool, float]
"""The numbers of the axes of a `Group`, and its `dec`, `curved` and `stands_at`."""


class Copied(NamedTuple):
    """Some axes of an engine, and what they need around them, at one communication cycle."""

    models: tuple[AxisModel, ...]
    """Of all axes of the engine."""
    parameters: ParameterSet
    vendor_rules: bool
    now: tuple[int, float, float, float]
    """The `Instant`."""
    rate: float
    """Steady seconds in a second of engine time."""
    state: bytes
    """That of all axes, see `OwnedState.state`."""
    inputs: bytes
    axes: tuple[tuple[int, Values], ...]
    """The copied ones, by their numbers."""
    groups: tuple[CopiedGroup, ...]
    """Those that move as one."""
    gears: tuple[tuple[int, int, float, float], ...]
    """Slave, master, ratio, and by how much the slave is apart, u."""


def values_of(axis: Axis) -> Values:
    """Return what `axis` does."""
    player, limits, homing = axis._player, axis._limits, axis._homing
    since, profile = player.course
    return {
        "axis": _own(axis),
        "drive": _own(axis._drive),
        "player": _own(player),
        "limits": [_own(limit) for limit in limits],
        "stuck": [*limits._stuck.items()],
        "since": since,
        "profile": np.array(profile),
        "upcoming": len(player._upcoming),
        "at_rest": player._at_rest.__name__,
        "meets_limit": None if homing is None else homing._meets_limit,
    }


def groups_of(axes: Mapping[int, Axis]) -> tuple[CopiedGroup, ...]:
    """Return the groups of `axes`, see `Copied`."""
    groups = {id(axis.group): axis.group for axis in axes.values() if axis.group}
    copied = []
    for group in groups.values():
        members = tuple(i for i, axis in axes.items() if axis.group is group)
        copied.append((members, group._dec, group._curved, group._stands_at))
    return tuple(copied)


def gears_of(axes: Mapping[int, Axis]) -> tuple[tuple[int, int, float, float], ...]:
    """Return the gears of `axes`, see `Copied`."""
    return tuple(
        (i, gear.master._index, gear.ratio, gear.apart)
        for i, axis in axes.items()
        if (gear := axis._gear) is not None
    )


def restore(copied: Copied, axes: Sequence[Axis], state: SharedState) -> None:
    """Let `axes`, which are new and write to `state`, do what the copied ones do.

    An axis that searches for its home does not continue with that.
    """
    for index, values in copied.axes:
        _put(axes[index], values, copied.inputs)
    for members, dec, curved, stands_at in copied.groups:
        group = Group([axes[i] for i in members], dec, curved=curved, stands_at=stands_at)
        for i in members:
            axes[i].group = group
    for i, j, ratio, apart in copied.gears:
        axes[i].connect(Gear(axes[i], axes[j], ratio, apart))
    chosen = [index for index, _ in copied.axes]
    _restore_columns(state, copied.state, chosen)
    for index in chosen:
        axes[index].schedule(copied.now[1])


def _put(axis: Axis, values: Values, inputs: bytes) -> None:
    player, limits = axis._player, axis._limits
    axis._inputs = inputs
    for part, own in (
        (axis, values["axis"]),
        (axis._drive, values["drive"]),
        (player, values["player"]),
        *zip(limits, values["limits"], strict=True),
    ):
        vars(part).update(own)
    limits._stuck = dict(values["stuck"])
    profile = tuple(map(Segment._make, values["profile"].tolist()))
    player.put(values["since"], profile, values["upcoming"], getattr(axis, values["at_rest"]))
    if values["meets_limit"] is not None:
        axis._homing = axis.new_homing()
        axis._homing._meets_limit = values["meets_limit"]


def _own(part: object) -> Values:
    """Return the attributes of a part of an axis that are values."""
    links = _LINKS[type(part)]
    return {name: value for name, value in vars(part).items() if name not in links}


def _restore_columns(state: SharedState, written: bytes, axes: Sequence[int]) -> None:
    """Let the columns of `axes` in `state`, and what is no column, be as in `written`."""
    then = states_of([written])[0]
    for name in ("engine_state", "emergency_stop"):
        getattr(state, name)[...] = then[name]
    for name in layout(1).names or ():
        if (column := getattr(state, name)).ndim:
            column[..., list(axes)] = then[name][..., list(axes)]
