"""The verbs of `wmx` on a system, each with what it prints and how it ends."""

import json
import re
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest
from command_line import Shell
from motion_events import near
from ros import Client
from system import CONFIG
from wmx_ros2_message.msg import AxisPose

from wmx_ros2_package.cli import status
from wmx_ros2_package.cli.completion import axis_names
from wmx_ros2_package.cli.faults import known_faults
from wmx_ros2_package.cli.status import Blocks, what_blocks
from wmx_ros2_package.client import Machine, NotAnswered

FILE = CONFIG / "wmx_parameters_6_axes.xml"
ALL = [f"axis_{i}" for i in range(6)]
EVERY = list(range(6))


@pytest.fixture(autouse=True)
def _servos_on(client: Client) -> None:
    """Every axis is on, in position mode, and rests."""
    client.must("wmx/engine/estop", data=False)
    client.must("wmx/axis/stop")
    client.must("wmx/axis/clear_alarm", index=EVERY)
    client.states.next(lambda s: all(s.motion_complete) and max(map(abs, s.actual_velocity)) < 1e-3)
    position = {"index": EVERY, "data": [0] * 6}
    client.eventually(lambda: client.call("wmx/axis/set_mode", **position).success, "position mode")
    client.must("wmx/axis/set_on", index=EVERY, data=[1] * 6)


# Trying what would happen


def test_a_plan_is_printed_and_nothing_moves(shell: Shell, client: Client) -> None:
    before = list(client.state().pos_cmd)
    out = shell.done("plan", "axis_0=0.5", "axis_1=0.2", "--then", "axis_0=0", "--plot")
    assert out.startswith("Would be at rest after ")
    assert "axis_1 from 0.000 s to " in out
    assert "ARRIVED" in out
    assert "torque [%]" in out
    assert "unbounded" in out, "the jerk of a trapezoid"
    assert "position, rad:  axis_0  axis_1" in out
    assert list(client.state().pos_cmd) == before
    data = shell("plan", "0", "0.5", "--velocity", "2", "--json").data
    assert data["accepted"] is True
    assert data["axes"]["axis_0"]["path"][-1] == 0.5
    assert data["motions"][0]["reason"] == "arrived"


def test_a_plan_of_velocities_efforts_lines_and_files(shell: Shell, tmp_path: Path) -> None:
    assert "VELOCITY" not in shell.done("plan", "--jog", "0=0.2", "1=-0.2", "--for", "0.5")
    gentle = shell("plan", "--jog", "0=0.2", "--acceleration", "0.05", "--for", "0.5", "--json")
    assert gentle.data["axes"]["axis_0"]["acceleration"] == pytest.approx(0.05)
    assert "go on without end" in shell.done("plan", "--jog", "0=0.2", "--longest", "1")
    late = shell("plan", "0", "5", "--velocity", "1", "--longest", "1")
    assert late.out.startswith("Would not be at rest after 1 s, and no more is computed\n")
    assert late.code == 1, "it would not arrive"
    assert "axis_2 from" in shell.done("plan", "--effort", "2=5", "--for", "0.1")
    assert "axis_0, axis_1 from" in shell.done("plan", "0=0.1", "1=0.1", "--line")
    points = tmp_path / "points.csv"
    points.write_text("time, axis_3\n1.0, 0.1\n2.0, 0.0\n")
    followed = shell.done("plan", points)
    assert "axis_3 from 0.000 s to 2.0" in followed
    assert "unbounded" not in followed


def test_a_plan_that_would_be_refused(shell: Shell) -> None:
    shell.done("off", "3")
    ended = shell("plan", "0=0.1", "--then", "3=1")
    assert ended.code == 1
    assert ended.err.startswith("wmx: would be refused: step 2: ")
    assert "ServoOff" in ended.err
    for words in ([], ["0=1", "--jog", "1=1"], ["0"], ["--jog", "0=x"], ["nose=1"]):
        assert shell("plan", *words).code == 2, words


