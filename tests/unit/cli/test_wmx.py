"""The frame of `wmx`: its table of verbs, help, wrong words, and JSON."""

import os
import re
import subprocess
import sys
from contextlib import AbstractContextManager
from importlib import import_module
from importlib.metadata import version
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from command_line import Shell

from wmx_ros2_package import client
from wmx_ros2_package.cli import completion, wmx
from wmx_ros2_package.cli.arguments import Parser, number
from wmx_ros2_package.cli.completion import SHELLS
from wmx_ros2_package.cli.failures import Exit
from wmx_ros2_package.cli.terminal import says_yes
from wmx_ros2_package.cli.verbs import GROUPS, VERBS
from wmx_ros2_package.cli.wmx import options_behind, without_ros_arguments
from wmx_ros2_package.entry_points import run
from wmx_ros2_package.executables import ALIASES, COMMANDS, ELSEWHERE, NODES

HEAVY = "rclpy", "rich", "numpy", "yaml", "wmx_ros2_message"


def test_help_names_every_verb(shell: Shell) -> None:
    out = shell.done("--help")
    assert all(option in out for option in ("-n NAMESPACE", "--domain", "--timeout", "--version"))
    for name, verb in VERBS.items():
        assert f"  {name:<16}{verb.summary}" in out
    assert len(VERBS) == sum(map(len, GROUPS.values())), "none is in two groups"


def test_help_and_its_page_name_the_verbs_that_end_with_1_for_what_they_find(shell: Shell) -> None:
    page = (Path(__file__).resolve().parents[3] / "docs/command-line.md").read_text()
    row = next(line for line in page.splitlines() if line.startswith("| 1 |"))
    found = re.findall(r"`([a-z]+)[^`]*`", row.partition(";")[2].partition(" found something")[0])
    codes = shell.done("--help").partition("Exit codes:")[2].partition(" found")[0]
    assert {*found} == {*re.findall(r"\w+", codes.replace("\n", " "))} & VERBS.keys()


