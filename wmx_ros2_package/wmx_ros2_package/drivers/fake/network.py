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

from collections.abc import Sequence

from ..errors import CommandRefused, ErrorCode
from ..values import REGISTER_SPACE, NetworkState
from .esc import registers
from .machine import MasterDescription
from .master import Master


class Network:
    """Carries out `interface.Ecat` at the cycle that `advance` came to last.

    Masters and slaves are numbered from 0; an unknown one is refused with IDOutOfRange.
    """

    def __init__(self, masters: Sequence[MasterDescription]) -> None:
        self._cycle = 0
        self._masters: list[Master] = []
        inputs = outputs = axes = 0
        for master_id, master in enumerate(masters):
            made = Master(master_id, master, inputs=inputs, outputs=outputs, axes=axes)
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

    def _master(self, master_id: int) -> Master:
        if not 0 <= master_id < len(self._masters):
            rule = f"master {master_id}: must be 0 to {len(self._masters) - 1}"
            raise CommandRefused(ErrorCode.IDOutOfRange, rule)
        return self._masters[master_id]
