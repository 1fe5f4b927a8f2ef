"""Refuses what a suspension made late, and ends streams and motions whose client has gone.

Those of streams are `StreamLeases`, those of motions, by the ids of their commands, `MotionLeases`.

A stream is what a joystick, MoveIt Servo or a base controller sends. Each of its commands is worth
`timeout` seconds, in which the next one has to come: a lease. The engine itself ends the motion
when the lease expires, so that the axis also stops when the client, the node or the process that
passed the commands on is dead.

A motion that something else has ended, a stop, a limit, an alarm, stays ended however long the
stream goes on: the stream has to pause for its timeout first, or to command velocity 0. So has one
after the node was suspended, has attached to an engine, or has lost the heartbeat of the engine
node. So nothing begins to move by itself when a stop is over. A pause is a gap between the times at
which the commands were *sent*: what a node that was suspended reads late is no pause.
"""

import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from math import inf
from uuid import UUID

from wmx_core.clock import Clock
from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.values import Floats

from .request import End, EndReason
from .tracker import MotionTracker

SUSPENSION = 0.5
"""A process that did nothing for this time was suspended, or the machine is far too busy, s."""
PATIENCE = 2.0
"""How long a request may have waited in a process that was suspended, s: clients wait longer for
their answers, so that none is told that nothing was done of what is done later."""
LEASE_TIMEOUT = 1.0
"""How long a lease holds, s: a client that renews it five times a second may be late by four."""
EXPIRED = "its client did not renew its lease until its start"
"""Why a motion is refused whose lease has expired before it begins."""
LONGEST_WAIT = 120.0
"""How long an expired lease is kept whose motion has not begun, s: a start may be 60 s ahead."""
_OWN_ENDS = EndReason.ARRIVED, EndReason.LEASE_EXPIRED, EndReason.REPLACED, EndReason.REFUSED
"""Ends after which a stream goes on without a pause: its own."""


class MustPause(CommandRefused):
    """The refusal of a command whose stream has to pause first."""


class Lease:
    """The lease of one stream on `axes`; times are s of the steady clock."""

    def __init__(
        self,
        axes: Sequence[int],
        timeout: float,
        run_time: float = 0.0,
        stopped: Callable[[], Floats | None] = lambda: None,
    ) -> None:
        """A motion lasts `run_time` seconds at most, unless that is 0.

        `stopped` gives the time of the last recorded stop of every axis, or raises MustPause where
        nothing may be leased at all.
        """
        self.axes = tuple(axes)
        self.timeout = timeout
        self.run_time = run_time
        self._stopped = stopped
        self._sent = -inf
        """When the newest command was sent."""
        self._began = inf
        """When the first command since the last pause was sent."""
        self._ended = ""
        """Why its motion was ended since then; empty where it was not."""

    def refresh(self, sent: float) -> None:
        """Let a command that was `sent` then move the axes, or MustPause."""
        stopped = self._stopped()
        if sent > self._sent + self.timeout:  # it has paused
            self._began, self._ended = sent, ""
        elif not self.active and not self._ended:  # it was cleared
            self._began = sent
        self._sent = max(self._sent, sent)
        if stopped is not None and self.active and (stopped[list(self.axes)] >= self._began).any():
            self._ended = "it was stopped"
        if self.run_time and self.active and sent >= self._began + self.run_time:
            self._ended = f"it has run for {self.run_time:g} s"
        self.require()

    def require(self) -> None:
        """MustPause where its motion was ended since its stream last paused."""
        if self._ended:
            raise MustPause(
                ErrorCode.NotIdleState,
                f"the commands for axes {list(self.axes)} have to pause for {self.timeout:g} s, or "
                f"at velocity 0, before they move again: {self._ended}",
            )

    @property
    def interrupted(self) -> bool:
        """Whether an interruption has ended the stream since its newest command."""
        return self._began == inf and bool(self._ended)

    def require_uninterrupted(self) -> None:
        """MustPause where an interruption has ended the stream since `refresh`.

        What ends since then for another reason is the motion before this one.
        """
        if self.interrupted:
            self.require()

    def reject(self, sent: float, reason: str) -> None:
        """Reject a command that was `sent` then: its stream has to pause first."""
        self._sent, self._ended = max(self._sent, sent), reason

    @property
    def active(self) -> bool:
        """Whether its commands may be moving the axes."""
        return self._began < inf and not self._ended

    def left(self, now: float) -> float:
        """How long a motion that is commanded now may last by itself, s; inf for ever."""
        of_run = self._began + self.run_time - now if self.run_time else inf
        return min(self.timeout or inf, max(of_run, 0.001))

    def clear(self) -> None:
        """The stream itself has ended its motion: its next command begins a new one."""
        self._began, self._ended = inf, ""

    def end(self, reason: str) -> None:
        """End its motion, if there is one, for `reason`: the stream has to pause."""
        if self.active:
            self._ended = reason

    def interrupt(self, reason: str, now: float) -> None:
        """Require a pause from `now` on, whether it was moving axes or not."""
        self._sent, self._began, self._ended = max(self._sent, now), inf, reason