def test_help_imports_next_to_nothing() -> None:
    code = (
        "import sys\n"
        "from wmx_ros2_package.cli import wmx\n"
        "try:\n    wmx.main(['--help'])\n"
        f"except SystemExit:\n    print([m for m in {HEAVY} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "[]", done


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_and_something_to_run(shell: Shell, verb: str) -> None:
    assert VERBS[verb].summary[:10].lower() in shell.done(verb, "--help").lower()
    below: list[Any] = []

    class Noting(Parser):
        def add_subparsers(self, **options: Any) -> Any:
            below.append(super().add_subparsers(parser_class=Parser, **options))
            return below[-1]

    parser = Noting(prog=verb)
    module = import_module(f"wmx_ros2_package.cli.{VERBS[verb].module}")
    getattr(module, f"add_{verb.replace('-', '_')}")(parser)
    leaves = [*below[0].choices.values()] if below and below[0].required else []
    assert all(callable(leaf.get_default("run")) for leaf in leaves or [parser])


@pytest.mark.parametrize(
    ("word", "meant"), [("mvoe", "move"), ("statsu", "status"), ("expalin", "explain")]
)
def test_a_misspelt_verb(shell: Shell, word: str, meant: str) -> None:
    ended = shell(word)
    assert (ended.code, ended.out) == (2, "")
    hint = ended.err.partition("did you mean ")[2].partition("?")[0]
    assert meant in hint.split(" or ")


WRONG = """
nothing-like-it | --nonsense
status --nonsense | status --timeout 0 | status --timeout nan | status --timeout soon
status --domain 233 | status --domain -1 | status --stat | status --ros-args -p rate:=5 | on
move | move 0 | move 0 nan | move 0 inf | move 0 far | move 0=1 0=2 | move =1 | move 0=1 1
move 0 1_5 | move 0 1 --velocity 0 | move 0 1 --velocity -1 | move 0 1 2
jog | jog 0 --velocity 0 | jog 0 --for 0 | mode 0 sideways
io | io get in0.8 | io get 0.0.0 | io set out0.3 | io set in0.3=1 | io set out0.3=2
io set out0=256 | io set out0:2=1
ecat | ecat register 0 | ecat register 0 0x1000 | ecat state --master 2 | ecat sdo 0
ecat sdo 0 0x10000
params | params check | params check nowhere.xml | params diff nowhere.xml nowhere.xml
params load nowhere.xml
faults | faults play | faults play drop_slave two | faults play drop_slave
faults play eat_cable slave=1 | faults play nowhere.yaml
doctor --robot nothing | doctor --params-file nowhere.yaml | doctor --device-path nowhere.yaml
doctor --driver nothing | sim | sim nowhere.py | sim PROGRAM --limit nan | sim PROGRAM --limit -1
disarm --output 9 | disarm --robot arm --device-path /opt/wmx3 | disarm --driver nothing
disarm --device-path nowhere.yaml | first-contact --axes 0,0 | first-contact --distance -1
speed 0 | speed 500 | speed 50.5
demo --distance 0 | demo --distance x | plot --of taste
drive | drive --forward far | drive --forward 1 --velocity 0 | gripper | gripper squeeze
traj | traj nowhere.csv | node activate nobody | node activate | engine restart | completion tcsh
"""


@pytest.mark.parametrize(
    "words", ["", *map(str.strip, WRONG.strip().replace("\n", "|").split("|"))]
)
def test_a_wrong_argument_asks_nothing(shell: Shell, words: str) -> None:
    ended = shell(*words.replace("PROGRAM", __file__).split())
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("wmx: ")
    assert "Traceback" not in ended.err
    assert "no system runs" not in ended.err, "it has asked"


@pytest.mark.parametrize("typed", ["-1e-1", "-.1E0", "-0.1"])
def test_a_number_below_zero_is_no_option(typed: str) -> None:
    parser = Parser()
    parser.add_argument("word", nargs="+")
    parser.add_argument("--forward", type=number)
    parsed = parser.parse_args(["0", typed, "--forward", typed])
    assert (parsed.word, parsed.forward) == (["0", typed], -0.1)


def test_ctrl_d_at_a_question_is_a_no(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", StringIO())
    assert not says_yes("Move so?")


class Refusing(AbstractContextManager["Refusing"]):
    """A machine whose client library refuses an argument of every request."""

    def __init__(self, *_: object) -> None: ...

    def open(self, **_: object) -> None: ...

    def __exit__(self, *_: object) -> None: ...

    def __getattr__(self, name: str) -> object:
        raise ValueError(f"{name} is asked for: must not be")


def test_what_the_client_library_does_not_take_is_a_wrong_argument(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "Machine", Refusing)
    ended = shell("speed")
    assert (ended.code, ended.out) == (2, "")
    assert "speed is asked for: must not be" in ended.err


@pytest.mark.parametrize(
    ("words", "rule"),
    [
        ("move axis_0 0,5", "'0,5' must be a finite number: write 0.5"),
        ("move axis_0 -inf", "'-inf' must be a finite number"),
        ("jog axis_0 --velocity -inf", "'-inf' must be a finite number"),
        ("move shoulder 1.0 slide 0.1", "shoulder=1.0 slide=0.1"),
        ("io set out0.3=1 out0.3=0", "'out0.3=0': bits of byte 0 are named twice"),
        ("io set out0=0xF0 out0.3=1", "'out0.3=1': bits of byte 0 are named twice"),
        ("io set out0.3=1 out0.2=1 out0=0xF0", "'out0=0xF0': bits of byte 0 are named twice"),
        ("stop-input 0 in0.9=1", "bit 9 must be 0 to 7"),
        ("stop-input 0 in0.3=2", "the level must be 0 or 1"),
        ("stop-input 0 out0.3=1", "must begin with 'in'"),
        ("stop-input 0 --quick", "--quick and --estop need an input"),
        ("stop-input all none --estop", "--quick and --estop need an input"),
        ("position-output 0 none --beyond 1", "--beyond needs an output"),
        ("touch-probe 0 in0.3", "such as in0.3=1"),
        ("touch-probe 0 in0.8=1", "bit 8 must be 0 to 7"),
        ("position-output 0 out0.10=1", "bit 10 must be 0 to 7"),
        ("position-output 0 in0.1=1", "must begin with 'out'"),
        ("plan p.csv --velocity 0.01", "--velocity: no step of this plan takes it"),
        ("plan p.csv --for 1 --duration 20", "--duration and --for: no step of this plan takes it"),
        ("plan 0 0.5 --then 0=0 --for 1", "--for: no step of this plan takes it"),
        ("plan --jog 0=0.2 --for 1 --velocity 1", "--velocity: no step of this plan takes it"),
        ("plan --effort 0=5 --acceleration 1", "--acceleration: no step of this plan takes it"),
        ("plan p.csv --line", "--line: no step of this plan takes it"),
        ("faults play script.yaml axis=2", "'axis=2': a script takes no arguments"),
        ("faults play - axis=2", "'axis=2': a script takes no arguments"),
        ("io get in0.8", "bit 8 must be 0 to 7"),
        ("io get \u0662", "must be in0.3 (a bit)"),
        ("disarm --output \u0662.0=1", 'must be "byte.bit=value"'),
        ("first-contact --axes \u0662", "must be numbers of axes"),
        ("io set out0.8=1", "bit 8 must be 0 to 7"),
    ],
)
def test_a_wrong_word_names_its_rule(shell: Shell, words: str, rule: str) -> None:
    ended = shell(*words.split())
    assert (ended.code, ended.out) == (2, "")
    assert rule in ended.err


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("raise_alrm axis=2 code=0x8611", "raise_alarm"),
        ("raise_alarm axs=2 code=0x8611", "axis"),
    ],
)
def test_a_misspelt_fault_is_found_before_a_system_is_looked_for(
    shell: Shell, words: str, meant: str
) -> None:
    ended = shell("faults", "play", *words.split())
    assert (ended.code, ended.out) == (2, "")
    assert f"is unknown, is {meant} meant?" in ended.err
    assert "    wmx faults list\n" in ended.err


