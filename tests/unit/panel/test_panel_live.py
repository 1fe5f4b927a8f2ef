"""What a frame holds of the newest status, and how statuses are taken."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from test_panel_parts import status
from waits import eventually

from wmx_ros2_package.client import Stream
from wmx_ros2_package.panel import machine_link
from wmx_ros2_package.panel.live import FLAGS, Live
from wmx_ros2_package.panel.machine_link import MachineLink
from wmx_ros2_package.panel.orders import Orders


@pytest.mark.parametrize("flag", FLAGS)
def test_a_frame_has_each_quantity_and_each_flag_of_the_newest_status(flag: str) -> None:
    link = MachineLink()
    newest = replace(
        status(1.23456, 0.1234567),
        torque=np.array([1.239, -2.0]),
        **{flag: np.array([False, True])},
    )
    link._take_status(newest)
    frame = Live(link, Orders(link))._content()
    assert frame["time"] == 1.235
    assert frame["position"] == frame["command"] == frame["velocity"] == [0.12346, 0.12346]
    assert frame["torque"] == [1.24, -2.0]
    assert frame["flags"] == [0, 1 << FLAGS.index(flag)]


def test_a_frame_without_a_status_has_no_quantities() -> None:
    link = MachineLink()
    frame = Live(link, Orders(link))._content()
    assert "position" not in frame
    assert frame["problem"] == "no system is found yet"


def test_statuses_are_taken_all_at_once_and_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    link, put, pauses = MachineLink(), [], []
    machine: Any = SimpleNamespace()
    link.machine = machine
    stream: Stream[int] = Stream(lambda to: put.append(to) or list)  # type: ignore[func-returns-value]
    taken: list[int] = []

    def pause(seconds: float) -> None:
        pauses.append((seconds, len(taken)))
        if len(pauses) > 1:
            link.machine = None

    monkeypatch.setattr(machine_link, "sleep", pause)
    monkeypatch.setattr(machine_link, "POLL_PERIOD", 0.01)
    for number in range(3):
        put[0](number)
    link._spawn(lambda: link._follow(machine, stream, taken.append, 0.04), "test")
    eventually(lambda: link.machine is None, "it has paused twice")
    assert taken == [0, 1, 2]
    assert pauses[0] == (0.04, 3), "once all that had come were taken"
