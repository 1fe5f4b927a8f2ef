"""The wording of what was not done."""

from wmx_ros2_package.drivers.errors import CommandRefused, EngineLost, ErrorCode
from wmx_ros2_package.node.refusals import NotReady, refusal
from wmx_ros2_package.validation import BadRequest

NOT_READY = "Node not initialized. Engine not ready."


def test_a_node_that_is_not_ready_says_so_to_the_client_alone() -> None:
    said = refusal(NotReady("wait"), not_ready=NOT_READY, failed="Failed to do.")
    assert (said.message, said.expected, said.bug) == ("wait", True, "")


def test_a_lost_engine_is_an_engine_that_is_not_ready() -> None:
    said = refusal(EngineLost(ErrorCode.IMLibIsNotRunning), not_ready=NOT_READY, failed="Failed.")
    assert (said.message, said.expected, said.bug) == (NOT_READY, True, "")


def test_a_broken_rule_is_told_as_it_is() -> None:
    said = refusal(BadRequest(["x is 3: must be 4"]), not_ready=NOT_READY, failed="Failed.")
    assert (said.message, said.expected, said.bug) == ("x is 3: must be 4", False, "")


def test_an_error_of_the_engine_follows_what_failed() -> None:
    error = CommandRefused(ErrorCode.ServoOff, "axis 1")
    said = refusal(error, not_ready=NOT_READY, failed="Failed to move.")
    assert said.message == "Failed to move. Error=1567 (ServoOff): axis 1"
    assert refusal(error, not_ready=NOT_READY).message == "Error=1567 (ServoOff): axis 1"


def test_what_nobody_foresaw_has_a_traceback_for_the_log() -> None:
    try:
        raise ValueError("a bug")
    except ValueError as error:
        said = refusal(error, not_ready=NOT_READY)
    assert said.message == "Internal error: ValueError('a bug')"
    assert not said.expected
    assert "test_wording_of_refusals.py" in said.bug
