"""Fast DDS 3 asks for the definitions of types it does not know. Nobody asks our nodes.

Who is asked while he leaves may crash: the thread that answers uses what the destructor of
`TypeLookupManager` has already destroyed. Who is killed while he is asked leaves the other deaf: it
waits for the answer for ever, and so does every topic of this type that it discovers later.
"""

import signal
import sys
from pathlib import Path

import pytest
import system as systems
from waits import eventually

from wmx_ros2_package.node_base.domain.discovery import VARIABLE_OF, variable

LISTENER = """
import signal, rclpy
from rclpy.node import Node
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
rclpy.init()
node = Node("listener")
print("there", flush=True)
signal.sigwait({signal.SIGUSR1})
from wmx_ros2_message.msg import AxisState
heard = node.create_subscription(AxisState, "state", lambda _: print("heard", flush=True), 1)
rclpy.spin(node)
"""
"""Knows the participant of a talker, but no type before it listens: the profile is the default."""

TALKER = """
import os, signal, time, rclpy
from rclpy.node import Node
from wmx_ros2_message.msg import AxisState
from wmx_ros2_package.node_base.domain.discovery import use_profile
use_profile()
rclpy.init()
node = Node("talker")
while "listener" not in node.get_node_names():
    time.sleep(0.02)
publisher = node.create_publisher(AxisState, "state", 1)
{then}
print("talks", flush=True)
while True:
    publisher.publish(AxisState())
    time.sleep(0.1)
"""
STOPS = "os.kill(os.getpid(), signal.SIGSTOP)"
"""Before it can answer a question about the type that it has just made known."""

pytestmark = [
    pytest.mark.usefixtures("no_profile"),
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc"),
    pytest.mark.skipif(variable() != VARIABLE_OF["libfastdds.so"], reason="Fast DDS 2 never asks"),
]


@pytest.mark.parametrize("profile", ["fastdds_discovery.xml", "fastdds_udp.xml"])
def test_a_node_answers_no_questions_about_types(
    monkeypatch: pytest.MonkeyPatch, profile: str
) -> None:
    monkeypatch.setenv(variable(), str(systems.CONFIG / profile))
    with systems.place() as place:
        node = place.start("wmx_io_node")
        node.says("waiting for engine")
        tasks = Path(f"/proc/{node.pid}/task").glob("*/comm")
        threads = [task.read_text().strip() for task in tasks]
        assert any(name.startswith("dds.") for name in threads), threads
        assert not any(name.startswith("dds.tls") for name in threads), threads
        node.stop()


def test_who_is_killed_while_it_is_discovered_leaves_nobody_deaf() -> None:
    with systems.place() as place:
        listener = place.run([sys.executable, "-c", LISTENER])
        listener.says("there")
        killed = place.run([sys.executable, "-c", TALKER.format(then=STOPS)])
        stat = Path(f"/proc/{killed.pid}/stat")
        eventually(lambda: stat.read_text().rpartition(")")[2].split()[0] == "T", "it has stopped")
        systems.pause(0.5)
        killed.kill()
        place.run([sys.executable, "-c", TALKER.format(then="")]).says("talks")
        systems.pause(0.5)
        listener.send_signal(signal.SIGUSR1)
        listener.says("heard")
