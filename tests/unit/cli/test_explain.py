"""What `wmx explain` prints of what the machine answers."""

from unittest.mock import MagicMock

import pytest
from command_line import Shell

from wmx_ros2_package.client import Explanation
from wmx_ros2_package.diagnosis import typed_commands


def test_commands_are_as_they_are_typed_where_they_are_read(
    shell: Shell, machine: MagicMock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The node that has worded them may have been started with `wmx` on its path."""
    monkeypatch.setattr(typed_commands, "wmx_program", lambda: "ros2 wmx")
    text = "axis {}:\n- its servo is off\n    wmx on {}"
    machine.explain.return_value = [Explanation(text.format(axis, 0)) for axis in (0, 1)]
    said = "axes 0, 1:\n- its servo is off\n    ros2 wmx on 0\n"
    assert shell.done("explain") == said
