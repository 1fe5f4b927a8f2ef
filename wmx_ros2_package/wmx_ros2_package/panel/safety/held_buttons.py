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
from math import inf
from threading import Condition, Thread
from time import monotonic
from typing import Any

from ...client import Machine, MachineError, Motion, NotAnswered, NotConnected
from ..numbers import MOST_CHARACTERS, NumberRule

HOLD_LEASE = 0.35
"""How long an answer of the browser holds a jog, s."""
READY_TIMEOUT = 0.5
"""How long a press waits until what it moves has come to rest, and again for an answer, s."""
TOO_SLOW = "the connection was too slow: press again"
MOST_LINK = 100
"""Characters of the name of a link."""
_log = logging.getLogger("wmx_panel")


@dataclass(frozen=True, slots=True)
class HeldTool:
    """Which tool a button moves, as the button says."""

    link: str
    of_tool: bool
    """Along and about the axes of the tool itself, else those of the root."""

    @classmethod
    def read(cls, sent: Any) -> HeldTool:
        """What `hold` in panel.js has sent; KeyError or TypeError if it is none."""
        return cls(str(sent["link"])[:MOST_LINK], bool(sent["of_tool"]))


@dataclass(frozen=True, slots=True)
class Hold:
    """What is held, by the answer of a browser."""

    id: str
    """Of one press of a button, so that what has ended does not begin again."""
    axis: int | None
    """None: the base, or the tool."""
    directions: tuple[int, ...]
    """Which way: -1, 0 or 1. Of an axis: one. Of the base: forward, and to the left. Of the tool:
    along x, y and z, and about them."""
    speeds: tuple[str, ...]
    """As typed, one for each direction: u/s; of base and tool m/s and rad/s."""
    tool: HeldTool | None = None
    """Of a button of the tool."""

    def __str__(self) -> str:
        speeds = ", ".join(
            f"{'-' if way < 0 else ''}{speed.strip() or '?'}"
            for way, speed in zip(self.directions, self.speeds, strict=True)
            if way
        )
        return f"{self._what} at {speeds}"

    @property
    def _what(self) -> str:
        if self.axis is not None:
            return f"jog axis {self.axis}"
        if self.tool is None:
            return "drive the base"
        _, turn, axis = self.tool_direction
        way = f"{'about' if turn else 'along'} {'xyz'[axis]}"
        return f"jog {self.tool.link} {way} of {'itself' if self.tool.of_tool else 'the root'}"

    @property
    def tool_direction(self) -> tuple[int, bool, int]:
        """Which of the six moves a tool; whether it turns, and about or along x, y or z: 0 to 2."""
        number = next(i for i, way in enumerate(self.directions) if way)
        return number, number > 2, number % 3

    @classmethod
    def read(cls, sent: Any) -> Hold:
        """What `hold` in panel.js has sent; ValueError, KeyError or TypeError if it is none."""
        axis = sent["axis"]
        if axis is not None and type(axis) is not int:  # True is an int as well
            raise ValueError(f"no number of an axis: {axis!r}")
        directions = tuple(sent["directions"])
        speeds = tuple(str(each)[:MOST_CHARACTERS] for each in sent["speeds"])
        tool = HeldTool.read(sent["tool"]) if axis is None and sent.get("tool") else None
        count = 6 if tool is not None else 2 if axis is None else 1
        right = len(directions) == len(speeds) == count and {*directions} <= {-1, 0, 1}
        if tool is not None:  # along or about one axis
            right = right and sum(map(abs, directions)) == 1
        if not right or (axis or 0) < 0:
            raise ValueError(f"nothing that is held: {sent}")
        return cls(str(sent["id"])[:64], axis, directions, speeds, tool)

    def velocities(self, highest: float = inf) -> tuple[float, ...]:
        """Signed; NoNumber unless each speed that is used is a number above 0, `highest` at most.

        Only the button decides which way it goes.
        """
        rule = NumberRule(name="velocity", above=0.0, high=highest)
        return tuple(
            way * rule.read(speed) if way else 0.0
            for way, speed in zip(self.directions, self.speeds, strict=True)
        )

    def begin(
        self, machine: Machine, highest: float = inf, *, before: Callable[[], object]
    ) -> Motion:
        """Command it; an axis is no faster than `highest`, u/s.

        `before` raises what keeps it from being commanded.
        """
        if self.axis is None:
            return machine.base.drive(*self.velocities(), before=before)
        return machine.axes[self.axis].jog(*self.velocities(highest), before=before)


class LeaseExpired(ValueError):
    """The browser did not prove in time that the button is held."""


class _LetGo(Exception):
    """The button was let go, or a stop has come, before anything moved."""


class EndedByItself(ValueError):
    """What a button moves has come to its end though the button is held."""


