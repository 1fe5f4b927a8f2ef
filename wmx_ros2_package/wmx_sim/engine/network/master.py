"""One EtherCAT network of the simulated machine: who is on the wire, and what is counted."""

from collections.abc import Iterator
from dataclasses import replace

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.values import EcState, MasterMode, NetworkState, SlaveInfo

from ..machine.description import MasterDescription
from .cia402 import FeedbackSource
from .device_objects import dictionary_of
from .esc import EscState
from .mailbox import Mailbox
from .slave import WATCHDOG_CYCLES, AlStatusCode, Slave, SlaveRefused
from .statistics import Statistics
from .topology import Line

FIRST_STATION = 1001


class Master:
    """One network: who is on the wire, who has joined, and what is counted."""

    def __init__(
        self,
        master_id: int,
        master: MasterDescription,
        feedback: FeedbackSource,
        *,
        inputs: int,
        outputs: int,
        axes: int,
    ) -> None:
        self._id = master_id
        self._described = tuple(_described(master, inputs, outputs))
        self._axes: list[range] = []
        for slave in master.slaves:
            self._axes.append(range(axes, axes + slave.axes))
            axes += slave.axes
        self._slaves = [
            Slave(slave, dictionary_of(slave, moved, feedback))
            for slave, moved in zip(master.slaves, self._axes, strict=True)
        ]
        self._line = Line([slave.cable for slave in master.slaves])
        self._joined = set(self._line.delays)
        self._unreached_since: dict[int, int] = {}
        self.statistics = Statistics(master.slaves)
        self.communicating = False
        self._look()

    def state(self, cycle: int) -> NetworkState:
        """Return the master, what it counted up to `cycle`, and its slaves."""
        return NetworkState(
            master_id=self._id,
            state=self._running_state,
            mode=MasterMode.CYCLIC,
            statistics=self.statistics.at(cycle),
            slaves=self._shown,
        )

    def communicate(self, cycle: int, *, on: bool) -> None:
        """Start or stop communication; what is on the wire joins when it starts."""
        self.communicating = on
        self.statistics.send(cycle, on=on)
        if on:
            self._joined = set(self._line.delays)
        for slave_id in self._joined:
            self._slaves[slave_id].start(self._running_state)
        self._count_losses(cycle)
        self._look()

    def join(self) -> None:
        """Let every slave on the wire join that has not; the others stay as they are."""
        for slave_id in self._line.delays.keys() - self._joined:
            self._slaves[slave_id].start(self._running_state)
            self._joined.add(slave_id)
        self._look()

    def request_state(self, slave_id: int, state: EcState) -> None:
        """Ask a slave that has joined to go to `state`; refused with SlaveStateChangeError."""
        slave = self._slaves[slave_id]
        who = self._name(slave_id)
        if slave_id not in self._joined:
            raise CommandRefused(ErrorCode.WaitTimeout, f"{who} does not answer: it is offline")
        code = slave.request(state)
        self._look()
        if code:
            rule = f"{who} stays in {slave.state.name} and does not go to {state.name}"
            detail = f"{rule}: AL status code 0x{code:04X} ({code.name})"
            raise SlaveRefused("SlaveStateChangeError", detail, code)

    def mailbox(self, slave_id: int) -> Mailbox:
        """Return the mailbox of a slave."""
        online = slave_id in self._joined
        return Mailbox(self._slaves[slave_id], self._name(slave_id), online=online)

    # What happens to the line

    def drop(self, slave_id: int, cycle: int) -> None:
        """The slave loses power; its neighbours count a lost link."""
        self._line.switch_off(slave_id)
        self._reach(cycle)

    def put_back(self, slave_id: int, cycle: int) -> None:
        """The slave has power again and waits to join."""
        if not self._line.is_on(slave_id):
            self._slaves[slave_id].power_up()
            self._line.switch_on(slave_id)
            self._reach(cycle)

    def cut(self, slave_id: int, cycle: int) -> None:
        """The cable that leads to the slave breaks."""
        self._line.cut(slave_id)
        self._reach(cycle)

    def mend(self, slave_id: int, cycle: int) -> None:
        """The cable that leads to the slave is whole; who is behind it waits to join."""
        self._line.mend(slave_id)
        self._reach(cycle)

    def esc(self, slave_id: int) -> EscState:
        """Return the registers of a slave.

        Refused with WaitTimeout while it is off the wire.
        """
        if slave_id not in self._line.delays:
            rule = f"{self._name(slave_id)} does not answer: it is offline"
            raise CommandRefused(ErrorCode.WaitTimeout, rule)
        described, slave = self._described[slave_id], self._slaves[slave_id]
        delays = self._line.delays
        upstream, downstream = self._line.lost_links[slave_id]
        return EscState(
            station_address=described.address if slave.configured else 0,
            alias=described.alias,
            state=slave.state,
            requested=slave.requested,
            al_status_code=slave.al_status_code,
            watchdog_expired=slave.al_status_code is AlStatusCode.SYNC_MANAGER_WATCHDOG,
            links=(True, slave_id != max(delays)),
            lost_links=(upstream, downstream),
            receive_times=self._line.receive_times(slave_id),
            system_time_delay=delays[slave_id] - min(delays.values()),
        )

    def need_slave(self, slave_id: int) -> None:
        """Refuse with IDOutOfRange a slave that is not described."""
        if not 0 <= slave_id < len(self._slaves):
            rule = f"{self._name(slave_id)}: must be 0 to {len(self._slaves) - 1}"
            raise CommandRefused(ErrorCode.IDOutOfRange, rule)

    def need_communication(self) -> None:
        """Refuse with CommNotStarted while no frame is on the wire."""
        if not self.communicating:
            rule = f"master {self._id} does not communicate"
            raise CommandRefused(ErrorCode.CommNotStarted, rule)

    @property
    def _running_state(self) -> EcState:
        return EcState.OP if self.communicating else EcState.INIT

    def _name(self, slave_id: int) -> str:
        return f"slave {slave_id} of master {self._id}"

    def _reach(self, cycle: int) -> None:
        """The line has changed: frames reach other slaves from `cycle` on."""
        reached = self._line.delays.keys()
        self._joined &= reached
        for slave_id, slave in enumerate(self._slaves):
            if slave_id not in reached:
                self._unreached_since.setdefault(slave_id, cycle)
            elif slave_id in self._unreached_since:
                since = self._unreached_since.pop(slave_id)
                # Without communication it will miss process data for longer yet.
                missed = cycle - since if self.communicating else WATCHDOG_CYCLES
                slave.miss_process_data(missed)
        self._count_losses(cycle)
        self._look()

    def _look(self) -> None:
        """Take down what reading shall find, which is far more frequent than change."""
        self._shown = tuple(self._now(slave) for slave in self._described)
        self.offline_axes = frozenset(
            axis
            for slave in self._shown
            if slave.offline or slave.state is not EcState.OP
            for axis in self._axes[slave.id]
        )
        """Axes that cannot be moved: their slave has not joined or is not in Op."""

    def _now(self, described: SlaveInfo) -> SlaveInfo:
        slave_id, slave = described.id, self._slaves[described.id]
        reached = slave_id in self._line.delays
        return replace(
            described,
            state=slave.state if reached else EcState.NONE,
            al_status_code=int(slave.al_status_code) if reached else 0,
            offline=slave_id not in self._joined,
            inaccessible=self._line.is_cut_off(slave_id),
            new=reached and not slave.configured,
            propagation_delay=self._line.delays.get(slave_id, 0),
            neighbors=self._line.neighbors.get(slave_id, ()),
        )

    def _count_losses(self, cycle: int) -> None:
        """A frame that misses a slave counts as lost, one that reaches none never returns."""
        reached = len(self._line.delays)
        incomplete = self.communicating and reached < len(self._slaves)
        self.statistics.packet_loss.run(cycle, on=incomplete and reached > 0)
        self.statistics.packet_timeout.run(cycle, on=incomplete and reached == 0)


def _described(master: MasterDescription, inputs: int, outputs: int) -> Iterator[SlaveInfo]:
    """Return the slaves as they power up; their bytes begin at `inputs` and `outputs`."""
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
