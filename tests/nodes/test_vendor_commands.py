"""Every command of the C++ packages' documentation runs as written, on a robot too."""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

pytest.importorskip("control_msgs", reason="control_msgs is neither built nor installed")

import system as systems
from documented_commands import (
    Command,
    carry_out,
    commands,
    inline_commands,
    shell_commands,
)
from held_system import held_system
from ros import OFFERED, TOPICS
from system import CONFIG, System
from wmx_ros2_message.msg import AxisState

PAGE = "tests/vendor_commands.md"
NEWEST = Path(__file__).resolve().parents[2] / "docs/coming-from-wmx-r2.md"
CALL_BY_CALL = "### The newest generation, call by call"
WORKSPACE = "/home/engine/wmx_ros2_ws/install/wmx_ros2_package/share/wmx_ros2_package/config"
REFUSED = "refused: "


@pytest.fixture(scope="module")
def system() -> Iterator[System]:
    with (
        systems.place() as place,
        held_system(place, options=("--robot", "arm")) as system,
    ):
        system.ready()
        yield system


def here(command: Command) -> Command:
    """`command` with the file of this workspace, where it names one of an installed workspace."""
    path = str(command.values.get("file_path", ""))
    if not path.startswith(WORKSPACE):
        return command
    return command._replace(values={"file_path": path.replace(WORKSPACE, str(CONFIG))})


def answer_to(system: System, command: Command) -> str:
    """The answer's words; the gripper's service is none of those that every system has."""
    if command.name in OFFERED:
        answer = system.client.call(command.name, **command.values)
    else:
        answer = carry_out(system.client, command)
    if command.verb == "send_goal":
        answer = answer.result
        return "" if answer.error_code else "SUCCESSFUL"
    return str(answer.message) if answer.success else f"{REFUSED}{answer.message}"


def is_commanded(command: Command, expected: str, state: AxisState) -> bool:
    """Whether the axis of a topic is at the `position` or has the `velocity` that is expected."""
    what, value = expected.split()
    [axis] = command.values["index"]
    now = {"position": state.pos_cmd, "velocity": state.velocity_cmd}[what]
    return bool(now[axis] == pytest.approx(float(value), abs=1e-6))


@pytest.mark.long
def test_every_command_is_answered_as_expected(system: System) -> None:
    expected = [line.split("  # ", 1)[1].strip() for line in shell_commands(PAGE)]
    found = list(commands(PAGE))
    assert len(found) == len(expected)
    for command, begins in zip(found, expected, strict=True):
        if command.name == "wmx/axis/set_on":  # nodes may be attaching again
            system.ready()
        if command.verb == "pub":
            carry_out(system.client, command)
            system.client.states.next(partial(is_commanded, command, begins))
        else:
            assert answer_to(system, here(command)).startswith(begins), command


def named(cell: str) -> list[str]:
    """The names in a cell of a table; one without `wmx/` has the beginning of the one before it."""
    names: list[str] = []
    for word in re.findall("`([^`]+)`", cell):
        full = word.startswith("wmx/")
        names.append(word if full else f"{names[0].rpartition('/')[0]}/{word}")
    return names


def test_every_name_that_takes_the_place_of_a_newer_one_is_offered() -> None:
    table = NEWEST.read_text().split("## Services\n")[1].split("\n#")[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| `")]
    here = [
        name
        for there, ours in rows
        for name in named(there if ours.startswith("the same names") else ours)
    ]
    assert len(here) > 30
    lifecycle = {"wmx/lifecycle/set_node_state", "wmx/lifecycle/get_node_states"}
    assert {*here} <= {*OFFERED, *TOPICS, *lifecycle, "wmx/axis/state"}


def test_the_first_calls_of_the_newest_documentation_are_answered(system: System) -> None:
    made = list(commands("docs/coming-from-wmx-r2.md", CALL_BY_CALL))
    assert [command.name.rpartition("/")[2] for command in made] == [
        "set_engine",
        "set_communication",
        "get_engine_status",
    ]
    for command in made:
        answer = carry_out(system.client, command)
        assert answer.success, answer.message
    assert answer.message == "Communicating"


def test_the_calls_that_take_their_place_are_offered() -> None:
    text = NEWEST.read_text().partition(CALL_BY_CALL)[2]
    found = {command.name: command.kind for command in inline_commands(text)}
    assert len(found) > 7
    assert {name: OFFERED[name] for name in found} == found
