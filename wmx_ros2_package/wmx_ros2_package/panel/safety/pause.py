"""The pause and the speed of the machine, as the panel knows them.

Everybody may pause, as everybody may stop; who has control resumes. For RESUME_DELAY after each
press of the pause, and after each pause of another program, nothing is resumed: so whoever clicks
it twice, or clicks it while another one resumes, never lets the machine go on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import isnan
from threading import Lock
from time import monotonic

from ...client import MotionBegin
from ...control.axis_file.records import FULL_SPEED, Speed
from ...control.request import MotionKind, unit_of_event

RESUME_DELAY = 2.0
"""How long after the newest pause nothing is resumed, s."""
SPEED_TIMEOUT = 5.0
"""The speed is published once a second; what was longer ago, s, is not known to be so still."""
STANDS = MotionKind.HOLD, MotionKind.STOP
"""Motions that a resume moves nowhere."""
NOTHING_WAITS = "PAUSED. No motion is known that a resume would let go on."
TOO_SOON = f"nothing is resumed within {RESUME_DELAY:g} s after a pause: look, then click again"


class ResumeRefused(Exception):
    """The machine is not resumed; the text has the reason."""


class PauseRecord:
    """The speed of the machine, and when it was paused last. Any thread may call."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._lock = Lock()
        self._paused_at = -RESUME_DELAY
        self._speed: Speed | None = None
        self._counted: int | None = None
        """How many pauses the engine node has counted."""
        self._published_at = -SPEED_TIMEOUT

    def press(self) -> None:
        """Record that the pause was pressed on the panel."""
        with self._lock:
            self._paused_at = self._clock()

    def count(self, pauses: int) -> None:
        """Record how many pauses of all programs the engine node has counted, as it publishes."""
        with self._lock:
            if self._counted not in (None, pauses):
                self._paused_at = self._clock()
            self._counted = pauses

    def publish(self, speed: Speed | None) -> None:
        """Record the speed as the engine node publishes it; None where it is not known."""
        with self._lock:
            now, known = self._clock(), self._speed
            if speed is not None and speed.paused and not (known is not None and known.paused):
                self._paused_at = now
            self._speed, self._published_at = speed, now

    @property
    def speed(self) -> Speed | None:
        """That of now, as it was published last; None where it is not known."""
        with self._lock:
            fresh = self._clock() < self._published_at + SPEED_TIMEOUT
            return self._speed if fresh else None

    def lasts(self, duration: float) -> str:
        """How long what takes `duration` (s) at full speed takes at the speed of now, in words."""
        speed = self.speed
        if speed is None:
            return f"{duration:.1f} s at full speed"
        if speed.percent == FULL_SPEED:
            return f"{duration:.1f} s"
        return f"{duration * FULL_SPEED / speed.percent:.1f} s at the speed of {speed.percent} %"

    @property
    def resumable(self) -> bool:
        """Whether a resume would count now."""
        speed = self.speed
        paused = speed is not None and speed.paused
        return paused and self._clock() >= self._paused_at + RESUME_DELAY

    def require_resumable(self) -> None:
        """ResumeRefused within RESUME_DELAY after a pause."""
        if self._clock() < self._paused_at + RESUME_DELAY:
            raise ResumeRefused(TOO_SOON)


def what_waits(open_motions: Iterable[MotionBegin], units: Mapping[int, str]) -> str:
    """What a resume lets go on, in words; `units` of the axes."""
    waits = [_waits(each, units) for each in open_motions if each.kind not in STANDS]
    return f"PAUSED. Resume lets go on: {'; '.join(waits)}" if waits else NOTHING_WAITS


def _waits(begin: MotionBegin, units: Mapping[int, str]) -> str:
    names = begin.names or [f"axis {axis}" for axis in begin.axes]

    def unit(axis: int) -> str:
        return unit_of_event(begin.source, units.get(axis, "u"))

    targets = begin.targets or [float("nan")] * len(begin.axes)
    ways = [
        name if isnan(target) else f"{name} to {round(target, 4) + 0.0:g} {unit(axis)}"
        for axis, name, target in zip(begin.axes, names, targets, strict=False)
    ]
    # Only its end is known here, and on its way there it may go anywhere.
    path = "a path that ends with " if begin.kind is MotionKind.TRAJECTORY else ""
    return f"{path}{', '.join(ways)} ({begin.kind.name.lower()} of {begin.source})"
