"""The file in which nodes share who owns axes, and what was stopped."""

from held_node import HeldNode

from wmx_ros2_package.control.axis_file.shared import SharedAxisFile


def axis_file(node: HeldNode) -> SharedAxisFile:
    """What `node` has open of it."""
    assert node.ownership.file is not None
    return node.ownership.file
