"""The commands for robots in the documentation, typed as they stand there."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

pytest.importorskip("control_msgs", reason="control_msgs is neither built nor installed")

import system as systems
from documented_commands import shell_commands
from system import Process, System

pytestmark = pytest.mark.skipif(
    not shutil.which("ros2"), reason="ros2 is not installed, as on plain Python"
)

ROBOTS, BASES = "docs/robots.md", "docs/bases.md"


@contextmanager
def robot(name: str) -> Iterator[System]:
    with (
        systems.place() as place,
        systems.system(place, options=("--robot", name)) as system,
    ):
        system.client.states.next(lambda s: all(s.servo_on))
        try:
            yield system
        finally:
            place.run(["ros2", "daemon", "stop"]).wait()


def typed(system: System, page: str, *words: str) -> str:
    """What the one command of `page` that has these words says until it ends."""
    [command] = [c for c in shell_commands(page) if all(word in c for word in words)]
    process = system.place.run(["bash", "-c", command])
    assert process.wait() == 0, process.output
    return process.output


@contextmanager
def running(system: System, page: str, *words: str) -> Iterator[Process]:
    """That command while it runs; then Ctrl-C ends it."""
    [command] = [c for c in shell_commands(page) if all(word in c for word in words)]
    process = system.place.run(["bash", "-c", f"exec {command}"])
    try:
        yield process
    finally:
        process.send_signal()
        process.wait()
    assert "Traceback" not in process.output


def test_trajectories_of_an_arm_and_its_gripper() -> None:
    with robot("arm") as system:
        goal = typed(system, ROBOTS, "send_goal", "joint1")
        assert "Feedback:" in goal
        assert "Goal finished with status: SUCCEEDED" in goal
        client = system.client
        assert client.state().pos_cmd == pytest.approx([0.5, 0.4, 0.3, 0.2, 0.1, 0.0])
        assert "success=True" in typed(system, BASES, "service call")
        assert client.must("wmx/io/get_output_bit", byte=0, bit=0).value == 1
        assert "Goal finished with status: SUCCEEDED" in typed(system, BASES, "send_goal")
        assert client.must("wmx/io/get_output_bit", byte=0, bit=0).value == 0


def test_a_trajectory_of_a_gantry() -> None:
    with robot("gantry") as system:
        goal = typed(system, ROBOTS, "send_goal", "axis_x")
        assert "Feedback:" in goal
        assert "Goal finished with status: SUCCEEDED" in goal
        assert system.client.state().pos_cmd == pytest.approx([0.05, -0.02, 0.05, 1.0])


def test_a_base_drives_while_somebody_tells_it_to() -> None:
    with robot("base") as system:
        states = system.client.states
        with running(system, BASES, "topic echo") as echo:
            echo.says("x: 0.0\n")
            with running(system, BASES, "topic pub"):
                wheels = pytest.approx([0.2 / 0.095] * 2)
                states.next(lambda s: list(s.velocity_cmd[:2]) == wheels)
                states.next(lambda s: s.pos_cmd[0] > 0.1 / 0.095)
            states.next(lambda s: not any(s.velocity_cmd))
            echo.says("x: 0.1")
