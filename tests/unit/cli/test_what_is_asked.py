"""What verbs ask of a machine, and what they refuse before: one stands in that notes it."""

from pathlib import Path
from types import SimpleNamespace
from unittest.mock import MagicMock

import numpy as np
import pytest
from command_line import Shell

from wmx_core.parameters.parameter_set import ParameterSet
from wmx_core.reactions import StopKind
from wmx_ros2_package import client
from wmx_ros2_package.cli import traj
from wmx_ros2_package.cli.terminal import Terminal
from wmx_ros2_package.client import Explanation, NoPart, NotReady, Refused
from wmx_ros2_package.control.axis_file.records import Speed
from wmx_ros2_package.control.request import EndReason
from wmx_ros2_package.diagnosis.blockers import Blocker, BlockerCode


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("stop-input 0 in1.3=1", ""),
        ("stop-input 0 in70.3=1 --quick", "in70.3"),
        ("touch-probe 0 in1.3=1", ""),
        ("touch-probe 0 in7000.1=1", "in7000.1"),
        ("position-output 2 out1.2=1 --beyond 0.5", ""),
        ("position-output 2 out7000.2=1 --beyond 0.5", "out7000.2"),
    ],
)
def test_the_engine_reacts_to_nothing_that_no_slave_has(
    shell: Shell, machine: MagicMock, words: str, place: str
) -> None:
    ended = shell(*words.split())
    assert machine.session.call_once.called == (not place), ended
    if place:
        assert (ended.code, ended.out) == (1, "")
        assert ended.err == f"wmx: no slave has {place}: nothing is set\n    wmx ecat slaves\n"


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("stop-input 0 in0.3=1", "in0.3"),
        ("touch-probe 0 in0.3=1", "in0.3"),
        ("position-output 2 out0.2=1 --beyond 0.5", "out0.2"),
        ("io set out0.2=1", "out0.2"),
    ],
)
def test_drives_without_inputs_and_outputs_have_no_place(
    shell: Shell, machine: MagicMock, words: str, place: str
) -> None:
    drive = SimpleNamespace(input_address=0, input_size=0, output_address=0, output_size=0)
    machine.network.state.return_value.slaves = [drive]
    ended = shell(*words.split())
    assert (ended.code, ended.out) == (1, "")
    assert ended.err == f"wmx: no slave has {place}: nothing is set\n    wmx ecat slaves\n"
    assert not machine.session.call_once.called
    assert not machine.io.outputs.set.called


def test_a_network_that_nobody_serves_is_asked_once(shell: Shell, machine: MagicMock) -> None:
    machine.network.state.side_effect = NoPart("no wmx_ethercat_node")
    assert shell("stop-input", "0", "in1.3=1").code == 0
    machine.network.state.assert_called_once()


@pytest.mark.parametrize("words", ["io get", "io watch --for 1"])
def test_where_no_place_is_named_no_network_is_asked(
    shell: Shell, machine: MagicMock, words: str
) -> None:
    """It would be waited for, where nobody serves it."""
    machine.clock.now.side_effect = 0.0, 9.0
    machine.io.inputs.__getitem__.return_value = machine.io.outputs.__getitem__.return_value = b""
    shell.done(*words.split())
    assert not machine.network.state.called


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ([], StopKind.STOP),
        (["--quick"], StopKind.QUICK_STOP),
        (["--estop"], StopKind.EMERGENCY_STOP),
    ],
)
def test_an_input_stops_as_hard_as_is_asked(
    shell: Shell, machine: MagicMock, options: list[str], kind: StopKind
) -> None:
    shell.done("stop-input", "0-1", "in1.3=1", *options)
    assert machine.session.call_once.call_args.kwargs["data"] == [kind, kind]


def test_the_state_of_a_node_that_does_not_run_is_not_told(
    shell: Shell, machine: MagicMock
) -> None:
    machine.nodes.state.side_effect = NoPart("no wmx_io_node")
    assert shell("node", "list", "wmx_io_node").code == 2
    machine.nodes.state.side_effect = ["active"]
    assert "active" in shell.done("node", "list", "wmx_io_node")


