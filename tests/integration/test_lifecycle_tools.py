"""Managed nodes and the tools that others have for them: the CLI and launch_ros."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec

import pytest
import system as systems
from system import NODES, Place, System

NAMES = [f"/{name}" for name in NODES]

LIFECYCLE_NODE = """
import sys
from launch import LaunchDescription, LaunchService
from launch.actions import EmitEvent, RegisterEventHandler
from launch.events import Shutdown, matches_action
from launch_ros.actions import LifecycleNode
from launch_ros.event_handlers import OnStateTransition
from launch_ros.events.lifecycle import ChangeState
from lifecycle_msgs.msg import Transition

node = LifecycleNode(
    package="wmx_ros2_package", executable="wmx_engine_node", name="wmx_engine_node",
    namespace="", output="screen", parameters=[{"autostart": False}],
)

def change(transition):
    return EmitEvent(
        event=ChangeState(lifecycle_node_matcher=matches_action(node), transition_id=transition)
    )

def when(goal, *actions):
    return RegisterEventHandler(
        OnStateTransition(target_lifecycle_node=node, goal_state=goal, entities=list(actions))
    )

service = LaunchService()
service.include_launch_description(LaunchDescription([
    when("inactive", change(Transition.TRANSITION_ACTIVATE)),
    when("active", EmitEvent(event=Shutdown(reason="it is active"))),
    node,
    change(Transition.TRANSITION_CONFIGURE),
]))
sys.exit(service.run())
"""


@pytest.fixture(scope="module")
def system() -> Iterator[System]:
    with systems.place() as place, systems.system(place) as system:
        system.ready()
        yield system


@pytest.mark.skipif(not shutil.which("ros2"), reason="the ros2 command is not installed")
class TestCommandLine:
    def ros2(self, system: System, *arguments: str) -> str:
        """What `ros2 lifecycle` says; it has to succeed."""
        command = ["ros2", "lifecycle", *arguments, "--no-daemon", "--spin-time", "3"]
        environment = system.place.environment
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=60.0
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def test_nodes_are_listed(self, system: System) -> None:
        assert set(NAMES) <= set(self.ros2(system, "nodes").split())

    def test_transitions_are_made(self, system: System) -> None:
        available = self.ros2(system, "list", "/wmx_io_node")
        assert "- deactivate [4]" in available
        for transition in ("deactivate", "cleanup", "configure", "activate"):
            said = self.ros2(system, "set", "/wmx_io_node", transition)
            assert said == "Transitioning successful\n"
        assert self.ros2(system, "get", "/wmx_io_node") == "active [3]\n"


@pytest.mark.skipif(
    not (find_spec("launch") and find_spec("launch_ros")),
    reason="launch and launch_ros are not installed, as on plain Python",
)
def test_the_lifecycle_node_of_launch(place: Place) -> None:
    launch = place.run([sys.executable, "-c", LIFECYCLE_NODE])
    assert launch.wait(40.0) == 0, launch.output  # active, it may end before it communicates
    assert "process has finished cleanly" in launch.output
