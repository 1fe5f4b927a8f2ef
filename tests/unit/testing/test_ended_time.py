"""Who waits for a held time that has ended is told so, and waits no longer."""

from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread

import pytest
from waits import WAIT_TIMEOUT

from wmx_ros2_package.testing import HeldClock
from wmx_ros2_package.testing.threads_at_rest import Sleeper, ThreadsAtRest


def sleep_twice(clock: HeldClock) -> None:
    clock.sleep(10.0)
    clock.sleep(10.0)


WAITS: dict[str, Callable[[HeldClock], object]] = {
    "for an event": lambda clock: clock.event().wait(),
    "for an event in time": lambda clock: clock.event().wait(10.0),
    "for an item": lambda clock: clock.queue().get(),
    "for a result": lambda clock: clock.result(Future[None](), 10.0),
    "twice": sleep_twice,
}


@pytest.mark.parametrize("ends", ["before", "as it begins to wait", "while it waits"])
@pytest.mark.parametrize("wait", WAITS.values(), ids=WAITS)
def test_nobody_waits_any_more(
    wait: Callable[[HeldClock], object], ends: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = HeldClock()
    sleeps_with = ThreadsAtRest.sleeps_with

    def sleep_too_late(others: ThreadsAtRest, sleeper: Sleeper) -> None:
        clock.close()
        sleeps_with(others, sleeper)

    raised: list[str] = []

    def program() -> None:
        try:
            wait(clock)
        except RuntimeError as error:
            raised.append(str(error))

    thread = Thread(target=program, daemon=True)
    if ends == "before":
        clock.close()
        thread.start()
    elif ends == "as it begins to wait":
        monkeypatch.setattr(ThreadsAtRest, "sleeps_with", sleep_too_late)
        thread.start()
    else:
        thread.start()
        clock.settle()
        clock.close()
    thread.join(WAIT_TIMEOUT)
    assert raised == ["the held time has ended: what is waited for does not come"]
