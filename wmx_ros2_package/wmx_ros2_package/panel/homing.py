"""What homing an axis will do, in words, by the parameters that the engine has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wmx_core.errors import ParameterFileError
from wmx_core.parameters.axis_parameters import AxisParameters
from wmx_core.parameters.parameter_set import ParameterSet
from wmx_core.values import HomeType

from ..client import Machine, MachineError, Motion

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
    shift: float
    """How far it goes on from the place that is found, u."""
    shift_velocity: float
    """How fast it does, u/s."""
    position: float
    """What the place is called where it is then, u."""

    @classmethod
    def of(cls, parameters: AxisParameters) -> Homing:
        """How an axis with these parameters is homed."""
        direction = -1 if parameters.home_direction else +1
        return cls(
            parameters.home_type,
            direction,
            parameters.homing_velocity_fast,
            direction * parameters.home_shift_distance,
            parameters.home_shift_velocity,
            parameters.home_position,
        )

    @property
    def searches(self) -> bool:
        """Whether it searches for its home; if not, its home is where it is."""
        return self.kind is not HomeType.CURRENT_POS

    @property
    def moves(self) -> bool:
        """Whether the axis moves; if not, it gets a new position where it is."""
        return self.searches or self.shift != 0.0

    def summary(self, unit: str) -> str:
        """What it will do, in a line."""
        if not self.moves:
            return f"its position becomes {self.position:g} {unit} where it stands"
        way = "+" if self.direction > 0 else "-"
        search = f"{way} at up to {self.fast:g} {unit}/s to {self._place}" * self.searches
        steps = [step for step in (search, self._further(unit)) if step]
        return (
            f"moves {' and '.join(steps)}, which is {self.position:g} {unit} then "
            f"({self.kind.value}, {self.kind.name})"
        )

    def _further(self, unit: str) -> str:
        """How it goes on from the place that is found; nothing where it does not."""
        if not self.shift:
            return ""
        return (
            f"{self.shift:+g} {unit} at up to {self.shift_velocity:g} {unit}/s (HomeShiftDistance)"
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
        called = f"is called {self.position:g} {unit} from then on."
        further = self._further(unit)
        if self.searches:
            way = "positive" if self.direction > 0 else "negative"
            on, where = (f", and then by {further}", "ends") if further else ("", "finds it")
            return (
                f"{name} MOVES in the {way} direction at up to {self.fast:g} {unit}/s until it "
                f"finds {self._place}{on}: {kind}. The place where it {where} {called}"
            )
        moves = f"MOVES by {further}, and " if further else ""
        end = position + self.shift
        goes = f", and goes to {end:.4f} {unit}" if further else ""
        return (
            f"{name} {moves}is not searched for a home: {kind}. It is at {position:.4f} {unit}"
            f"{goes}. That place {called} All positions and limits of the axis shift by "
            f"{self.position - end:+.4f} {unit}."
        )


def read_homing(machine: Machine, axes: Sequence[int]) -> list[Homing]:
    """Ask the engine how axes are homed; MachineError where that is not known."""
    exported = machine.parameters.export(axes)
    try:
        found = ParameterSet.from_xml(exported.encode())
    except ParameterFileError as error:
        raise MachineError(f"the engine does not show how axes are homed: {error}") from None
    if unknown := sorted({*axes} - {*found.axes}):
        raise MachineError(f"the engine does not show how axes {unknown} are homed")
    return [Homing.of(found.axis(axis)) for axis in axes]


def home_as_shown(machine: Machine, axis: int, shown: Homing, place: float) -> Motion:
    """Home an axis; HomingChanged where it would do something else than `shown`.

    One whose home is where it stands has to stand at `place` (u) still.
    """
    if read_homing(machine, [axis]) != [shown]:
        raise HomingChanged("its parameters of homing have changed: ask for it again")
    now = machine.axes[axis].position
    if not shown.searches and not abs(now - place) <= SAME_PLACE:
        raise HomingChanged(f"it is at {now:.4f} by now, and was shown at {place:.4f}: ask again")
    return machine.axes[axis].home()
