"""`wmx params`: parameter files checked and compared, and what the engine has."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..drivers.errors import ParameterFileError
from ..drivers.parameters.differences import Difference, differences
from ..drivers.parameters.doubts import doubts
from ..drivers.parameters.dump import describe_axis
from ..drivers.parameters.mistakes import axes_in_words, probable_mistakes
from ..drivers.parameters.parameter_set import ParameterSet, read_parameters
from .arguments import add_axes, add_system, whole
from .connection import connected, select
from .failures import Exit, wrong
from .terminal import Terminal, table

Sections = dict[str, dict[str, str]]


def add_params(parser: argparse.ArgumentParser) -> None:
    """Add the verbs below this one."""
    below = parser.add_subparsers(metavar="check|diff|get|load", required=True)
    check = below.add_parser("check", help="what breaks a rule, or is probably a mistake")
    diff = below.add_parser("diff", help="compare two files, or a file with the engine")
    get = below.add_parser("get", help="print what the engine has")
    load = below.add_parser("load", help="let the engine have those of a file")
    check.add_argument("file", type=Path)
    check.add_argument("--axes", type=whole(1, 128), help="how many axes the engine has")
    diff.add_argument("first", type=Path)
    diff.add_argument("second", type=Path, nargs="?", help="that of the engine without")
    load.add_argument("file", type=Path)
    add_axes(get)
    runs = (check, run_check), (diff, run_diff), (get, run_get), (load, run_load)
    for each, run in runs:
        each.set_defaults(run=run)
    for each in (diff, get, load):
        add_system(each)


def run_check(out: Terminal, options: argparse.Namespace) -> int:
    """Check a file; 1 where it allows what is probably a mistake."""
    parameters = read(options.file)
    axes = options.axes or len(parameters.axes)
    found = [("", text, "") for text in doubts(parameters, axes)]
    found += [(axes_in_words(m.axes), m.text, m.remedy) for m in probable_mistakes(parameters)]
    out.show(
        [{"axes": where, "text": text, "remedy": remedy} for where, text, remedy in found],
        lambda: (
            table(("axes", "probably a mistake", "see"), found)
            if found
            else f"{options.file}: nothing looks like a mistake in its {axes} axes"
        ),
    )
    return Exit.REFUSED if found else Exit.DONE


def run_diff(out: Terminal, options: argparse.Namespace) -> int:
    """Compare a file with another, or with the engine; 1 where they differ, as diff(1) does."""
    first = read(options.first)
    if options.second is not None:
        found = [*differences(first, read(options.second))]
        second = options.second.name
    else:
        with connected(out, options) as machine:
            engine = machine.parameters.get()
        found = [each for axis, has in engine.items() for each in _apart(first, axis, has)]
        second = "engine"
    columns = ("axis", "parameter", options.first.name, second)
    out.show(
        [each._asdict() for each in found],
        lambda: table(columns, found) if found else "they are equal, number by number",
    )
    return Exit.REFUSED if found else Exit.DONE


def run_get(out: Terminal, options: argparse.Namespace) -> None:
    """Print the engine's parameters, an axis a column."""
    with connected(out, options) as machine:
        axes = select(machine, options.axis)
        found = machine.parameters.get(axes.numbers)
        rows = {(s, n): None for has in found.values() for s in has for n in has[s]}
        out.show(
            found,
            lambda: table(
                ("parameter", *axes.names),
                [(f"{s}/{n}", *(has[s][n] for has in found.values())) for s, n in rows],
            ),
        )


def run_load(out: Terminal, options: argparse.Namespace) -> None:
    """Load a file, which is judged here first: all of it or nothing."""
    read(options.file)
    with connected(out, options) as machine:
        message = machine.parameters.load(options.file.resolve())
        out.show({"done": message}, lambda: message)


def read(path: Path) -> ParameterSet:
    """Return the parameters in a file; a Failure where it cannot be read or breaks a rule."""
    try:
        return read_parameters(path.resolve())
    except ParameterFileError as error:
        raise wrong(error.detail) from None


def _apart(parameters: ParameterSet, axis: int, engine: Sections) -> list[Difference]:
    """Return what the engine has otherwise than a file, of what the engine shows."""
    wanted: Sections = {}
    for line in map(str.strip, describe_axis(parameters, axis)):
        name, found, value = line.partition("=")
        if line.startswith("["):
            section = wanted.setdefault(line.strip("[]"), {})
        elif found and not line.startswith("==="):
            section[name.strip()] = value.strip()
    return [
        Difference(f"axis {axis}", f"{section}/{name}", value, has)
        for section, values in wanted.items()
        for name, value in values.items()
        if (has := engine.get(section, {}).get(name, "")) != value
    ]
