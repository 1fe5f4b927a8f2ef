"""What a node has of rclpy: lines of its log, which wait until an answer is given."""

import threading
from unittest.mock import MagicMock

from wmx_ros2_package.node_base.clock import ROS
from wmx_ros2_package.node_base.host import LEFT_OUT, Host
from wmx_ros2_package.node_base.threads import Worker

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
