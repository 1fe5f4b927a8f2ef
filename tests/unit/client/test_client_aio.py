"""Requests in asyncio: none waits for another one, or a stop would."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from threading import Condition, Event, Thread, current_thread
from threading import enumerate as enumerate_threads
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest
from motion_events import handle
from rclpy.action.client import ClientGoalHandle

from wmx_core.clock import STEADY
from wmx_ros2_package.client import EndReason, Motion, MotionFailed, Result, Stream, aio


def run_to_the_end(program: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run a program, and wait for the threads that wait for what it has canceled."""
    before = {*enumerate_threads()}
    asyncio.run(program())
    for thread in {*enumerate_threads()} - before:
        thread.join()


def test_a_request_waits_for_no_other() -> None:
    free = Event()

    async def program() -> None:
        waiting = [asyncio.create_task(aio(free.wait, 60.0)) for _ in range(100)]
        await asyncio.sleep(0)
        await aio(free.set)
        assert all(await asyncio.gather(*waiting))

    asyncio.run(program())


def test_no_request_keeps_a_program_from_its_end() -> None:
    """A machine is closed, and its motions stop, only once all threads but daemons have ended."""
    ended: Future[Result] = Future()
    threads: list[Thread] = []

    def remedy() -> str:
        threads.append(current_thread())
        return ""

    motion = handle(ended, remedy=remedy)

    async def program() -> None:
        threads.append(await aio(current_thread))
        ended.set_result(Result(reason=EndReason.ALARM))
        with suppress(MotionFailed):
            await motion

    asyncio.run(program())
    assert [thread.daemon for thread in threads] == [True, True]


@pytest.mark.parametrize("accepted", [False, True])
def test_a_goal_of_a_task_that_is_canceled_is_canceled(accepted: bool) -> None:
    """Its task has no handle of it."""
    goal, free = MagicMock(spec=ClientGoalHandle, accepted=accepted), Event()

    def send() -> Any:
        assert free.wait(10.0)
        return goal

    async def program() -> None:
        task = asyncio.create_task(aio(send))
        await asyncio.sleep(0)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        free.set()

    run_to_the_end(program)
    assert goal.cancel_goal_async.called is accepted


def test_a_motion_is_canceled_outside_of_the_event_loop() -> None:
    """The machine may take long to answer; here it has begun it as the task is canceled."""
    threads: list[Thread] = []
    began, canceled = Event(), Event()

    def note(done: Event) -> None:
        threads.append(current_thread())
        done.set()

    def begin() -> Motion:
        note(began)
        return handle(Future(), cancel=lambda: note(canceled))

    async def program() -> None:
        task = asyncio.create_task(aio(begin))
        await asyncio.sleep(0)
        assert began.wait(10.0)
        threads[0].join()  # the answer is there, and the task does not have it yet
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        assert await aio(canceled.wait, 10.0)

    asyncio.run(program())
    assert threads[1] is not current_thread()


def test_an_item_is_not_lost_with_a_task_that_is_canceled() -> None:
    """A thread may still wait for that task."""
    waiting = Event()

    class Waited(Condition):
        def wait(self, timeout: float | None = None) -> bool:
            waiting.set()
            return super().wait(timeout)

    clock: Any = SimpleNamespace(now=STEADY.now, condition=Waited)
    puts: list[Callable[[str], None]] = []

    def open(put: Callable[[str], None]) -> Callable[[], object]:
        puts.append(put)
        return list

    stream = Stream[str](open, clock=clock)

    async def program() -> None:
        task = asyncio.ensure_future(anext(aiter(stream)))
        await asyncio.sleep(0)
        assert waiting.wait(10.0)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        puts[0]("item")

    run_to_the_end(program)
    assert stream.get(1.0) == "item"


def test_a_motion_is_stopped_though_every_thread_of_the_program_is_busy() -> None:
    ended: Future[Result] = Future()
    free = Event()

    def cancel() -> None:
        ended.set_result(Result(reason=EndReason.STOPPED))
        free.set()

    motion = handle(ended, cancel=cancel)

    async def program() -> bool:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
        busy = asyncio.create_task(asyncio.to_thread(free.wait, 10.0))
        await asyncio.sleep(0)
        async with motion:
            pass
        return await busy

    assert asyncio.run(program()), "it is stopped while the thread is busy"
