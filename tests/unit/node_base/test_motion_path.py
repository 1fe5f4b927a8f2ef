"""The parts of `control` of one node, connected."""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock, Mock

import pytest
from held_engine import HeldEngine, position_move, velocity_move
from held_node import HeldNode
from stubborn import Stubborn

from wmx_core.errors import CommandRefused, EngineLost, ErrorCode
from wmx_ros2_package.control.reported_motion import ReportedMotion
from wmx_ros2_package.control.request import Begin, End, EndReason, MotionKind
from wmx_ros2_package.node_base import context
from wmx_ros2_package.node_base.clock import ROS
from wmx_ros2_package.node_base.common_parameters import CommonParameters
from wmx_ros2_package.node_base.context import NodeContext
from wmx_ros2_package.node_base.motion_path import MotionPath
from wmx_ros2_package.node_base.traits import NodeTraits


@pytest.mark.parametrize(
    ("error", "code", "refusals", "stopped"),
    [
        (CommandRefused, ErrorCode.WaitTimeout, 0, True),
        (CommandRefused, ErrorCode.WaitTimeout, 1, True),
        (EngineLost, ErrorCode.StatusChannelError, 1, True),
        (CommandRefused, ErrorCode.DeviceIsNull, 1, False),
    ],
)
def test_who_finds_the_axis_file_lost_stops_all_axes_of_its_device(
    held: HeldEngine,
    nodes: Callable[..., HeldNode],
    error: type[CommandRefused] | type[EngineLost],
    code: ErrorCode,
    refusals: int,
    *,
    stopped: bool,
) -> None:
    motion = Stubborn(held, "status", refusals=0, code=code, error=error)
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
    if error is EngineLost:
        path.supervisor.stop()  # for the node lets go of it
    status = node.after(1.0)
    path.ownership.close()
    assert bool(status.velocity_cmd[1]) is not stopped
    [line] = [line for line in node.logged if "was lost: " in line]
    assert line.endswith("; all axes are stopped, and it is put back")


@pytest.mark.parametrize("commands_motion", [True, False])
def test_what_a_node_commands_is_reported(
    node: HeldNode, monkeypatch: pytest.MonkeyPatch, *, commands_motion: bool
) -> None:
    """Also by one that moves no axis, but loads their parameters and switches them on."""
    monkeypatch.setattr(context, "open_driver", lambda *_: node.driver)
    traits = NodeTraits(commands_motion=commands_motion)
    common = CommonParameters(driver="held", device_path="")
    threads: Any = Mock(), Mock()
    made: NodeContext[None] = NodeContext(
        MagicMock(), traits, threads, common, None, hosts_engine=False, clock=ROS
    )
    assert isinstance(made.driver.motion, ReportedMotion)


@pytest.mark.parametrize("simulated", [True, False])
def test_on_hardware_the_parameters_are_read_aside(
    held: HeldEngine, nodes: Callable[..., HeldNode], *, simulated: bool
) -> None:
    """It writes them all into a file first; the motion is open until then."""
    node: Any = nodes(held)
    read: list[Callable[[], object]] = []

    def aside(work: Callable[[], object]) -> Future[object]:
        read.append(work)
        return Future()

    node.deactivating = SimpleNamespace(is_set=lambda: False)
    node.threads = SimpleNamespace(aside=aside)
    common = CommonParameters(driver="held", device_path="")
    driver = replace(node.driver, simulated=simulated)
    path = MotionPath(node, driver, common, {}, lambda _: None, commands_motion=False)
    held.fake.call("motion", "freeze_encoder", 0, frozen=True)
    held.motion.move_absolute([position_move(0, 0.3)])
    motion = path.tracker.begin(node.request(0, targets=(0.3,)), held.status(), node.now())
    for seconds in 1.0, common.in_position_timeout + 0.1, 0.1:
        path.tracker.update(held.after(seconds))
    assert path.tracker.is_open(motion) is not simulated
    assert len(read) == (not simulated)


@pytest.mark.parametrize(
    ("renewable", "supported", "reasons"),
    [
        (True, True, [EndReason.LEASE_EXPIRED] * 2),
        (False, True, [EndReason.ARRIVED, EndReason.STOPPED]),
        (False, False, [EndReason.ARRIVED] * 2),
    ],
)
def test_what_the_dead_man_has_stopped_of_a_suspended_node_has_not_arrived(
    held: HeldEngine,
    nodes: Callable[..., HeldNode],
    monkeypatch: pytest.MonkeyPatch,
    reasons: list[EndReason],
    *,
    renewable: bool,
    supported: bool,
) -> None:
    """It stops nothing whose time was over before, and shows in no status that the node reads.

    An engine that has none stops nothing.
    """
    if not supported:
        none = Mock(side_effect=CommandRefused(ErrorCode.NoSupportedFunction))
        monkeypatch.setattr(held.engine, "feed_dead_man", none)
    node: Any = nodes(held)
    node.deactivating = SimpleNamespace(is_set=lambda: False)
    common = CommonParameters(driver="held", device_path="")
    path = MotionPath(node, node.driver, common, {}, lambda _: None, commands_motion=True)
    ends: list[Begin | End] = []
    path.tracker.listen(ends.append)
    for axis, run_time in enumerate((common.dead_man_timeout / 2, common.dead_man_timeout * 3)):
        path.dead_man.feed_before_command([0, 1])
        held.motion.jog([velocity_move(axis, run_time=run_time)])
        request = node.request(
            axis, kind=MotionKind.VELOCITY, run_time=run_time, renewable=renewable
        )
        path.tracker.begin(request, held.status(), node.now())
    path.tracker.update(held.after(0.2))
    for seconds in 4.0, 1.0:
        path.tracker.update(held.after(seconds))
    assert [end.reason for end in ends if isinstance(end, End)] == reasons
