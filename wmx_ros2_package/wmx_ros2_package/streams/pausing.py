"""Which axes of a stream have to pause before they move again, and why."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf

SHOWN = 0.02
"""By then the status shows what was commanded, s."""
LATE = 1.0
"""What has waited for a suspended process, or for the engine, comes within this time, s."""


@dataclass(slots=True)
class Run:
    """What is known of one axis of a stream since it began; times of the steady clock, s."""

    heard: float
    """When the stream last commanded it."""
    began: float
    """When it was first commanded."""
    ended_by: str = ""
    """Why it has to pause."""
    shown_from: float = inf
    """From then on the state of the axis shows that it is moved."""


class Runs:
    """Those of one stream, which pauses when nothing is heard of it for more than `timeout` s."""

    def __init__(self, timeout: float, clock: Callable[[], float]) -> None:
        self.timeout = timeout
        self._clock = clock
        self._runs: dict[int, Run] = {}
        self._paused_from = -inf
        self._why = ""

    def get(self, axis: int) -> Run | None:
        """That of `axis`, if the stream has commanded it."""
        return self._runs.get(axis)

    def hear(self, axis: int, now: float) -> Run:
        """The stream commands `axis`: its run, a new one if the stream had paused."""
        run = self._runs.get(axis)
        if run is None or now - run.heard > self.timeout:
            run = self._runs[axis] = Run(now, now)
            if self.timeout and now - self._paused_from <= max(self.timeout, LATE):
                run.ended_by = self._why
        run.heard = now
        return run

    def end(self, axis: int) -> None:
        """The stream itself has ended the motion of `axis`: its next command is a new beginning."""
        self._runs.pop(axis, None)

    def pause(self, axes: Sequence[int], reason: str) -> None:
        """Those of `axes` that the stream moves have to pause."""
        for axis in axes:
            if axis in self._runs:
                self._runs[axis].ended_by = reason

    def moving(self) -> list[int]:
        """The axes that the stream may be moving."""
        return [axis for axis, run in self._runs.items() if not run.ended_by]

    def forget(self) -> None:
        """What was is over: the next command is a new beginning."""
        self._runs.clear()

    def begin_anew(self, reason: str) -> None:
        """Nothing is known of what was: every axis has to pause, whatever is heard of it."""
        self.forget()
        self._paused_from, self._why = self._clock(), reason
