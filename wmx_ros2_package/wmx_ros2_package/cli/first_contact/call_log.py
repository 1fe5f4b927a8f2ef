"""Every call of the SDK in a file: what was called with what, what it answered, and when.

A call is written before it is made, so that the last line shows what a crash was in. Calls that
repeat the one before, with the same answer, are counted only. A line that cannot be written, as on
a full disk, is left out: the call may be a stop.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock, get_ident
from typing import Any

LONGEST = 200
"""Characters of an argument or an answer that are kept."""
MOST = 12
"""Elements of a list that are kept."""


class CallLog:
    """A trace of `wmx3.sdk`; any thread may call."""

    def __init__(self, file: Path) -> None:
        self._began = time.monotonic()
        self._file = file
        file.write_text("", encoding="utf-8")
        self._last = ""
        self._repeated = 0
        self._lock = Lock()

    def __call__(self, name: str, args: tuple[Any, ...], call: Callable[[], Any]) -> Any:
        what = f"{name}({', '.join(map(shown, args))})"
        began = time.monotonic()
        head = f"{began - self._began:.6f} {get_ident() % 10_000:4} {what}"
        with self._lock:
            if not self._last.startswith(f"{what} ->"):
                self._write(head)
        try:
            answer = call()
        except BaseException as error:
            self._end(what, f"{type(error).__name__}: {error}", head, began)
            raise
        self._end(what, shown(answer), head, began)
        return answer

    def _end(self, what: str, answer: str, head: str, began: float) -> None:
        line = f"{what} -> {answer}"
        with self._lock:
            if line == self._last:
                self._repeated += 1
                return
            if self._repeated:
                self._write(f"  the same {self._repeated} times more")
            self._last, self._repeated = line, 0
            self._write(f"{head} -> {answer} in {1e6 * (time.monotonic() - began):.0f} us")

    def _write(self, line: str) -> None:
        with suppress(OSError), self._file.open("a", encoding="utf-8") as file:
            file.write(line + "\n")


def shown(value: Any) -> str:
    """`value` in short; of an object of the SDK its plain attributes."""
    if isinstance(value, list | tuple) and len(value) > MOST:
        return f"[{len(value)} of {shown(value[0])}]"
    if isinstance(value, tuple | list):
        return f"({', '.join(map(shown, value))})"
    if value is None or isinstance(value, bool | int | float | str | bytes):
        return repr(value)[:LONGEST]
    found = {}
    for name in dir(value):
        each = None if name.startswith("_") or name == "this" else getattr(value, name, None)
        if isinstance(each, bool | int | float | str):
            found[name] = each
    fields = ", ".join(f"{name}={each!r}" for name, each in found.items())
    return f"{type(value).__name__}({fields})"[:LONGEST]
