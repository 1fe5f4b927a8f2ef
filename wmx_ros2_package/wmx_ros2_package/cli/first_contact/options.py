"""The options of `wmx first-contact`, and what they may be."""

import argparse
from pathlib import Path

from wmx_core.options import DriverOptions
from wmx_core.values import MAX_AXES

from ..arguments import positive, whole

MOST_ROUNDS = 1_000_000
"""Days of stops."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what `wmx first-contact` takes."""
    add = parser.add_argument
    add(
        "--device-path",
        default=DriverOptions().device_path,
        help="the SDK's root (default %(default)s)",
    )
    add(
        "--axes",
        type=_axes,
        default=(),
        help="axes that may move, such as 0,1 (default none)",
    )
    add(
        "--distance",
        type=positive,
        help="how far they may go, u: there is no default, for u may be a radian or a metre",
    )
    add("--velocity", type=positive, help="how fast, u/s (no default)")
    add(
        "--rounds",
        type=whole(1, MOST_ROUNDS),
        default=1000,
        help="stops from a second process (default %(default)s)",
    )
    add(
        "--torque",
        type=positive,
        default=0.0,
        help="turn the first axis with so much, percent of rated torque (default none)",
    )
    add(
        "--engine-process",
        default="",
        help="part of its command line, to kill it (default none: it lives)",
    )
    add(
        "--output",
        type=Path,
        default=Path("wmx_first_contact"),
        help="the folder of the report (default %(default)s)",
    )
    add(
        "--virtual",
        action="store_true",
        help="of an engine without drives, as its files have to say: all steps that need no "
        "person, without a question",
    )
    add("--yes", action="store_true", help="say yes to everything: where no drive can do harm")


def _axes(text: str) -> tuple[int, ...]:
    """Numbers of axes, each once."""
    words = [word.strip() for word in text.split(",")] if text.strip() else []
    if not all(word.isascii() and word.isdecimal() and int(word) < MAX_AXES for word in words):
        raise argparse.ArgumentTypeError(
            f"{text!r} must be numbers of axes, 0 to {MAX_AXES - 1}, such as 0,1"
        )
    axes = tuple(int(word) for word in words)
    if len(set(axes)) < len(axes):
        raise argparse.ArgumentTypeError(f"{text!r} names an axis twice")
    return axes
