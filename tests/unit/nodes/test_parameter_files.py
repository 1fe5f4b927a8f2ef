"""What a request for a file of parameters must name."""

from typing import Any

import pytest
from held_node import HeldNode
from wmx_ros2_message.srv import LoadWmxParams

from wmx_ros2_package.nodes.core_motion.parameter_files import ParameterFiles
from wmx_ros2_package.validation import NothingAsked


@pytest.mark.parametrize("verb", ["load", "change"])
def test_what_names_no_file_asks_for_nothing(node: HeldNode, verb: str) -> None:
    """Clients meet the service with it: it is refused, and no error."""
    files: Any = ParameterFiles(node)  # type: ignore[arg-type]
    with pytest.raises(NothingAsked, match=f"Failed to {verb} params: file_path is empty"):
        getattr(files, verb)(LoadWmxParams.Request(), None)
