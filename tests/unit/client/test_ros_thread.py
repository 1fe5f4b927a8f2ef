"""What the thread of a client does of what was given up before, and how it ends."""

from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotInTime
from threading import Event, Thread
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest

from wmx_ros2_package.client import NotAnswered, ros_thread
from wmx_ros2_package.client.ros_thread import RosThread


class Executor:
    """Does nothing before the test has it do so."""

    def __init__(self) -> None:
        self.tasks: list[Callable[[], object]] = []
        self.shutdown: Callable[[], None] = lambda: None

    def create_task(self, task: Callable[[], object], *_: object) -> None:
        self.tasks.append(task)

    def add_node(self, _: object) -> None: ...


@pytest.fixture
def executor(monkeypatch: pytest.MonkeyPatch) -> Executor:
    made = Executor()
    monkeypatch.setattr(ros_thread, "Node", MagicMock())
    monkeypatch.setattr(ros_thread, "make_executor", lambda _: made)
    monkeypatch.setattr(ros_thread, "spin", lambda *_: None)
    return made


def thread_of(result: Callable[[Future[Any], float | None], Any]) -> RosThread:
    """That of a client of a program, whose clock waits for a `result` so."""
    program = SimpleNamespace(context=None, get_namespace=lambda: "/")
    clock: Any = SimpleNamespace(time_ns=lambda: 0, result=result, forget=lambda _: None)
    return RosThread("", None, program, clock)


@pytest.mark.parametrize(
    ("waits", "raised"), [(NotInTime, NotAnswered), (KeyboardInterrupt, KeyboardInterrupt)]
)
def test_what_was_given_up_is_not_done_later(
    executor: Executor, waits: type[BaseException], raised: type[BaseException]
) -> None:
    """It may send a goal, of which no client would renew the lease."""
    done: list[str] = []

    def result(*_: object) -> None:
        raise waits

    with pytest.raises(raised):
        thread_of(result).do(lambda: done.append("sent"), 5.0)
    [task] = executor.tasks
    task()
    assert done == []


def test_what_is_being_done_when_its_time_is_over_is_waited_for(executor: Executor) -> None:
    begun, go_on = Event(), Event()

    def work() -> str:
        begun.set()
        go_on.wait(10.0)
        return "sent"

    def result(future: Future[Any], timeout: float | None) -> Any:
        if timeout is None:
            go_on.set()
            return future.result(10.0)
        Thread(target=executor.tasks[0], daemon=True).start()
        begun.wait(10.0)
        raise NotInTime

    assert thread_of(result).do(work, 5.0) == "sent"


def test_two_threads_that_close_it_end_it_once(executor: Executor) -> None:
    """As where a program closes a machine that another of its threads still looks for."""
    thread = thread_of(lambda *_: None)
    other = Thread(target=thread.close, daemon=True)
    ended: list[bool] = []

    def shutdown() -> None:
        if not ended:
            other.start()
            other.join(0.2)
        ended.append(other.is_alive())

    executor.shutdown = shutdown
    thread.close()
    other.join(10.0)
    assert ended == [True], "the other one waits, and has nothing left to end"
