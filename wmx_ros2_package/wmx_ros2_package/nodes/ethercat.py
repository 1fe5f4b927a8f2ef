"""The EtherCAT networks."""

from typing import Any

from wmx_ros2_message.srv import (
    EcatGetNetworkState,
    EcatRegisterRead,
    EcatResetStatistics,
    EcatStartHotconnect,
)

from .. import validation
from ..conversion import NetworkStates
from ..node.engine_client import FollowerNode
from ..node.runner import run


class EthercatNode(FollowerNode):
    """`wmx_ethercat_node`."""

    not_ready = "EtherCAT node not initialized. Engine not ready."

    def __init__(self, **options: Any) -> None:
        super().__init__("wmx_ethercat_node", **options)
        self._network_states = NetworkStates()
        self.serve(
            EcatGetNetworkState,
            "wmx/ecat/get_network_state",
            self.get_network_state,
            failed=lambda r: f"GetMasterInfo failed. masterId={r.master_id}",
            quiet=True,
        )
        self.serve(
            EcatRegisterRead,
            "wmx/ecat/register_read",
            self.read_register,
            failed=lambda r: f"RegisterRead failed. {_register(r)}",
            quiet=True,
        )
        self.serve(
            EcatResetStatistics,
            "wmx/ecat/reset_statistics",
            self.reset_statistics,
            failed=lambda r: f"ResetTransmitStatisticsInfo failed. masterId={r.master_id}",
        )
        self.serve(
            EcatStartHotconnect,
            "wmx/ecat/start_hotconnect",
            self.start_hotconnect,
            failed=lambda r: f"StartHotconnect failed. masterId={r.master_id}",
        )

    def get_network_state(
        self, request: EcatGetNetworkState.Request, response: EcatGetNetworkState.Response
    ) -> None:
        """The master, its statistics and its slaves."""
        state = self.driver.ecat.network_state(request.master_id)
        self._network_states.fill(response, state)
        response.success = True
        response.message = f"Master {request.master_id}: slaves={len(state.slaves)}"

    async def read_register(
        self, request: EcatRegisterRead.Request, response: EcatRegisterRead.Response
    ) -> None:
        """Bytes of a slave's register space."""
        validation.register(request.reg_address, request.length)
        response.data = await self.run_in_thread(
            lambda: self.driver.ecat.read_register(
                request.master_id, request.slave_id, request.reg_address, request.length
            )
        )
        response.success = True
        response.message = f"RegisterRead success. {_register(request)}"

    async def reset_statistics(
        self, request: EcatResetStatistics.Request, response: EcatResetStatistics.Response
    ) -> None:
        """Set what the master counts back to zero, and scan its network."""
        self.driver.ecat.reset_statistics(request.master_id)
        await self.run_in_thread(lambda: self.driver.ecat.scan_network(request.master_id))
        response.success = True
        response.message = f"Statistics reset and ScanNetwork done. masterId={request.master_id}"

    async def start_hotconnect(
        self, request: EcatStartHotconnect.Request, response: EcatStartHotconnect.Response
    ) -> None:
        """Let slaves join the running network."""
        await self.run_in_thread(lambda: self.driver.ecat.start_hotconnect(request.master_id))
        response.success = True
        response.message = f"StartHotconnect done. masterId={request.master_id}"


def _register(request: EcatRegisterRead.Request) -> str:
    return f"slaveId={request.slave_id} reg=0x{request.reg_address:03X} length={request.length}"


def main() -> int:
    """Run the node until SIGINT or SIGTERM."""
    return run(lambda: [EthercatNode()])
