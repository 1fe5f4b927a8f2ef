"""`wmx params`: parameter files checked and compared, and what the engine has."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from wmx_core.errors import ParameterFileError
from wmx_core.parameters.differences import Difference, differences
from wmx_core.parameters.loading import preview
from wmx_core.parameters.mistakes import axes_in_words, doubts, probable_mistakes
from wmx_core.parameters.parameter_set import ParameterSet, read_parameters
from wmx_core.values import MAX_AXES

from ..diagnosis import parameter_changes
from .arguments import add_axes, add_system, whole
from .connection import connected, select
from .failures import Exit, Failure, wrong
from .terminal import Terminal, table

if TYPE_CHECKING:
    from ..client import Machine


def add_params(parser: argparse.ArgumentParser) -> None:
    """Add the verbs below this one."""
    below = parser.add_subparsers(metavar="check|diff|get|load", required=True)
    check = below.add_parser("check", help="what breaks a rule, or is probably a mistake")
    diff = below.add_parser("diff", help="compare two files, or a file with the engine")
    get = below.add_parser("get", help="print what the engine has")
    load = below.add_parser("load", help="let the engine have those of a file")
    check.add_argument("file", type=Path)
    check.add_argument("--axes", type=whole(1, MAX_AXES), help="how many axes the engine has")
    diff.add_argument("first", type=Path)
    diff.add_argument("second", type=Path, nargs="?", help="that of the engine without")
    load.add_argument("file", type=Path)
    load.add_argument("--yes", action="store_true", help="load without being asked")
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
    hidden: list[Difference] = []
    if options.second is not None:
        found = [*differences(first, read(options.second))]
        second = options.second.name
    else:
        with connected(out, options) as machine, out.progress("reading parameters"):
            found, hidden = preview(first, machine.parameters.get())
        second = "engine"
    columns = ("axis", "parameter", options.first.name, second)
    out.show(
        [each._asdict() for each in found] + [each._asdict() | {"second": None} for each in hidden],
        lambda: table(columns, found) if found else "they are equal, number by number",
    )
    if hidden:
        out.say(
            f"not compared, for the engine does not show them: {len(hidden)} numbers of the file\n"
            + "\n".join(f"  {line}" for line in _by_section(hidden))
        )
    return Exit.REFUSED if found else Exit.DONE


def run_get(out: Terminal, options: argparse.Namespace) -> None:
    """Print the engine's parameters, an axis a column."""
    with connected(out, options) as machine:
        axes = select(machine, options.axis)
        with out.progress("reading parameters"):
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
    """Load a file, which is judged here first: all of it or nothing.

    It asks where positions would be other places, or axes outside of their limits.
    """
    path = options.file.resolve()
    read(path)
    with connected(out, options) as machine:
        with out.progress("reading parameters"):
            found = foreseen(machine, path)
        if found and not options.yes:
            question = "\n".join([*found, "Load so?"])
            if not out.agrees(question, f"the file may be loaded: {'; '.join(found)}"):
                raise Failure("nothing was loaded")
        with out.progress(f"loading {path.name}"):
            message = machine.parameters.load(path)
        out.show({"done": message, "doubts": found}, lambda: "\n".join([message, *found]))


def foreseen(machine: Machine, path: Path) -> list[str]:
    """Return what a person should know before the engine has the parameters of a file."""
    from ..client import NotReady

    exported = machine.parameters.export()
    changes = parameter_changes.loaded(parameter_changes.compare(exported, f"{path}"))
    positions: dict[int, float] = {}
    with suppress(NotReady):  # the engine does not communicate: where axes stand is not known
        positions = dict(enumerate(machine.status().command.tolist()))
    return parameter_changes.doubts(changes, parameter_changes.read_texts(exported), positions)


def read(path: Path) -> ParameterSet:
    """Return the parameters in a file; a Failure where it cannot be read or breaks a rule."""
    try:
        return read_parameters(path.resolve())
    except ParameterFileError as error:
        raise wrong(error.detail) from None


def _by_section(found: list[Difference]) -> Iterator[str]:
    """Return the names of parameters, a section a line."""
    names = [each.name.partition("/") for each in found]
    for section in dict.fromkeys(name[0] for name in names):
        yield f"{section}: {', '.join(dict.fromkeys(n for s, _, n in names if s == section))}"