class Jog:
    """One press of a jog button, from its begin to the rest of the axis."""

    def __init__(
        self,
        hold: Hold,
        begin: Callable[[Callable[[], None]], Motion],
        *,
        ready: Callable[[], bool] = lambda: True,
        plan: Callable[[], object] = lambda: None,
        stopped: Callable[[], bool] = lambda: False,
        failed: Callable[[MachineError | ValueError], None] = lambda _: None,
    ) -> None:
        """`begin` commands it, in the thread of this jog, soon or when it is `ready`.

        It is given a check, which it calls just before it commands anything, and again wherever it
        has waited then, and whose exception it lets pass.

        What takes a while before is done by `plan`: the lease may expire then, for nothing moves,
        but the browser has to prove once more that the button is held. The jog ends, or does not
        begin, when `stopped` says that a stop has come since its press. `failed` takes each error.
        """
        self.hold = hold
        self.error: MachineError | ValueError | None = None
        """Why the jog did not begin, or ended by itself."""
        self.begun = False
        """Whether anything was moved, or may have been."""
        self.end_unknown = False
        """Whether something may move, for its command or its end was not answered."""
        self._commanded = False
        """Whether the check has let something be commanded."""
        self._begin = begin
        self._ready = ready
        self._plan = plan
        self._failed = failed
        self._stopped = stopped
        self.until = monotonic() + HOLD_LEASE
        """Until when the button counts as held without a further answer, by the steady clock, s."""
        self._changed = Condition()
        self._released = False
        self._thread = Thread(target=self._run_all, name="panel-jog", daemon=True)
        self._thread.start()

    @property
    def over(self) -> bool:
        """Whether it has been stopped; it does not begin again."""
        return self._released or not self._thread.is_alive()

    @property
    def ended(self) -> bool:
        """Whether nothing of it is still to come: it has no error later, nor begins."""
        return not self._thread.is_alive()

    def renew(self) -> None:
        """Hold it for another lease."""
        with self._changed:
            self.until = monotonic() + HOLD_LEASE

    def release(self) -> None:
        """Slow down to rest."""
        with self._changed:
            self._released = True
            self._changed.notify_all()

    @property
    def _wanted(self) -> bool:
        """Whether the button is held still, as far as is known, and no stop has come."""
        return not (self._released or self._stopped())

    def _held(self) -> bool:
        """Whether it is wanted, and the browser proves it."""
        if not self._wanted:
            return False
        if self.until > monotonic():
            return True
        self._fail(LeaseExpired(TOO_SLOW))
        return False

    def _require_held(self) -> None:
        if not self._held():
            raise _LetGo
        self._commanded = True

    def _fail(self, error: MachineError | ValueError) -> None:
        self.error = error
        self._failed(error)

    def _wait(self, for_: Callable[[], bool]) -> None:
        """Wait until it is so, or nobody wants it any more, or it takes too long."""
        latest = monotonic() + READY_TIMEOUT
        while self._wanted and not for_() and monotonic() < latest:
            self._changed.wait(0.02)

    def _run_all(self) -> None:
        try:
            self._run()
        except Exception as error:  # which nobody has foreseen
            _log.exception("%s", self.hold)
            self.end_unknown = self._commanded
            self._fail(ValueError(repr(error)))

    def _run(self) -> None:
        try:
            with self._changed:
                self._wait(self._ready)
                if not self._wanted:
                    return
            self._plan()
            with self._changed:
                self._wait(lambda: self.until > monotonic())
                if not self._held():
                    return
            motion = self._begin(self._require_held)
            self.begun = True
        except _LetGo:
            self.begun = self._commanded
            return
        except (MachineError, ValueError) as error:  # a number, or a way of the tool
            unknown = isinstance(error, (NotAnswered, NotConnected))  # as beside another system
            self.end_unknown = self._commanded and unknown
            self._fail(error)
            return
        try:
            self._hold(motion)
        finally:  # whatever has ended that
            self._end(motion)

    def _hold(self, motion: Motion) -> None:
        """Wait until the button is let go, or the motion has ended by itself."""
        with self._changed:
            while self._held() and not motion.done:
                self._changed.wait(min(self.until - monotonic(), 0.05))
            result = motion.result if self._wanted and self.error is None else None
            self._released = True
        if result is not None and not result.arrived:
            reason = result.reason.name.lower().replace("_", " ")
            why = ": ".join(filter(None, (reason, result.message)))
            self._fail(EndedByItself(f"the motion has ended by itself: {why}"))

    def _end(self, motion: Motion) -> None:
        """Bring the motion to rest."""
        try:
            motion.cancel()
        except MachineError as error:
            self.end_unknown = True
            self._fail(error)
