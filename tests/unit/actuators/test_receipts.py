"""What was received earlier does not begin when something later, or a stop, has overtaken it."""

from typing import Any

import pytest

from wmx_ros2_package.features.actuator_receipts import Receipts
from wmx_ros2_package.validation import BadRequest


class Node:
    """What receipts have to know of a node: the marks of stops, by axis."""

    def __init__(self) -> None:
        self.marks: dict[int, bytes] = {}

    def stop_marks(self, axes: Any) -> tuple[bytes, ...]:
        return tuple(self.marks.get(axis, b"") for axis in axes)


@pytest.fixture
def node() -> Any:
    return Node()


def test_the_later_of_two_may_begin_after_the_earlier(node: Any) -> None:
    receipts = Receipts(node)
    first, second = receipts.receive([0, 1]), receipts.receive([1])
    receipts.begin([0, 1], first)
    receipts.require_newest(second)


def test_the_earlier_of_two_must_not_begin_after_the_later(node: Any) -> None:
    receipts = Receipts(node)
    first, second = receipts.receive([0, 1]), receipts.receive([1])
    receipts.begin([1], second)
    with pytest.raises(BadRequest, match="a later command or a stop came"):
        receipts.require_newest(first)


def test_what_begins_at_once_counts_as_received_then(node: Any) -> None:
    receipts = Receipts(node)
    waiting, other = receipts.receive([0]), receipts.receive([2])
    receipts.begin([0], None)
    with pytest.raises(BadRequest, match="a later command or a stop came"):
        receipts.require_newest(waiting)
    receipts.require_newest(other)


def test_a_stop_of_any_process_counts(node: Any) -> None:
    receipts = Receipts(node)
    stopped, other = receipts.receive([0, 1]), receipts.receive([2])
    node.marks[1] = b"stopped"
    assert receipts.stopped(stopped)
    assert not receipts.stopped(other)
    with pytest.raises(BadRequest, match="a later command or a stop came"):
        receipts.require_newest(stopped)
