"""What verbs ask of a machine, and what they refuse before: one stands in that notes it."""

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import MagicMock, PropertyMock, call

import numpy as np
import pytest
from command_line import Shell

from wmx_core.parameters.parameter_set import ParameterSet
from wmx_ros2_package import client
from wmx_ros2_package.cli import traj
from wmx_ros2_package.cli.terminal import Terminal
from wmx_ros2_package.client import Axes, Axis, NoPart, NotAnswered, NotReady, Refused

SLAVE = SimpleNamespace(input_address=0, input_size=2, output_address=0, output_size=2)


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> MagicMock:
    """It has the axes joint0 to joint2, whose requests its `session` notes, and one slave."""
    machine = MagicMock(systems=1, other_namespaces=[])
    machine.__enter__.return_value = machine
    session = machine.session
    session.names, session.units = [f"joint{i}" for i in range(3)], ["rad"] * 3
    machine.axes = Axes(session, [Axis(session, i) for i in range(3)])

    def stop(axes: Sequence[int] = (), *, quick: bool = False) -> None:
        if none := [axis for axis in axes if axis >= len(machine.axes)]:
            raise Refused(f"Failed to stop axis {none[0]}. Error=1547 (AxisOutOfRange)")

    machine.stop.side_effect = stop
    machine.network.state.return_value.slaves = [SLAVE]
    monkeypatch.setattr(client, "Machine", lambda *_: machine)
    return machine


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


@pytest.mark.parametrize("verb", ["stop", "off"])
@pytest.mark.parametrize(
    ("words", "axes", "unknown"),
    [
        ("0 nosuch", [0], "'nosuch'"),
        ("foo 2", [2], "'foo'"),
        ("joint1,joint9", [1], "'joint9'"),
        ("1-3", [1, 2], "3"),
        ("0 99999999999", [0], "99999999999"),
        ("3-1 0", [0], "must be FIRST-LAST"),
        ("0 0 joint0", [0], ""),
        ("0 all", [0, 1, 2], ""),
    ],
)
def test_a_misspelt_axis_keeps_no_other_one_from_being_stopped(
    shell: Shell, machine: MagicMock, verb: str, words: str, axes: list[int], unknown: str
) -> None:
    ended = shell(verb, *words.split())
    if verb == "off":
        [asked] = machine.session.request.call_args_list
        assert asked.kwargs["index"] == axes
    assert ended.code == (2 if unknown else 0), ended
    assert ended.out.endswith(": " + ", ".join(f"joint{i}" for i in axes) + "\n")
    assert unknown in ended.err
    data = shell(verb, *words.split(), "--json").data
    assert (data["axes"], len(data["unknown"])) == (axes, bool(unknown))


@pytest.mark.parametrize("options", [{}, {"quick": True}])
@pytest.mark.parametrize(
    ("words", "stops"),
    [
        ("0", [[0]]),
        ("2,0-1 0", [[2, 0, 1]]),
        ("0 nosuch", [[0]]),
        ("joint1 0", [[0], [1]]),
        ("0 joint0", [[0]]),
        ("0 all", [[0], [1, 2]]),
        ("joint2", [[2]]),
        ("1-3", [[1, 2, 3], [1, 2]]),
    ],
)
def test_axes_are_stopped_once_and_by_number_before_anything_is_asked(
    shell: Shell, machine: MagicMock, words: str, stops: list[list[int]], options: dict[str, bool]
) -> None:
    """A second stop would end what was commanded since the first one."""
    shell("stop", *words.split(), *(f"--{name}" for name in options))
    quick = options.get("quick", False)
    assert machine.stop.call_args_list == [call(axes, quick=quick) for axes in stops]


def test_one_system_that_does_not_answer_keeps_no_axis_of_another_from_being_stopped(
    shell: Shell, machine: MagicMock
) -> None:
    machine.stop.side_effect = NotAnswered("1 of 2 systems has not answered")
    for words, stops in ("0 joint1", [[0], [0, 1]]), ("0", [[0]]):
        machine.stop.reset_mock()
        assert shell("stop", *words.split()).code == 1
        assert machine.stop.call_args_list == [call(axes, quick=False) for axes in stops]


def test_a_stop_by_number_is_done_whatever_else_answers(shell: Shell, machine: MagicMock) -> None:
    """It waits for no node, and is answered as it was: a node may be suspended, or was killed."""
    silent = NotAnswered("wmx_core_motion_node/get_parameters does not answer")
    type(machine).axes = PropertyMock(side_effect=silent)
    machine.stop.side_effect = None
    assert shell.done("stop", "0-1", "3", "--quick") == "stopped: 0, 1, 3\n"
    machine.stop.assert_called_once_with([0, 1, 3], quick=True)
    data = shell("stop", "2", "--json").data
    assert (data["axes"], data["names"], data["unknown"]) == ([2], ["2"], [])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("stop", "stopped: all axes"),
        ("stop 0", "stopped: axis 0"),
        ("stop 0-2 --quick", "stopped: axis 0, axis 1, axis 2"),
        ("off 2", "off: axis 2"),
        ("pause", "paused: all axes rest; wmx resume lets them go on"),
        ("estop", "emergency stop"),
    ],
)
def test_a_stop_says_how_many_systems_it_has_reached_and_which_not(
    shell: Shell, machine: MagicMock, words: str, said: str
) -> None:
    machine.systems, machine.other_namespaces = 2, ["/cell1", "/cell2"]
    reached = f"{said}, of 2 systems; not reached: namespace /cell1, /cell2\n"
    assert shell.done(*words.split()) == reached
    machine.open.assert_called_once_with(to_stop=True)
    data = shell(*words.split(), "--json").data
    assert (data["systems"], data["not_reached"]) == (2, ["/cell1", "/cell2"])


def test_what_moves_or_switches_on_asks_nothing_with_a_misspelt_axis(
    shell: Shell, machine: MagicMock
) -> None:
    for words in (["on", "0", "nosuch"], ["home", "0", "0"], ["stop", "nosuch"], ["off", "7-9"]):
        ended = shell(*words)
        assert (ended.code, ended.out) == (2, ""), words
    assert not machine.session.request.called
    assert not machine.session.home.called
    assert not machine.stop.called


def test_a_plan_has_the_options_of_what_it_stands_for(shell: Shell, machine: MagicMock) -> None:
    refused = SimpleNamespace(axes={}, accepted=False, refused_step=0, message="no")
    machine.plan.return_value = refused
    jog = ("--jog", "0=0.2", "--acceleration", "0.05", "--for", "1")
    shell("plan", *jog, "--then", "1=0.5", "--velocity", "0.1", "--duration", "9")
    run, move = (step.commands for step in machine.plan.call_args.args)
    assert (run[0]["acceleration"], run[0]["duration"].sec) == (0.05, 1)
    assert (move[1]["velocity"], move[1]["acceleration"]) == (0.1, 0.05)
    assert move[1]["duration"].sec == 9
