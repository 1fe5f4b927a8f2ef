"""A machine that stands in for the one that verbs ask."""

from collections.abc import Sequence
from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest

from wmx_ros2_package import client
from wmx_ros2_package.client import Axes, Axis, Refused

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
