"""Plays a recorded stream of chunks to an arm, as a policy sends them.

`make run ROBOT=arm` starts an arm. Each chunk has 15 points at 15 Hz, and was planned after eight
points of the one before it.
"""

import csv
import statistics
import sys
import time
from itertools import groupby
from pathlib import Path

import rclpy
from builtin_interfaces.msg import Duration, Time
from std_msgs.msg import Float64
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from wmx_ros2_package.client import Machine

SERVER = "/follow_joint_trajectory_server"
THINKING = 0.08  # s from the state that a chunk is planned from until it is sent

with (Path(__file__).parent / "chunks.csv").open() as file:
    _, *rows = csv.reader(file)
recorded = [(float(when), list(chunk)) for when, chunk in groupby(rows, key=lambda row: row[0])]

rclpy.init()
node = rclpy.create_node("policy")
lags: list[float] = []  # s, fifty a second while chunks are followed
node.create_subscription(Float64, f"{SERVER}/chunk_lag", lambda lag: lags.append(lag.data), 10)
chunks = node.create_publisher(JointTrajectory, f"{SERVER}/joint_trajectory_chunk", 10)


def spin_until(instant: float) -> None:
    """Receive messages until an instant of the steady clock."""
    while (left := instant - time.monotonic()) > 0.0:
        rclpy.spin_once(node, timeout_sec=left)


with Machine() as machine:
    joints = machine.arm.joints
    joints.on()
    start = [axis.status.command for axis in joints]
    while not chunks.get_subscription_count():
        spin_until(time.monotonic() + 0.1)
    begin = time.monotonic()
    for planned, rows in recorded:
        spin_until(begin + planned + THINKING)
        chunk = JointTrajectory(joint_names=[axis.name for axis in joints])
        seconds, rest = divmod(time.time_ns() - round(THINKING * 1e9), 1_000_000_000)
        chunk.header.stamp = Time(sec=seconds, nanosec=rest)
        for _, due, *ways in rows:
            place = [at + float(way) for at, way in zip(start, ways, strict=True)]
            seconds, rest = divmod(round(float(due) * 1e9), 1_000_000_000)
            after = Duration(sec=seconds, nanosec=rest)
            chunk.points.append(JointTrajectoryPoint(positions=place, time_from_start=after))
        chunks.publish(chunk)
    spin_until(time.monotonic() + 2.0)
rclpy.shutdown()
if not lags:
    sys.exit(f"no chunk was followed: the log of {SERVER[1:]} has the reason")
behind = statistics.median(lags) * 1e3
print(f"{len(recorded)} chunks were sent, the joints were {behind:.0f} ms behind")
