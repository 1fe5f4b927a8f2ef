"""What the launch files give each process."""

from typing import Any

import pytest

pytest.importorskip("launch_ros", reason="launch_ros is not installed")

from wmx_ros2_package import launching
from wmx_ros2_package.executables import NODES
from wmx_ros2_package.node_base.runner import EXIT_TIMEOUT


@pytest.mark.parametrize("name", NODES)
def test_a_node_has_half_a_minute_to_end_before_it_is_asked_harder(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Axes slow down in that time, and a real network takes seconds to stop."""
    made: list[dict[str, Any]] = []
    monkeypatch.setattr(launching, "Node", lambda **given: made.append(given))
    launching._node(name, [name], {"device_path": "", "params_file": ""})
    [node] = made
    assert node["executable"] == name
    assert float(node["sigterm_timeout"]) == float(node["sigkill_timeout"]) == 30.0
    assert float(node["sigterm_timeout"]) > 3.0 * EXIT_TIMEOUT
