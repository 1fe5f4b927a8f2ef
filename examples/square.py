"""Drives a square with a base on two wheels: `make run ROBOT=base` starts one."""

from math import pi

from wmx_ros2_package.client import Machine

with Machine() as machine:
    base = machine.base
    base.wheels.on()
    for _ in range(4):
        base.forward(0.5, velocity=0.5).wait()
        base.turn(pi / 2.0, velocity=1.0).wait()
        print(f"at {base.pose.x:.2f}, {base.pose.y:.2f} m")
