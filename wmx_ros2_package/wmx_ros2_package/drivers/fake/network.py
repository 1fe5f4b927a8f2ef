"""The EtherCAT networks as they run: masters, slaves, statistics and dropped slaves.

Modelled
- States. While the engine communicates, masters and slaves are Op; otherwise no frame is on the
  wire and all are Init, the state in which slaves power up and in which a master leaves them.
- A dropped slave: at once offline, in state None, its axes offline. It is the only one that is
  lost; the line closes around it, and its neighbours count a lost link. Every cycle in which a
  slave is missing is one lost packet: its frame comes back with too low a working counter.
- A returned slave: on the wire in Init and shown as new, but still offline, until it joins: by
  hot connect while the network communicates, otherwise by a scan or the next start.
- Statistics are functions of the cycle at which they are read; nothing ticks. The transmit delay
  is a fixed pattern over the cycles.
- Addresses: stations 1001 and up in ring order. Bytes of the I/O image and axis numbers run on
  from one master to the next; a slave without inputs (outputs) has input (output) address 0.
- Registers of slaves (see `esc`), while the network communicates.

Not modelled: a cut that takes all slaves behind it along (`inaccessible` is never set), slaves
plugged in the wrong way round, slaves in Preop, Safeop or Boot, the time that a start or a hot
connect takes, frames that damage others, mailboxes, distributed clocks.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..errors import CommandRefused, ErrorCode
from ..values import (
    REGISTER_SPACE,
    EcState,
    MasterMode,
    MasterStatistics,
    NetworkState,
    SlaveInfo,
)
from .esc import EscState, registers
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


class Network:
    """Carries out `interface.Ecat` at the cycle that `advance` came to last.

    Masters and slaves are numbered from 0; an unknown one is refused with IDOutOfRange.
    """

    def __init__(self, masters: Sequence[MasterDescription]) -> None:
        self._cycle = 0
        self._masters: list[_Master] = []
        inputs = outputs = axes = 0
        for master_id, master in enumerate(masters):
            made = _Master(master_id, master, inputs=inputs, outputs=outputs, axes=axes)
            self._masters.append(made)
            inputs += made.statistics.total_input_size
            outputs += made.statistics.total_output_size
            axes += made.statistics.total_axes

    def advance(self, cycle: int) -> None:
        """It is communication cycle `cycle` since the engine started; nothing is due by itself."""
        self._cycle = cycle

    def start_communication(self) -> None:
        """Every slave on the wire joins and goes to Op."""
        for master in self._masters:
            master.communicate(self._cycle, on=True)

    def stop_communication(self) -> None:
        """Slaves go back to Init; counts stay."""
        for master in self._masters:
            master.communicate(self._cycle, on=False)

    def offline_axes(self) -> frozenset[int]:
        """Axes of the machine whose slave is offline."""
        return frozenset(axis for master in self._masters for axis in master.offline_axes())

    # interface.Ecat

    def network_state(self, master_id: int) -> NetworkState:
        """The master, its statistics and its slaves; also while it does not communicate."""
        return self._master(master_id).state(self._cycle)

    def reset_statistics(self, master_id: int) -> None:
        """Set what the master counts back to zero."""
        self._master(master_id).reset_statistics(self._cycle)

    def scan_network(self, master_id: int) -> None:
        """Look at the wires again; in a running network only a hot connect lets slaves join."""
        master = self._master(master_id)
        if not master.communicating:
            master.join()

    def start_hotconnect(self, master_id: int) -> None:
        """Let returned slaves join the running network; else refused with CommNotStarted."""
        master = self._master(master_id)
        master.need_communication()
        master.join()

    def read_register(self, master_id: int, slave_id: int, address: int, length: int) -> bytes:
        """`length` bytes of a slave's ESC registers from `address` on.

        Refused with ArgumentOutOfRange outside 0x000..0xFFF, CommNotStarted while no frame is on
        the wire, WaitTimeout from a slave that is not there to answer.
        """
        master = self._master(master_id)
        master.need_slave(slave_id)
        if not 0 <= address < REGISTER_SPACE:
            rule = f"register {address:#x}: must be 0x0 to {REGISTER_SPACE - 1:#x}"
            raise CommandRefused(ErrorCode.ArgumentOutOfRange, rule)
        if not 1 <= length <= REGISTER_SPACE - address:
            rest = REGISTER_SPACE - address
            rule = f"{length} bytes from register {address:#x} on: must be 1 to {rest}"
            raise CommandRefused(ErrorCode.ArgumentOutOfRange, rule)
        master.need_communication()
        return registers(master.esc(slave_id))[address : address + length]

    # Faults

    def drop_slave(self, slave_id: int, master_id: int = 0) -> None:
        """The slave loses power; a slave that is off already stays off."""
        master = self._master(master_id)
        master.need_slave(slave_id)
        master.drop(slave_id, self._cycle)

    def return_slave(self, slave_id: int, master_id: int = 0) -> None:
        """The slave has power again and waits to join; a slave that is on stays as it is."""
        master = self._master(master_id)
        master.need_slave(slave_id)
        master.put_back(slave_id, self._cycle)

    def disturb(
        self,
        master_id: int = 0,
        *,
        packet_loss: int = 0,
        packet_timeout: int = 0,
        over_cycle: int = 0,
    ) -> None:
        """Let the master count so many more of these events."""
        master = self._master(master_id)
        master.packet_loss.add(packet_loss)
        master.packet_timeout.add(packet_timeout)
        master.over_cycle.add(over_cycle)

    def _master(self, master_id: int) -> "_Master":
        if not 0 <= master_id < len(self._masters):
            rule = f"master {master_id}: must be 0 to {len(self._masters) - 1}"
            raise CommandRefused(ErrorCode.IDOutOfRange, rule)
        return self._masters[master_id]


class _Master:
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
        if on is self.communicating:
            return
        self.communicating = on
        if on:
            self._delays_since = cycle
            self.join()
        self._count_losses(cycle)

    def join(self) -> None:
        self._joined = set(range(len(self._slaves))) - self._missing

    def drop(self, slave_id: int, cycle: int) -> None:
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
        if slave_id in self._missing:
            self._missing.remove(slave_id)
            self._lost_links[slave_id] = [0, 0]
            self._count_losses(cycle)

    def reset_statistics(self, cycle: int) -> None:
        self._delays_since = cycle
        for count in (self.packet_loss, self.packet_timeout, self.over_cycle):
            count.reset(cycle)

    def offline_axes(self) -> Iterator[int]:
        axis = self._first_axis
        for slave in self._slaves:
            if slave.id not in self._joined:
                yield from range(axis, axis + slave.axes)
            axis += slave.axes

    def esc(self, slave_id: int) -> EscState:
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
        if not 0 <= slave_id < len(self._slaves):
            rule = f"slave {slave_id} of master {self._id}: must be 0 to {len(self._slaves) - 1}"
            raise CommandRefused(ErrorCode.IDOutOfRange, rule)

    def need_communication(self) -> None:
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
