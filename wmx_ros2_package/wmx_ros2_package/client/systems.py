"""Which systems are there: each publishes its id once a second."""

from __future__ import annotations

from threading import Lock
from typing import Any
from uuid import UUID

from unique_identifier_msgs.msg import UUID as UuidMessage  # noqa: N811

from ..messages.motions import uuid
from .discovery import POLL_PERIOD, SEVERAL_REMEDY
from .errors import SeveralSystems, SystemLost
from .link import Link

TOPIC = "wmx/engine/system"
GONE = "the system has ended: neither its state nor its heartbeat is published any more"
HEARTBEAT_TIMEOUT = 3.0
"""A system whose id is not published for so long, s, has ended, or its engine node has."""


class Systems:
    """The ids of the systems in the domain and the namespace of `link`; any thread may call.

    The first one that is found is that of this client, and stays it: what takes its place is
    another machine, or may stand elsewhere, and is not commanded by a program that does not know.
    """

    def __init__(self, link: Link) -> None:
        self._link = link
        self._heard: dict[UUID, float] = {}
        """When each id was published last, s of the steady clock."""
        self._own: UUID | None = None
        self._lock = Lock()
        link.subscribe(UuidMessage, TOPIC, self._see, keeps=True)

    @property
    def own(self) -> UUID | None:
        """The id of the system of this client; None where none has been published yet.

        SeveralSystems where another one is there as well, SystemLost where it is there in place of
        that of this client.
        """
        with self._lock:
            alive = self.alive
            if self._own is None and len(alive) == 1:
                [self._own] = alive
            own = self._own
        others = alive - {own}
        where = f"in namespace {self._link.namespace} of ROS domain {self._link.domain}"
        if others and (own is None or own in alive):
            raise SeveralSystems(f"{len(alive)} systems run {where}", remedy=SEVERAL_REMEDY)
        if others:
            raise SystemLost(
                f"the system of this client has ended, and another one runs {where}",
                remedy="connect again: machine.close(), machine.open()",
            )
        return own

    def require_own(self, found: UUID) -> None:
        """As `own`, where the system that has answered has the id `found`, 0 for none yet."""
        if found.int:
            with self._lock:
                self._own = self._own or found
                self._heard[found] = self._link.clock.now()
        _ = self.own

    @property
    def lost(self) -> bool:
        """Whether the heartbeat of the system of this client is lost; waits until that is known.

        False where none was ever received, as of an engine node in another namespace.
        """
        if self._own is None:
            return False
        last = self._heard[self._own]
        while (left := last + HEARTBEAT_TIMEOUT - self._link.clock.now()) > 0.0:
            if self._heard[self._own] > last:
                return False
            self._link.clock.sleep(min(left, POLL_PERIOD))
        return self._heard[self._own] == last

    def is_lost(self) -> bool:
        """Whether the heartbeat of the system of this client is lost by now."""
        return self._own is not None and self._own not in self.alive

    @property
    def alive(self) -> set[UUID]:
        """The ids of the systems whose heartbeats have not been lost."""
        since = self._link.clock.now() - HEARTBEAT_TIMEOUT
        return {id for id, at in self._heard.copy().items() if at >= since}

    def _see(self, message: Any) -> None:
        self._heard[uuid(message)] = self._link.clock.now()
