"""Finds the options that were probably meant by words that a program does not know."""

import re
from argparse import ArgumentParser
from collections.abc import Sequence
from difflib import get_close_matches


def unrecognized(parser: ArgumentParser, unknown: Sequence[str]) -> str:
    """Return the message about `unknown` words, with the options of `parser` that are alike."""
    known = {*re.findall(r"--[a-z][a-z-]*", parser.format_help())}
    found = (get_close_matches(_name(word), known, n=1, cutoff=0.7) for word in unknown)
    alike = [word for [word] in filter(None, found)]
    meant = f": did you mean {' and '.join(alike)}?" if alike else ""
    return f"unrecognized arguments: {' '.join(unknown)}{meant}"


def _name(word: str) -> str:
    """Return the option of `--option=value`."""
    return word.partition("=")[0]
