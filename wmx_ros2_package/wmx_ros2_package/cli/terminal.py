"""What a command prints: tables for people, JSON for programs, errors on stderr.

`rich` is imported when the first table is drawn: most of what makes `wmx --help` quick.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass
from datetime import timedelta
from enum import Enum
from functools import cached_property
from math import isnan, nan
from threading import Event, Thread, Timer
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from ..diagnosis.typed_commands import as_typed
from .failures import Failure, wrong

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.table import Table

T = TypeVar("T")
Cell = str | float | bool | None
QUIET = 1.0
"""What ends sooner, s, shows no bar."""
PERIOD = 0.1
"""How often a bar is drawn, s."""
FILE_WIDTH = 160
"""The width of what is printed into a file or a pipe, characters."""
STOPPING = "ALARM", "OFFLINE", "STOPPED"
"""Words of cells about what has stopped something."""


class Terminal:
    """Where one command prints. All text for people goes through it, and all JSON."""

    def __init__(self, *, as_json: bool = False) -> None:
        self.as_json = as_json
        self.domain: int | None = None
        """The ROS domain for which the command was given, where it names one."""

    @cached_property
    def console(self) -> Console:
        """The console of rich on stdout: colours on a terminal only, none with NO_COLOR."""
        from rich.console import Console

        width = None if sys.stdout.isatty() else FILE_WIDTH
        return Console(file=sys.stdout, width=width, highlight=False, soft_wrap=False)

    @property
    def live(self) -> bool:
        """Whether a person watches: stdout is a terminal that can draw over itself."""
        return not self.as_json and self.console.is_terminal and not self.console.is_dumb_terminal

    def say(self, text: str) -> None:
        """Print a line for people; with --json nothing."""
        if not self.as_json:
            print(text, flush=True)

    def typed(self, text: str) -> str:
        """Return `text` with its commands as they are typed here, for the domain that was asked."""
        return as_typed(text, self.domain)

    def warn(self, text: str) -> None:
        """Print a warning on stderr."""
        print(f"wmx: {text}", file=sys.stderr, flush=True)

    def show(self, data: object, draw: Callable[[], RenderableType]) -> None:
        """Print `data` as one line of JSON, or for people what `draw` makes of it."""
        if self.as_json:
            print(json.dumps(plain(data)), flush=True)
        else:
            self.print(draw())

    def print(self, picture: RenderableType) -> None:
        """Print a text, or a picture of rich; in a file no line ends with blanks."""
        if isinstance(picture, str):
            print(picture, flush=True)
        elif self.console.is_terminal:
            self.console.print(picture)
        else:
            with self.console.capture() as captured:
                self.console.print(picture)
            print("\n".join(line.rstrip() for line in captured.get().splitlines()), flush=True)

    def fail(self, failure: Failure) -> None:
        """Print why the command ends, and what helps: on stderr, or as JSON on stdout."""
        if self.as_json and failure.shown:
            return
        text, remedy = self.typed(failure.text), self.typed(failure.remedy)
        if self.as_json:
            error = {
                "error": text,
                "remedy": remedy,
                "code": failure.code,
                "name": failure.name,
                "exit_code": int(failure.exit_code),
            }
            print(json.dumps(error), flush=True)
            return
        sys.stdout.flush()
        print(f"wmx: {text}", file=sys.stderr)
        if remedy:
            print("".join(f"    {line}\n" for line in remedy.splitlines()), end="",
                  file=sys.stderr)  # fmt: skip
        sys.stderr.flush()

    def agrees(self, question: str, about: str) -> bool:
        """Return whether the person at the terminal agrees.

        Without a terminal, and with --json, nobody is asked, which is no consent: the Failure names
        what it is `about`.
        """
        if self.as_json or not sys.stdin.isatty():
            raise wrong(f"nobody can be asked whether {about}", remedy="--yes")
        return says_yes(question)

    @contextmanager
    def drawing(self) -> Iterator[Callable[[RenderableType], None]]:
        """Yield a function that draws a picture: over the last one where that can be."""
        if not self.live:
            yield self.print
            return
        from rich.live import Live

        with Live(console=self.console, auto_refresh=False, vertical_overflow="ellipsis") as live:
            yield lambda picture: live.update(picture, refresh=True)

    @contextmanager
    def progress(
        self, what: str, share: Callable[[], float] = lambda: nan, *, told: bool = False
    ) -> Iterator[None]:
        """Draw a bar in a terminal while the block lasts, once that is longer than a second.

        `share`, which another thread calls, is how much is done, 0 to 1; NaN where that is unknown.
        What is `told` is a line on stderr where there is no terminal, so that no script seems to
        hang.
        """
        if not self.live:
            telling = Timer(QUIET, self.warn, [f"{what} ..."])
            telling.daemon = True
            if told:
                telling.start()
            try:
                yield
            finally:
                telling.cancel()
            return
        over = Event()
        drawing = Thread(target=self._draw_bar, args=(what, share, over), daemon=True)
        drawing.start()
        try:
            yield
        finally:
            over.set()
            drawing.join()

    def steps(self, what: str, items: Sequence[T]) -> Iterator[T]:
        """Yield `items`, with the progress through them."""
        done: list[T] = []
        with self.progress(what, lambda: len(done) / len(items)):
            for item in items:
                yield item
                done.append(item)

    def _draw_bar(self, what: str, share: Callable[[], float], over: Event) -> None:
        if over.wait(QUIET):
            return
        from rich.progress import BarColumn, Progress, TextColumn

        name = TextColumn("{task.description}", markup=False)  # which may have brackets
        columns = name, BarColumn(), TextColumn("{task.fields[time]}")
        began = monotonic() - QUIET
        with Progress(*columns, console=self.console, transient=True) as bar:
            # A task that has not started is one of which no share is known: the rich of Humble has
            # no task without a total.
            task = bar.add_task(what, start=False, total=1.0, time=timedelta(seconds=int(QUIET)))
            while not over.wait(PERIOD):
                if not isnan(done := share()):
                    bar.start_task(task)
                    bar.update(task, completed=done)
                bar.update(task, time=timedelta(seconds=int(monotonic() - began)))


def says_yes(question: str) -> bool:
    """Return what the person at the terminal answers; Ctrl-D, or nobody there, is a no."""
    try:
        return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False


def table(columns: Sequence[str], rows: Iterable[Sequence[Cell]], title: str = "") -> Table:
    """Return a table; a column whose first value is a number stands at the right.

    A column's name may carry its unit in brackets, such as `position [rad]`.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    made = Table(
        box=box.SIMPLE_HEAD,
        show_header=any(columns),
        title=title or None,
        title_justify="left",
        pad_edge=False,
    )
    rows = [*rows]
    for i, column in enumerate(columns):
        number = bool(rows) and isinstance(rows[0][i], (int, float))
        made.add_column(Text(column), justify="right" if number else "left", no_wrap=number)
    for row in rows:
        made.add_row(*(Text(shown(cell), style=style_of(cell)) for cell in row))
    return made


