"""The wires of one network: a line of slaves, who is on it, and how long a frame takes.

Modelled: a slave without power is bypassed, as behind a junction, so that it is the only one that
is lost; a cut cable parts the master from all slaves behind the cut. A frame that comes down the
line takes, up to the slave with number n of those it reaches,

    delay(n) = n * SLAVE_DELAY + NS_PER_METRE * metres of cable

and the same way back. Not modelled: branches, rings, and processing and forwarding delays that
differ.
"""

from collections.abc import Sequence

SLAVE_DELAY = 1000
"""ns through two 100BASE-TX ports and the ESC between them.

Masters measured 1072 ns (Synapticon drives, ICube-Robotics/ethercat_driver_ros2 issue 58) and
700 ns (AX58200, OpenEtherCATsociety/SOEM issue 739) from a slave to the next.
"""

NS_PER_METRE = 5
"""Copper carries a signal at two thirds of the speed of light."""

MASTER = -1
"""In a link, the master's end of the line."""


class Line:
    """The line of one network; `cables` are the metres of cable that lead to each slave."""

    def __init__(self, cables: Sequence[float]) -> None:
        self._cables = tuple(cables)
        self._off: set[int] = set()
        self._cuts: set[int] = set()
        self.lost_links = [[0, 0] for _ in cables]
        """How often each slave lost its link, as [upstream, downstream]."""
        self._measure()

    def switch_off(self, slave: int) -> None:
        """`slave` loses power; its neighbours count a lost link."""
        self._lose([link for link in self._links if slave in link])
        self._off.add(slave)
        self._measure()

    def switch_on(self, slave: int) -> None:
        """`slave` has power again."""
        self._off.discard(slave)
        self.lost_links[slave] = [0, 0]
        self._measure()

    def cut(self, slave: int) -> None:
        """The cable that leads to `slave` breaks; both of its ends count a lost link."""
        self._lose([link for link in self._links if link[0] < slave <= link[1]])
        self._cuts.add(slave)
        self._measure()

    def mend(self, slave: int) -> None:
        """The cable that leads to `slave` is whole."""
        self._cuts.discard(slave)
        self._measure()

    def is_on(self, slave: int) -> bool:
        """Return whether `slave` has power."""
        return slave not in self._off

    def is_cut_off(self, slave: int) -> bool:
        """Return whether there is a cut between the master and `slave`."""
        return any(cut <= slave for cut in self._cuts)

    def receive_times(self, slave: int) -> tuple[int, int]:
        """Return when a frame that leaves the master at 0 comes to the ports of `slave`, ns."""
        upstream, last = self.delays[slave], max(self.delays.values())
        return upstream, 2 * last - upstream if slave != max(self.delays) else 0

    def _measure(self) -> None:
        self._links: list[tuple[int, int]] = []
        self.delays: dict[int, int] = {}
        """The slaves that frames reach, and the time (ns) from the master to each."""
        above, whole, metres = MASTER, True, 0.0
        for slave, cable in enumerate(self._cables):
            metres += cable
            whole = whole and slave not in self._cuts
            if slave in self._off:
                continue
            if whole:
                self._links.append((above, slave))
                if above == MASTER or above in self.delays:
                    slaves = len(self.delays) + 1
                    self.delays[slave] = slaves * SLAVE_DELAY + round(NS_PER_METRE * metres)
            above, whole = slave, True
        reached = (*self.delays,)
        self.neighbors = {
            slave: reached[max(n - 1, 0) : n] + reached[n + 1 : n + 2]
            for n, slave in enumerate(reached)
        }
        """The slaves that a frame meets before and behind each that it reaches."""

    def _lose(self, links: Sequence[tuple[int, int]]) -> None:
        for above, below in links:
            if above != MASTER:
                self.lost_links[above][1] += 1
            self.lost_links[below][0] += 1
