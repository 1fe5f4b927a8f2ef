"""The parts of `control` of one node, connected."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from held_engine import HeldEngine, velocity_move
from held_node import HeldNode
from stubborn import Stubborn

from wmx_core.errors import ErrorCode
from wmx_ros2_package.node_base.common_parameters import CommonParameters
from wmx_ros2_package.node_base.motion_path import MotionPath


@pytest.mark.parametrize(
    ("code", "refusals", "stopped"),
    [
        (ErrorCode.WaitTimeout, 0, True),
        (ErrorCode.WaitTimeout, 1, True),
        (ErrorCode.DeviceIsNull, 1, False),
    ],
)
def test_who_finds_the_axis_file_lost_stops_all_axes_of_its_device(
    held: HeldEngine,
    nodes: Callable[..., HeldNode],
    code: ErrorCode,
    refusals: int,
    *,
    stopped: bool,
) -> None:
    motion = Stubborn(held, "status", refusals=0, code=code)
    node: Any = nodes(held, motion=motion)
    node.deactivating = SimpleNamespace(is_set=lambda: False)
    common = CommonParameters(driver="held", device_path="")
    path = MotionPath(node, node.driver, common, {}, lambda _: None, commands_motion=False)
    path.supervisor = node.supervisor
    path.ownership.open("", "/finder")
    held.motion.jog([velocity_move(1)])
    node.after(1.0)
    motion.refusals = refusals
    file = path.ownership.file
    assert file is not None
    file.settings_path.with_suffix("").unlink()
    assert path.ownership.check_file()
    status = node.after(1.0)
    path.ownership.close()
    assert bool(status.velocity_cmd[1]) is not stopped
    [line] = [line for line in node.logged if "was lost: " in line]
    assert line.endswith("; all axes are stopped, and it is put back")
