"""Motions that end with their client: it renews a lease of each, by the id of its command.

A motion that was never leased goes on whatever becomes of its client. One that was leased once is
stopped when its lease expires: the client has died, hangs, or cannot be heard any more.
"""

import threading
import time
from collections.abc import Callable, Sequence
from uuid import UUID

from .tracker import MotionTracker

LEASE_TIMEOUT = 1.0
"""How long a lease holds, s: a client that renews it five times a second may be late by four."""


class MotionLeases:
    """The leases of the motions that `tracker` has open; any thread may call."""

    def __init__(
        self,
        tracker: MotionTracker,
        stop: Callable[[Sequence[int]], None],
        clock: Callable[[], float] = time.monotonic,
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
            self._renewed[id] = self._clock()

    def check(self) -> None:
        """Stop the motions whose leases have expired; to be called several times a second."""
        if not self._renewed:
            return
        with self._lock:
            latest = self._clock() - LEASE_TIMEOUT
            expired = {id: renewed for id, renewed in self._renewed.items() if renewed < latest}
        for id in expired:
            if axes := self._tracker.axes_of_motion(id):
                self._stop(axes)
        with self._lock:
            for id, renewed in expired.items():
                if self._renewed.get(id) == renewed:  # else it was renewed meanwhile
                    del self._renewed[id]
