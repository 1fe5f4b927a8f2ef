"""The EtherCAT networks."""

from wmx_ros2_message.srv import (
    EcatGetNetworkState,
    EcatRegisterRead,
    EcatResetStatistics,
    EcatStartHotconnect,
)

from .. import validation
from ..messages.conversion import NetworkStates
from ..node.context import NodeContext
from ..node.kind import NodeKind
from ..node.parameters import NoParameters
from ..node.runner import run


class EthercatServices:
    """`wmx_ethercat_node`."""

    def __init__(self, node: NodeContext[NoParameters]) -> None:
        self._node = node
        self._ecat = node.driver.ecat
        self._network_states = NetworkStates()
        node.serve(
            EcatGetNetworkState,
            "wmx/ecat/get_network_state",
            self.get_network_state,
            failed=lambda r: f"GetMasterInfo failed. masterId={r.master_id}",
            quiet=True,
        )
        node.serve(
            EcatRegisterRead,
            "wmx/ecat/register_read",
            self.read_register,
            failed=lambda r: f"RegisterRead failed. {_register(r)}",
            quiet=True,
        )
        node.serve(
            EcatResetStatistics,
            "wmx/ecat/reset_statistics",
            self.reset_statistics,
            failed=lambda r: f"ResetTransmitStatisticsInfo failed. masterId={r.master_id}",
        )
        node.serve(
            EcatStartHotconnect,
            "wmx/ecat/start_hotconnect",
            self.start_hotconnect,
            failed=lambda r: f"StartHotconnect failed. masterId={r.master_id}",
        )

    def get_network_state(
        self, request: EcatGetNetworkState.Request, response: EcatGetNetworkState.Response
    ) -> None:
        """The master, its statistics and its slaves."""
        state = self._ecat.network_state(request.master_id)
        self._network_states.fill(response, state)
        response.success = True
        response.message = f"Master {request.master_id}: slaves={len(state.slaves)}"

    async def read_register(
        self, request: EcatRegisterRead.Request, response: EcatRegisterRead.Response
    ) -> None:
        """Bytes of a slave's register space."""
        validation.register(request.reg_address, request.length)
        response.data = await self._node.run_in_thread(
            lambda: self._ecat.read_register(
                request.master_id, request.slave_id, request.reg_address, request.length
            )
        )
        response.success = True
        response.message = f"RegisterRead success. {_register(request)}"

    async def reset_statistics(
        self, request: EcatResetStatistics.Request, response: EcatResetStatistics.Response
    ) -> None:
        """Set what the master counts back to zero, and scan its network."""
        self._ecat.reset_statistics(request.master_id)
        await self._node.run_in_thread(lambda: self._ecat.scan_network(request.master_id))
        response.success = True
        response.message = f"Statistics reset and ScanNetwork done. masterId={request.master_id}"

    async def start_hotconnect(
        self, request: EcatStartHotconnect.Request, response: EcatStartHotconnect.Response
    ) -> None:
        """Let slaves join the running network."""
        await self._node.run_in_thread(lambda: self._ecat.start_hotconnect(request.master_id))
        response.success = True
        response.message = f"StartHotconnect done. masterId={request.master_id}"


def _register(request: EcatRegisterRead.Request) -> str:
    return f"slaveId={request.slave_id} reg=0x{request.reg_address:03X} length={request.length}"


ETHERCAT = NodeKind(
    "wmx_ethercat_node",
    EthercatServices,
    not_ready="EtherCAT node not initialized. Engine not ready.",
)


def main() -> int:
    """Run the node until SIGINT or SIGTERM."""
    return run(ETHERCAT)
