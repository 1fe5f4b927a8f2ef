"""What an outbox is given is told in order, a moment later, whatever fails on the way."""

import threading
import time

import pytest

from wmx_ros2_package.node.outbox import Outbox


def test_nothing_is_told_by_the_thread_that_adds_it() -> None:
    outbox = Outbox("outbox")
    told: list[threading.Thread] = []
    outbox.add(lambda: told.append(threading.current_thread()))
    outbox.flush()
    assert told
    assert told[0] is not threading.current_thread()
    outbox.close()


def test_the_order_is_kept_and_flush_waits_for_all() -> None:
    outbox = Outbox("outbox")
    told: list[int] = []
    for i in range(100):
        outbox.add(lambda i=i: told.append(i))
    outbox.flush()
    assert told == list(range(100))
    outbox.close()


def test_close_loses_nothing_and_ends_the_thread() -> None:
    outbox = Outbox("outbox")
    told: list[int] = []
    outbox.add(lambda: (time.sleep(0.02), told.append(1)))
    outbox.add(lambda: told.append(2))
    outbox.close()
    assert told == [1, 2]
    outbox.flush()  # returns, though nobody is left to tell


def test_what_fails_keeps_nothing_from_being_told(capsys: pytest.CaptureFixture[str]) -> None:
    outbox = Outbox("outbox")
    told: list[int] = []
    outbox.add(lambda: 1 / 0)
    outbox.add(lambda: told.append(1))
    outbox.close()
    assert told == [1]
    assert "ZeroDivisionError" in capsys.readouterr().err
