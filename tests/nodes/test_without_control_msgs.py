"""Where control_msgs is missing the server of trajectories says so and ends; the rest runs."""

import os
from collections.abc import Iterator

import pytest
import system as systems
from ros import Client
from sensor_msgs.msg import JointState
from system import EXECUTABLES, Place

pytestmark = pytest.mark.process

MISSING = "control_msgs is missing"


@pytest.fixture
def place() -> Iterator[Place]:
    """Python finds no control_msgs here, installed or not."""
    with systems.place() as place:
        (place.folder / "control_msgs.py").write_text(
            "raise ModuleNotFoundError('No module named control_msgs', name='control_msgs')\n"
        )
        yield place


def without(place: Place) -> str:
    return f"{place.folder}:{os.environ.get('PYTHONPATH', '')}"


def test_the_server_of_trajectories_says_so_and_ends(place: Place) -> None:
    program = str(EXECUTABLES / "follow_joint_trajectory_server")
    process = place.run([program], PYTHONPATH=without(place))
    assert process.wait() == 1
    assert MISSING in process.output
    assert "Traceback" not in process.output


def test_the_rest_of_a_robot_runs(place: Place) -> None:
    program = str(EXECUTABLES / "bringup")
    process = place.run([program, "--robot", "arm"], PYTHONPATH=without(place))
    process.started()
    client = Client(place.domain)
    try:
        client.listen("/joint_states", JointState, 1).next()
        client.states.next(lambda s: all(s.servo_on))
    finally:
        client.close()
    assert f"bringup: without follow_joint_trajectory_server: {MISSING}" in process.output
    process.stop()
