"""The EtherCAT networks of a machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lifecycle_msgs.srv import GetAvailableStates
from rcl_interfaces.srv import DescribeParameters, GetParameterTypes, ListParameters
from std_srvs.srv import Trigger
from wmx_ros2_message.srv import (
    EcatGetNetworkState,
    EcatRegisterRead,
    EcatResetStatistics,
    EcatScanNetwork,
    EcatSdoDownload,
    EcatSdoUpload,
    EcatSetSlaveState,
    EcatStartHotconnect,
)

from wmx_core.values import EcState, MasterMode

from ..messages.conversion import SLAVE_FIELDS
from .checked import whole
from .errors import NotAnswered, Refused
from .session import Session
from .status import html_table


@dataclass(frozen=True, slots=True, kw_only=True)
class Slave:
    """One slave, as its master reports it; addresses and sizes in bytes of the I/O image."""

    id: int
    state: EcState
    al_status_code: int
    """Why it refused or left a state (ETG.1000.6, table 11), 0 for no error."""
    position: int
    """Its place in the order of the wiring, from 0."""
    address: int
    """Its station address."""
    offline: bool
    inaccessible: bool
    """It is behind a break of the line."""
    new: bool
    """It was found, but takes no part yet."""
    reverse: bool
    """Its cables are plugged in the wrong way round."""
    vendor_id: int
    product_code: int
    revision: int
    serial: int
    alias: int
    input_address: int
    input_size: int
    output_address: int
    output_size: int
    axes: int
    """How many axes it moves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Port:
    """One port of a slave controller; what it counts stays at 255 (ETG.1000.4, 6.2)."""

    number: int
    """0 leads to the master."""
    link: bool
    """A cable is plugged in, and the other end answers."""
    open: bool
    """Frames go out here; a port that is closed sends them back."""
    invalid_frames: int
    rx_errors: int
    """Symbols that were no symbols: a cable or plug is bad, or something disturbs it."""
    lost_links: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkState:
    """A master, what it has counted since its start or `reset_statistics`, and its slaves."""

    master: int
    state: EcState
    mode: MasterMode
    comm_period: int
    """The communication cycle, us."""
    total_axes: int
    tx_delay: int
    """The latest delay of a transmission behind its cycle, us."""
    min_tx_delay: int
    max_tx_delay: int
    packet_loss: int
    """Packets that did not come back."""
    packet_timeout: int
    """Packets that came back too late."""
    over_cycle: int
    """Cycles that took longer than the communication cycle."""
    slaves: tuple[Slave, ...]

    def _repr_html_(self) -> str:
        columns = ("id", "state", "offline", "vendor_id", "product_code", "axes", "al_status_code")
        rows = [[_text(getattr(slave, name)) for name in columns] for slave in self.slaves]
        head = f"<p>Master {self.master}: {self.state.name}, cycle {self.comm_period} us</p>"
        return head + html_table(columns, rows)


