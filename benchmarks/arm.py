"""The arm at work: joint states at 500 Hz while it follows trajectories and answers calls.

python benchmarks/arm.py --seconds 60
"""

import argparse
import os
import struct
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
from measure import Cost, percentiles
from system import EXECUTABLES, System, Variant, isolate, memory
from table import Figures, print_table

JOINTS = [f"joint{i}" for i in range(1, 7)]
ACTION = "/movensys_manipulator_arm_controller/follow_joint_trajectory"
CALLS = 50.0
"""Calls of get_input_bytes a second, Hz."""
POINTS, LENGTH, SWING = 200, 5.0, 0.5
"""Of each trajectory: its points, how long it takes (s), and how far each joint swings (rad)."""
WAIT_TIMEOUT = 30.0
SETTLING = 2.0


class Arm:
    """A client of the arm, spun by a thread of its own; rclpy comes late, for the environment."""

    def __init__(self) -> None:
        import rclpy
        from control_msgs.action import FollowJointTrajectory
        from rclpy.action import ActionClient
        from rclpy.executors import SingleThreadedExecutor
        from sensor_msgs.msg import JointState
        from wmx_ros2_message.srv import GetIoBytes

        rclpy.init()
        self._node = node = rclpy.create_node("wmx_arm_benchmark", enable_rosout=False)
        self._goal: Any = FollowJointTrajectory.Goal
        self._action: Any = ActionClient(node, FollowJointTrajectory, ACTION)
        self._bytes: Any = node.create_client(GetIoBytes, "wmx/io/get_input_bytes")
        self._request = GetIoBytes.Request(byte=0, length=4)
        self.came: list[tuple[int, int]] = []
        """Of each joint state: its stamp, and when the middleware had it, ns."""
        self.answered: list[float] = []
        """Of each call: how long it took, s."""
        self.results: list[int] = []
        """Of each trajectory: the status of its goal."""
        node.create_subscription(JointState, "/joint_states", self._on_state, 100, raw=True)
        executor = SingleThreadedExecutor()
        executor.add_node(node)
        threading.Thread(target=executor.spin, daemon=True).start()

    def wait(self) -> None:
        """Until the arm is there and its servos are on: the first trajectory is taken then."""
        deadline = time.monotonic() + WAIT_TIMEOUT
        assert self._action.wait_for_server(WAIT_TIMEOUT)
        assert self._bytes.wait_for_service(WAIT_TIMEOUT)
        while not self.results or self.results[-1] != 4:
            assert time.monotonic() < deadline, f"no trajectory succeeds: {self.results}"
            self.follow(points=2, length=0.5, swing=0.0)
            time.sleep(1.0)
        self.results.clear()

    def follow(self, points: int = POINTS, length: float = LENGTH, swing: float = SWING) -> None:
        """Send a trajectory that swings every joint to one side and back."""
        from builtin_interfaces.msg import Duration
        from trajectory_msgs.msg import JointTrajectoryPoint

        goal = self._goal()
        goal.trajectory.joint_names = JOINTS
        for i in range(points):
            time_from_start = round(1e9 * length * (i + 1) / points)
            sec, nanosec = divmod(time_from_start, 1_000_000_000)
            place = swing * (1.0 - np.cos(2.0 * np.pi * (i + 1) / points)) / 2.0
            goal.trajectory.points.append(
                JointTrajectoryPoint(
                    positions=[place] * len(JOINTS),
                    time_from_start=Duration(sec=sec, nanosec=nanosec),
                )
            )
        self._action.send_goal_async(goal).add_done_callback(self._on_goal)

    def call(self) -> None:
        """Read four input bytes; the answer is timed."""
        start = time.monotonic()
        self._bytes.call_async(self._request).add_done_callback(
            lambda _: self.answered.append(time.monotonic() - start)
        )

    def _on_state(self, raw: bytes, info: Any) -> None:
        sec, nanosec = struct.unpack_from("<iI", raw, 4)
        self.came.append((sec * 1_000_000_000 + nanosec, info["received_timestamp"]))

    def _on_goal(self, future: Any) -> None:
        handle = future.result()
        if not handle.accepted:
            self.results.append(-1)
            return
        handle.get_result_async().add_done_callback(
            lambda f: self.results.append(f.result().status)
        )


def work(arm: Arm, seconds: float) -> tuple[int, int]:
    """Keep the arm busy; the calls and the trajectories that were sent."""
    calls, sent, start = 0, 0, time.monotonic()
    while (passed := time.monotonic() - start) < seconds:
        if len(arm.results) == sent and passed < seconds - LENGTH - 1.0:
            arm.follow()
            sent += 1
        arm.call()
        calls += 1
        time.sleep(max(0.0, start + calls / CALLS - time.monotonic()))
    return calls, sent


def figures_of(arm: Arm, seconds: float, sent: tuple[int, int]) -> Figures:
    """What came of it."""
    stamps, received = (np.diff(np.array(column)) / 1e6 for column in zip(*arm.came, strict=True))
    period = float(np.median(stamps))
    calls, trajectories = sent
    return {
        "joint states a second, Hz": len(arm.came) / seconds,
        "states missed": float(np.sum(np.round(stamps / period) - 1)),
        **percentiles("stamp jitter", np.abs(stamps - period)),
        **percentiles("reception jitter", np.abs(received - period)),
        **percentiles("get_input_bytes", 1000.0 * np.array(arm.answered)),
        "calls unanswered": float(calls - len(arm.answered)),
        "trajectories": float(trajectories),
        "trajectories that did not succeed": float(
            trajectories - sum(status == 4 for status in arm.results)
        ),
    }


def main() -> None:
    """Start the arm, keep it busy, and print what that cost."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="wmxbench") as folder:
        environment = isolate(Path(folder))
        os.environ.update(environment)
        command = f"exec {EXECUTABLES / 'bringup'} --robot arm"
        system = System(Variant("arm", [command], shell=True), 6, environment)
        system.start()
        try:
            arm = Arm()
            arm.wait()
            time.sleep(SETTLING)
            arm.came.clear()
            cost = Cost(system)
            sent = work(arm, options.seconds)
            cpu, _, waited = cost.percent()
            figures = figures_of(arm, options.seconds, sent)
            figures["CPU of a core, %"] = cpu
            figures["tasks wait for a CPU, % of the time"] = waited
            figures |= memory(system.pids())
        except BaseException:
            print(system.output.read_text(errors="replace")[-3000:])
            raise
        finally:
            system.stop()
    print_table("the arm at work", {"one process": figures})


if __name__ == "__main__":
    main()