def test_a_picture_of_a_plan_ends_in_png(shell: Shell, tmp_path: Path) -> None:
    ended = shell("plan", "0=0.1", "--png", tmp_path / "a.jpg")
    assert (ended.code, "a.jpg must end in .png" in ended.err) == (2, True), ended


# Looking


def test_a_shell_completes_the_names_of_axes(shell: Shell) -> None:
    typed = Namespace(namespace="", domain=None)
    assert axis_names(parsed_args=typed) == ALL
    assert axis_names(parsed_args=Namespace(namespace="/nowhere", domain=None)) == []


def test_status_is_a_table_with_units(shell: Shell) -> None:
    out = shell.done("status")
    assert out.startswith("6 axes, simulated engine, ROS domain ")
    for word in ("position", "velocity", "rad", "torque", "%", *ALL):
        assert word in out


@pytest.mark.parametrize(
    ("words", "axes"),
    [
        (["0"], [0]),
        (["axis_3"], [3]),
        (["1-3"], [1, 2, 3]),
        (["0,2", "5"], [0, 2, 5]),
        (["all"], [0, 1, 2, 3, 4, 5]),
        ([], [0, 1, 2, 3, 4, 5]),
    ],
)
def test_axes_by_number_name_and_range(shell: Shell, words: list[str], axes: list[int]) -> None:
    data = shell("status", *words, "--json").data
    assert data["simulated"] is True
    assert [each["axis"] for each in data["axes"]] == axes
    assert [each["name"] for each in data["axes"]] == [ALL[axis] for axis in axes]


@pytest.mark.parametrize(
    "word", ["6", "nobody", "0-6", "-0.5x", "0,0", "all,1", "3-1", "0-99999999999", "", "0,", ",0"]
)
def test_axes_that_there_are_not(shell: Shell, word: str) -> None:
    ended = shell("status", word)
    assert ended.code == 2
    assert ended.err.startswith("wmx: ")


@pytest.mark.long
def test_a_recorder_that_does_not_run(shell: Shell) -> None:
    ended = shell("record", "--timeout", "3")  # in which the system is discovered, too
    assert ended.code == 2
    assert "wmx_recorder_node/get_parameters is not offered within 3 s" in ended.err
    assert "    make run RECORDER=1 " in ended.err


