"""What is wrong and what helps, in the terms of the panel."""

import pytest

from wmx_ros2_package.client import MachineError, NoSystem, NotAnswered, Refused
from wmx_ros2_package.panel.advice import (
    NOT_ANSWERED,
    NOT_CONNECTED,
    OVERVIEW,
    PAUSED,
    advice,
    words,
)


@pytest.mark.parametrize(
    ("error", "what", "help"),
    [
        (NoSystem("no system is found", remedy="make run"), "no system is found", NOT_CONNECTED),
        (
            NotAnswered("it does not answer", remedy="wmx doctor"),
            "it does not answer",
            NOT_ANSWERED,
        ),
        (Refused("its servo is off", remedy="wmx on 0"), "its servo is off", OVERVIEW),
        (Refused("it is paused", code=-4, remedy="wmx resume"), "it is paused", PAUSED),
        (MachineError("it is no axis"), "it is no axis", ""),
        (ValueError("target: nothing is given"), "target: nothing is given", ""),
        (OSError(2, "No such file", "a.xml"), "a.xml: No such file", ""),
        (KeyError(), "KeyError", ""),
    ],
)
def test_no_command_of_a_terminal_is_shown(error: Exception, what: str, help: str) -> None:
    assert words(error) == what
    assert advice(error) == help
