"""What homing an axis will do, in words, by the parameters that the engine has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from wmx_core.values import HomeType

from ..client import Machine, MachineError, Motion

SECTION = "HomeParam"
SAME_PLACE = 1e-3
"""How far an axis may have gone, u, since it was shown where its position will be set."""
_PLACES = {
    "HSHS": "the home switch, and to it again from the other side",
    "HS": "the home switch",
    "NEAR_LS": "the near limit switch",
    "EXTERNAL_LS": "the external limit switch",
    "LS": "the limit switch",
    "Z_PULSE": "the index pulse of its encoder",
    "TOUCH_PROBE": "the touch probe",
    "MECHANICAL_END_DETECTION": "a mechanical end, against which it pushes",
}
"""What is searched for first, by how the name of the type begins; a longer name comes first."""


class HomingChanged(ValueError):
    """The parameters are others than those that were shown."""


@dataclass(frozen=True, slots=True)
class Homing:
    """How an axis is homed, by its parameters."""

    kind: HomeType
    direction: int
    """+1 or -1."""
    fast: float
    """The highest velocity, u/s."""
    position: float
    """What the place that is found is called, u."""

    @classmethod
    def read(cls, sections: Mapping[str, Mapping[str, str]]) -> Homing:
        """Read the parameters of an axis; ValueError or KeyError where they say nothing."""
        home = sections[SECTION]
        return cls(
            HomeType(int(home["HomeType"])),
            -1 if int(home["HomeDirection"]) else +1,
            float(home["HomingVelFast"]),
            float(home["HomePosition"]),
        )

    @property
    def moves(self) -> bool:
        """Whether it searches for its home; if not, the axis gets a new position where it is."""
        return self.kind is not HomeType.CURRENT_POS

    def summary(self, unit: str) -> str:
        """What it will do, in a line."""
        if not self.moves:
            return f"its position becomes {self.position:g} {unit} where it stands"
        way = "+" if self.direction > 0 else "-"
        return (
            f"moves {way} at up to {self.fast:g} {unit}/s to {self._place}, which is "
            f"{self.position:g} {unit} then ({self.kind.value}, {self.kind.name})"
        )

    @property
    def _place(self) -> str:
        return next(
            (words for begin, words in _PLACES.items() if self.kind.name.startswith(begin)),
            "its home",
        )

    def words(self, name: str, unit: str, position: float) -> str:
        """What it will do with the axis called `name`, which is at `position`."""
        kind = f"its home type is {self.kind.value}, {self.kind.name}"
        if not self.moves:
            return (
                f"{name} is not searched for a home: {kind}. It is at {position:.4f} {unit}, and "
                f"that place is called {self.position:g} {unit} from then on. All positions and "
                f"limits of the axis shift by {self.position - position:+.4f} {unit}."
            )
        way = "positive" if self.direction > 0 else "negative"
        return (
            f"{name} MOVES in the {way} direction at up to {self.fast:g} {unit}/s until it finds "
            f"{self._place}: {kind}. That place is called {self.position:g} {unit} from then on."
        )


def read_homing(machine: Machine, axis: int) -> Homing:
    """Ask the engine how an axis is homed; MachineError where that is not known."""
    found = machine.parameters.get([axis])
    try:
        return Homing.read(found[axis])
    except (KeyError, ValueError) as error:
        raise MachineError(f"the engine does not show how axis {axis} is homed: {error}") from None


def home_as_shown(machine: Machine, axis: int, shown: Homing, place: float) -> Motion:
    """Home an axis; HomingChanged where it would do something else than `shown`.

    One that gets its position where it stands has to stand at `place` (u) still.
    """
    if read_homing(machine, axis) != shown:
        raise HomingChanged("its parameters of homing have changed: ask for it again")
    now = machine.axes[axis].position
    if not shown.moves and not abs(now - place) <= SAME_PLACE:
        raise HomingChanged(f"it is at {now:.4f} by now, and was shown at {place:.4f}: ask again")
    return machine.axes[axis].home()
