"""Closes and opens the gripper of an arm: `make run ROBOT=arm` starts one."""

from wmx_ros2_package.client import Machine

with Machine() as machine:
    gripper = machine.gripper
    gripper.close()
    print("closed")
    gripper.open()
    print("open")
