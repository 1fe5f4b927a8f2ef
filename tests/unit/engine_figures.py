"""Where the real engine was in moves of every profile type.

Figures of programs and their logs in the public repository MCCodeAI/MCCoder, MCEval/MCCodeLog:
positions with three decimals, so many cycles after the axis was at rest.
"""

import csv
from collections.abc import Iterator
from pathlib import Path

from wmx_core.profile_types import ProfileType

Logged = tuple[
    str,  # the program
    ProfileType,
    tuple[float, float],  # from, to
    tuple[float, float, float],  # velocity, acc, dec
    dict[str, float],  # the rest of the profile
    dict[int, float],  # position by cycle
]


def logged() -> Iterator[Logged]:
    with Path(__file__).with_suffix(".csv").open() as file:
        for row in csv.DictReader(file):
            start, target, *rates = (
                float(row[name]) for name in ("from", "to", "velocity", "acc", "dec")
            )
            velocity, acc, dec = rates
            rest, figures = (
                {name: float(number) for name, number in map(_pair, row[column].split())}
                for column in ("rest", "figures")
            )
            by_cycle = {int(cycle): position for cycle, position in figures.items()}
            kind = ProfileType[row["type"]]
            yield row["program"], kind, (start, target), (velocity, acc, dec), rest, by_cycle


def _pair(text: str) -> tuple[str, str]:
    name, _, number = text.partition("=")
    return name, number


LOGGED: list[Logged] = [*logged()]
