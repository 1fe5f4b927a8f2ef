"""`ros2 wmx VERB ...`: the verbs of `wmx` as a command of ros2cli, which loads this class."""

import argparse

from ros2cli.command import CommandExtension

from .wmx import list_of_verbs, main


class WmxCommand(CommandExtension):  # type: ignore[misc]
    """Look at, set up and move a machine of the WMX motion engine."""

    def add_arguments(self, parser: argparse.ArgumentParser, cli_name: str) -> None:
        """Leave all words to `wmx`, also those that begin with a dash."""
        parser.add_argument("words", nargs=argparse.REMAINDER, metavar="VERB ...")
        parser.epilog = list_of_verbs()

    def main(self, *, parser: argparse.ArgumentParser, args: argparse.Namespace) -> int:
        """Run the command; its exit code."""
        return main(args.words)
