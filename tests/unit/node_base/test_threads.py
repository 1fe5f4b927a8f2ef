"""The threads of a node: what comes first is done first, and what waits is bounded."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import suppress
from queue import SimpleQueue
from types import SimpleNamespace
from typing import Any

import pytest

from wmx_ros2_package.node_base.threads import Ended, Threads, Worker
from wmx_ros2_package.validation import BadRequest

MOST = 5


class Busy:
    """A worker that does nothing before it may."""

    def __init__(self) -> None:
        self.worker = Worker("busy", MOST)
        self.go_on, self._begun = threading.Event(), threading.Event()
        self.done: list[int] = []
        self.worker.do(self._wait)
        assert self._begun.wait(10.0)

    def _wait(self) -> None:
        self._begun.set()
        self.go_on.wait(10.0)

    def fill(self, count: int = MOST) -> None:
        for i in range(count):
            self.worker.do(self.noting(i))

    def noting(self, number: int) -> Callable[[], None]:
        return lambda: self.done.append(number)


@pytest.fixture
def busy() -> Iterator[Busy]:
    busy = Busy()
    yield busy
    busy.go_on.set()
    busy.worker.end()


def test_one_too_many_is_refused_with_the_numbers(busy: Busy) -> None:
    busy.fill()
    with pytest.raises(BadRequest, match=f"^{MOST} messages wait already: at most {MOST}$"):
        busy.worker.do(busy.noting(-1))
    with pytest.raises(BadRequest, match="wait already"):
        busy.worker.submit(lambda: None)
    busy.worker.do(busy.noting(MOST), bounded=False)
    last = busy.worker.submit(busy.noting(MOST + 1), bounded=False)
    busy.go_on.set()
    last.result(10.0)
    assert busy.done == [*range(MOST + 2)]


def test_there_is_room_again_when_work_is_done_or_has_failed(
    busy: Busy, capsys: pytest.CaptureFixture[str]
) -> None:
    busy.fill(MOST - 1)
    busy.worker.do(lambda: 1 / 0)
    busy.go_on.set()
    busy.worker.submit(lambda: None, bounded=False).result(10.0)
    busy.fill()
    busy.worker.end()
    assert busy.done == [*range(MOST - 1), *range(MOST)]
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_a_result_or_an_exception_is_in_the_future(
    busy: Busy, capsys: pytest.CaptureFixture[str]
) -> None:
    busy.go_on.set()
    assert busy.worker.submit(lambda: 7).result(10.0) == 7
    failed = busy.worker.submit(lambda: 1 / 0)
    assert isinstance(failed.exception(10.0), ZeroDivisionError)
    assert capsys.readouterr().err == ""


def test_what_is_cancelled_before_its_turn_is_not_done(busy: Busy) -> None:
    cancelled = busy.worker.submit(busy.noting(1))
    assert cancelled.cancel()
    busy.go_on.set()
    busy.worker.end()
    assert busy.done == []


def test_at_the_end_what_was_queued_is_done_and_nothing_else_is_taken(busy: Busy) -> None:
    busy.fill(3)
    ender = threading.Thread(target=busy.worker.end)
    ender.start()
    busy.go_on.set()
    ender.join(10.0)
    assert busy.done == [0, 1, 2]
    with pytest.raises(Ended):
        busy.worker.do(busy.noting(-1), bounded=False)
    with pytest.raises(Ended):
        busy.worker.submit(lambda: None)
    busy.worker.end()


def test_a_worker_may_end_itself(busy: Busy) -> None:
    ended = busy.worker.submit(busy.worker.end)
    busy.go_on.set()
    assert ended.result(10.0) is None


def test_a_worker_without_work_has_no_thread() -> None:
    before = threading.active_count()
    worker = Worker("idle", MOST)
    assert threading.active_count() == before
    worker.end()


def test_what_is_done_aside_waits_for_nothing_else() -> None:
    threads = Threads("node")

    def work_until_the_end() -> bool:
        with suppress(Ended, CancelledError):
            while True:
                threads.aside(lambda: None).result(10.0)
        return True

    waits = threads.aside(work_until_the_end)
    assert threads.aside(lambda: 7).result(10.0) == 7
    assert threads.planner.submit(lambda: 8).result(10.0) == 8
    assert not waits.done()
    threads.end()
    assert waits.result(0.0) is True
    for do in threads.aside, threads.planner.do, threads.dry_runs.do:
        with pytest.raises(Ended):
            do(lambda: None)


def test_a_worker_is_busy_from_the_moment_in_which_work_comes() -> None:
    """Else a stop that comes as the thread takes it waits behind that work."""
    taken, go_on = threading.Event(), threading.Event()

    class Slow(SimpleQueue[Any]):
        def get(self, *_: Any, **__: Any) -> Any:
            work = super().get()
            taken.set()
            assert go_on.wait(10.0)
            return work

    clock: Any = SimpleNamespace(queue=Slow)
    worker = Worker("slow", MOST, clock)
    assert not worker.is_busy
    worker.do(lambda: None)
    assert taken.wait(10.0)
    assert worker.is_busy
    go_on.set()
    worker.end()
    assert not worker.is_busy
