"""What the services of the network answer where a master carries out a part of them."""

from typing import Any

import pytest
from held_engine import HeldEngine
from held_node import HeldNode
from wmx_ros2_message.srv import EcatResetStatistics, EcatSdoDownload

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_ros2_package.nodes.ethercat import EthercatServices
from wmx_ros2_package.validation import NothingAsked


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


def test_an_object_of_no_bytes_asks_for_nothing(node: HeldNode) -> None:
    """Clients meet the service with it: it is refused, and no error."""
    services: Any = EthercatServices(node)  # type: ignore[arg-type]
    with pytest.raises(NothingAsked, match="Invalid size 0: must be in"):
        services.download(EcatSdoDownload.Request(), None)