@pytest.mark.parametrize("words", ["jog 0 --for 1", "follow 0 1 --for 1"])
def test_where_an_axis_is_in_the_end_is_where_its_motor_is(
    shell: Shell, machine: MagicMock, words: str
) -> None:
    machine.session.status.return_value = [SimpleNamespace(command=1.0, position=0.75)]
    assert "is at 0.75" in shell.done(*words.split())
    assert shell(*words.split(), "--json").data["position"] == 0.75


def test_the_positions_after_a_file_are_those_of_motors(
    shell: Shell, machine: MagicMock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "a.csv"
    file.write_text("time, joint1, joint0\n1, 0, 0\n2, 0.5, 0.25\n")
    machine.status.return_value.position = np.zeros(3)
    ended = SimpleNamespace(reason="ARRIVED", positions={0: 0.251, 1: 0.499})
    monkeypatch.setattr(traj, "follow", lambda *_: ended)
    data = shell("traj", file, "--yes", "--json").data
    assert data == {"reason": "ARRIVED", "positions": {"joint1": 0.499, "joint0": 0.251}}


@pytest.mark.parametrize(("away", "moves"), [(0.4, False), (0.0, True)])
def test_axes_that_have_moved_since_their_way_was_shown_do_not_move(
    shell: Shell,
    machine: MagicMock,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    away: float,
    moves: bool,
) -> None:
    file = tmp_path / "a.csv"
    file.write_text("time, joint1, joint0\n1, 0, 0\n2, 0.5, 0.25\n")
    status = machine.status.return_value
    status.position = np.zeros(3)

    def agree(*_: object) -> bool:
        status.position = np.array([0.005, away, 9.0])
        return True

    arrived = SimpleNamespace(reason="ARRIVED", positions={0: 0.25, 1: 0.5})
    followed = MagicMock(return_value=arrived)
    monkeypatch.setattr(traj, "follow", followed)
    monkeypatch.setattr(traj, "foreseen", lambda *_: "")
    monkeypatch.setattr(Terminal, "agrees", agree)
    ended = shell("traj", file)
    assert (ended.code, followed.called) == (0 if moves else 1, moves), ended
    said = "nothing was moved: joint1 is at 0.4000, and was at 0.0000 when its way was shown"
    assert (said in ended.err) is not moves


@pytest.mark.parametrize("columns", ["0-2", "all", "joint0, 1-2"])
def test_a_column_is_of_one_axis(
    shell: Shell, machine: MagicMock, tmp_path: Path, columns: str
) -> None:
    file = tmp_path / "a.csv"
    row = "0, " * columns.count(",")
    file.write_text(f"time, {columns}\n0, {row}0\n1, {row}0\n")
    for words in ["traj", file], ["plan", file]:
        ended = shell(*words)
        assert (ended.code, ended.out) == (2, "")
        assert ended.err == f"wmx: the columns {columns} name 3 axes: must name one each\n"


def test_the_options_of_a_system_may_stand_before_two_verbs(
    shell: Shell, machine: MagicMock, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    def open_machine(namespace: str, *_: object, **__: object) -> MagicMock:
        opened.append(namespace)
        return machine

    monkeypatch.setattr(client, "Machine", open_machine)
    shell("-n", "/cell1", "io", "get", "in0")
    assert opened == ["/cell1"]


def test_what_helps_is_for_the_domain_that_was_asked(
    shell: Shell, machine: MagicMock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The shell into which it is pasted may be in that of another machine, and stays there."""
    monkeypatch.setenv("ROS_DOMAIN_ID", "3")
    machine.session.request.side_effect = Refused("off", remedy="wmx on 0")
    words = "clear", "0", "--domain", "7"
    assert shell(*words).err == "wmx: off\n    ROS_DOMAIN_ID=7 wmx on 0\n"
    assert shell(*words, "--json").data["remedy"] == "ROS_DOMAIN_ID=7 wmx on 0"
    for here in words[:2], (*words[:3], "3"):
        assert shell(*here).err == "wmx: off\n    wmx on 0\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("explain 0", "axis 0: its servo is off: ROS_DOMAIN_ID=7 wmx on 0"),
        ("explain 0 --json", '"remedy": "ROS_DOMAIN_ID=7 wmx on 0"'),
        ("pause", "paused: all axes rest; ROS_DOMAIN_ID=7 wmx resume lets them go on"),
        ("speed", "speed: 40 %, PAUSED: ROS_DOMAIN_ID=7 wmx resume"),
        ("ecat scan", "the network was scanned; see: ROS_DOMAIN_ID=7 wmx ecat slaves"),
    ],
)
def test_so_is_each_command_that_a_verb_names(
    shell: Shell, machine: MagicMock, words: str, said: str
) -> None:
    code, remedy = BlockerCode.SERVO_OFF, "wmx on 0"
    off = Blocker(axis=0, code=code, reason="its servo is off", remedy=remedy)
    machine.explain.return_value = [Explanation(f"axis 0: {off.reason}: {remedy}", (off,))]
    machine.speed = Speed(percent=40, paused=True)
    assert said in shell(*words.split(), "--domain", "7").out


def test_a_load_that_makes_positions_other_places_has_to_be_agreed_to(
    shell: Shell, machine: MagicMock, tmp_path: Path
) -> None:
    """Nobody is asked without a terminal, so that nothing is loaded then."""
    before = ParameterSet.defaults(3).with_axis(1, soft_limit_positive=3.0)
    machine.parameters.export.return_value = before.to_xml()
    machine.parameters.load.return_value = "Loaded"
    machine.status.return_value.command = np.array([0.0, 2.0, 0.0])
    file = tmp_path / "other.xml"
    file.write_text(before.to_xml())
    assert shell.done("params", "load", file) == "Loaded\n", "it changes nothing"
    file.write_text(before.with_axis(1, gear_ratio_numerator=0.5).to_xml())
    machine.parameters.load.reset_mock()
    doubts = [
        "axis 1: positions are other places after that",
        "axis 1 is at 4.0000 then, outside of its soft limits",
    ]
    ended = shell("params", "load", file)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.endswith(f"{'; '.join(doubts)}\n    --yes\n")
    assert not machine.parameters.load.called
    assert shell.done("params", "load", file, "--yes") == "\n".join(["Loaded", *doubts, ""])
    assert shell("params", "load", file, "--json").code == 2, "nobody is asked either"
    data = shell("params", "load", file, "--yes", "--json").data
    assert data == {"done": "Loaded", "doubts": doubts}
    machine.status.side_effect = NotReady("the engine does not communicate")
    assert shell.done("params", "load", file, "--yes") == "\n".join(["Loaded", doubts[0], ""])


def test_a_plan_has_the_options_of_what_it_stands_for(shell: Shell, machine: MagicMock) -> None:
    refused = SimpleNamespace(axes={}, accepted=False, refused_step=0, message="no")
    machine.plan.return_value = refused
    jog = ("--jog", "0=0.2", "--acceleration", "0.05", "--for", "1")
    shell("plan", *jog, "--then", "1=0.5", "--velocity", "0.1", "--duration", "9")
    run, move = (step.commands for step in machine.plan.call_args.args)
    assert (run[0]["acceleration"], run[0]["duration"].sec) == (0.05, 1)
    assert (move[1]["velocity"], move[1]["acceleration"]) == (0.1, 0.05)
    assert move[1]["duration"].sec == 9


def test_names_in_a_plan_are_no_markup(shell: Shell, machine: MagicMock) -> None:
    left = SimpleNamespace(
        names=("a[/]", "joint[left]"), begin=0.0, end=1.0, reason=EndReason.ARRIVED, message=""
    )
    machine.plan.return_value = SimpleNamespace(
        axes={}, accepted=True, arrives=True, exact=True, message="it arrives", motions=[left]
    )
    assert "  a[/], joint[left] from 0.000 s to 1.000 s, ARRIVED\n" in shell.done("plan", "0=1")
