"""Curves as a picture in a file, drawn by matplotlib where that is installed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from wmx_core.values import Floats

from .failures import Failure, wrong

MISSING = "matplotlib is missing, which draws pictures into files"
SUFFIX = ".png"


def save_png(
    path: Path, times: Floats, rows: Sequence[Floats], names: Sequence[str], *, label: str
) -> None:
    """Draw `rows` over `times` (s), with their names, into the file `path`; or a Failure."""
    if path.suffix.lower() != SUFFIX:
        raise wrong(f"{path} must end in {SUFFIX}")
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise Failure(
            MISSING, remedy="pip install matplotlib    # or leave --png out: --plot draws here"
        ) from None
    figure = Figure(figsize=(9.0, 5.0), layout="constrained")
    plot = figure.subplots()
    for row, name in zip(rows, names, strict=True):
        plot.plot(times, row, label=name)
    plot.set_xlabel("time, s")
    plot.set_ylabel(label)
    plot.grid(visible=True)
    plot.legend()
    try:
        figure.savefig(path)
    except OSError as error:
        raise Failure(f"{path} cannot be written: {error.strerror or error}") from None
