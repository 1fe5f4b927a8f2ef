"""Feeds the engine's dead man, so that the engine stops the axes of a node that is dead or hangs.

A node that owns axes feeds it before each command, and from the thread that reads the status. What
no lease of a process can end, for the process itself has ended, the engine ends: a trajectory, a
position move, a torque.
"""

import threading
from collections.abc import Callable, Collection, Iterable
from math import inf

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.interface import Engine
from wmx_core.values import MotionStatus

from .ownership import Ownership
from .supervisor import Supervisor

FEEDS = 10
"""How often axes are fed while their timeout lasts: several may fail, or be late."""
TRIES = 5
"""How often a node that ends asks the engine to watch its axes no more, a period apart."""


class DeadMan:
    """The dead man of one node; any thread may call."""

    def __init__(
        self,
        engine: Engine,
        ownership: Ownership,
        supervisor: Supervisor,
        timeout: float,
        on_refused: Callable[[CommandRefused], object],
    ) -> None:
        """Axes are stopped `timeout` s after they were fed last; with 0 there is no dead man.

        `on_refused` is called with what an engine refuses to watch, or to watch no more; axes move
        all the same. An engine that has no dead man is asked once.
        """
        self._supervisor = supervisor
        self._period = timeout / FEEDS
        self._engine = engine
        self._ownership = ownership
        self._timeout = timeout
        self._on_refused = on_refused
        self._supported = True
        self._fed: set[int] = set()
        self._fed_at = -inf
        """When, s of the steady clock."""
        self._lock = threading.Lock()

    @property
    def unread(self) -> float:
        """For how long no status may be read, s, until axes may be stopped that the node feeds.

        The newest feed may be older than the newest status: by a period, and by that of a late one.
        """
        return self._timeout * (1.0 - 2.0 / FEEDS) if self._timeout and self._supported else inf

    def feed_before_command(self, axes: Collection[int], switched: Collection[int] = ()) -> None:
        """Feed `axes`, which the node owns and is about to command, now or just now.

        Those that were `switched` to another mode are fed anew: it decides how they are stopped.
        """
        if not self._timeout:
            return
        with self._lock:
            just_now = self._ownership.clock.now() < self._fed_at + self._period
            if switched or not (just_now and self._fed.issuperset(axes)):
                self._feed(self._fed.union(axes))
            self._supervisor.ensure_task("dead man", self.update, self._period)

    def update(self, status: MotionStatus) -> bool:
        """Feed the axes that the node owns, and let go of the others; whether there are any."""
        with self._lock:
            held = set(self._ownership.owned(status))
            left = self._fed - held
            free = left.difference(self._ownership.owners(left, status))
            let_go = self._call(free, 0.0) or not self._supported
            self._feed(held)
            if not let_go:  # else the engine would stop them soon, which nobody asked for
                self._fed = self._fed | free
            return bool(held) or not let_go

    def release(self, *, at_rest: bool = True) -> None:
        """Feed no axis any more; EngineLost where the engine is gone.

        It watches them no more, either, unless they are not `at_rest`: then it stops them soon.
        """
        with self._lock:
            fed, self._fed, self._fed_at = self._fed, set(), -inf
            try:
                for again in range(TRIES):
                    if again:
                        self._ownership.clock.sleep(self._period)
                    if self._call(fed if at_rest else (), 0.0) or not self._supported:
                        return
            finally:
                self._supported = True

    def _feed(self, axes: set[int]) -> None:
        if self._call(axes, self._timeout):
            self._fed, self._fed_at = axes, self._ownership.clock.now()

    def _call(self, axes: Iterable[int], timeout: float) -> bool:
        """Feed `axes`, if there are any; whether that was taken."""
        if not self._supported or not (chosen := sorted(axes)):
            return self._supported
        try:
            self._engine.feed_dead_man(chosen, timeout)
        except CommandRefused as error:
            if error.code != ErrorCode.AxisOutOfRange:  # the command is refused for it as well
                self._supported = error.code != ErrorCode.NoSupportedFunction
                self._on_refused(error)
            return False
        return True
