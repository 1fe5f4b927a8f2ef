"""What a master counts, as functions of the cycle at which it is read; nothing ticks."""

from collections.abc import Sequence
from dataclasses import replace

from wmx_core.values import MasterStatistics

from ..clock import CYCLES_PER_SECOND
from ..machine.description import SlaveDescription
from .cia402 import RXPDO, TXPDO, pdo_size

COMM_PERIOD = 1_000_000 // CYCLES_PER_SECOND
"""us between two cycles."""

TX_DELAY = (12, 11, 12, 13, 12, 10, 12, 14)
"""us from the beginning of a cycle until its frame leaves, cycle by cycle, for ever."""

UINT32_END = 0xFFFF_FFFF


class CycleCount:
    """Counts cycles while it runs, and single events; as cheap in an hour as in a cycle."""

    def __init__(self) -> None:
        self._count = 0
        self._since: int | None = None

    def run(self, cycle: int, *, on: bool) -> None:
        """Count every cycle from `cycle` on, or no longer."""
        self._count = self.total(cycle)
        self._since = cycle if on else None

    def add(self, events: int) -> None:
        """Count `events` at once."""
        self._count += events

    def reset(self, cycle: int) -> None:
        """Begin again from zero."""
        self._count = 0
        if self._since is not None:
            self._since = cycle

    def total(self, cycle: int) -> int:
        """Return what is counted up to `cycle`; stops at the end of 32 bits."""
        running = 0 if self._since is None else cycle - self._since
        return min(self._count + running, UINT32_END)


class Statistics:
    """The counters of a master of `slaves`."""

    def __init__(self, slaves: Sequence[SlaveDescription]) -> None:
        self.packet_loss = CycleCount()
        self.packet_timeout = CycleCount()
        self.over_cycle = CycleCount()
        self.totals = _totals(slaves)
        """What does not change, with nothing counted."""
        self._sending_since: int | None = None

    def send(self, cycle: int, *, on: bool) -> None:
        """A frame leaves in every cycle from `cycle` on, or no longer."""
        self._sending_since = cycle if on else None

    def reset(self, cycle: int) -> None:
        """Count from zero again."""
        if self._sending_since is not None:
            self._sending_since = cycle
        for count in (self.packet_loss, self.packet_timeout, self.over_cycle):
            count.reset(cycle)

    def at(self, cycle: int) -> MasterStatistics:
        """Return what is counted up to `cycle`."""
        return replace(
            self.totals,
            **self._delays(cycle),
            packet_loss=self.packet_loss.total(cycle),
            packet_timeout=self.packet_timeout.total(cycle),
            over_cycle=self.over_cycle.total(cycle),
        )

    def _delays(self, cycle: int) -> dict[str, int]:
        """Return the newest transmit delay and its extremes; a whole pattern holds them all."""
        if self._sending_since is None:
            return {}
        first = max(self._sending_since, cycle - len(TX_DELAY) + 1)
        seen = [TX_DELAY[c % len(TX_DELAY)] for c in range(first, cycle + 1)]
        return {"tx_delay": seen[-1], "min_tx_delay": min(seen), "max_tx_delay": max(seen)}


def _totals(slaves: Sequence[SlaveDescription]) -> MasterStatistics:
    """Return what the slaves add up to; RxPDO and outputs go to the slaves."""
    axes = sum(slave.axes for slave in slaves)
    inputs = sum(slave.input_size for slave in slaves)
    outputs = sum(slave.output_size for slave in slaves)
    return MasterStatistics(
        comm_period=COMM_PERIOD,
        total_axes=axes,
        total_input_size=inputs,
        total_output_size=outputs,
        ring_num=1,
        total_rxpdo_size=axes * pdo_size(RXPDO) + outputs,
        total_txpdo_size=axes * pdo_size(TXPDO) + inputs,
        tx_delay=0,
        min_tx_delay=0,
        max_tx_delay=0,
        packet_loss=0,
        packet_timeout=0,
        over_cycle=0,
    )
