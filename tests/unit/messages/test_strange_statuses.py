"""Bytes that say they are an EngineStatus."""

import pytest

from wmx_core.values import MAX_AXES
from wmx_ros2_package.messages.engine_status_cdr import read_engine_status


@pytest.mark.parametrize("axes", [MAX_AXES + 1, 3_000_000, 0xFFFFFFFF])
def test_more_axes_than_there_can_be_are_refused_at_once(axes: int) -> None:
    """A layout of so many takes hundreds of megabytes, and would be kept."""
    data = axes.to_bytes(4, "little") * 64
    with pytest.raises(ValueError, match=f"has {MAX_AXES} axes at most, not {axes}"):
        read_engine_status(data)
