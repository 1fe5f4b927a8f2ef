"""What verbs ask of a machine, and what they refuse before: one stands in that notes it."""

from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest
from command_line import Shell

from wmx_ros2_package import client
from wmx_ros2_package.client import Axes, Axis

SLAVE = SimpleNamespace(input_address=0, input_size=2, output_address=0, output_size=2)


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> MagicMock:
    """It has the axes joint0 to joint2, whose requests its `session` notes, and one slave."""
    machine = MagicMock(systems=1, other_namespaces=[])
    machine.__enter__.return_value = machine
    session = machine.session
    session.names, session.units = [f"joint{i}" for i in range(3)], ["rad"] * 3
    machine.axes = Axes(session, [Axis(session, i) for i in range(3)])
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
    assert machine.session.link.call_once.called == (not place), ended
    if place:
        assert (ended.code, ended.out) == (1, "")
        assert ended.err == f"wmx: no slave has {place}: nothing is set\n    wmx ecat slaves\n"
