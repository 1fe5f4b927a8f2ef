"""Requests in asyncio: none waits for another one, or a stop would."""

import asyncio
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from threading import Event, Thread, current_thread

from motion_events import handle

from wmx_ros2_package.client import EndReason, MotionFailed, Result, aio


def test_a_request_waits_for_no_other() -> None:
    free = Event()

    async def program() -> None:
        waiting = [asyncio.create_task(aio(free.wait, 10.0)) for _ in range(100)]
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
