"""Who waits for a held time that has ended is told so, and waits no longer."""

from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread

import pytest
from waits import WAIT_TIMEOUT

from wmx_ros2_package.testing import HeldClock


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


@pytest.mark.parametrize("ends_before", [False, True])
@pytest.mark.parametrize("wait", WAITS.values(), ids=WAITS)
def test_nobody_waits_any_more(wait: Callable[[HeldClock], object], ends_before: bool) -> None:
    clock = HeldClock()
    raised: list[str] = []

    def program() -> None:
        try:
            wait(clock)
        except RuntimeError as error:
            raised.append(str(error))

    thread = Thread(target=program, daemon=True)
    if ends_before:
        clock.close()
        thread.start()
    else:
        thread.start()
        clock.settle()
        clock.close()
    thread.join(WAIT_TIMEOUT)
    assert raised == ["the held time has ended: what is waited for does not come"]
