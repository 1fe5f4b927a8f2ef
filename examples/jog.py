"""Jogs an axis for a second. It stops by itself when this program is killed in the middle."""

from wmx_ros2_package.client import Machine

with Machine() as machine:
    axis = machine.axes[0]
    axis.on()
    with axis.jog(0.5):
        machine.clock.sleep(1.0)
    print(f"{axis.name} rests at {axis.position:.2f}")
