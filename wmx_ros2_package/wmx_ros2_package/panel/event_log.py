"""What has happened, as rows with a date: filtered by kind, words and time, and exported."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import inf
from uuid import UUID

KINDS = ("order", "begin", "end", "refused", "error")
TIME_FORMS = ("%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d", "%H:%M:%S", "%H:%M")
"""How a time may be typed; one without a date is of today."""
TIME_HINT = "2026-11-26 18:00, or 18:00"
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a program for tables takes for the begin of a formula."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRow:
    """One thing that has happened."""

    at: float
    """s since the epoch."""
    kind: str
    text: str
    axes: str
    source: str
    id: UUID | None = None
    """Of a motion: two that were alike may have begun at one time."""

    @property
    def date(self) -> str:
        """When it was, to the millisecond."""
        return datetime.fromtimestamp(self.at).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]

    @property
    def words(self) -> str:
        """All of it, in small letters."""
        return f"{self.date} {self.kind} {self.text} {self.axes} {self.source}".lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class EventFilter:
    """Which rows are wanted."""

    kinds: Sequence[str] = KINDS
    words: str = ""
    """Each of which a row has, wherever it stands."""
    since: float = -inf
    until: float = inf

    def choose(self, rows: Iterable[EventRow]) -> list[EventRow]:
        """Those that are wanted, the newest first."""
        wanted = self.words.lower().split()
        found = [
            row
            for row in rows
            if row.kind in self.kinds
            and self.since <= row.at <= self.until
            and all(word in row.words for word in wanted)
        ]
        return sorted(found, key=lambda row: row.at, reverse=True)


def read_time(typed: object, *, end: bool = False) -> float:
    """The time that was typed, s since the epoch; ValueError where it is none.

    Nothing is no bound. As an `end` it includes the second, the minute or the day that it names.
    """
    text = str(typed or "").strip()
    if not text:
        return inf if end else -inf
    for form in TIME_FORMS:
        try:
            at = datetime.strptime(text, form)
        except ValueError:
            continue
        if "%Y" not in form:
            at = datetime.combine(datetime.now().date(), at.time())
        unit = "seconds" if "%S" in form else "minutes" if "%M" in form else "days"
        try:
            # By the calendar: a day may have 23 or 25 hours.
            return (at + timedelta(**{unit: 1}) if end else at).timestamp()
        except OverflowError:  # its last day
            return inf
    raise ValueError(f"{text!r} is no time: write it such as {TIME_HINT}")


def as_csv(rows: Sequence[EventRow]) -> str:
    """The rows as a file, after a row of names; no text begins a formula."""
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(["date", "at", "kind", "text", "axes", "source"])
    for row in rows:
        texts = map(_plain, (row.kind, row.text, row.axes, row.source))
        writer.writerow([row.date, f"{row.at:.6f}", *texts])
    return file.getvalue()


def _plain(text: str) -> str:
    return f"'{text}" if text.startswith(FORMULA) else text
