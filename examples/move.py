"""Moves an axis there and back."""

from wmx_ros2_package.client import Machine

with Machine() as machine:
    axis = machine.axes[0]
    axis.clear()
    axis.on()
    start = axis.status.command
    axis.move(start + 1.0, velocity=1.0, acceleration=5.0).wait()
    print(f"{axis.name} is at {axis.position:.2f}")
    result = axis.move(start, velocity=1.0, acceleration=5.0).wait()
    print(f"{axis.name} ended with {result.reason.name}")
