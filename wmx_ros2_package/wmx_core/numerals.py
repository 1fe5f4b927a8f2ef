"""Numbers in texts, as people and files write them.

float() and int() alone also take "1_5" for 15, and digits of every script.
"""

import re

_DECIMAL = re.compile(r"\s*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?\s*", re.ASCII)
_WHOLE = re.compile(r"\s*[+-]?[0-9][0-9A-Za-z]*\s*", re.ASCII)


def decimal(text: str) -> float:
    """Return the number that `text` is, or infinity; ValueError where it is none."""
    if not _DECIMAL.fullmatch(text):
        raise ValueError(f"{text!r} is no number")
    return float(text)


def whole(text: str) -> int:
    """Return the whole number that `text` is, decimal or as 0x130; ValueError where it is none."""
    if not _WHOLE.fullmatch(text):
        raise ValueError(f"{text!r} is no whole number")
    return int(text, 0)
