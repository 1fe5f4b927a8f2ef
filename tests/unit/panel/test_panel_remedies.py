"""Each condition that prevents motion has a button that clears it, or says why it has none.

What is decided is decided by codes and fields: other words change nothing.
"""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from held_engine import HeldEngine

from wmx_core.values import (
    CommandMode,
    EcState,
    EmergencyStop,
    EngineState,
    MotionStatus,
    OperationState,
)
from wmx_ros2_package.client.explanation import Explanation, explanations_of
from wmx_ros2_package.control.axis_file.records import Speed
from wmx_ros2_package.control.conditions import CONDITIONS
from wmx_ros2_package.control.settings.document import Loss
from wmx_ros2_package.diagnosis.blockers import Blocker
from wmx_ros2_package.diagnosis.blockers import BlockerCode as Code
from wmx_ros2_package.diagnosis.explanations import blockers, explanation
from wmx_ros2_package.diagnosis.snapshot import Snapshot
from wmx_ros2_package.messages.blockers import blocker_message
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

    yield but(active=False)
    yield but(engine_state=None)
    yield but(engine_state=EngineState.RUNNING, status=replace(status, invalid_licence=True))
    yield but(axis=99)
    for level in EmergencyStop:
        yield but(status=replace(status, emergency_stop=level))
    yield but(shared_names={"/arm/follow": NODE})
    yield but(stopped_by={0: "0.3"})
    yield but(lost={0: list(Loss)})
    yield but(file_problem="it is no file of owners")
    yield but(out_of_position={0: 0.3})
    yield but(time_is_held=True)
    yield but(speed=Speed(100, paused=True))
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


FOUND = [(axis, blockers([axis], snapshot)) for axis, snapshot in snapshots()]


def otherwise_worded(blocker: Blocker) -> Blocker:
    return replace(blocker, reason="il y a un souci", remedy="à réparer")


def test_every_code_is_among_them() -> None:
    assert {blocker.code for _, found in FOUND for blocker in found} == {*Code}


@pytest.mark.parametrize("code", Code)
def test_it_has_a_button_or_a_reason_why_not(code: Code) -> None:
    blocker = Blocker(axis=0, code=code, reason="", remedy="")
    assert bool(remedy(blocker)) != bool(why_no_button(blocker))


def test_a_code_that_is_not_known_has_neither() -> None:
    blocker = Blocker(axis=0, code="FROM_TOMORROW", reason="", remedy="")
    assert remedy(blocker) is None
    assert why_no_button(blocker) == ""


def test_the_panel_decides_alike_whatever_the_words_are() -> None:
    for axis, found in FOUND:
        for blocker in found:
            other = otherwise_worded(blocker)
            assert remedy(other) == remedy(blocker)
            assert why_no_button(other) == why_no_button(blocker)
            assert other.key == blocker.key
            if (button := remedy(blocker)) is not None:
                machines: list[Any] = [Mock(axes=[Mock() for _ in range(100)]) for _ in range(2)]
                for machine, each in zip(machines, (blocker, other), strict=True):
                    button[1](machine, axis, each)
                calls = [
                    (machine.mock_calls, machine.axes[axis].mock_calls) for machine in machines
                ]
                assert calls[0] == calls[1]
                assert calls[0] != ([], []), blocker.code


def test_the_client_decides_alike_whatever_the_words_are() -> None:
    for axis, found in FOUND:
        made = [explained(axis, words) for words in (found, [*map(otherwise_worded, found)])]
        plain, other = made
        assert other.codes == plain.codes == [blocker.code for blocker in found]
        assert other.blocked == plain.blocked
        assert other.emergency_stop is plain.emergency_stop
        assert list(plain.blockers) == found


def explained(axis: int, found: list[Blocker]) -> Explanation:
    """What the client makes of the answer."""
    answer: Any = SimpleNamespace(
        blockers=[blocker_message(blocker) for blocker in found],
        explanations=[explanation(axis, found)],
    )
    [made] = explanations_of(answer, (axis,))
    return made


def test_of_several_axes_each_has_its_own_and_those_of_all() -> None:
    of_all = Blocker(axis=-1, code=Code.EMERGENCY_STOP, reason="a", remedy="b")
    own = Blocker(axis=3, code=Code.SERVO_OFF, reason="c", remedy="d")
    messages = [blocker_message(of_all), blocker_message(own)]
    answer: Any = SimpleNamespace(blockers=messages, explanations=["axis 0: ...", "axis 3: ..."])
    first, second = explanations_of(answer, (0, 3))
    assert first.codes == [Code.EMERGENCY_STOP]
    assert first.emergency_stop is EmergencyStop.LEVEL1
    assert second.codes == [Code.EMERGENCY_STOP, Code.SERVO_OFF]


def test_what_an_axis_has_lost_since_it_was_shown_is_not_confirmed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    nicegui = pytest.importorskip("nicegui", reason="NiceGUI is not installed")
    from wmx_ros2_package.panel.page_events import PageEvents

    shown, since = (
        Blocker(axis=0, code=code, reason="", remedy="")
        for code in (Code.MODE_LOST, Code.REFERENCE_LOST)
    )
    taken: dict[str, Any] = {}
    monkeypatch.setattr(nicegui.ui, "on", taken.__setitem__)
    found, agreed, axis = [shown], [], Mock()
    machine = SimpleNamespace(axes=[axis], explain=lambda _: [Explanation("", tuple(found))])
    link = SimpleNamespace(
        connected=machine,
        axis_labels={0: "0"},
        blocker=lambda *_: shown,
        blockers=lambda _: (shown,),
    )
    frame: Any = SimpleNamespace(
        link=link, clicked=lambda _: None, confirm=lambda *asked: agreed.append(asked[-1])
    )
    PageEvents(frame).listen()
    asyncio.run(taken["clear"](SimpleNamespace(args={"axis": 0, "key": shown.key})))
    [agree] = agreed
    agree()
    found.append(since)
    with pytest.raises(ValueError, match="has not lost what was shown"):
        agree()
    assert axis.confirm.call_count == 1


@pytest.mark.parametrize("direction", [1, -1])
def test_an_axis_moves_off_its_limit(direction: int) -> None:
    machine: Any = SimpleNamespace(axes=[Mock(), Mock()])
    blocker = Blocker(axis=1, code=Code.LIMIT_SWITCH, reason="", remedy="", direction=direction)
    found = remedy(blocker)
    assert found is not None
    found[1](machine, 1, blocker)
    [call] = machine.axes[1].move_by.call_args_list
    assert call.args == (-0.1 * direction,)
