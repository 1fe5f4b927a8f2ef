"""Each reason why an axis does not move has a button that clears it, or says why it has none."""

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from held_engine import HeldEngine

from wmx_ros2_package.control.conditions import CONDITIONS
from wmx_ros2_package.diagnosis import explanations
from wmx_ros2_package.diagnosis.explanations import Snapshot, blockers
from wmx_ros2_package.drivers.values import (
    CommandMode,
    EcState,
    EmergencyStop,
    EngineState,
    MotionStatus,
    OperationState,
)
from wmx_ros2_package.panel.remedies import remedy, why_no_button

NODE = "/robot/wmx_core_motion_node"


def snapshots() -> Iterator[tuple[int, Snapshot]]:
    """Each state of a machine that blocks, and the axis that is asked about."""
    held = HeldEngine().servo_on()
    status, network = held.status(), held.ecat.network_state(0)
    known: dict[str, Any] = {
        "node": NODE,
        "engine_state": EngineState.COMMUNICATING,
        "status": status,
        "networks": [network],
    }

    def but(axis: int = 0, **changes: Any) -> tuple[int, Snapshot]:
        return axis, Snapshot(**known | changes)

    def flagged(**flags: Any) -> MotionStatus:
        arrays = {name: np.full(status.axes, value) for name, value in flags.items()}
        return replace(status, **arrays)

    for state in ("unconfigured", "inactive", "finalized", "activating", "shuttingdown"):
        yield but(lifecycle=state)
    yield but(engine_state=None)
    yield but(engine_state=EngineState.RUNNING, status=replace(status, invalid_licence=True))
    yield but(axis=99)
    for level in EmergencyStop:
        yield but(status=replace(status, emergency_stop=level))
    yield but(stopped_by={0: "0.3"})
    yield but(time_is_held=True)
    for condition in CONDITIONS:
        yield but(status=flagged(**{condition.flag: condition.flag != "servo_on"}), networks=[])
    yield but(status=flagged(servo_offline=True))
    for change in ({"offline": True}, {"inaccessible": True}, {"state": EcState.SAFEOP}):
        slaves = tuple(replace(slave, **change) for slave in network.slaves)
        yield but(networks=[replace(network, slaves=slaves)])
    for mode in (*CommandMode, 9):
        yield but(status=flagged(command_mode=mode))
    yield but(owners={0: "/arm (trajectory), process 7"})
    for op_state in OperationState:
        yield but(status=flagged(op_state=op_state))


REASONS = sorted({each.reason for state in snapshots() for each in blockers(*state)})


@pytest.mark.parametrize("reason", REASONS)
def test_it_has_a_button_or_a_reason_why_not(reason: str) -> None:
    assert bool(remedy(reason)) != bool(why_no_button(reason))


def test_these_are_all_reasons() -> None:
    """Of those that stand in the source as a text each is among them."""
    source = ast.parse(inspect.getsource(explanations))
    calls = [node for node in ast.walk(source) if isinstance(node, ast.Call)]
    names = [c for c in calls if isinstance(c.func, ast.Name) and c.func.id == "Blocker"]
    texts = [text for call in names if (text := pattern(call.args[0]))]
    assert len(texts) > 10
    assert [text for text in texts if not any(re.fullmatch(text, each) for each in REASONS)] == []


def pattern(text: ast.expr) -> str:
    """What matches a text of the source; empty where it is not written there."""
    if isinstance(text, ast.Constant):
        return re.escape(str(text.value))
    if isinstance(text, ast.JoinedStr):
        parts = [re.escape(p.value) if isinstance(p, ast.Constant) else ".*" for p in text.values]
        return "".join(map(str, parts))
    return ""


@pytest.mark.parametrize(
    ("reason", "label", "asked"),
    [
        (f"{NODE} is unconfigured", "Configure node", ("wmx_core_motion_node", "configure")),
        (f"{NODE} is inactive", "Activate node", ("wmx_core_motion_node", "activate")),
    ],
)
def test_a_node_is_brought_up(reason: str, label: str, asked: tuple[str, str]) -> None:
    machine: Any = SimpleNamespace(nodes=Mock())
    found = remedy(reason)
    assert found is not None
    assert found[0] == label
    found[1](machine, 0, reason)
    machine.nodes.change.assert_called_once_with(*asked)


def test_an_axis_that_follows_another_one_is_released() -> None:
    machine: Any = SimpleNamespace(axes=[Mock(), Mock()])
    found = remedy("it is following another axis")
    assert found is not None
    found[1](machine, 1, "it is following another axis")
    machine.axes[1].stop.assert_called_once_with()
