"""Figures of several measurements brought together and drawn."""

import statistics
from collections.abc import Mapping, Sequence

Figures = dict[str, float]
Measurement = tuple[str, int, Figures]
"""The variant, its number of axes, and what was measured of it."""


def summary(measured: Sequence[Measurement], counts: Sequence[int]) -> dict[str, Figures]:
    """For each variant the median over its rounds, then the mean over `counts` of axes."""
    values: dict[str, dict[str, dict[int, list[float]]]] = {}
    for variant, axes, figures in measured:
        if axes in counts:
            for name, value in figures.items():
                of_figure = values.setdefault(variant, {}).setdefault(name, {})
                of_figure.setdefault(axes, []).append(value)
    return {
        variant: {
            name: statistics.fmean(map(statistics.median, by_axes.values()))
            for name, by_axes in of_variant.items()
        }
        for variant, of_variant in values.items()
    }


def print_table(title: str, columns: Mapping[str, Figures]) -> None:
    """A line for each figure, a column for each variant with its ratio to the first one."""
    names = dict.fromkeys(name for figures in columns.values() for name in figures)
    print(f"\n{title:<44}" + "".join(f"{column:>19}" for column in columns))
    first = next(iter(columns.values()))
    for name in names:
        line = f"{name:<44}"
        for figures in columns.values():
            line += f"{_cell(figures.get(name), None if figures is first else first.get(name)):>19}"
        print(line.rstrip())


def _cell(value: float | None, base: float | None) -> str:
    if value is None:
        return ""
    number = f"{value:.3f}" if abs(value) < 100 else f"{value:.0f}"
    return f"{number}  x{value / base:5.2f}" if base else number
