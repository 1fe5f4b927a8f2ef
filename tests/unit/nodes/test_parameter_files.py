"""What a request for a file of parameters must name, and how what is set is answered."""

from collections.abc import Callable
from typing import Any

import pytest
from held_engine import HeldEngine
from held_node import HeldNode
from stubborn import Stubborn
from wmx_ros2_message.srv import LoadWmxParams

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_ros2_package.nodes.core_motion.parameter_files import ParameterFiles
from wmx_ros2_package.nodes.core_motion.settings import at_rest
from wmx_ros2_package.validation import NothingAsked


@pytest.mark.parametrize("verb", ["load", "change"])
def test_what_names_no_file_asks_for_nothing(node: HeldNode, verb: str) -> None:
    """Clients meet the service with it: it is refused, and no error."""
    files: Any = ParameterFiles(node)  # type: ignore[arg-type]
    with pytest.raises(NothingAsked, match=f"Failed to {verb} params: file_path is empty"):
        getattr(files, verb)(LoadWmxParams.Request(), None)


def test_what_was_set_is_not_answered_as_failed_because_a_status_is_refused_then(
    held: HeldEngine, nodes: Callable[..., HeldNode]
) -> None:
    motion = Stubborn(held, "status", refusals=0)
    node: Any = nodes(held, motion=motion)

    def change() -> None:
        node.gate.set_gear_ratio(0, 2.0, 1.0)
        motion.refusals = 1

    at_rest(node, [0], change)
    assert motion.refusals == 0
    assert held.motion.parameters().axis(0).gear_ratio_numerator == 2.0


def test_a_setting_that_waits_as_the_node_is_ended_is_refused_in_words(node: HeldNode) -> None:
    def change() -> None:
        raise CommandRefused(ErrorCode.NotIdleState, "its motor turns")

    node.deactivating.wait = lambda _: True
    with pytest.raises(CommandRefused, match="its motor turns"):
        at_rest(node, [0], change)  # type: ignore[arg-type]
