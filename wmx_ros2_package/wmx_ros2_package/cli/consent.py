"""Asks the person at the terminal before something that may do harm."""

import sys

from .failures import wrong


def agreed(question: str, about: str) -> bool:
    """Return the answer; without a terminal there is no consent, and the error names `about`."""
    if not sys.stdin.isatty():
        raise wrong(f"nobody can be asked whether {about}", remedy="--yes")
    return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")
