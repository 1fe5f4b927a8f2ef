"""The EtherCAT networks, by the SDK's Ecat.

The SDK's functions of the first master take no master id. Where there is one for any master, its
name ends in _MasterId and the id is its first argument (ResetMonitorStatisticsInfo_MasterId);
newer SDKs are expected to follow that. Registers and statistics are of newer SDKs only.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.slave_memory import require_object, require_registers
from wmx_core.values import EcState, MasterMode, MasterStatistics, NetworkState, SlaveInfo

from .own_process import Aside
from .sdk import Enums, Part
from .session import SdkSession

MASTERS = 2
SDO_TIMEOUT = 1000
"""How long a slave's mailbox may take, ms."""
EXPEDITED_SIZES = 1, 2, 4
"""Bytes of an object that the SDK moves in one mailbox message."""
LARGEST_SDO = 0xFFFF
PORTS = 4
COMMUNICATES = 0b100
"""The bit of a port's state that is set where there is a slave or a master at the other end."""


class WmxEcat:
    """Carries out `interface.Ecat` on the device that `session` returns."""

    def __init__(self, session: Callable[[], SdkSession], aside: Aside) -> None:
        self._session = session
        self._aside = aside

    def network_state(self, master_id: int) -> NetworkState:
        master = self._master(master_id).GetMasterInfo()
        enums = self._session().enums
        return NetworkState(
            master_id=master_id,
            state=enums.ec_states.ours.get(master.state, EcState.NONE),
            mode=_mode(enums, master.mode),
            statistics=_statistics(master.statisticsInfo),
            slaves=tuple(_slave(enums, master.GetSlaves(i)) for i in range(master.numOfSlaves)),
        )

    def read_register(self, master_id: int, slave_id: int, address: int, length: int) -> bytes:
        require_registers(address, length)
        return bytes(self._master(master_id).RegisterRead(slave_id, address, length))

    def reset_statistics(self, master_id: int) -> None:
        ecat = self._master(master_id)
        ecat.ResetRefClockInfo()
        ecat.ResetTransmitStatisticsInfo()

    def set_slave_state(self, master_id: int, slave_id: int, state: EcState) -> None:
        number = self._session().enums.ec_states.theirs[state]
        self._master(master_id).ChangeSlaveState(slave_id, number)

    def read_sdo(
        self, master_id: int, slave_id: int, index: int, subindex: int, size: int
    ) -> bytes:
        require_object(index, subindex)
        ecat, kind = self._master(master_id), self._sdo_type(size)
        data, length, _ = ecat.SdoUpload_SdoType_WaitTime(
            slave_id, index, subindex, kind, size, SDO_TIMEOUT
        )
        return self._session().byte_arrays.decode(data, length)

    def write_sdo(
        self, master_id: int, slave_id: int, index: int, subindex: int, data: bytes
    ) -> None:
        require_object(index, subindex)
        ecat, kind, size = self._master(master_id), self._sdo_type(len(data)), len(data)
        ecat.SdoDownload_SdoType_WaitTime(
            slave_id, index, subindex, kind, size, list(data), SDO_TIMEOUT
        )

    def start_hotconnect(self, master_id: int) -> None:
        self._master(master_id).StartHotconnect()

    def scan_network(self, master_id: int) -> None:
        master = self._master(master_id)
        if isinstance(master, _OtherMaster):
            master.ScanNetwork()
        else:
            self._aside(self._session(), "scan")

    def _master(self, master_id: int) -> "Part | _OtherMaster":
        """The functions for one master."""
        ecat = self._session().ecat
        if not 0 <= master_id < MASTERS:
            rule = f"master {master_id}: must be 0 to {MASTERS - 1}"
            raise CommandRefused(ErrorCode.IDOutOfRange, rule)
        return _OtherMaster(ecat, master_id) if master_id else ecat

    def _sdo_type(self, size: int) -> Any:
        """How the SDK moves an object of `size` bytes, for which it makes a buffer first."""
        if not 1 <= size <= LARGEST_SDO:
            rule = f"an object of {size} bytes: must be 1 to {LARGEST_SDO}"
            raise CommandRefused(ErrorCode.ArgumentOutOfRange, rule)
        kinds = self._session().sdk.EcSdoType
        return kinds.Expedited if size in EXPEDITED_SIZES else kinds.Normal


class _OtherMaster:
    """The functions of Ecat for another master than the first."""

    def __init__(self, ecat: Part, master_id: int) -> None:
        self._ecat = ecat
        self._master_id = master_id

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return partial(getattr(self._ecat, f"{name}_MasterId"), self._master_id)


def _mode(enums: Enums, number: int) -> MasterMode:
    if number not in enums.master_modes.ours:
        detail = f"master mode {number} has no name here"
        raise CommandRefused(ErrorCode.NoSupportedFunction, detail)
    return enums.master_modes.ours[number]


def _statistics(statistics: Any) -> MasterStatistics:
    return MasterStatistics(
        comm_period=statistics.commPeriod,
        total_axes=statistics.totalAxesNum,
        total_input_size=statistics.totalInputSize,
        total_output_size=statistics.totalOutputSize,
        ring_num=statistics.ringNum,
        total_rxpdo_size=statistics.totalRxPdoSize,
        total_txpdo_size=statistics.totalTxPdoSize,
        tx_delay=statistics.txDelay,
        min_tx_delay=statistics.minTxDelay,
        max_tx_delay=statistics.maxTxDelay,
        packet_loss=statistics.packetLoss,
        packet_timeout=statistics.packetTimeout,
        over_cycle=statistics.overCycle,
    )


def _slave(enums: Enums, slave: Any) -> SlaveInfo:
    return SlaveInfo(
        id=slave.id,
        position=slave.position,
        address=slave.address,
        vendor_id=slave.vendorId,
        product_code=slave.productCode,
        revision=slave.revisionNo,
        serial=slave.serialNo,
        alias=slave.alias,
        state=enums.ec_states.ours.get(slave.state, EcState.NONE),
        al_status_code=slave.alStatusCode,
        offline=bool(slave.offline),
        inaccessible=bool(slave.inaccessible),
        new=bool(slave.newSlave),
        reverse=bool(slave.reverseSlave),
        input_address=slave.inputAddr,
        input_size=slave.inputSize,
        output_address=slave.outputAddr,
        output_size=slave.outputSize,
        axes=slave.numOfAxes,
        propagation_delay=slave.propagaDelay,
        neighbors=tuple(_neighbors(slave)),
    )


def _neighbors(slave: Any) -> list[int]:
    """Who is at the ports that communicate, port 0 first; not the master, which is no slave.

    What the SDK reports at a port without a slave is not documented; the first slave's own id, 0,
    is not taken for a neighbour.
    """
    ports = [port for port in range(PORTS) if slave.GetPortState(port) & COMMUNICATES]
    others = [slave.GetNeighbor(port) for port in ports]
    return [other for other in others if other >= 0 and other != slave.id]
