"""What a node has beside its behaviour: lines of its log that wait, and work for its worker."""

import threading
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_ros2_package.node_base.clock import ROS
from wmx_ros2_package.node_base.context import NodeContext
from wmx_ros2_package.node_base.host import LEFT_OUT, Host
from wmx_ros2_package.node_base.threads import Worker
from wmx_ros2_package.node_base.waiting import Waiting

MOST = 5


def test_no_more_lines_wait_than_may_and_the_log_says_that_some_are_left_out() -> None:
    """Else a client that is refused thousands of times a second fills the memory."""
    thread, begun, go_on = Worker("log", MOST), threading.Event(), threading.Event()
    host = Host(MagicMock(), Worker("worker", MOST), thread, ROS)
    lines: list[str] = []
    host.log = MagicMock(error=lines.append, info=lines.append)

    def hold() -> None:
        begun.set()
        go_on.wait(10.0)

    thread.do(hold)
    assert begun.wait(10.0)
    for number in range(MOST + 2):
        host.log_error(f"{number}")
    go_on.set()
    thread.submit(lambda: None, bounded=False).result(10.0)
    host.log_info("later")
    thread.end()
    assert lines == [f"0{LEFT_OUT}", *map(str, range(1, MOST)), "later"]


def test_a_message_without_a_time_or_from_a_clock_that_is_ahead_was_sent_now() -> None:
    before, system = ROS.now(), ROS.time_ns()
    assert ROS.sent_at(0) >= before
    assert ROS.sent_at(system + 10**12) >= before
    assert ROS.sent_at(system - 10**12) == pytest.approx(before - 1000.0, abs=5.0)


def test_a_coroutine_that_fails_is_not_waited_for() -> None:
    waiting = Waiting(MagicMock(), ROS)

    async def fail() -> None:
        raise ValueError("a bug")

    with pytest.raises(ValueError, match="a bug"):
        waiting.run(fail())
    assert waiting.running == 0


def test_what_waits_in_the_worker_while_the_process_is_suspended_is_not_done() -> None:
    done: list[str] = []

    def require_prompt(given: float) -> None:
        if given < 7.0:
            raise CommandRefused(ErrorCode.NotIdleState)

    clock, worker = SimpleNamespace(now=lambda: 7.0), Worker("worker", MOST)
    node: Any = SimpleNamespace(clock=clock, worker=worker, require_prompt=require_prompt)
    NodeContext.in_worker(node, lambda: done.append("prompt"))
    clock.now = lambda: 6.0
    late = NodeContext.in_worker(node, lambda: done.append("late"))
    worker.end()
    with pytest.raises(CommandRefused):
        late.__await__().send(None)
    assert done == ["prompt"]
