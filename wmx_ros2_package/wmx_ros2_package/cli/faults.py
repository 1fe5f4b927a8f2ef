"""`wmx faults`: things that go wrong on the simulated engine on request."""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path

from .arguments import add_system
from .connection import connected
from .failures import text_of, wrong
from .terminal import Terminal, table

FILES = ".yaml", ".yml"
LINE = re.compile(r"    (\w+) +(\S.*?)  +(\S.*)")


def add_faults(parser: argparse.ArgumentParser) -> None:
    """Add the verbs below this one."""
    below = parser.add_subparsers(metavar="list|play", required=True)
    known = below.add_parser("list", help="the faults that there are, and what they take")
    known.set_defaults(run=run_list)
    play = below.add_parser("play", help="let a fault happen, or those of a script")
    play.add_argument("fault", help="a fault, a YAML file of them, or - for one on standard input")
    play.add_argument("argument", nargs="*", metavar="NAME=VALUE", help="of the fault")
    play.epilog = "wmx faults play raise_alarm axis=2 code=0x8611"
    play.set_defaults(run=run_play)
    add_system(play)


def run_list(out: Terminal, options: argparse.Namespace) -> None:
    """Print the faults, as docs/faults.md has them."""
    kinds = known_faults()
    columns = ("fault", "takes", "what happens")
    out.show(
        [{"fault": name, "takes": takes, "text": text} for name, takes, text in kinds],
        lambda: table(columns, kinds),
    )


def run_play(out: Terminal, options: argparse.Namespace) -> None:
    """Play a fault or a script, all of it or nothing."""
    script = _script(options.fault, options.argument)
    _require_right(script)
    with connected(out, options) as machine:
        machine.simulation.play(script)
        out.show({"played": script}, lambda: f"played: {script.strip()}")


def _script(fault: str, arguments: list[str]) -> str:
    """Return the script that the words stand for."""
    if arguments and (fault == "-" or Path(fault).suffix in FILES):
        text = f"{' '.join(arguments)!r}: a script takes no arguments"
        raise wrong(text, "wmx faults play --help")
    if fault == "-":
        try:
            return sys.stdin.read()
        except UnicodeDecodeError as error:
            raise wrong(f"standard input: {error}") from None
    if Path(fault).suffix in FILES:
        return text_of(Path(fault))
    if fault not in _kinds() and not get_close_matches(fault, _kinds()):  # which would be named
        what = "neither a fault nor a file of faults, which must end in .yaml or .yml"
        raise wrong(f"{fault!r} is {what}", "wmx faults list")
    if not all(name and found for name, found, _ in (each.partition("=") for each in arguments)):
        raise wrong(f"{' '.join(arguments)!r} must be NAME=VALUE each", "wmx faults list")
    return f"[{{{fault}: {{{', '.join(map(_entry, arguments))}}}}}]"


def _require_right(script: str) -> None:
    """Refuse what no simulated engine takes before one is looked for."""
    from wmx_core.errors import CommandRefused
    from wmx_sim.engine.faults.fault_script import read_script

    try:
        read_script(script)
    except CommandRefused as error:
        raise wrong(error.detail, "wmx faults list") from None


def _entry(argument: str) -> str:
    """Return `axis=2` as YAML; the place of an input, `in0.3` or `0.3`, is a text there."""
    name, _, value = argument.partition("=")
    return f'{name}: "{value.removeprefix("in")}"' if name == "input" else f"{name}: {value}"


def known_faults() -> list[tuple[str, str, str]]:
    """Return the name of each fault, what it takes, and what happens: the table of its module."""
    from wmx_sim.engine.faults import fault_script

    lines = (LINE.fullmatch(line) for line in str(fault_script.__doc__).splitlines())
    kinds = _kinds()
    return [(found[1], found[2], found[3]) for found in lines if found and found[1] in kinds]


def _kinds() -> set[str]:
    from wmx_sim.engine.faults.fault_script import Entry

    return {each.name for each in fields(Entry)}
