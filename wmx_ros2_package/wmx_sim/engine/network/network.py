"""The EtherCAT networks as they run: masters, slaves, statistics and what goes wrong with them.

Modelled
- States (see `slave`). While the engine communicates the master is Op, and so are the slaves
  unless another state is requested of one; the axes of a slave that is not in Op are offline. When
  communication stops the master takes its slaves down to Init, without an error, and no frame is
  on the wire.
- A dropped slave: at once offline, in state None, its axes offline. It is the only one that is
  lost; the line closes around it, and its neighbours count a lost link.
- A cut cable: all slaves behind it are offline and inaccessible, in state None. They keep power:
  when the cable is mended those that had outputs and were in Op are found in Safeop with AL status
  code 0x001B (SyncManager watchdog), unless that took less than 100 ms.
- A returned slave, or one behind a mended cable, is on the wire but still offline until it joins:
  by hot connect while the network communicates, otherwise by a scan or the next start. One that
  lost power is in Init with code 0, without an address, and shown as new.
- Every cycle in which a slave is missing is one lost packet: its frame comes back with too low a
  working counter. When no slave is reached it is a packet timeout: no frame comes back.
- Statistics are functions of the cycle at which they are read; nothing ticks. The transmit delay
  is a fixed pattern over the cycles.
- Addresses: stations 1001 and up in ring order. Bytes of the I/O image and axis numbers run on
  from one master to the next; a slave without inputs (outputs) has input (output) address 0.
- The line and its propagation delays (see `topology`), SDOs with the dictionary of each slave (see
  `object_dictionary`, `device_objects` and `cia402`) and ESC registers (see `esc`), while the
  network communicates.

Not modelled: slaves plugged in the wrong way round, redundant rings, the time that a start, a hot
connect or a change of state takes, slaves that leave a state by themselves other than by the
watchdog, frames that damage others, firmware over the mailbox, synchronous clocks.
"""

from collections.abc import Sequence

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.slave_memory import require_registers
from wmx_core.values import EcState, NetworkState

from ..machine.description import MasterDescription
from .cia402 import FeedbackSource
from .esc import registers
from .master import Master


