"""What a program uses and this module does not simulate: one line for each."""

import sys
from collections.abc import Callable
from typing import Any

from wmx_core.errors import ErrorCode


class NotSimulated:
    """The names that a program used and that are not simulated, each reported once."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self.names: list[str] = []
        self._ignored: set[str] = set()
        self._report = report

    def note(self, *names: str) -> int:
        """Report that a program has used `names`; return NoSupportedFunction, their answer."""
        for name in names:
            if name not in self.names:
                self.names.append(name)
                self._report(f"wmx_sim: {name} is not simulated; it answers NoSupportedFunction")
        return int(ErrorCode.NoSupportedFunction)

    def function(self, name: str, *values: Any) -> Callable[..., Any]:
        """Return a function of the SDK that is not simulated; with `values` beside its code."""

        def refused(code: int) -> Any:
            return (code, *values) if values else code

        def call(*_args: Any) -> Any:
            return refused(self.note(name))

        call.refused = refused  # type: ignore[attr-defined]
        return call

    def absent(self, name: str) -> None:
        """Report that a program has used a class that the module does not have."""
        if name not in self.names:
            self.names.append(name)
            self._report(f"wmx_sim: there is no {name} here, nor on the list of the SDK's names")

    def ignored(self, what: str) -> None:
        """Report a call that answers success and changes nothing."""
        if what not in self._ignored:
            self._ignored.add(what)
            self._report(f"wmx_sim: {what}")


def on_stderr() -> NotSimulated:
    """Return one that reports on standard error."""
    return NotSimulated(lambda line: print(line, file=sys.stderr))