class StreamLeases:
    """All leases of one node, and what they have in common; any thread may call."""

    def __init__(self, clock: Clock, stopped: Callable[[], Floats | None] = lambda: None) -> None:
        """`stopped` gives the time of the last recorded stop of every axis, s."""
        self._clock = clock
        self._stopped = stopped
        self._leases: list[Lease] = []
        self._of_axis: dict[int, list[Lease]] = {}
        self._interruption: tuple[str, float] | None = None
        """The newest, and when it was."""
        self._stops: list[Callable[[str], None]] = []
        self._lock = threading.Lock()
        self._awake = self._clock.now()
        self._woke, self._slept = -inf, 0.0
        self.heartbeat_lost = False
        """Whether the heartbeat of the engine node is missing: leases are refused."""
        self.unserved_at = self._clock.now()
        """When the newest command that could not be served was sent, s: at first when the node was
        made, for what was sent before is not known."""

    def add(self, axes: Sequence[int], timeout: float, run_time: float = 0.0) -> Lease:
        """The lease of a new stream."""
        lease = Lease(axes, timeout, run_time, self._when_stopped)
        if self._interruption is not None:
            lease.interrupt(*self._interruption)
        self._leases.append(lease)
        for axis in axes:
            self._of_axis.setdefault(axis, []).append(lease)
        return lease

    def _when_stopped(self) -> Floats | None:
        self.require_heartbeat()
        return self._stopped()

    def on_interrupted(self, stop: Callable[[str], None]) -> None:
        """Call `stop` with the reason when streams have to end that are under way."""
        self._stops.append(stop)

    def interrupt(self, reason: str, since: float | None = None) -> None:
        """End every stream: each has to pause before it goes on, from `since` or from now on.

        What keeps one from being stopped is raised when the others are.
        """
        self._interruption = reason, self._clock.now() if since is None else since
        for lease in list(self._leases):
            lease.interrupt(*self._interruption)
        with ExitStack() as stops:
            for stop in reversed(self._stops):
                stops.callback(stop, reason)

    def attach(self) -> None:
        """The node has attached to its engine: what was sent before begins no motion by itself."""
        self._awake = self._clock.now()
        self.interrupt("the node has just attached to the engine", self.unserved_at)

    def detect_suspension(self) -> None:
        """Record that this process runs; end every stream if it was suspended."""
        with self._lock:
            now = self._clock.now()
            asleep, self._awake = now - self._awake, now
            if asleep <= SUSPENSION:
                return
            self._woke, self._slept = now, asleep
        self.interrupt(f"this process was suspended for {asleep:.1f} s")

    def require_sent_after_suspension(self, sent: float, patience: float = 0.0) -> None:
        """Refuse a command that was `sent` before this process woke up from a suspension.

        One that has waited for no longer than `patience` (s) is let through all the same.
        """
        self.detect_suspension()
        if sent < min(self._woke, self._clock.now() - patience):
            raise CommandRefused(
                ErrorCode.NotIdleState,
                f"it has waited while this process was suspended for {self._slept:.1f} s",
            )

    def require_heartbeat(self) -> None:
        """Refuse leases while the heartbeat of the engine node is missing."""
        if self.heartbeat_lost:
            raise MustPause(
                ErrorCode.NotIdleState, "the heartbeat of the engine node is missing: no leases"
            )

    def on_heartbeat_change(self, *, lost: bool) -> None:
        """End every stream because the heartbeat of the engine node is lost, or is back."""
        self.heartbeat_lost = lost  # first, for what ends streams may raise
        self.detect_suspension()  # which may be why, and is what requests are judged by
        self.interrupt("the heartbeat of the engine node was missing")

    def on_motion_end(self, end: End) -> None:
        """A motion has ended: the stream that has moved its axes ends with it, unless it did so."""
        if end.reason not in _OWN_ENDS:
            for axis in end.axes:
                for lease in self._of_axis.get(axis, ()):
                    lease.end(end.message or end.reason.name.lower())


class MotionLeases:
    """The leases of the motions that `tracker` has open, which clients renew; any thread may call.

    A motion that was never leased goes on whatever becomes of its client. One that was leased once
    is stopped when its lease expires: the client has died, hangs, or does not reach the node.
    """

    def __init__(
        self,
        tracker: MotionTracker,
        stop: Callable[[Sequence[int]], None],
        clock: Clock,
    ) -> None:
        """`stop` has axes brought to rest, their motions ended with LEASE_EXPIRED; at once."""
        self._tracker = tracker
        self._stop = stop
        self._clock = clock
        self._renewed: dict[UUID, float] = {}
        """When each lease was renewed last, s; also of motions that are about to begin here, or
        that another node carries out."""
        self._lock = threading.Lock()

    def renew(self, id: UUID) -> None:
        """Renew the lease of the motion `id`."""
        with self._lock:
            self._renewed[id] = self._clock.now()

    def has_expired(self, id: UUID) -> bool:
        """Whether the motion `id`, which may not have begun yet, was leased and is no more."""
        return self._renewed.get(id, inf) < self._clock.now() - LEASE_TIMEOUT

    def check(self) -> None:
        """Stop the motions whose leases have expired; to be called several times a second."""
        now = self._clock.now()
        with self._lock:
            latest = now - LEASE_TIMEOUT
            expired = {id: renewed for id, renewed in self._renewed.items() if renewed < latest}
        for id, renewed in expired.items():
            has_begun = self._tracker.has_begun(id)
            if axes := self._tracker.axes_of_motion(id):
                self._stop(axes)
            with self._lock:
                over = has_begun or renewed < now - LONGEST_WAIT
                if over and self._renewed.get(id) == renewed:  # else it was renewed since
                    del self._renewed[id]