class Network:
    """Carries out `interface.Ecat` at the cycle that `advance` came to last.

    `feedback` gives the drives the state of their axes. Masters and slaves are numbered from 0; an
    unknown one is refused with IDOutOfRange. Faults can happen in any state.
    """

    def __init__(self, masters: Sequence[MasterDescription], feedback: FeedbackSource) -> None:
        self._cycle = 0
        self._masters: list[Master] = []
        inputs = outputs = axes = 0
        for master_id, master in enumerate(masters):
            made = Master(master_id, master, feedback, inputs=inputs, outputs=outputs, axes=axes)
            self._masters.append(made)
            inputs += made.statistics.totals.total_input_size
            outputs += made.statistics.totals.total_output_size
            axes += made.statistics.totals.total_axes

    def advance(self, cycle: int) -> None:
        """It is communication cycle `cycle` since the engine started; nothing is due by itself."""
        self._cycle = cycle

    def start_communication(self) -> None:
        """Every slave on the wire joins and steps up to Op."""
        for master in self._masters:
            master.communicate(self._cycle, on=True)

    def stop_communication(self) -> None:
        """Slaves go back to Init; counts stay."""
        for master in self._masters:
            master.communicate(self._cycle, on=False)

    def offline_axes(self) -> frozenset[int]:
        """Axes of the machine that cannot be moved: their slave is offline or not in Op."""
        return frozenset().union(*(master.offline_axes for master in self._masters))

    # interface.Ecat

    def network_state(self, master_id: int) -> NetworkState:
        """Return the master, its statistics and its slaves; also while it does not communicate."""
        return self._master(master_id).state(self._cycle)

    def reset_statistics(self, master_id: int) -> None:
        """Set what the master counts back to zero."""
        self._master(master_id).statistics.reset(self._cycle)

    def set_slave_state(self, master_id: int, slave_id: int, state: EcState) -> None:
        """Ask a slave once to go to `state`: it has to step up one state at a time.

        Refused with SlaveStateChangeError and the AL status code where it stays instead, with
        ArgumentOutOfRange for what is no state, WaitTimeout for an offline slave.
        """
        master = self._master_of(master_id, slave_id)
        try:
            known = EcState(state)
        except ValueError:
            rule = f"state {state!r}: must be one of {', '.join(each.name for each in EcState)}"
            raise CommandRefused(ErrorCode.ArgumentOutOfRange, rule) from None
        master.need_communication()
        master.request_state(slave_id, known)

    def read_sdo(
        self, master_id: int, slave_id: int, index: int, subindex: int, size: int
    ) -> bytes:
        """Return an object of a slave (SDO upload), at most `size` bytes, little endian.

        Refused with SlaveSdoUploadError and the slave's abort code, WaitTimeout for an offline
        slave, SlaveStateBelowPreop for one without a mailbox, ArgumentOutOfRange for an index,
        subindex or size that cannot be, SlaveActualSizeLargerThanBufferSize.
        """
        master = self._master_of(master_id, slave_id)
        master.need_communication()
        return master.mailbox(slave_id).upload(index, subindex, size)

    def write_sdo(
        self, master_id: int, slave_id: int, index: int, subindex: int, data: bytes
    ) -> None:
        """Set an object of a slave's dictionary (SDO download), little endian.

        Refused with SlaveSdoDownloadError and the slave's abort code, otherwise as `read_sdo`.
        """
        master = self._master_of(master_id, slave_id)
        master.need_communication()
        master.mailbox(slave_id).download(index, subindex, data)

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
        """Return `length` bytes of a slave's ESC registers from `address` on.

        Refused with ArgumentOutOfRange outside 0x000..0xFFF, CommNotStarted while no frame is on
        the wire, WaitTimeout from a slave that is not there to answer.
        """
        master = self._master_of(master_id, slave_id)
        require_registers(address, length)
        master.need_communication()
        return registers(master.esc(slave_id))[address : address + length]

    # Faults

    def drop_slave(self, slave_id: int, master_id: int = 0) -> None:
        """The slave loses power; a slave that is off already stays off."""
        self._master_of(master_id, slave_id).drop(slave_id, self._cycle)

    def return_slave(self, slave_id: int, master_id: int = 0) -> None:
        """The slave has power again and waits to join; a slave that is on stays as it is."""
        self._master_of(master_id, slave_id).put_back(slave_id, self._cycle)

    def cut_cable(self, slave_id: int, master_id: int = 0) -> None:
        """The cable that leads to the slave breaks: it and all behind it are inaccessible."""
        self._master_of(master_id, slave_id).cut(slave_id, self._cycle)

    def mend_cable(self, slave_id: int, master_id: int = 0) -> None:
        """The cable that leads to the slave is whole; those behind it wait to join."""
        self._master_of(master_id, slave_id).mend(slave_id, self._cycle)

    def disturb(
        self,
        master_id: int = 0,
        *,
        packet_loss: int = 0,
        packet_timeout: int = 0,
        over_cycle: int = 0,
    ) -> None:
        """Let the master count so many more of these events."""
        statistics = self._master(master_id).statistics
        for events in (packet_loss, packet_timeout, over_cycle):
            if events < 0:
                rule = f"{events} events of a disturbance: must be 0 or more"
                raise CommandRefused(ErrorCode.ArgumentOutOfRange, rule)
        statistics.packet_loss.add(packet_loss)
        statistics.packet_timeout.add(packet_timeout)
        statistics.over_cycle.add(over_cycle)

    def _master(self, master_id: int) -> Master:
        if not 0 <= master_id < len(self._masters):
            rule = f"master {master_id}: must be 0 to {len(self._masters) - 1}"
            raise CommandRefused(ErrorCode.IDOutOfRange, rule)
        return self._masters[master_id]

    def _master_of(self, master_id: int, slave_id: int) -> Master:
        master = self._master(master_id)
        master.need_slave(slave_id)
        return master
