"""A jog, or a drive of the base, that lasts as long as a button is held, which the browser proves.

The browser answers each frame of the live status, ten a second, and its answer has what is
held. An answer counts when the frame is fresh that it answers: what was delayed on its way, or
was sent by a browser that stalls, moves nothing. Without such an answer for HOLD_LEASE the axis is
stopped, by a thread of its own, whatever the server does then. Should this process die, the lease
of the client library ends the motion within a second.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from threading import Condition, Thread
from time import monotonic
from typing import Any

from ..client import Machine, MachineError, Motion

HOLD_LEASE = 0.35
"""How long an answer of the browser holds a jog, s."""
_log = logging.getLogger("wmx_panel")


@dataclass(frozen=True, slots=True)
class Hold:
    """What is held, by the answer of a browser."""

    id: str
    """Of one press of a button, so that what has ended does not begin again."""
    axis: int | None
    """None: the base."""
    velocity: tuple[float, ...]
    """Signed. Of an axis: u/s. Of the base: forward, m/s, and to the left, rad/s."""

    def __str__(self) -> str:
        if self.axis is not None:
            return f"jog axis {self.axis} at {self.velocity[0]:g} u/s"
        return "drive the base at {:g} m/s and {:g} rad/s".format(*self.velocity)

    @classmethod
    def read(cls, sent: Any) -> Hold:
        """What `hold` in panel.js has sent; ValueError, KeyError or TypeError if it is none."""
        axis = None if sent["axis"] is None else int(sent["axis"])
        velocity = tuple(map(float, sent["velocity"]))
        right = len(velocity) == (2 if axis is None else 1) and all(map(isfinite, velocity))
        if not right or (axis or 0) < 0:
            raise ValueError(f"nothing that is held: {sent}")
        return cls(str(sent["id"])[:64], axis, velocity)

    def begin(self, machine: Machine) -> Motion:
        """Command it."""
        if self.axis is None:
            return machine.base.drive(*self.velocity)
        return machine.axes[self.axis].jog(*self.velocity)


class Jog:
    """One press of a jog button, from its begin to the rest of the axis."""

    def __init__(self, hold: Hold, begin: Callable[[], Motion]) -> None:
        """`begin` commands it; it is called in the thread of this jog."""
        self.hold = hold
        self.error: MachineError | None = None
        """Why the jog did not begin, or ended by itself."""
        self._begin = begin
        self._until = monotonic() + HOLD_LEASE
        self._changed = Condition()
        self._released = False
        self._thread = Thread(target=self._run, name="panel-jog", daemon=True)
        self._thread.start()

    @property
    def over(self) -> bool:
        """Whether it has been stopped; it does not begin again."""
        return self._released or not self._thread.is_alive()

    def renew(self) -> None:
        """Hold it for another lease."""
        with self._changed:
            self._until = monotonic() + HOLD_LEASE

    def release(self) -> None:
        """Slow down to rest."""
        with self._changed:
            self._released = True
            self._changed.notify_all()

    def _run(self) -> None:
        try:
            motion = self._begin()
        except MachineError as error:
            self.error = error
            return
        with self._changed:
            while not self._released and not motion.done:
                left = self._until - monotonic()
                if left <= 0.0:
                    _log.warning("%s: its lease has expired", self.hold)
                    break
                self._changed.wait(min(left, 0.05))
            self._released = True
        try:
            motion.cancel()
        except MachineError as error:
            self.error = error
            _log.error("%s: %s", self.hold, error.text)
