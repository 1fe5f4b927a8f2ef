"""Ecat: masters and slaves, their states, objects and registers."""

from typing import Any, ClassVar

from wmx_core.errors import UNNUMBERED, CommandRefused, ErrorCode
from wmx_core.values import EcState, MasterMode, MasterStatistics, SlaveInfo

from ..engine.network.slave import SlaveRefused
from .enums import ENUMS, code_of
from .parts import NO_ERROR, Part, command
from .structs import same_fields, struct

EcSlaveAxisInfo = struct("EcSlaveAxisInfo")
EcSlaveInfo = struct("EcSlaveInfo", {"AxisInfo": EcSlaveAxisInfo})
EcMasterInfo = struct(
    "EcMasterInfo", {"Slaves": EcSlaveInfo}, statisticsInfo=struct("EcMasterStatisticsInfo")
)

_KINDS = ENUMS["EcSdoType"]
EXPEDITED_SIZES = 1, 2, 4
"""Bytes that the SDK moves as an expedited object; no others."""
_STATES = {
    getattr(ENUMS["EcStateMachine"], "PyNone" if state is EcState.NONE else state.name.title()): (
        state
    )
    for state in EcState
}
_NUMBERS = {state: number for number, state in _STATES.items()}
_MODES = {
    MasterMode.CYCLIC: ENUMS["EcMasterMode"].CyclicMode,
    MasterMode.PP: ENUMS["EcMasterMode"].PPMode,
    MasterMode.MONITOR: ENUMS["EcMasterMode"].MonitorMode,
}
_STATISTICS = same_fields("EcMasterStatisticsInfo", MasterStatistics) | {
    "totalAxesNum": "total_axes",
    "totalRxPdoSize": "total_rxpdo_size",
    "totalTxPdoSize": "total_txpdo_size",
}
_SLAVE = same_fields("EcSlaveInfo", SlaveInfo) | {
    "revisionNo": "revision",
    "serialNo": "serial",
    "newSlave": "new",
    "reverseSlave": "reverse",
    "inputAddr": "input_address",
    "outputAddr": "output_address",
    "numOfAxes": "axes",
    "propagaDelay": "propagation_delay",
}
COMMUNICATES = 0b101
"""The state of a port at which a slave communicates."""


