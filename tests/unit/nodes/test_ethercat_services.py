"""What the services of the network answer where a master carries out a part of them."""

from typing import Any

import pytest
from held_engine import HeldEngine
from held_node import HeldNode
from wmx_ros2_message.srv import EcatResetStatistics

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_ros2_package.nodes.ethercat import EthercatServices


def test_statistics_are_reset_where_the_scan_after_that_is_refused(
    held: HeldEngine, node: HeldNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_master: int) -> None:
        raise CommandRefused(ErrorCode.WaitTimeout)

    monkeypatch.setattr(held.ecat, "scan_network", refuse)
    held.fake.call("ecat", "disturb", packet_loss=3)
    services: Any = EthercatServices(node)  # type: ignore[arg-type]
    answer = services.reset_statistics(EcatResetStatistics.Request(), None)
    assert answer.startswith("Statistics reset, ScanNetwork failed. masterId=0 Error=")
    assert held.ecat.network_state(0).statistics.packet_loss == 0
