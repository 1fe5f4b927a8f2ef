"""Curves that are read while they are recorded, and how they are shown."""

import re
import sys
from dataclasses import fields, replace
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from wmx_core.values import Floats
from wmx_ros2_package.client import Status
from wmx_ros2_package.client.curves import MOST_SAMPLES, Curves, MotionCurves


def status(factor: float = 1.0) -> Status:
    """Of two axes: their commands are 1 and 2, positions 3 and 4, and so on, times the factor."""
    numbers: dict[str, Any] = {
        field.name: factor * np.array([2.0 * i + 1.0, 2.0 * i + 2.0])
        for i, field in enumerate(fields(Status)[3:])
    }
    return Status(time=0.0, names=("a", "b"), units=("rad", "m"), **numbers)


class Growing(Curves):
    """Another thread adds a sample between command and feedback."""

    @property
    def command(self) -> Floats:
        command = super().command
        growing.add(status())
        return command


growing = Growing([0, 1], ["a", "b"], ["rad", "m"])


def test_command_and_feedback_are_of_the_same_samples() -> None:
    growing.add(status())
    assert growing.following_error.tolist() == [[-2.0, -2.0]]


def test_a_plot_has_the_same_samples_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    plots = [Mock(**{"plot.return_value": [Mock()]}) for _ in range(3)]
    figure = SimpleNamespace(subplots=lambda *_, **__: plots)
    matplotlib = SimpleNamespace(Figure=lambda **_: figure)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", matplotlib)
    growing.add(status())
    assert growing.plot() is figure
    labels = [plot.set_ylabel.call_args.args[0] for plot in plots]
    assert labels == ["position, rad/m", "velocity, rad/m/s", "torque, %"]
    lines = [call.args for plot in plots for call in plot.plot.call_args_list]
    assert len({len(values) for time, values, *_ in lines for values in (time, values)}) == 1
    assert [({*values.tolist()}, *style) for _, values, *style in lines] == [
        *(({3.0},), ({1.0}, "--"), ({4.0},), ({2.0}, "--")),
        *(({5.0},), ({7.0}, "--"), ({6.0},), ({8.0}, "--")),
        *(({9.0},), ({10.0},)),
    ]


def test_the_table_of_a_motion_has_its_ends_and_its_greatest_values(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    curves = MotionCurves([0, 1], ["a", "b"], ["rad", "m"])
    assert curves.html() == ""
    for factor in 1.0, -3.0, 2.0:
        curves.add(status(factor))
    rows = re.findall(r"<tr>(<td>.*?)</tr>", curves.html())
    assert [re.findall("<td>(.*?)</td>", row) for row in rows] == [
        ["a", "rad", "1.0000", "2.0000", "6.0000", "15.0000", "27.00", "6.0000"],
        ["b", "m", "2.0000", "4.0000", "8.0000", "18.0000", "30.00", "6.0000"],
    ]


def test_the_curves_of_a_long_motion_are_thinned() -> None:
    curves, sample = MotionCurves([0], ["a"], ["rad"]), status()
    for i in range(3 * MOST_SAMPLES):
        curves.add(replace(sample, time=float(i)))
        if i < MOST_SAMPLES - 1:
            assert len(curves) == i + 1, "a short one has all"
    assert MOST_SAMPLES // 2 <= len(curves) <= MOST_SAMPLES
    assert {*np.diff(curves.time)} == {4.0}
    assert (curves.time[0], curves.time[-1]) == (0.0, 3.0 * MOST_SAMPLES - 4.0)
    before = len(curves)
    for _ in range(8):
        curves.add(replace(sample, names=()))
    assert len(curves) == before, "of a system without axes"
