"""`wmx` for a system in a namespace."""

from collections.abc import Iterator

import pytest
import system as systems
from command_line import Shell
from diagnostic_msgs.msg import DiagnosticArray
from held_system import HeldSystem, held_system


@pytest.fixture(scope="module")
def system() -> Iterator[HeldSystem]:
    with systems.place() as place, held_system(place, namespace="/cell1") as system:
        system.ready()
        yield system


def test_a_namespace_is_in_what_helps(shell: Shell) -> None:
    assert "axis_0" in shell.done("status", "-n", "/cell1")
    for words in (["-n", "/cell1"], ["--ros-args", "-r", "__ns:=/cell1"]):  # that of older programs
        explained = shell("explain", "0", *words)
        assert explained.code == 1
        assert "    wmx on 0 -n /cell1" in explained.out


def test_a_namespace_is_in_the_command_that_shows_its_nodes(shell: Shell) -> None:
    ended = shell("node", "activate", "wmx_recorder_node", "-n", "/cell1", "--timeout", "2")
    assert "other nodes of the system in namespace /cell1" in ended.err
    assert "    wmx node -n /cell1    # " in ended.err


def test_another_namespace_has_no_system(shell: Shell) -> None:
    ended = shell("status", "--timeout", "0.3")
    assert ended.code == 2
    assert "is not offered within 0.3 s" in ended.err


def test_a_namespace_is_in_the_names_of_diagnostics(system: HeldSystem) -> None:
    """Their topic is one for the systems of all namespaces."""
    came = system.client.listen("/diagnostics", DiagnosticArray, 10)
    names = {each.name for each in came.next(lambda message: bool(message.status)).status}
    assert {"cell1/wmx: engine", "cell1/wmx: axis 0"} <= names
    assert all(name.startswith("cell1/wmx: ") for name in names)
