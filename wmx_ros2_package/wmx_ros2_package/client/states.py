"""The newest status of the axes, and who wants each one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from math import nan

from rclpy.serialization import deserialize_message
from wmx_ros2_message.msg import AxisState

from ..messages.axis_state_cdr import AxisStateReader
from .errors import MachineError, NotReady, SystemLost
from .link import Link
from .status import Status, status_of
from .systems import GONE, Systems

TOPIC = "wmx/axis/state"
STATUS_TIMEOUT = 2.0
"""A system that has published no status for so long, s, has ended or does not communicate."""


class States:
    """What is published of the axes, which have `names`."""

    def __init__(self, link: Link, systems: Systems) -> None:
        self._systems = systems
        self.names: tuple[str, ...] = ()
        self.units: tuple[str, ...] = ()
        """Of the axes, by their numbers; both are set as soon as they are known."""
        self._link = link
        self._read = AxisStateReader(lambda data: deserialize_message(data, AxisState))
        self._newest = b""
        """Its bytes: most are never read."""
        self._came_at = -STATUS_TIMEOUT
        self._count = self._wanted = 0
        """How many have come, and the number of the first that shows what was asked for last."""
        self._takers: list[Callable[[bytes], None]] = []
        self._news = link.clock.condition()
        link.subscribe(AxisState, TOPIC, self._see, raw=True)

    def newest(self) -> Status:
        """All axes as they are now; NotReady or SystemLost where nothing is published."""
        self._link.require_open()
        with self._news:
            wanted = self._wanted  # what is asked for from now on need not show
            while not (self.fresh and self._count >= wanted):
                self._link.require_other_thread()
                if not self._comes():
                    break
            else:
                return self.read(self._newest)
        raise self._silence()

    def require_current(self) -> None:
        """NotReady or SystemLost where nothing was published for a while."""
        self._link.require_open()
        self._link.require_other_thread()
        if not self.fresh:
            raise self._silence()

    def _silence(self) -> MachineError:
        """Why nothing is published."""
        if self._systems.lost or not (self._link.publishers(TOPIC) or self._systems.alive):
            return SystemLost(GONE)
        return NotReady(
            f"{TOPIC} is silent for {STATUS_TIMEOUT:g} s: the engine does not communicate, or "
            "wmx_core_motion_node is not active"
        )

    def outdate(self) -> None:
        """What was asked for has come about: a status that was taken before shows it not yet."""
        with self._news:
            self._wanted = self._count + 2  # the next one may be on its way already

    @property
    def fresh(self) -> bool:
        """Whether a status came not long ago."""
        return self._link.clock.now() - self._came_at < STATUS_TIMEOUT

    def command(self, axis: int) -> float:
        """Where the newest status shows that the axis is commanded to be, u; NaN before any."""
        return float(self._read(self._newest).pos_cmd[axis]) if self._newest else nan

    def subscribe(self, act: Callable[[Status], None]) -> Callable[[], None]:
        """Call `act` with each status, in the thread of the link; the result ends that."""
        return self.take(lambda data: act(self.read(data)))

    def take(self, act: Callable[[bytes], None]) -> Callable[[], None]:
        """As `subscribe`, with what `read` reads, in whatever thread and when it is needed."""
        self._takers.append(act)

        def end() -> None:
            with suppress(ValueError):  # it has ended already
                self._takers.remove(act)

        return end

    def read(self, data: bytes) -> Status:
        """The status that was taken; any thread may call."""
        return status_of(self._read(data), self.names, self.units)

    def _comes(self) -> bool:
        """Whether another status comes: of one a second, two take as long as silence may."""
        count = self._count
        return self._news.wait_for(lambda: self._count > count, timeout=STATUS_TIMEOUT)

    def _see(self, data: bytes) -> None:
        with self._news:
            self._newest, self._came_at = data, self._link.clock.now()
            self._count += 1
            self._news.notify_all()
        for take in list(self._takers):
            take(data)
