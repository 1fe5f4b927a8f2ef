"""The queue of a node: what waits is bounded, and what is too much says so."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from wmx_ros2_package.node.threads import MOST_QUEUED, Threads
from wmx_ros2_package.validation import BadRequest


class Node:
    """What the threads have to know of a node."""

    def get_name(self) -> str:
        return "queue"


class Busy:
    """Threads whose queue does not go on before it may."""

    def __init__(self) -> None:
        node: Any = Node()
        self.threads = Threads(node)
        self.go_on = threading.Event()
        self.done: list[int] = []

    def fill(self, count: int) -> None:
        for i in range(count):
            self.threads.do_in_order(lambda i=i: (self.go_on.wait(10.0), self.done.append(i)))

    def finish(self) -> None:
        """Let the queue go on until it is empty."""
        self.go_on.set()
        while self.threads._waiting:
            threading.Event().wait(0.001)


@pytest.fixture
def busy() -> Iterator[Busy]:
    busy = Busy()
    yield busy
    busy.go_on.set()
    busy.threads.end()


def test_one_too_many_is_refused_with_the_numbers(busy: Busy) -> None:
    busy.fill(MOST_QUEUED)
    with pytest.raises(BadRequest, match=f"^{MOST_QUEUED} messages wait already: at most"):
        busy.threads.do_in_order(lambda: busy.done.append(-1))
    busy.finish()
    assert busy.done == list(range(MOST_QUEUED))


def test_goals_that_are_judged_have_the_same_bound(busy: Busy) -> None:
    busy.fill(MOST_QUEUED)
    with pytest.raises(BadRequest, match=f"at most {MOST_QUEUED} may"):
        busy.threads.run_in_order(lambda: None).send(None)


def test_there_is_room_again_when_work_is_done_or_has_failed(busy: Busy) -> None:
    busy.fill(MOST_QUEUED - 1)
    busy.threads.do_in_order(lambda: 1 / 0)
    busy.finish()
    busy.fill(MOST_QUEUED)
    busy.finish()
    assert len(busy.done) == 2 * MOST_QUEUED - 1


def test_what_is_cancelled_at_the_end_does_not_count(busy: Busy) -> None:
    busy.fill(MOST_QUEUED)
    busy.threads._queue.shutdown(wait=False, cancel_futures=True)
    busy.finish()
    busy.threads.do_in_order(lambda: busy.done.append(-1))  # nothing happens, nothing is raised
    assert busy.done == [0]
