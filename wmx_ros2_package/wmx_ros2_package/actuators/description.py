"""Actuators: axes that have a name, a kind, limits and SI units."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from math import inf, isfinite, isnan
from typing import Any, Literal, get_args

from wmx_core.values import MAX_AXES

from ..validation import MOST_REASONS, BadRequest, check_axis_name

Kind = Literal["revolute", "prismatic"]
KINDS: tuple[str, ...] = get_args(Kind)
UNLIMITED = 1e15
"""The limit of what has none, as a finite number; no number is greater."""
LEAST = 1e-9
"""The least velocity, acceleration or effort: far below what a motor does, and far enough above
what a double resolves that products and quotients of two of them are finite."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Actuator:
    """One axis as an actuator; its user unit is the rad (revolute) or the m (prismatic)."""

    name: str
    axis: int
    kind: str = "revolute"
    position_min: float = -inf
    """rad or m."""
    position_max: float = inf
    velocity_max: float = UNLIMITED
    """rad/s or m/s."""
    acceleration_max: float = UNLIMITED
    """rad/s^2 or m/s^2."""
    effort_max: float = inf
    """N*m or N."""
    velocity: float = 0.5
    """The velocity of a move whose command has none, rad/s or m/s."""
    acceleration: float = 1.0
    """The acceleration of a command that has none, rad/s^2 or m/s^2."""
    effort_per_percent: float = 1.0
    """N*m or N per percent of the motor's rated torque."""

    @property
    def unit(self) -> str:
        """The unit of its positions: rad or m."""
        return "m" if self.kind == "prismatic" else "rad"


_NUMBERS = tuple(f.name for f in fields(Actuator) if f.name not in ("name", "axis", "kind"))
PARAMETERS = ("names", "axes", "kinds", *_NUMBERS)
"""The names of the parameters that describe actuators, parallel arrays."""
_POSITIVE = tuple(name for name in _NUMBERS if not name.startswith("position_"))
_MAY_BE_INFINITE = "position_min", "position_max", "effort_max"
_DEFAULTS = {f.name: f.default for f in fields(Actuator)}
_NEVER_ABOVE = (("velocity", "velocity_max"), ("acceleration", "acceleration_max"))


def actuators(parameters: Mapping[str, Sequence[Any]]) -> dict[str, Actuator]:
    """The actuators that `parameters` describe, by name; BadRequest with what is wrong.

    They are the arrays of PARAMETERS by their names.
    An empty array stands for the default, one element for all actuators, else there is one for
    each of `names`. Without `axes` the actuators are the axes from 0 on.
    """
    names = list(parameters["names"])
    reasons = _wrong_names(names)
    columns: dict[str, list[Any]] = {}
    for field, array in (
        ("axis", parameters["axes"]),
        ("kind", parameters["kinds"]),
        *((name, parameters[name]) for name in _NUMBERS),
    ):
        values = list(array)
        if len(values) == 1 and field != "axis":
            values *= len(names)
        if values and len(values) != len(names):
            reasons.append(
                f"{field} has {len(values)} elements but there are {len(names)} actuators: "
                "must be empty, one for all, or one for each"
            )
        elif values:
            columns[field] = values
    if reasons:
        raise BadRequest(reasons[:MOST_REASONS])
    columns.setdefault("axis", list(range(len(names))))
    for usual, most in _NEVER_ABOVE:  # a limit alone lowers the default, too
        if usual not in columns and most in columns:
            columns[usual] = [min(_DEFAULTS[usual], limit) for limit in columns[most]]
    found = [
        Actuator(name=name, **{field: values[i] for field, values in columns.items()})
        for i, name in enumerate(names)
    ]
    reasons = [reason for actuator in found for reason in _wrong(actuator)]
    axes = [actuator.axis for actuator in found]
    reasons += [
        f"axis {axis} has more than one actuator" for axis in {*axes} if axes.count(axis) > 1
    ]
    if reasons:
        raise BadRequest(reasons[:MOST_REASONS])
    return {actuator.name: actuator for actuator in found}


def _wrong_names(names: Sequence[str]) -> list[str]:
    if not 1 <= len(names) <= MAX_AXES:
        return [f"names has {len(names)} elements: must have 1 to {MAX_AXES}"]
    reasons = [f"names has an empty name at {i}" for i, name in enumerate(names) if not name]
    reasons += [f"names: {wrong}" for name in names if name for wrong in check_axis_name(name)]
    return reasons + [
        f"names has {name!r} {names.count(name)} times: must be different"
        for name in sorted({*names})
        if names.count(name) > 1
    ]


def _wrong(actuator: Actuator) -> list[str]:
    where = f"of actuator {actuator.name!r}"
    reasons = []
    if not 0 <= actuator.axis < MAX_AXES:
        reasons.append(f"axis {where} is {actuator.axis}: must be 0 to {MAX_AXES - 1}")
    if actuator.kind not in KINDS:
        reasons.append(f"kind {where} is {actuator.kind!r}: must be {' or '.join(KINDS)}")
    for name in _NUMBERS:
        value = getattr(actuator, name)
        if isnan(value) or not (isfinite(value) or name in _MAY_BE_INFINITE):
            reasons.append(f"{name} {where} is {value}: must be finite")
        elif name in _POSITIVE and not value > 0.0:
            reasons.append(f"{name} {where} is {value}: must be greater than 0")
        elif name in _POSITIVE and isfinite(value) and not LEAST <= value <= UNLIMITED:
            reasons.append(f"{name} {where} is {value}: must be {LEAST:g} to {UNLIMITED:g}")
    if actuator.position_min >= actuator.position_max:
        reasons.append(
            f"position_min {where} is {actuator.position_min}: "
            f"must be below position_max, {actuator.position_max}"
        )
    for usual, most in _NEVER_ABOVE:
        if getattr(actuator, usual) > getattr(actuator, most):
            reasons.append(
                f"{usual} {where} is {getattr(actuator, usual)}: "
                f"must be {most}, {getattr(actuator, most)}, at most"
            )
    return reasons