class Network:
    """The EtherCAT masters and slaves; `master` and `slave` count from 0.

    What changes the network as a whole takes seconds, and is asked once.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    def state(self, master: int = 0, *, timeout: float | None = None) -> NetworkState:
        """The master, its statistics and its slaves as they are now."""
        answer = self._session.call(
            EcatGetNetworkState, "wmx/ecat/get_network_state", timeout=timeout, master_id=master
        )
        arrays = {ours: getattr(answer, its) for its, ours in SLAVE_FIELDS.items()}
        slaves = [
            {name: values[i] for name, values in arrays.items()}
            for i in range(answer.num_of_slaves)
        ]
        return NetworkState(
            master=master,
            state=EcState(answer.master_state),
            mode=MasterMode(answer.master_mode),
            slaves=tuple(Slave(**{**each, "state": EcState(each["state"])}) for each in slaves),
            **{name: getattr(answer, name) for name in _COUNTS},
        )

    def register(self, slave: int, address: int, length: int = 2, *, master: int = 0) -> bytes:
        """Registers of a slave controller, such as its AL status at 0x130; little-endian."""
        answer = self._ask(
            EcatRegisterRead, "register_read", master, slave, reg_address=address, length=length
        )
        return bytes(answer.data)

    def ports(self, slave: int, *, master: int = 0) -> tuple[Port, ...]:
        """The ports that a slave controller has, with what it has counted at each."""

        def read(address: int, length: int) -> bytes:
            return self.register(slave, address, length, master=master)

        [kinds] = read(_PORT_KINDS, 1)
        status = int.from_bytes(read(_DL_STATUS, 2), "little")
        errors, lost = read(_RX_ERRORS, 8), read(_LOST_LINKS, 4)
        return tuple(
            Port(
                number=port,
                link=bool(status >> (4 + port) & 1),
                open=not status >> (8 + 2 * port) & 1,
                invalid_frames=errors[2 * port],
                rx_errors=errors[2 * port + 1],
                lost_links=lost[port],
            )
            for port in range(4)
            if kinds >> (2 * port) & 3 > _NO_PORT
        )

    def read_object(
        self, slave: int, index: int, subindex: int = 0, *, size: int = 4, master: int = 0
    ) -> bytes:
        """Read an object of the dictionary of a slave (SDO upload), little-endian.

        It has `size` bytes at most. A refusal has the slave's abort code.
        """
        place = {"index": index, "subindex": subindex}
        answer = self._ask(EcatSdoUpload, "sdo_upload", master, slave, **place, size=size)
        return bytes(answer.data)

    def write_object(
        self, slave: int, index: int, subindex: int, data: bytes, *, master: int = 0
    ) -> None:
        """Write an object of the dictionary of a slave (SDO download), little-endian, once."""
        self._session.call_once(
            EcatSdoDownload,
            "wmx/ecat/sdo_download",
            master_id=master,
            slave_id=slave,
            index=index,
            subindex=subindex,
            data=list(data),
        )

    def reset_statistics(self, master: int = 0) -> str:
        """Set what the master counts to zero, and scan its network; what came of it, in words."""
        answer = self._session.call_after(
            (ListParameters, "wmx_ethercat_node/list_parameters"),
            EcatResetStatistics,
            "wmx/ecat/reset_statistics",
            master_id=master,
        )
        return str(answer.message)

    def hot_connect(self, master: int = 0) -> None:
        """Let slaves that were added, or are back, join the running network."""
        self._session.call_after(
            (GetParameterTypes, "wmx_ethercat_node/get_parameter_types"),
            EcatStartHotconnect,
            "wmx/ecat/start_hotconnect",
            master_id=master,
        )

    def set_slave_state(self, slave: int, state: EcState, *, master: int = 0) -> None:
        """Bring a slave to a state; up one state at a time.

        It leaves OP only while no axis moves. It is only asked to go there: `state` shows where it
        is.
        """
        self._ask(EcatSetSlaveState, "set_slave_state", master, slave, state=_known(state))

    def bring_to(self, slave: int, state: EcState, *, master: int = 0) -> None:
        """Bring a slave to a state by way of those between, and wait until it is there.

        NotAnswered where it does not get there in time. It leaves OP only while no axis moves.
        """
        for step in _way(self._slave(slave, master).state, _known(state)):
            self.set_slave_state(slave, step, master=master)
            deadline = self._session.link.clock.now() + STATE_TIMEOUT
            while (now := self._slave(slave, master).state) is not step:
                if self._session.link.clock.now() > deadline:
                    rule = f"asked to go to {step.name}, and has not within {STATE_TIMEOUT:g} s"
                    raise NotAnswered(f"slave {slave} of master {master} is in {now.name}: {rule}")
                self._session.link.clock.sleep(STATE_PERIOD)

    def _slave(self, number: int, master: int) -> Slave:
        slaves = self.state(master).slaves
        if not 0 <= number < len(slaves):
            raise Refused(f"slave {number} of master {master}: must be 0 to {len(slaves) - 1}")
        return slaves[number]

    def scan(self, master: int | None = None) -> None:
        """Scan for slaves again, on every master or on one."""
        if master is None:
            first: tuple[Any, str] = GetAvailableStates, "wmx_engine_node/get_available_states"
            self._session.call_after(first, Trigger, "wmx/engine/scan_network")
        else:
            first = DescribeParameters, "wmx_ethercat_node/describe_parameters"
            service = "wmx/ecat/scan_network"
            self._session.call_after(first, EcatScanNetwork, service, master_id=master)

    def _ask(self, kind: Any, verb: str, master: int, slave: int, **fields: Any) -> Any:
        return self._session.call(
            kind, f"wmx/ecat/{verb}", master_id=master, slave_id=slave, **fields
        )


STATE_TIMEOUT = 5.0
"""How long a slave may take from one state to the next, s."""
STATE_PERIOD = 0.05
"""How often its state is read until then, s."""
_UP = EcState.INIT, EcState.PREOP, EcState.SAFEOP, EcState.OP


def _known(state: Any) -> EcState:
    """The state of this number; ValueError for what is none."""
    return EcState(whole(state, "state"))


def _way(now: EcState, wanted: EcState) -> tuple[EcState, ...]:
    """The states to ask for, one after the other (ETG.1000.6: up step by step, Boot by Init)."""
    if EcState.BOOT in (now, wanted) and now is not wanted and EcState.INIT not in (now, wanted):
        return (*_way(now, EcState.INIT), *_way(EcState.INIT, wanted))
    if now in _UP and wanted in _UP and _UP.index(now) < _UP.index(wanted):
        return _UP[_UP.index(now) + 1 : _UP.index(wanted) + 1]
    return (wanted,)


_PORT_KINDS, _DL_STATUS, _RX_ERRORS, _LOST_LINKS = 0x0007, 0x0110, 0x0300, 0x0310
"""Registers of a slave controller (ETG.1000.4, 6)."""
_NO_PORT = 1
"""In 0x0007: 0 not there, 1 not configured; 2 and 3 are kinds of ports."""
_COUNTS = (
    "comm_period",
    "total_axes",
    "tx_delay",
    "min_tx_delay",
    "max_tx_delay",
    "packet_loss",
    "packet_timeout",
    "over_cycle",
)


def _text(value: object) -> str:
    return value.name if isinstance(value, EcState) else str(value)
