"""Leads an arm along a trajectory: `make run ROBOT=arm` starts one."""

from math import cos, pi

from wmx_ros2_package.client import Machine

POINTS, SECONDS, SWAY = 20, 4.0, 0.1

with Machine() as machine:
    joints = machine.arm.joints
    joints.on()
    start = [axis.status.command for axis in joints]
    times = [SECONDS * (i + 1) / POINTS for i in range(POINTS)]
    ways = [SWAY * (1.0 - cos(2.0 * pi * time / SECONDS)) / 2.0 for time in times]
    with joints.record() as recording:
        joints.follow(times, [[at + way for at in start] for way in ways]).wait()
    print(f"followed {len(joints)} joints, {abs(recording.following_error).max():.4f} rad behind")
