"""`wmx_ethercat_node`: networks, slaves and their objects, as services."""

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

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.values import EcState

from .. import validation
from ..messages.conversion import fill_network_state
from ..node_base.context import NodeContext
from ..node_base.handlers import AnswerMode
from ..node_base.kind import NodeKind
from ..node_base.parameters import NoParameters


class EthercatServices:
    """Serves the state of the EtherCAT network, its slaves and registers."""

    def __init__(self, node: NodeContext[NoParameters]) -> None:
        self._ecat, self._motion = node.driver.ecat, node.driver.motion
        node.create_service(
            EcatGetNetworkState,
            "wmx/ecat/get_network_state",
            self.get_network_state,
            failed=lambda r: f"GetMasterInfo failed. masterId={r.master_id}",
            quiet=True,
        )
        node.create_service(
            EcatRegisterRead,
            "wmx/ecat/register_read",
            self.read_register,
            failed=lambda r: f"RegisterRead failed. {_register(r)}",
            run=AnswerMode.ASIDE,
            quiet=True,
        )
        node.create_service(
            EcatResetStatistics,
            "wmx/ecat/reset_statistics",
            self.reset_statistics,
            failed=lambda r: f"ResetTransmitStatisticsInfo failed. masterId={r.master_id}",
            run=AnswerMode.ASIDE,
        )
        node.create_service(
            EcatStartHotconnect,
            "wmx/ecat/start_hotconnect",
            self.start_hotconnect,
            failed=lambda r: f"StartHotconnect failed. masterId={r.master_id}",
            run=AnswerMode.ASIDE,
        )
        node.create_service(
            EcatScanNetwork,
            "wmx/ecat/scan_network",
            self.scan_network,
            failed=lambda r: f"ScanNetwork failed. masterId={r.master_id}",
            run=AnswerMode.ASIDE,
        )
        node.create_service(
            EcatSdoUpload,
            "wmx/ecat/sdo_upload",
            self.upload,
            failed=lambda r: f"SdoUpload failed. {_object(r)}",
            run=AnswerMode.ASIDE,
            quiet=True,
        )
        node.create_service(
            EcatSdoDownload,
            "wmx/ecat/sdo_download",
            self.download,
            failed=lambda r: f"SdoDownload failed. {_object(r)}",
            run=AnswerMode.ASIDE,
        )
        node.create_service(
            EcatSetSlaveState,
            "wmx/ecat/set_slave_state",
            self.set_slave_state,
            failed=lambda r: f"SetSlaveState failed. slaveId={r.slave_id}",
            run=AnswerMode.ASIDE,
        )

    def get_network_state(
        self, request: EcatGetNetworkState.Request, response: EcatGetNetworkState.Response
    ) -> str:
        """The master, its statistics and its slaves."""
        state = self._ecat.network_state(request.master_id)
        fill_network_state(response, state)
        return f"Master {request.master_id}: slaves={len(state.slaves)}"

    def read_register(
        self, request: EcatRegisterRead.Request, response: EcatRegisterRead.Response
    ) -> str:
        """Bytes of a slave's register space."""
        validation.register(request.reg_address, request.length)
        response.data = self._ecat.read_register(
            request.master_id, request.slave_id, request.reg_address, request.length
        )
        return f"RegisterRead success. {_register(request)}"

    def reset_statistics(
        self, request: EcatResetStatistics.Request, _: EcatResetStatistics.Response
    ) -> str:
        """Set what the master counts back to zero, and scan its network.

        The statistics start anew also where the scan is refused, which the answer adds then.
        """
        self._ecat.reset_statistics(request.master_id)
        try:
            self._ecat.scan_network(request.master_id)
        except CommandRefused as error:
            return f"Statistics reset, ScanNetwork failed. masterId={request.master_id} {error}"
        return f"Statistics reset and ScanNetwork done. masterId={request.master_id}"

    def start_hotconnect(
        self, request: EcatStartHotconnect.Request, _: EcatStartHotconnect.Response
    ) -> str:
        """Let slaves join the running network."""
        self._ecat.start_hotconnect(request.master_id)
        return f"StartHotconnect done. masterId={request.master_id}"

    def scan_network(self, request: EcatScanNetwork.Request, _: EcatScanNetwork.Response) -> str:
        """Look again which slaves are there."""
        self._ecat.scan_network(request.master_id)
        return f"ScanNetwork done. masterId={request.master_id}"

    def upload(self, request: EcatSdoUpload.Request, response: EcatSdoUpload.Response) -> str:
        """Read an object of a slave's dictionary."""
        validation.sdo(request.index, request.subindex, request.size)
        response.data = self._ecat.read_sdo(
            request.master_id, request.slave_id, request.index, request.subindex, request.size
        )
        return f"SdoUpload success. {_object(request)} bytes={len(response.data)}"

    def download(self, request: EcatSdoDownload.Request, _: EcatSdoDownload.Response) -> str:
        """Write an object of a slave's dictionary."""
        data = bytes(request.data)
        validation.sdo(request.index, request.subindex, len(data))
        self._ecat.write_sdo(
            request.master_id, request.slave_id, request.index, request.subindex, data
        )
        return f"SdoDownload success. {_object(request)} bytes={len(data)}"

    def set_slave_state(
        self, request: EcatSetSlaveState.Request, _: EcatSetSlaveState.Response
    ) -> str:
        """Bring a slave to another state, while no axis moves."""
        state = validation.slave_state(request.state)
        if state is not EcState.OP and self._motion.status().busy.size:
            detail = "axes move: must rest before a slave leaves Op"
            raise CommandRefused(ErrorCode.NotIdleState, detail)
        self._ecat.set_slave_state(request.master_id, request.slave_id, state)
        return f"SetSlaveState done. slaveId={request.slave_id} state={state.name}"


def _register(request: EcatRegisterRead.Request) -> str:
    return f"slaveId={request.slave_id} reg=0x{request.reg_address:03X} length={request.length}"


def _object(request: EcatSdoUpload.Request | EcatSdoDownload.Request) -> str:
    where = f"index=0x{request.index:04X} subindex={request.subindex}"
    return f"slaveId={request.slave_id} {where}"


KIND = NodeKind(
    EthercatServices,
    not_ready="EtherCAT node not initialized. Engine not ready.",
)
