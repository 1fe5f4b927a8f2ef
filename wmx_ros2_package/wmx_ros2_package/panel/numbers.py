"""Numbers that people type: taken as they stand, or refused with the reason.

A decimal point and a decimal comma are the same. Nothing is cut, rounded or moved into a range:
what is carried out is what the field shows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from math import inf

_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)")
_INTEGER = re.compile(r"[+-]?(0[xX][0-9a-fA-F]+|\d+)")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+")
MOST_CHARACTERS = 40


class NoNumber(ValueError):
    """A text is no number that may be used; the message has the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberRule:
    """Which numbers a field takes."""

    name: str
    """What the number is called where it is refused."""
    low: float = -inf
    high: float = inf
    above: float = -inf
    """It must be more than this."""
    whole: bool = False

    def read(self, text: object) -> float:
        """Return the number that `text` stands for; NoNumber where there is none or another one."""
        number = read_number(text, self.name)
        if self.whole and number != int(number):
            raise NoNumber(f"{self.name}: {_shown(text)} is no whole number")
        if number <= self.above:
            raise NoNumber(f"{self.name}: {_shown(text)} is not above {self.above:g}")
        if number < self.low:
            raise NoNumber(f"{self.name}: {_shown(text)} is below {self.low:.10g}")
        if number > self.high:
            raise NoNumber(f"{self.name}: {_shown(text)} is above {self.high:.10g}")
        return number

    def complaint(self, text: object) -> str | None:
        """Why `text` is refused; None where it is not."""
        try:
            self.read(text)
        except NoNumber as error:
            return str(error)
        return None


def read_number(text: object, name: str = "number") -> float:
    """Return the number that `text` stands for, with a decimal point or a decimal comma."""
    typed = str("" if text is None else text).strip().replace("\N{MINUS SIGN}", "-")
    if not typed:
        raise NoNumber(f"{name}: nothing is given")
    if len(typed) > MOST_CHARACTERS or not typed.isascii() or not _NUMBER.fullmatch(typed):
        raise NoNumber(f"{name}: {_shown(text)} is no number: write it such as 0.5 or 0,5")
    if _THOUSANDS.fullmatch(typed):
        plain = typed.replace(",", "")
        raise NoNumber(
            f"{name}: {_shown(text)} may be {plain} or {typed.replace(',', '.', 1)}"
            if typed.count(",") == 1
            else f"{name}: {_shown(text)} may be {plain}: write it without commas"
        )
    return float(typed.replace(",", "."))


def read_integer(text: object, name: str, low: int, high: int) -> int:
    """Return the whole number that `text` stands for, as 12 or as 0x0C."""
    typed = str("" if text is None else text).strip()
    if len(typed) > MOST_CHARACTERS or not typed.isascii() or not _INTEGER.fullmatch(typed):
        raise NoNumber(f"{name}: {_shown(text)} is no whole number: write it such as 12 or 0x0C")
    sign, digits = (-1 if typed[0] == "-" else 1), typed.lstrip("+-")
    number = sign * int(digits, 16 if digits[:2] in ("0x", "0X") else 10)
    if not low <= number <= high:
        raise NoNumber(f"{name}: {_shown(text)} is not from {low} to {high}")
    return number


def number_text(number: float) -> str:
    """Return the shortest text that `read_number` reads as `number`, a finite one.

    That of one below 1e-20 may be longer than what it reads.
    """
    text = f"{Decimal(repr(float(number) + 0.0)):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _shown(text: object) -> str:
    shown = str(text)
    return repr(shown if len(shown) <= MOST_CHARACTERS else f"{shown[:MOST_CHARACTERS]}...")
