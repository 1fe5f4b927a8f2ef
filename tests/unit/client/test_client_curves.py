"""Curves that are read while they are recorded."""

from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from wmx_core.values import Floats
from wmx_ros2_package.client import Status
from wmx_ros2_package.client.curves import Curves


def status() -> Status:
    numbers: dict[str, Any] = {field.name: np.zeros(1) for field in fields(Status)[3:]}
    return Status(time=0.0, names=("axis_0",), units=("rad",), **numbers)


class Growing(Curves):
    """Another thread adds a sample between command and feedback."""

    @property
    def command(self) -> Floats:
        command = super().command
        growing.add(status())
        return command


growing = Growing([0], ["axis_0"], ["rad"])


def test_command_and_feedback_are_of_the_same_samples() -> None:
    growing.add(status())
    assert growing.following_error.tolist() == [0.0]


@pytest.mark.long
def test_a_plot_has_the_same_samples_of_all() -> None:
    pytest.importorskip("matplotlib")
    growing.add(status())
    growing.plot()
