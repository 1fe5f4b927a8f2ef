"""The arguments that many verbs have: which system, which axes, how fast; and their parser."""

import argparse
import math
import re
from collections.abc import Callable
from typing import Any, NoReturn

from wmx_core import numerals

from ..node_base.domain.discovery import HIGHEST_DOMAIN
from .completion import complete_axes
from .failures import wrong


class Parser(argparse.ArgumentParser):
    """A parser of `wmx` or of one of its verbs: its errors are failures, printed in one place."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, **options)
        # What argparse takes for a number and not for an option: -1e-1 was none of its numbers, and
        # infinity is one for which there is a refusal.
        self._negative_number_matcher = re.compile(r"-(\.?[0-9]|inf)")
        self.add_argument(
            "--json",
            action="store_true",
            default=argparse.SUPPRESS,  # one that stands before a verb below is not forgotten
            help="print JSON, for programs",
        )

    def print_help(self, file: Any = None) -> None:
        """Print the help; an OSError where that fails, which argparse would leave out."""
        print(self.format_help(), end="", file=file, flush=True)

    def error(self, message: str) -> NoReturn:
        raise wrong(message, remedy=f"{self.prog} --help")


def add_system(parser: argparse.ArgumentParser) -> None:
    """Add the options for which system is meant, and for how long it may take to answer."""
    group = parser.add_argument_group("system")
    group.add_argument("-n", "--namespace", default="", help="of its nodes, such as /cell1")
    group.add_argument(
        "--domain", type=whole(0, HIGHEST_DOMAIN), help="ROS domain; that of this shell without"
    )
    group.add_argument(
        "--timeout",
        type=positive,
        help="s that a system, or an answer, is waited for; without it 10 s, and fewer where no "
        "ROS program of the domain can be found",
    )


def add_axes(parser: argparse.ArgumentParser, *, required: bool = False) -> None:
    """Add axes, by number or name: `0`, `joint1`, `0-2`, `all`."""
    axis = parser.add_argument(
        "axis",
        nargs="+" if required else "*",
        help="number or name, 0-2 for several, `all`" + ("" if required else "; all without"),
    )
    complete_axes(axis)


def add_for(parser: argparse.ArgumentParser) -> None:
    """Add how long a verb lasts that goes on by itself; `seconds` is inf without."""
    add = parser.add_argument
    add("--for", dest="seconds", type=positive, default=math.inf, help="s; until Ctrl-C without")


def add_speed(parser: argparse.ArgumentParser) -> None:
    """Add how fast axes move."""
    add = parser.add_argument
    add("--velocity", type=positive, metavar="V", help="u/s; that of the actuator without")
    add("--acceleration", type=positive, metavar="A", help="u/s^2, and the deceleration")
    add("--duration", type=positive, metavar="T", help="s; arrive then, or be refused")


def speed(options: argparse.Namespace) -> dict[str, float | None]:
    """Return what `add_speed` has added, as the client library takes it."""
    return {name: getattr(options, name) for name in ("velocity", "acceleration", "duration")}


def number(text: str) -> float:
    """Return a finite number."""
    try:
        value = numerals.decimal(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        hint = f": write {text.replace(',', '.')}" if text.count(",") == 1 else ""
        raise argparse.ArgumentTypeError(f"{text!r} must be a finite number{hint}")
    return value


def positive(text: str) -> float:
    """Return a number above 0."""
    if not (value := number(text)) > 0.0:
        raise argparse.ArgumentTypeError(f"{text} must be more than 0")
    return value


def whole(low: int, high: int) -> Callable[[str], int]:
    """Return what reads a whole number from `low` to `high`, decimal or as 0x130."""

    def read(text: str) -> int:
        try:
            value = numerals.whole(text)
        except ValueError:
            value = low - 1
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(
                f"{text!r} must be a whole number from {low} to {high}"
            )
        return value

    return read
