"""What `wmx status` makes of what the machine explains."""

import shutil
from types import SimpleNamespace
from typing import Any

import pytest
from wmx_ros2_message.msg import AxisState

from wmx_ros2_package.cli.status import Blocks, shown, status_table
from wmx_ros2_package.cli.terminal import Terminal
from wmx_ros2_package.client.explanation import Explanation
from wmx_ros2_package.client.status import status_of
from wmx_ros2_package.diagnosis.blockers import ALL_AXES, Blocker, BlockerCode

AXES: Any = SimpleNamespace(numbers=(0, 1))


def at_rest() -> AxisState:
    state = AxisState()
    for name, kind in state.get_fields_and_field_types().items():
        if kind.startswith("sequence"):
            setattr(state, name, [0.0 if "double" in kind else name == "servo_on"] * 2)
    return state


@pytest.mark.parametrize(
    ("code", "alarm"),
    [
        (BlockerCode.FOLLOWING_ERROR, True),
        (BlockerCode.DRIVE_ALARM, True),
        (BlockerCode.SERVO_OFF, False),
    ],
)
def test_an_alarm_of_the_engine_is_one_of_its_axis(code: BlockerCode, alarm: bool) -> None:
    blocker = Blocker(axis=1, code=code, reason="", remedy="")
    blocks = Blocks([Explanation(""), Explanation("", (blocker,))])
    first, second = shown(AXES, status_of(at_rest(), ("a", "b"), ()), blocks)
    assert (first.alarm, second.alarm) == (False, alarm)
    assert ("ALARM" in second.flags) is alarm


def test_what_helps_is_typed_as_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: name if name == "ros2" else None)
    code = BlockerCode.EMERGENCY_STOP
    stopped = Blocker(axis=ALL_AXES, code=code, reason="stopped", remedy="wmx release")
    blocks = Blocks([Explanation("", (stopped,))] * 2)
    machine: Any = SimpleNamespace(simulated=True, domain=7)
    status = status_of(at_rest(), ("a", "b"), ("rad", "rad"))
    monkeypatch.setenv("ROS_DOMAIN_ID", "3")
    out = Terminal()
    out.domain = machine.domain
    title = status_table(out, machine, AXES, status, blocks).title
    assert "stopped: ROS_DOMAIN_ID=7 ros2 wmx release" in title