def test_what_is_no_fault_is_refused_by_its_name(shell: Shell) -> None:
    ended = shell("faults", "play", "nosuchfile")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == (
        "wmx: 'nosuchfile' is neither a fault nor a file of faults, which must end in .yaml or "
        ".yml\n    wmx faults list\n"
    )


@pytest.mark.parametrize(
    ("option", "meant"), [("--speed", ""), ("--velocty", ": did you mean --velocity?")]
)
def test_an_unknown_option_points_to_the_help_of_its_verb(
    shell: Shell, option: str, meant: str
) -> None:
    ended = shell("move", "0", "1", option, "3")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == f"wmx: unrecognized arguments: {option} 3{meant}\n    wmx move --help\n"


def test_json_may_stand_before_the_verb(shell: Shell) -> None:
    before, behind = shell("--json", "faults", "list"), shell("faults", "list", "--json")
    assert (before.code, before.err) == (0, "")
    assert before.data == behind.data
    assert "no verb 'stat'" in shell("--json", "stat").data["error"]
    assert "say what to do" in shell("--json").data["error"]


def test_a_namespace_that_cannot_be(shell: Shell) -> None:
    ended = shell("status", "-n", "a b")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("wmx: namespace '/a b' cannot be: namespace must not contain ")
    assert shell("status", "-n", "a b", "--json").data["name"] == "WrongNamespace"


def test_an_error_is_json_where_json_is_wanted(shell: Shell) -> None:
    ended = shell("move", "0", "far", "--json")
    assert (ended.code, ended.err) == (2, "")
    assert ended.data["exit_code"] == 2
    assert "'far'" in ended.data["error"]


def test_the_namespace_of_the_older_programs() -> None:
    words = ["explain", "0", "--ros-args", "-r", "__ns:=/cell1"]
    assert without_ros_arguments(words) == ["explain", "0", "--namespace", "/cell1"]
    assert without_ros_arguments(["status"]) == ["status"]


def test_every_older_name_is_a_verb() -> None:
    assert {*ALIASES.values()} <= {*VERBS}


@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_program_that_is_none_here_says_in_one_line_what_is(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A launch of a client that starts it goes on."""
    assert name not in {*NODES, *COMMANDS, *ALIASES}
    assert run(name) == ELSEWHERE[name][0] != Exit.REFUSED
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"{name}: ")


def test_its_reader_may_go_away() -> None:
    command = f"{sys.executable} -m wmx_ros2_package.cli.wmx --help | true"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True)
    assert "Traceback" not in done.stderr


def test_a_remedy_is_typed_as_this_installation_has_it(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ros2").write_text("#!/bin/sh\n")
    (tmp_path / "ros2").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "\n    ros2 wmx --help\n" in shell("nothing-like-it").err


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("--json status 0", "status 0 --json"),
        ("-n /a explain 0 --ros-args -r x", "explain 0 -n /a --ros-args -r x"),
        (
            "-n /a --domain 7 --timeout 3 move 0 -0.5 --by",
            "move 0 -0.5 --by -n /a --domain 7 --timeout 3",
        ),
        ("--namespace=/a status", "status --namespace=/a"),
        ("status 0 -n /a", "status 0 -n /a"),
        ("--velocity 3 move", "--velocity 3 move"),
        ("--json", "--json"),
        ("", ""),
    ],
)
def test_options_of_a_system_may_stand_before_the_verb(typed: str, meant: str) -> None:
    assert options_behind(typed.split()) == meant.split()


def test_the_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    assert wmx.main(["--version"]) == 0
    assert capsys.readouterr().out == f"wmx {version('wmx_ros2_package')}\n"
    assert wmx.main(["--json", "--version"]) == 0
    assert capsys.readouterr().out == f'{{"version": "{version("wmx_ros2_package")}"}}\n'


@pytest.mark.parametrize("words", [("--help",), ("doctor", "--json")])
def test_a_disk_that_is_full_is_one_line(words: tuple[str, ...]) -> None:
    with open("/dev/full", "w") as full:
        done = _run(*words, stdout=full)
    assert done.returncode == 1
    assert done.stderr == "wmx: the output: No space left on device\n"


@pytest.mark.parametrize("name", SHELLS)
def test_an_argcomplete_that_is_too_old_is_named(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(completion, "version", lambda _: "1.8.1")  # that of Humble
    ended = shell("completion", name)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("wmx: argcomplete is 1.8.1 here")
    monkeypatch.setattr(completion, "version", version)
    if int(version("argcomplete").partition(".")[0]) >= completion.OLDEST:
        assert "wmx" in shell.done("completion", name)


def test_a_terminal_that_has_only_ascii() -> None:
    done = _run("plan", "--help", PYTHONIOENCODING="ascii", PYTHONUTF8="0", LC_ALL="C")
    assert done.returncode == 0
    assert done.stderr == ""


def _run(*words: str, stdout: Any = subprocess.PIPE, **environment: str) -> Any:
    return subprocess.run(
        [sys.executable, "-m", "wmx_ros2_package.cli.wmx", *words],
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )
