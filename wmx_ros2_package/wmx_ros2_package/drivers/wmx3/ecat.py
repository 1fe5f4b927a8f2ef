"""The EtherCAT networks, by the SDK's Ecat.

The SDK's functions of the first master take no master id. Where there is one for any master, its
name ends in _MasterId and the id is its first argument (ResetMonitorStatisticsInfo_MasterId);
newer SDKs are expected to follow that. Registers and statistics are of newer SDKs only.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from ..errors import CommandRefused, ErrorCode
from ..values import EcState, MasterStatistics, NetworkState, SlaveInfo
from .enums import ec_states, master_modes
from .sdk import Part, Sdk
from .session import Session

MASTERS = 2
SDO_TIMEOUT = 1000
"""How long a slave's mailbox may take, ms."""
EXPEDITED_SIZES = 1, 2, 4
"""Bytes of an object that the SDK moves in one mailbox message."""
PORTS = 4
COMMUNICATES = 0b100
"""The bit of a port's state that says that there is someone at the other end."""


class WmxEcat:
    """Carries out `interface.Ecat` on the device that `session` returns."""

    def __init__(self, session: Callable[[], Session]) -> None:
        self._session = session

    def network_state(self, master_id: int) -> NetworkState:
        sdk, ecat = self._master(master_id)
        master = ecat.GetMasterInfo()
        return NetworkState(
            master_id=master_id,
            state=ec_states(sdk).ours.get(master.state, EcState.NONE),
            mode=master_modes(sdk).ours[master.mode],
            statistics=_statistics(master.statisticsInfo),
            slaves=tuple(_slave(sdk, master.GetSlaves(i)) for i in range(master.numOfSlaves)),
        )

    def read_register(self, master_id: int, slave_id: int, address: int, length: int) -> bytes:
        _, ecat = self._master(master_id)
        return bytes(ecat.RegisterRead(slave_id, address, length))

    def reset_statistics(self, master_id: int) -> None:
        _, ecat = self._master(master_id)
        ecat.ResetRefClockInfo()
        ecat.ResetTransmitStatisticsInfo()

    def set_slave_state(self, master_id: int, slave_id: int, state: EcState) -> None:
        sdk, ecat = self._master(master_id)
        ecat.ChangeSlaveState(slave_id, ec_states(sdk).theirs[state])

    def read_sdo(
        self, master_id: int, slave_id: int, index: int, subindex: int, size: int
    ) -> bytes:
        sdk, ecat = self._master(master_id)
        kind = _sdo_type(sdk, size)
        data, length, _ = ecat.SdoUpload_SdoType_WaitTime(
            slave_id, index, subindex, kind, size, SDO_TIMEOUT
        )
        return bytes(data[:length])

    def write_sdo(
        self, master_id: int, slave_id: int, index: int, subindex: int, data: bytes
    ) -> None:
        sdk, ecat = self._master(master_id)
        kind = _sdo_type(sdk, len(data))
        ecat.SdoDownload_SdoType_WaitTime(
            slave_id, index, subindex, kind, len(data), list(data), SDO_TIMEOUT
        )

    def start_hotconnect(self, master_id: int) -> None:
        _, ecat = self._master(master_id)
        ecat.StartHotconnect()

    def scan_network(self, master_id: int) -> None:
        _, ecat = self._master(master_id)
        ecat.ScanNetwork()

    def _master(self, master_id: int) -> tuple[Sdk, "Part | _OtherMaster"]:
        """The SDK, and its functions for one master."""
        session = self._session()
        if not 0 <= master_id < MASTERS:
            rule = f"master {master_id}: must be 0 to {MASTERS - 1}"
            raise CommandRefused(ErrorCode.IDOutOfRange, rule)
        return session.sdk, _OtherMaster(session.ecat, master_id) if master_id else session.ecat


class _OtherMaster:
    """The functions of Ecat for another master than the first."""

    def __init__(self, ecat: Part, master_id: int) -> None:
        self._ecat = ecat
        self._master_id = master_id

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return partial(getattr(self._ecat, f"{name}_MasterId"), self._master_id)


def _sdo_type(sdk: Sdk, size: int) -> Any:
    return sdk.EcSdoType.Expedited if size in EXPEDITED_SIZES else sdk.EcSdoType.Normal


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


def _slave(sdk: Sdk, slave: Any) -> SlaveInfo:
    return SlaveInfo(
        id=slave.id,
        position=slave.position,
        address=slave.address,
        vendor_id=slave.vendorId,
        product_code=slave.productCode,
        revision=slave.revisionNo,
        serial=slave.serialNo,
        alias=slave.alias,
        state=ec_states(sdk).ours.get(slave.state, EcState.NONE),
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

    What the SDK says at a port without a slave is not documented; the first slave's own id, 0,
    is not taken for a neighbour.
    """
    ports = [port for port in range(PORTS) if slave.GetPortState(port) & COMMUNICATES]
    others = [slave.GetNeighbor(port) for port in ports]
    return [other for other in others if other >= 0 and other != slave.id]
