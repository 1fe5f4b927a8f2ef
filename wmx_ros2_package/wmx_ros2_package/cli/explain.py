"""`wmx explain`: why axes do not move, and which command helps."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from .arguments import add_axes, add_system
from .connection import connected, select
from .failures import Exit
from .terminal import Terminal

if TYPE_CHECKING:
    from ..diagnosis.blockers import Blocker


def add_explain(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    add_axes(parser)
    add_system(parser)
    parser.epilog = "The exit code is 0 when nothing blocks any axis, and 1 when something does."
    parser.set_defaults(run=run_explain)


def run_explain(out: Terminal, options: argparse.Namespace) -> int:
    """Print what blocks each axis, each with the command that clears it."""
    with connected(out, options) as machine:
        axes = select(machine, options.axis).numbers if options.axis else ()
        explanations = machine.explain(axes)
        # The node that has worded them may be elsewhere.
        texts = [out.typed(each.text) for each in explanations]
        out.show(
            [
                {"text": text, "blockers": [_data(out, b) for b in each.blockers]}
                for text, each in zip(texts, explanations, strict=True)
            ],
            lambda: together(texts),
        )
        return Exit.REFUSED if any(each.blocked for each in explanations) else Exit.DONE


def _data(out: Terminal, blocker: Blocker) -> dict[str, object]:
    """Return the condition with its code as messages have it."""
    code = str(getattr(blocker.code, "value", blocker.code))
    return asdict(blocker) | {"code": code, "remedy": out.typed(blocker.remedy)}


def together(texts: Sequence[str]) -> str:
    """Return what is printed: axes that the same blocks are one entry."""
    alike: dict[str, list[str]] = {}
    for text in texts:
        axis, _, words = text.partition(":")
        alike.setdefault(words, []).append(axis.removeprefix("axis "))
    return "\n".join(
        f"{'axes' if axes[1:] else 'axis'} {', '.join(axes)}:{words}"
        for words, axes in alike.items()
    )