class Ecat(Part):
    """The EtherCAT networks; functions that take no master id are of the first master."""

    newer: ClassVar[frozenset[str]] = frozenset(
        {
            *("RegisterRead", "ResetRefClockInfo", "ResetTransmitStatisticsInfo"),
            *("GetMasterInfo_MasterId", "ScanNetwork_MasterId", "StartHotconnect_MasterId"),
            *("ChangeSlaveState_MasterId", "RegisterRead_MasterId", "ResetRefClockInfo_MasterId"),
            *("SdoUpload_SdoType_WaitTime_MasterId", "SdoDownload_SdoType_WaitTime_MasterId"),
            "ResetTransmitStatisticsInfo_MasterId",
        }
    )

    def GetMasterInfo(self) -> tuple[int, Any]:
        return self.GetMasterInfo_MasterId(0)

    def GetMasterInfo_MasterId(self, master_id: int) -> tuple[int, Any]:
        network = self.runtime.ecat.network_state(master_id)
        info = EcMasterInfo()
        info.id, info.numOfSlaves = master_id, len(network.slaves)
        info.state, info.mode = _NUMBERS[network.state], _MODES[network.mode]
        for theirs, ours in _STATISTICS.items():
            setattr(info.statisticsInfo, theirs, int(getattr(network.statistics, ours)))
        axis = 0
        for i, slave in enumerate(network.slaves):
            info.SetSlaves(i, _slave_info(slave, axis))
            axis += slave.axes
        return NO_ERROR, info

    def ScanNetwork(self) -> int:
        return self.ScanNetwork_MasterId(0)

    @command
    def ScanNetwork_MasterId(self, master_id: int) -> None:
        self.runtime.ecat.scan_network(master_id)

    def StartHotconnect(self) -> int:
        return self.StartHotconnect_MasterId(0)

    @command
    def StartHotconnect_MasterId(self, master_id: int) -> None:
        self.runtime.ecat.start_hotconnect(master_id)

    def ChangeSlaveState(self, slave_id: int, state: int) -> tuple[int, int]:
        return self.ChangeSlaveState_MasterId(0, slave_id, state)

    def ChangeSlaveState_MasterId(
        self, master_id: int, slave_id: int, state: int
    ) -> tuple[int, int]:
        """Answer an AL status code of the slave, too."""
        if state not in _STATES:
            raise CommandRefused(ErrorCode.ArgumentOutOfRange, f"state {state} has no name")
        slave_code = 0

        def change() -> None:
            nonlocal slave_code
            try:
                self.runtime.ecat.set_slave_state(master_id, slave_id, _STATES[state])
            except SlaveRefused as refused:
                slave_code = refused.slave_code
                raise

        return self.runtime.command(change), slave_code

    # Objects

    def SdoUpload_SdoType_WaitTime(
        self, slave_id: int, index: int, subindex: int, kind: int, size: int, wait: int
    ) -> tuple[int, list[int], int, int]:
        upload = self.SdoUpload_SdoType_WaitTime_MasterId
        return upload(0, slave_id, index, subindex, kind, size, wait)

    def SdoUpload_SdoType_WaitTime_MasterId(
        self,
        master_id: int,
        slave_id: int,
        index: int,
        subindex: int,
        kind: int,
        size: int,
        _wait: int,
    ) -> tuple[int, list[int], int, int]:
        """Answer a buffer of `size` bytes, how many of them are the object's, and an abort code."""
        _require_kind(kind, size)
        try:
            data = self.runtime.ecat.read_sdo(master_id, slave_id, index, subindex, size)
        except SlaveRefused as refused:
            return code_of(refused), [0] * size, 0, refused.slave_code
        unused = [0xEE] * (size - len(data))
        return NO_ERROR, [*data, *unused], len(data), 0

    def SdoDownload_SdoType_WaitTime(
        self, slave_id: int, index: int, subindex: int, kind: int, size: int, data: Any, wait: int
    ) -> tuple[int, int]:
        download = self.SdoDownload_SdoType_WaitTime_MasterId
        return download(0, slave_id, index, subindex, kind, size, data, wait)

    def SdoDownload_SdoType_WaitTime_MasterId(
        self,
        master_id: int,
        slave_id: int,
        index: int,
        subindex: int,
        kind: int,
        size: int,
        data: Any,
        _wait: int,
    ) -> tuple[int, int]:
        """Answer an abort code."""
        block = bytes(data)[:size]
        _require_kind(kind, len(block))
        try:
            self.runtime.ecat.write_sdo(master_id, slave_id, index, subindex, block)
        except SlaveRefused as refused:
            return code_of(refused), refused.slave_code
        return NO_ERROR, 0

    # Of newer releases

    def RegisterRead(self, slave_id: int, address: int, length: int) -> tuple[int, list[int]]:
        return self.RegisterRead_MasterId(0, slave_id, address, length)

    def RegisterRead_MasterId(
        self, master_id: int, slave_id: int, address: int, length: int
    ) -> tuple[int, list[int]]:
        read = self.runtime.ecat.read_register(master_id, slave_id, address, length)
        return NO_ERROR, [*read]

    def ResetRefClockInfo(self) -> int:
        return self.ResetRefClockInfo_MasterId(0)

    def ResetRefClockInfo_MasterId(self, master_id: int) -> int:
        """There is no reference clock; the master has to be there."""
        self.runtime.ecat.network_state(master_id)
        return NO_ERROR

    def ResetTransmitStatisticsInfo(self) -> int:
        return self.ResetTransmitStatisticsInfo_MasterId(0)

    @command
    def ResetTransmitStatisticsInfo_MasterId(self, master_id: int) -> None:
        self.runtime.ecat.reset_statistics(master_id)


def _slave_info(slave: SlaveInfo, first_axis: int) -> Any:
    info = EcSlaveInfo()
    for theirs, ours in _SLAVE.items():
        setattr(info, theirs, int(getattr(slave, ours)))
    info.state = _NUMBERS[slave.state]
    for i in range(slave.axes):
        axis = EcSlaveAxisInfo()
        axis.axisIndex = first_axis + i
        info.SetAxisInfo(i, axis)
    for port, neighbor in enumerate(slave.neighbors):
        info.SetPortState(port, COMMUNICATES)
        info.SetNeighbor(port, neighbor)
    return info


def _require_kind(kind: int, size: int) -> None:
    """Refuse a kind of transfer that has no name, or that is not for this size."""
    if kind not in vars(_KINDS).values():
        raise CommandRefused(ErrorCode.ArgumentOutOfRange, f"SDO type {kind} has no name")
    if kind == _KINDS.Expedited and size not in EXPEDITED_SIZES:
        raise CommandRefused(UNNUMBERED, "", "SlaveActualSizeLargerThanBufferSize")