def test_watch_prints_a_line_of_json_for_each_look(shell: Shell) -> None:
    out = shell.done("watch", "0", "--for", "0.5", "--rate", "20", "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    assert len(lines) > 1
    assert all([axis["axis"] for axis in line["axes"]] == [0] for line in lines)


def test_watch_shows_an_emergency_stop_as_it_comes(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it says of that is not as old as its last regular question."""
    stopped: list[bool] = []

    def ask(machine: Machine, *arguments: Any) -> Blocks:
        blocks = what_blocks(machine, *arguments)
        stops = blocks.explained[0].emergency_stop is not None
        if stops and not any(stopped):
            machine.release()
        elif not stopped:
            machine.estop()
        elif any(stopped) and not stops:
            raise KeyboardInterrupt
        stopped.append(stops)
        return blocks

    monkeypatch.setattr(status, "CHECK_PERIOD", 3600.0)
    monkeypatch.setattr(status, "what_blocks", ask)
    ended = shell("watch", "0", "--for", "60", "--rate", "50", "--json")
    assert ended.code == 130, "it shows the stop and its release"
    assert json.loads(ended.out.splitlines()[-1])["emergency_stop"] == "level1"


def test_colours_and_live_tables_are_for_terminals_only(shell: Shell) -> None:
    out = shell.done("watch", "--for", "0.1")
    assert "axis_5" in out
    assert "\x1b" not in out


def test_a_plot_into_a_file_is_drawn_once(shell: Shell) -> None:
    out = shell.done("plot", "0", "1", "--for", "0.5")
    assert out.startswith("position, rad:  axis_0  axis_1\n")
    assert "\x1b" not in out
    assert shell("plot", "0").code == 2, "for ever, into a file"
    assert shell("plot", "--json").code == 2


# Moving


def moved(shell: Shell, *words: str) -> float:
    """Where axis 0 is after `wmx move`, as that prints it."""
    out = shell.done("move", *words)
    found = re.fullmatch(r"axis_0 is at (\S+) rad\n", out)
    assert found, out
    return float(found[1])


def test_one_axis_moves_and_says_where_it_is(shell: Shell, client: Client) -> None:
    assert moved(shell, "axis_0", "0.25") == near(0.25)
    assert client.state().pos_cmd[0] == pytest.approx(0.25)
    assert moved(shell, "0", "-0.25", "--by") == near(0.0)


@pytest.mark.long
def test_a_move_of_many_turns_has_to_be_agreed_to(shell: Shell, client: Client) -> None:
    """Nobody is asked without a terminal, so that nothing moves then."""
    ended = shell("move", "axis_0", "90")
    assert ended.code == 2
    assert "axis_0 turns 14.3 times, from 0 to 90 rad\n    --yes\n" in ended.err
    assert client.state().pos_cmd[0] == pytest.approx(0.0)
    fast = "--yes", "--velocity", "20", "--acceleration", "300"
    assert moved(shell, "0", "6.5", *fast) == near(6.5)
    assert moved(shell, "0", "-6.5", "--by", *fast) == near(0.0)


def test_two_axes_together(shell: Shell, client: Client) -> None:
    data = shell("move", "0=0.1", "axis_1=-0.1", "--velocity", "1", "--json").data
    assert data == {
        "reason": "arrived",
        "positions": {"axis_0": near(0.1), "axis_1": near(-0.1)},
        "units": {"axis_0": "rad", "axis_1": "rad"},
    }
    shell.done("move", "0=0", "1=0", "--acceleration", "5")


def test_a_move_that_is_refused_names_the_command_that_helps(shell: Shell) -> None:
    shell.done("off", "0")
    ended = shell("move", "0", "1")
    assert (ended.code, ended.out) == (1, "")
    assert "    wmx on 0\n" in ended.err
    error = shell("move", "0", "1", "--json").data
    assert (error["code"], error["name"]) == (1567, "ServoOff")
    assert error["remedy"] == "wmx on 0"
    assert error["exit_code"] == 1
    shell.done("on", "0")
    assert moved(shell, "0", "0.01") == near(0.01)


def test_a_jog_for_a_time(shell: Shell, client: Client) -> None:
    before = client.state().pos_cmd[2]
    out = shell.done("jog", "2", "--velocity", "-0.5", "--for", "0.3")
    assert out.startswith("axis_2 is at ")
    assert client.state().pos_cmd[2] < before
    client.eventually(lambda: client.state().motion_complete[2], "it rests")


def test_a_held_key_needs_a_terminal(shell: Shell) -> None:
    ended = shell("jog", "0")
    assert ended.code == 2
    assert "--for SECONDS" in ended.err


@pytest.mark.long
def test_axes_follow_the_points_of_a_file(shell: Shell, client: Client, tmp_path: Path) -> None:
    path = tmp_path / "points.csv"
    path.write_text("time, axis_0, axis_1\n0.5, 0.1, -0.1\n1.0, 0.0, 0.0\n")
    ended = shell("traj", path)
    assert ended.code == 2, "nobody can be asked"
    assert "--yes" in ended.err
    out = shell.done("traj", path, "--yes")
    assert out.startswith("2 points of a file, 1 s; position, rad; from where the axes are, 0.5 s ")
    assert out.endswith("followed to its end\n")
    assert list(client.state().pos_cmd[:2]) == pytest.approx([0.0, 0.0], abs=1e-6)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("time, axis_9\n1, 0.1\n2, 0.2\n", "no axis 'axis_9'"),
        ("time, axis_0\n0, 5.0\n1, 5.1\n", "wmx move axis_0=5"),
    ],
)
def test_points_that_cannot_be_followed_move_nothing(
    shell: Shell, client: Client, tmp_path: Path, text: str, words: str
) -> None:
    path = tmp_path / "points.csv"
    path.write_text(text)
    before = client.state().pos_cmd
    ended = shell("traj", path, "--yes")
    assert ended.code in (1, 2)
    assert words in ended.err
    assert client.state().pos_cmd == before


def test_homing(shell: Shell, client: Client) -> None:
    assert shell.done("home", "3", "4") == "homed: axis_3, axis_4\n"
    assert client.state().home_done[3:5] == [True, True]


# Stopping


@pytest.mark.parametrize("words", [["stop"], ["stop", "5"], ["stop", "--quick"]])
def test_a_stop_ends_the_motion_of_another_client(
    shell: Shell, client: Client, words: list[str]
) -> None:
    far = AxisPose(index=[5], target=[100.0], velocity=[0.5], acc=[5.0], dec=[5.0])
    client.send("wmx/axis/position", far)
    client.states.next(lambda s: s.velocity_cmd[5] > 0.1)
    shell.done(*words)
    client.states.next(lambda s: s.velocity_cmd[5] == 0.0)


def test_a_stop_of_all_is_done_whatever_else_answers(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unanswered(*_: object) -> None:
        raise NotAnswered("wmx_core_motion_node/get_parameters does not answer")

    monkeypatch.setattr("wmx_ros2_package.client.session.Description", unanswered)
    assert shell.done("stop") == shell.done("stop", "all") == "stopped: all axes\n"
    assert shell.done("stop", "") == "stopped: all axes\n", "of a variable that is not set"
    data = shell("stop", "--json").data
    assert data == {"done": "stopped", "systems": 1, "not_reached": []}


@pytest.mark.parametrize("verb", ["on", "off", "home", "confirm", "clear", "stop-input"])
def test_a_word_that_is_empty_is_no_axis(shell: Shell, client: Client, verb: str) -> None:
    """A shell makes one of a variable that is not set."""
    before = client.state()
    ended = shell(verb, "", *(["none"] if verb == "stop-input" else []))
    assert ended.code == 2
    assert "names an axis without a word: all of them are 'all'" in ended.err
    assert client.state().servo_on == before.servo_on


@pytest.mark.long
def test_an_emergency_stop_and_its_release(shell: Shell) -> None:
    shell.done("estop")
    assert "an emergency stop (level 1) is active: wmx release\n" in shell.done("status", "3")
    assert shell("status", "3", "--json").data["emergency_stop"] == "level1"
    ended = shell("move", "0", "1")
    assert ended.code == 1
    assert "EmergencyStopSignalOn" in ended.err
    assert "    wmx release\n" in ended.err
    assert "nothing moves" in shell.done("release")
    assert "emergency stop" not in shell.done("status")
    assert shell("status", "--json").data["emergency_stop"] is None


# Why


def test_explain(shell: Shell) -> None:
    assert shell.done("explain", "4") == "axis 4: nothing blocks motion\n"
    assert shell.done("explain", "2", "4") == "axes 2, 4: nothing blocks motion\n"
    shell.done("off", "5")
    ended = shell("explain", "4", "5")
    assert ended.code == 1
    assert ended.out == (
        "axis 4: nothing blocks motion\naxis 5:\n- its servo is off\n    wmx on 5\n"
    )
    blockers = shell("explain", "axis_5", "--json").data[0]["blockers"]
    [blocker] = blockers
    assert (blocker["axis"], blocker["code"], blocker["remedy"]) == (5, "SERVO_OFF", "wmx on 5")


@pytest.mark.long
def test_time_that_is_held_is_shown(shell: Shell) -> None:
    shell.done("faults", "play", "hold_time")
    said = "the time of the simulated engine is held: wmx faults play run_time\n"
    assert said in shell.done("status")
    shell.done("faults", "play", "run_time")
    assert "held" not in shell.done("status")


def test_faults_that_there_are(shell: Shell, tmp_path: Path) -> None:
    kinds = {name: text for name, _, text in known_faults()}
    assert {"raise_alarm", "cut_cable", "crash_engine"} <= {*kinds}
    assert kinds["drop_slave"] == "a slave loses power"
    assert shell("faults", "play", "eat_cable", "slave=1").code == 2
    assert shell("faults", "play", "drop_slave", "slave=99").code == 1
    script = tmp_path / "faults.yaml"
    script.write_text('[{force_input: {input: "1.2", value: true}}]')
    shell.done("faults", "play", script)
    assert shell("io", "get", "in1.2", "--json").data == {"in1.2": 1}
    shell.done("faults", "play", "release_input", "input=1.2")


# Inputs, outputs, network, parameters, engine, nodes


def test_outputs_are_set_and_read(shell: Shell) -> None:
    shell.done("io", "set", "out0.3=1", "out0.4=0", "out2=0xF1")
    assert shell("io", "get", "out0.3", "out0.4", "out2", "--json").data == {
        "out0.3": 1,
        "out0.4": 0,
        "out2:1": [0xF1],
    }
    assert "out2:1 = 0xF1 (11110001)" in shell.done("io", "get", "out2")
    assert "in0:8" in shell.done("io", "get")
    shell.done("io", "set", "out0.3=0", "out2=0")


def test_io_beyond_the_image_is_refused_by_the_engine(shell: Shell) -> None:
    ended = shell("io", "get", "in8000")
    assert ended.code == 1
    assert "must be 0 to 7999" in ended.err


def test_io_watch_prints_what_changes(shell: Shell) -> None:
    out = shell.done("io", "watch", "in0.0", "out0.0", "--for", "0.5")
    assert [line.split("  ", 1)[1] for line in out.splitlines()] == ["in0.0 = 0", "out0.0 = 0"]


@pytest.mark.long
def test_the_network(shell: Shell) -> None:
    assert len(shell("ecat", "slaves", "--json").data) == 7
    assert "0x0000FA4E" in shell.done("ecat", "slaves")
    assert "packets lost" in shell.done("ecat", "state", "--reset")
    assert "0x0130: 08 00" in shell.done("ecat", "register", "0", "0x130")
    assert shell("ecat", "register", "9", "0x130").code == 1
    assert shell("ecat", "sdo", "0", "0x1018", "1", "--json").data["data"] == [0x4E, 0xFA, 0, 0]
    assert shell("ecat", "sdo", "0", "0x1018", "1", "--write", "1").code == 1, "it is read only"
    assert shell("ecat", "sdo", "0", "0x1018", "--write", "300", "--size", "1").code == 2
    assert shell("ecat", "slaves", "--master", "1").code == 1
    shell.done("ecat", "hot-connect")
    assert "scanned" in shell.done("ecat", "scan")
    assert shell("ecat", "scan", "--master", "1").code == 1


def test_objects_by_the_words_of_the_ethercat_tool(shell: Shell) -> None:
    assert shell("ecat", "upload", "0", "0x1018", "1", "--json").data["data"] == [0x4E, 0xFA, 0, 0]
    assert shell("ecat", "download", "0", "0x1018", "1", "1").code == 1, "it is read only"
    shell.done("ecat", "download", "0", "0x6065", "0", "4321")
    assert "(0x10E1, 4321)" in shell.done("ecat", "upload", "0", "0x6065")
    assert shell("ecat", "download", "0", "0x6065", "4321").code == 2, "no value"


@pytest.mark.long
def test_slaves_are_brought_to_a_state(shell: Shell, client: Client) -> None:
    ended = shell("ecat", "states", "SAFEOP", "--slave", "6")
    assert ended.code == 2, "nobody can be asked"
    assert "slaves 6 may leave OP" in ended.err
    shell.done("ecat", "states", "preop", "--slave", "6", "--yes")
    client.eventually(
        lambda: shell("ecat", "slaves", "--json").data[6]["state"] == "preop", "it is there"
    )
    assert shell.done("ecat", "states", "OP", "--slave", "6") == "slaves 6: in OP\n"
    shell.done("ecat", "states", "SAFEOP", "--slave", "6", "--json", "--yes")
    shell.done("ecat", "states", "OP")
    client.eventually(lambda: shell("ecat", "slaves").code == 0, "all take part")
    assert shell("ecat", "states", "NONE").code == 2


@pytest.mark.long
def test_a_slave_that_has_no_power(shell: Shell, client: Client) -> None:
    shell.done("faults", "play", "drop_slave", "slave=6")
    client.eventually(lambda: shell("ecat", "slaves").code == 1, "it is offline")
    assert "OFFLINE" in shell("ecat", "slaves").out
    shell.done("faults", "play", "return_slave", "slave=6")
    shell.done("ecat", "hot-connect")
    client.eventually(lambda: shell("ecat", "slaves").code == 0, "it takes part again")


@pytest.mark.long
def test_an_input_that_stops_axes(shell: Shell) -> None:
    assert shell.done("stop-input") == "no axis has a stop input\n"
    out = shell.done("stop-input", "0-1", "in0.3=1", "--quick")
    assert out == "axis_0: quick stop when in0.3 = 1\naxis_1: quick stop when in0.3 = 1\n"
    (row, _) = shell("stop-input", "--json").data
    assert row == {"axis": 0, "byte": 0, "bit": 3, "value": True, "kind": "quick_stop", "on": False}
    shell.done("faults", "play", "force_input", "input=in0.3", "value=true")
    refused = shell("move", "0", "0.1", "--by")
    assert refused.code == 1
    assert "its stop input 0.3 is on" in refused.err
    assert "stop-input 0 none" in refused.err
    assert shell.done("stop-input", "0") == "axis_0: quick stop when in0.3 = 1, which it is\n"
    assert shell.done("status").count("STOPPED by in0.3") == 2
    watched = json.loads(shell.done("watch", "--for", "0.1", "--json").splitlines()[0])
    assert watched["stop_inputs_on"] == {"0": "in0.3", "1": "in0.3"}
    assert shell.done("stop-input", "all", "none").startswith("axis_0: none\n")
    shell.done("faults", "play", "release_input", "input=0.3")
    assert shell("stop-input", "in0.3=1").code == 2


def test_an_axis_follows_another(shell: Shell, client: Client) -> None:
    before = client.state().pos_cmd[3]
    out = shell.done("follow", "3", "axis_2", "--ratio", "-1", "--for", "0.2")
    assert out.startswith("axis_3 follows axis_2 by -1\n")
    assert out.endswith(" rad\n")
    assert client.state().pos_cmd[3] == pytest.approx(before, abs=1e-3)
    itself = shell("follow", "3", "3")
    assert (itself.code, itself.err.count("\n")) == (1, 1), "and no remedy"
    assert shell("follow", "3", "0-1").code == 2


@pytest.mark.long
def test_an_input_that_latches_where_an_axis_is(shell: Shell, client: Client) -> None:
    assert shell.done("touch-probe", "0", "in0.4=1") == "armed: axis_0\n"
    assert shell.done("touch-probe", "0") == "axis_0: armed\n"
    shell.done("faults", "play", "force_input", "input=0.4", "value=true")
    client.eventually(
        lambda: "axis_0: touched at" in shell.done("touch-probe", "0"), "the input is seen"
    )
    assert shell.done("touch-probe", "0").endswith(" rad\n")
    assert isinstance(shell("touch-probe", "0", "--json").data["axis_0"], float)
    assert shell.done("touch-probe", "0", "none") == "disarmed: axis_0\n"
    assert shell("touch-probe", "0").code == 1
    shell.done("faults", "play", "release_input", "input=0.4")


@pytest.mark.long
def test_an_output_that_an_axis_switches(shell: Shell, client: Client) -> None:
    out = shell.done("position-output", "4", "out1.6=1", "--beyond", "-100")
    assert out == "out1.6=1 while axis_4 is beyond -100 rad\n"
    client.eventually(lambda: shell.done("io", "get", "out1.6") == "out1.6 = 1\n", "it is set")
    assert shell.done("position-output", "4", "none") == "axis_4 switches no output\n"
    assert shell("position-output", "4", "in1.6=1").code == 2
    shell.done("io", "set", "out1.6=0")


@pytest.mark.long
def test_parameters_of_the_engine(shell: Shell, tmp_path: Path) -> None:
    assert "FeedbackParam/InPosWidth" in shell.done("params", "get", "0", "1")
    assert set(shell("params", "get", "2", "--json").data) == {"2"}
    assert "equal" in shell.done("params", "diff", FILE)
    apart = shell("params", "diff", CONFIG / "robots/arm/wmx_parameters.xml")
    assert apart.code == 1
    assert "AxisParam/GearRatio" in apart.out
    assert "not compared, for the engine does not show them: " in apart.out
    assert re.search(r"^  LimitParam: .*\bSoftLimitType\b", apart.out, re.MULTILINE)
    one = tmp_path / "one_axis.xml"
    one.write_text('<Parameters><AxisParameters Axis="2"/></Parameters>')
    assert {row["where"] for row in shell("params", "diff", one, "--json").data} == {"axis 2"}
    assert shell.done("params", "load", FILE).startswith("Loaded params from")


@pytest.mark.long
def test_the_engine_is_stopped_and_started_as_explain_says(shell: Shell) -> None:
    assert shell.done("engine") == "the engine is communicating\n"
    shell.done("engine", "stop")
    ended = shell("status")
    assert ended.code == 1
    assert "    wmx engine start\n" in ended.err
    assert "    wmx engine start\n" in shell("explain", "0").out
    assert "    wmx engine start\n" in shell("io", "get", "in0.3").err
    shell.done("engine", "start")
    shell.done("status")


@pytest.mark.long
def test_a_node_is_taken_down_and_up(shell: Shell) -> None:
    assert shell("node", "list", "--json").data["wmx_io_node"] == "active"
    assert shell.done("node", "deactivate", "wmx_io_node") == "wmx_io_node is inactive\n"
    assert shell("node").code == 1
    refused = shell("io", "get", "in0.3")
    assert refused.code == 1
    assert "not initialized" in refused.err
    assert refused.err.endswith("\n    wmx node activate wmx_io_node\n")
    assert shell("node", "deactivate", "wmx_io_node").code == 1
    shell.done("node", "activate", "wmx_io_node")
    shell.done("node")


# The demonstration


@pytest.mark.long
def test_the_demonstration_leaves_all_as_it_was(shell: Shell, client: Client) -> None:
    shell.done("off", "5")
    before = client.state()
    out = shell.done("demo", "--distance", "0.05")
    assert "axis_0, axis_1, axis_2, axis_3, axis_4, axis_5: there\n" in out
    assert out.endswith("done: all axes are back, and servos are as they were\n")
    after = client.state()
    assert after.servo_on == before.servo_on
    # A servo that goes off leaves the command where the motor is, which has settled by then.
    assert list(after.pos_cmd) == pytest.approx(list(before.pos_cmd), abs=1e-3)


@pytest.mark.long
def test_a_demonstration_that_fails_leaves_no_servo_on(shell: Shell, client: Client) -> None:
    """Also where the machine answers neither that they are on, nor that they are off."""
    shell.done("off")
    slow = "[{after: 0, slow_calls: {seconds: 15, method: set_servo}}]"
    client.must("wmx/simulation/inject_faults", script=slow)
    ended = shell("demo", "--timeout", "5")
    assert ended.code == 1
    assert "servos that were off may be on: axis_0, axis_1, axis_2, axis_3" in ended.err
    client.clock.sleep(20.0)  # until all that was asked for is done
    assert not any(client.state().servo_on)


@pytest.mark.long
def test_inputs_and_outputs_that_no_slave_has(shell: Shell) -> None:
    """What is read there comes from no slave, and setting them changes nothing."""
    ended = shell("io", "get", "in0.3", "in99")
    assert ended.code == 1
    assert "in0.3 = 0" in ended.out
    assert "no slave has in99:1: what is shown is no more than memory of the engine" in ended.err
    assert shell("io", "get", "in0:40").code == 1
    assert shell("io", "get", "in0:4").code == 0
    ended = shell("io", "set", "out0.3=1", "out99=1")
    assert ended.code == 1
    assert "no slave has out99:1" in ended.err
    assert "out0.3 = 0" in shell.done("io", "get", "out0.3"), "nothing is set then"
