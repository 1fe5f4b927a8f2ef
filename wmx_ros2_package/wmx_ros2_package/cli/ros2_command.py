"""`ros2 wmx VERB ...`: the verbs of `wmx` as a command of ros2cli, which loads this class."""

import argparse
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from ros2cli.command import CommandExtension

from .failures import Exit
from .interrupts import die_of_interrupt
from .wmx import list_of_verbs, main


class WmxCommand(CommandExtension):  # type: ignore[misc]
    """Look at, set up and move a machine of the WMX motion engine."""

    def add_arguments(self, parser: argparse.ArgumentParser, cli_name: str) -> None:
        """Leave all words to `wmx`, also those that begin with a dash, before a verb, too.

        argparse has no words for that: it takes a dash before the first of REMAINDER for its own.
        """
        parser.add_argument("words", nargs=argparse.REMAINDER, metavar="VERB ...")
        parser.epilog = list_of_verbs()
        parse = parser.parse_known_args

        def take_all(
            words: Sequence[str] | None = None, namespace: Any = None
        ) -> tuple[argparse.Namespace, list[str]]:
            given = [*(words or ())]
            if given[:1] in (["-h"], ["--help"]):
                return parse(given, namespace)
            options, _ = parse([], namespace)
            options.words = given
            return options, []

        parser.parse_known_args = take_all  # type: ignore[method-assign, assignment]

    def main(self, *, parser: argparse.ArgumentParser, args: argparse.Namespace) -> int:
        """Run the command; its exit code. One that was interrupted ends as `wmx` does."""
        code = main(args.words)
        if code == Exit.INTERRUPTED:
            with suppress(OSError, ValueError):
                sys.stdout.flush()
            die_of_interrupt()
        return code
