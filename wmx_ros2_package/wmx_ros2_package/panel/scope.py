"""Curves of any quantities of any axes over one time: what a browser asks for, and its answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any, NamedTuple

import numpy as np

from wmx_core.values import Floats

from .history import FOLLOWING_ERROR, LENGTH, MOST_POINTS, QUANTITIES, History, thinned
from .json_numbers import numbers

QUANTITIES_SHOWN = (*QUANTITIES, FOLLOWING_ERROR)
"""What a curve may be of."""
MOST_CHANNELS = 8


class Channel(NamedTuple):
    """One curve: a quantity of an axis."""

    axis: int
    quantity: str

    @property
    def key(self) -> str:
        """How browsers name it."""
        return f"{self.axis}:{self.quantity}"


def unit_of(quantity: str, unit: str) -> str:
    """The unit of a quantity of an axis whose user unit is `unit`."""
    return {"velocity": f"{unit}/s", "torque": "%"}.get(quantity, unit)


def read_channels(text: str, axes: int) -> list[Channel]:
    """The channels that `text` names, such as `0:position,2:torque`, of a machine of so many axes.

    ValueError has what it does not have, or that they are too many.
    """
    found = []
    for key in text.split(","):
        axis, _, quantity = key.partition(":")
        known = axis.isascii() and axis.isdecimal() and len(axis) < 4 and int(axis) < axes
        if not known or quantity not in QUANTITIES_SHOWN:
            raise ValueError(
                f"{key[:40]!r} is no channel: it must be an axis from 0 to {axes - 1}, and one of "
                + ", ".join(QUANTITIES_SHOWN)
            )
        found.append(Channel(int(axis), quantity))
    if len(found) > MOST_CHANNELS or len({*found}) < len(found):
        raise ValueError(f"at most {MOST_CHANNELS} channels, each once")
    return found


def _finite_number(query: Mapping[str, str], name: str, otherwise: float | None) -> float:
    """The number `name` of `query`, or `otherwise`; ValueError where there is none or no number."""
    text = query.get(name)
    if text is None and otherwise is not None:
        return otherwise
    try:
        value = float(text or "")
    except ValueError:
        value = inf
    if not isfinite(value):
        raise ValueError(f"{name} is {text!r}: must be a finite number")
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeRequest:
    """What a browser asks for."""

    channels: Sequence[Channel]
    seconds: float
    """How far back."""
    until: float
    """Not beyond this time of the statuses, s; infinite for all."""
    points: int
    """At about so many samples."""

    @classmethod
    def read(cls, query: Mapping[str, str], axes: int) -> ScopeRequest:
        """What `query` asks of a machine of so many axes; ValueError where that cannot be."""
        return cls(
            channels=read_channels(query.get("channels", ""), axes),
            seconds=min(max(_finite_number(query, "seconds", None), 0.1), LENGTH),
            until=_finite_number(query, "until", inf),
            points=int(min(max(_finite_number(query, "points", 600.0), 10.0), MOST_POINTS)),
        )

    def samples(self, history: History) -> tuple[Floats, Floats]:
        """Times (samples,), s, and values (channels, samples)."""
        places = [
            (
                QUANTITIES.index("command" if each.quantity == FOLLOWING_ERROR else each.quantity),
                each.axis,
            )
            for each in self.channels
        ]
        minus = [i for i, each in enumerate(self.channels) if each.quantity == FOLLOWING_ERROR]
        feedback = [(QUANTITIES.index("position"), self.channels[i].axis) for i in minus]
        times, values = history.select([*places, *feedback], self.seconds, self.until)
        shown = values[: len(places)]
        shown[minus] -= values[len(places) :]
        return times, shown

    def answer(self, history: History) -> dict[str, Any]:
        """What a browser gets: the time of the newest sample, s, and all times counted from it."""
        times, values = thinned(*self.samples(history), self.points)
        end = float(times[-1]) if len(times) else 0.0
        return {
            "end": end,
            "time": np.round(times - end, 3).tolist(),
            "rows": [numbers(row, 6) for row in values],
        }
