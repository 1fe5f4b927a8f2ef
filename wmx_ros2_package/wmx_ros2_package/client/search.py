"""Whether a system that is looked for can be there at all.

The middleware finds programs when it comes to that, which takes seconds on a busy computer. Whether
a program of this computer is in the domain is known at once: it has ports of that domain. So the
search ends early where none has, and is as long as ever where one has.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from ..node_base.domain.ports import own_sockets, ports_of, udp_sockets

LOCAL, SUBNET = 2.0, 5.0
"""After how long no system is found, s, where no other program of the domain runs on this computer,
and none elsewhere is asked, or has answered. One that was started a moment ago has its ports by
then; an announcement is sent ten times a second."""
THIS_COMPUTER = "LOCALHOST", "OFF"
"""Values of ROS_AUTOMATIC_DISCOVERY_RANGE."""


class Search:
    """What is known of the other programs of a ROS domain; made before this client joins it."""

    def __init__(
        self,
        environment: Mapping[str, str] = os.environ,
        sockets: Callable[[], Mapping[int, int]] = udp_sockets,
        own: Callable[[], set[int]] = own_sockets,
    ) -> None:
        self._environment = environment
        self._sockets, self._own = sockets, own
        self._before = sockets()
        self._domain = 0
        self._ours: set[int] = set()
        """The sockets of this client; empty where it has none of the usual ports."""

    def join(self, domain: int) -> None:
        """Note that this client has joined `domain`."""
        self._domain = domain
        self._ours = (self._here() & self._own()) - self._before.keys()

    def hopeless(self, seconds: float, nodes: int, *, to_stop: bool) -> str:
        """Why there is no system, in words, after `seconds` of looking; empty while one may be.

        `nodes` of other programs are discovered. A stop reaches what is far and slow, too: it is
        given up early only where no other computer is asked.
        """
        local = self._asks_this_computer_alone()
        if seconds < (LOCAL if local else SUBNET) or (to_stop and not local):
            return ""
        if nodes or not self._ours or self._here() - self._ours or self._has_a_server():
            return ""
        elsewhere = (
            "no other computer is asked (ROS_AUTOMATIC_DISCOVERY_RANGE)"
            if local
            else f"none on another has answered within {SUBNET:g} s"
        )
        return f"no other ROS program of this domain runs on this computer, and {elsewhere}"

    def _here(self) -> set[int]:
        """The sockets of this computer with ports of the domain."""
        ports = ports_of(self._domain)
        return {socket for socket, port in self._sockets().items() if port in ports}

    def _asks_this_computer_alone(self) -> bool:
        given = self._environment
        reach = given.get("ROS_AUTOMATIC_DISCOVERY_RANGE", "").upper()
        alone = reach in THIS_COMPUTER or given.get("ROS_LOCALHOST_ONLY") == "1"
        return alone and not given.get("ROS_STATIC_PEERS")

    def _has_a_server(self) -> bool:
        """Whether programs find each other by a server, whose port may be any."""
        return bool(self._environment.get("ROS_DISCOVERY_SERVER"))