class NarrowingTable:
    """A table that leaves out columns where it is wider than the terminal.

    They are the `spare` ones, in this order, and are named below it. So what an axis is called and
    what stops it is read in a narrow terminal, too, which would cut off every column alike.
    """

    def __init__(
        self,
        columns: Sequence[str],
        rows: Iterable[Sequence[Cell]],
        spare: Sequence[str],
        title: str = "",
    ) -> None:
        self.title = title
        self._columns = columns
        self._rows = [*rows]
        self._spare = spare

    def at_width(self, console: Console, options: ConsoleOptions) -> Table:
        """Return the table with as many of its columns as there is room for."""
        from rich.measure import Measurement

        for count in range(len(self._spare) + 1):
            made = self._without(self._spare[:count])
            wanted = Measurement.get(console, options.update(max_width=FILE_WIDTH), made).minimum
            if wanted <= options.max_width:
                break
        return made

    def _without(self, left_out: Sequence[str]) -> Table:
        kept = [i for i, column in enumerate(self._columns) if column not in left_out]
        columns = [self._columns[i] for i in kept]
        made = table(columns, ([row[i] for i in kept] for row in self._rows), self.title)
        if left_out:
            made.caption = f"no room for {', '.join(c.partition(chr(10))[0] for c in left_out)}"
            made.caption_justify = "left"
        return made

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Table]:
        yield self.at_width(console, options)


def shown(cell: Cell) -> str:
    """Return a value as people read it; a number has four decimals and no negative zero."""
    if cell is None:
        return "-"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float):
        return f"{round(cell, 4) + 0.0:.4f}"
    return str(cell)


def style_of(cell: Cell) -> str:
    """Return the colour of a cell: red for what has stopped something."""
    return "bold red" if any(word in str(cell) for word in STOPPING) else ""


def plain(value: Any) -> Any:
    """Return `value` as JSON holds it: dataclasses and arrays become lists and objects.

    A number that is not finite becomes null, which JSON has and NaN it has not.
    """
    if is_dataclass(value) and not isinstance(value, type):
        return plain(asdict(value))
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, Enum):
        return value.name.lower()
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(each) for each in value]
    if isinstance(value, float):
        return value if abs(value) < float("inf") else None
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)
