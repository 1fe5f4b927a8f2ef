"""How late the system may wake a thread."""

import ctypes
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from wmx_ros2_package.node.timer_slack import wake_on_time

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has timer slack")


def slack() -> int:
    """That of the calling thread, ns."""
    pr_get_timerslack = 30
    return int(ctypes.CDLL(None).prctl(pr_get_timerslack))


def test_a_thread_that_wants_to_is_woken_on_time_and_no_other() -> None:
    before = slack()
    with ThreadPoolExecutor(1) as other:
        other.submit(wake_on_time).result()
        assert other.submit(slack).result() == 1
    assert slack() == before
