"""One EtherCAT network of the simulated machine: who is on the wire, and what is counted."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..errors import CommandRefused, ErrorCode
from ..values import (
    EcState,
    MasterMode,
    MasterStatistics,
    NetworkState,
    SlaveInfo,
)
from .esc import EscState
from .machine import MasterDescription

COMM_PERIOD = 1000
"""us between two cycles."""

FIRST_STATION = 1001

RXPDO = {0x6040: 2, 0x6060: 1, 0x607A: 4, 0x60FF: 4, 0x6071: 2}
"""CiA 402 objects that an axis receives each cycle, and their bytes: control word, mode,
target position, velocity and torque."""

TXPDO = {0x6041: 2, 0x6061: 1, 0x6064: 4, 0x606C: 4, 0x6077: 2, 0x60F4: 4, 0x60FD: 4, 0x603F: 2}
"""CiA 402 objects that an axis sends each cycle, and their bytes: status word, mode, actual
position, velocity and torque, following error, digital inputs, error code."""

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
        """What is counted up to `cycle`; stops at the end of 32 bits."""
        running = 0 if self._since is None else cycle - self._since
        return min(self._count + running, UINT32_END)


class Master:
    """One network: who is on the wire, who has joined, and what is counted."""

    def __init__(
        self,
        master_id: int,
        master: MasterDescription,
        *,
        inputs: int,
        outputs: int,
        axes: int,
    ) -> None:
        self._id = master_id
        self._slaves = tuple(_slaves(master, inputs, outputs))
        self._first_axis = axes
        self._missing: set[int] = set()
        self._joined = set(range(len(self._slaves)))
        self._lost_links = [[0, 0] for _ in self._slaves]
        self._delays_since = 0
        self.communicating = False
        self.packet_loss = CycleCount()
        self.packet_timeout = CycleCount()
        self.over_cycle = CycleCount()
        self.statistics = _at_rest(self._slaves)

    def state(self, cycle: int) -> NetworkState:
        """The master, what it counted up to `cycle`, and its slaves."""
        return NetworkState(
            master_id=self._id,
            state=self._running_state,
            mode=MasterMode.CYCLIC,
            statistics=replace(
                self.statistics,
                **self._delays(cycle),
                packet_loss=self.packet_loss.total(cycle),
                packet_timeout=self.packet_timeout.total(cycle),
                over_cycle=self.over_cycle.total(cycle),
            ),
            slaves=tuple(self._now(slave) for slave in self._slaves),
        )

    def communicate(self, cycle: int, *, on: bool) -> None:
        """Start or stop communication; what is on the wire then joins."""
        if on is self.communicating:
            return
        self.communicating = on
        if on:
            self._delays_since = cycle
            self.join()
        self._count_losses(cycle)

    def join(self) -> None:
        """Let every slave on the wire join."""
        self._joined = set(range(len(self._slaves))) - self._missing

    def drop(self, slave_id: int, cycle: int) -> None:
        """The slave loses power; its neighbours count a lost link."""
        if slave_id in self._missing:
            return
        self._missing.add(slave_id)
        self._joined.discard(slave_id)
        before = [i for i in range(slave_id) if i not in self._missing]
        behind = [i for i in range(slave_id + 1, len(self._slaves)) if i not in self._missing]
        for neighbour in before[-1:]:
            self._lost_links[neighbour][1] += 1
        for neighbour in behind[:1]:
            self._lost_links[neighbour][0] += 1
        self._count_losses(cycle)

    def put_back(self, slave_id: int, cycle: int) -> None:
        """The slave has power again and waits to join."""
        if slave_id in self._missing:
            self._missing.remove(slave_id)
            self._lost_links[slave_id] = [0, 0]
            self._count_losses(cycle)

    def reset_statistics(self, cycle: int) -> None:
        """Count from zero again."""
        self._delays_since = cycle
        for count in (self.packet_loss, self.packet_timeout, self.over_cycle):
            count.reset(cycle)

    def offline_axes(self) -> Iterator[int]:
        """Axes whose slave has not joined."""
        axis = self._first_axis
        for slave in self._slaves:
            if slave.id not in self._joined:
                yield from range(axis, axis + slave.axes)
            axis += slave.axes

    def esc(self, slave_id: int) -> EscState:
        """What the registers of a slave say; refused with WaitTimeout while it is off."""
        if slave_id in self._missing:
            rule = f"slave {slave_id} of master {self._id} does not answer: it is offline"
            raise CommandRefused(ErrorCode.WaitTimeout, rule)
        slave = self._now(self._slaves[slave_id])
        behind = set(range(slave_id + 1, len(self._slaves))) - self._missing
        upstream, downstream = self._lost_links[slave_id]
        return EscState(
            station_address=slave.address,
            alias=slave.alias,
            state=slave.state,
            al_status_code=slave.al_status_code,
            links=(True, bool(behind)),
            lost_links=(upstream, downstream),
        )

    def need_slave(self, slave_id: int) -> None:
        """Refuse with IDOutOfRange a slave that is not described."""
        if not 0 <= slave_id < len(self._slaves):
            rule = f"slave {slave_id} of master {self._id}: must be 0 to {len(self._slaves) - 1}"
            raise CommandRefused(ErrorCode.IDOutOfRange, rule)

    def need_communication(self) -> None:
        """Refuse with CommNotStarted while no frame is on the wire."""
        if not self.communicating:
            rule = f"master {self._id} does not communicate"
            raise CommandRefused(ErrorCode.CommNotStarted, rule)

    @property
    def _running_state(self) -> EcState:
        return EcState.OP if self.communicating else EcState.INIT

    def _now(self, slave: SlaveInfo) -> SlaveInfo:
        if slave.id in self._joined:
            return replace(slave, state=self._running_state)
        if slave.id in self._missing:
            return replace(slave, state=EcState.NONE, offline=True)
        return replace(slave, state=EcState.INIT, offline=True, new=True)

    def _count_losses(self, cycle: int) -> None:
        self.packet_loss.run(cycle, on=self.communicating and bool(self._missing))

    def _delays(self, cycle: int) -> dict[str, int]:
        """The newest transmit delay and its extremes; a whole pattern holds them all."""
        if not self.communicating:
            return {}
        first = max(self._delays_since, cycle - len(TX_DELAY) + 1)
        seen = [TX_DELAY[c % len(TX_DELAY)] for c in range(first, cycle + 1)]
        return {"tx_delay": seen[-1], "min_tx_delay": min(seen), "max_tx_delay": max(seen)}


def _slaves(master: MasterDescription, inputs: int, outputs: int) -> Iterator[SlaveInfo]:
    """The slaves as they power up; their bytes begin at `inputs` and `outputs`."""
    for position, slave in enumerate(master.slaves):
        yield SlaveInfo(
            id=position,
            position=position,
            address=FIRST_STATION + position,
            vendor_id=slave.vendor_id,
            product_code=slave.product_code,
            revision=slave.revision,
            serial=slave.serial,
            alias=slave.alias,
            state=EcState.INIT,
            al_status_code=0,
            offline=False,
            inaccessible=False,
            new=False,
            reverse=False,
            input_address=inputs if slave.input_size else 0,
            input_size=slave.input_size,
            output_address=outputs if slave.output_size else 0,
            output_size=slave.output_size,
            axes=slave.axes,
            propagation_delay=0,
            neighbors=(),
        )
        inputs += slave.input_size
        outputs += slave.output_size


def _at_rest(slaves: Sequence[SlaveInfo]) -> MasterStatistics:
    """What the slaves add up to, with nothing counted; RxPDO and outputs go to the slaves."""
    axes = sum(slave.axes for slave in slaves)
    inputs = sum(slave.input_size for slave in slaves)
    outputs = sum(slave.output_size for slave in slaves)
    return MasterStatistics(
        comm_period=COMM_PERIOD,
        total_axes=axes,
        total_input_size=inputs,
        total_output_size=outputs,
        ring_num=1,
        total_rxpdo_size=axes * sum(RXPDO.values()) + outputs,
        total_txpdo_size=axes * sum(TXPDO.values()) + inputs,
        tx_delay=0,
        min_tx_delay=0,
        max_tx_delay=0,
        packet_loss=0,
        packet_timeout=0,
        over_cycle=0,
    )
