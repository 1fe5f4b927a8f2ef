"""What ends that an axis follows another one, beside a stop: its master is commanded no longer."""

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from held_engine import position_move
from held_node import HeldNode
from wmx_ros2_message.srv import SetGearing

from wmx_core.values import CommandMode, MotionStatus, OperationState
from wmx_ros2_package.control.request import EndReason
from wmx_ros2_package.nodes.core_motion.gearing import GearingService

SLAVE, MASTER = 0, 1


@pytest.fixture
def geared(node: HeldNode) -> HeldNode:
    """A node that has one axis follow the other, which moves."""
    gearing: Any = GearingService(node)  # type: ignore[arg-type]
    request = SetGearing.Request(index=[SLAVE], master=[MASTER], ratio=[2.0])
    answer = gearing.set(request, SetGearing.Response(), node.now())
    assert answer == f"axis {SLAVE} follows axis {MASTER} by 2"
    node.held.motion.move_absolute([position_move(MASTER, 50.0)])
    status = node.after(0.5)
    assert status.pos_cmd[SLAVE] == pytest.approx(2.0 * status.pos_cmd[MASTER])
    assert status.op_state[SLAVE] == OperationState.SYNC
    return node


def with_master(**values: Any) -> Callable[[MotionStatus], MotionStatus]:
    """Makes a status in which the master is otherwise."""

    def change(status: MotionStatus) -> MotionStatus:
        arrays = {name: np.array(getattr(status, name)) for name in values}
        for name, value in values.items():
            arrays[name][MASTER] = value
        return replace(status, **arrays)

    return change


def without_master(status: MotionStatus) -> MotionStatus:
    """The status of an engine that has the slave alone."""
    arrays = {f.name: getattr(status, f.name) for f in fields(status)}
    return replace(
        status, **{n: a[: SLAVE + 1] for n, a in arrays.items() if isinstance(a, np.ndarray)}
    )


@pytest.mark.parametrize(
    ("shown", "why"),
    [
        (with_master(servo_on=False), "servo off"),
        (with_master(amp_alarm=True), "alarm"),
        (with_master(command_mode=CommandMode.VELOCITY), "in another command mode"),
        (with_master(op_state=OperationState.HOME), "homing"),
        (without_master, "gone"),
    ],
)
def test_a_slave_is_stopped_whose_master_is_commanded_no_longer(
    geared: HeldNode, shown: Callable[[MotionStatus], MotionStatus], why: str
) -> None:
    """One status shows it: the engine has the slave follow on."""
    geared.supervisor.read(shown(geared.held.status()))
    status = geared.after(2.0)
    assert status.op_state[SLAVE] == OperationState.IDLE
    assert status.op_state[MASTER] == OperationState.POS
    [end] = geared.ends()
    assert (end.axes, end.reason) == ((SLAVE,), EndReason.STOPPED)
    assert end.message.startswith("its master: ")
    assert why in end.message
    assert geared.supervisor.names() == []


def test_a_slave_that_is_stopped_by_itself_is_watched_no_more(geared: HeldNode) -> None:
    geared.gate.stop([SLAVE])
    geared.after(2.0)
    assert geared.reasons() == [EndReason.STOPPED]
    assert geared.supervisor.names() == []
