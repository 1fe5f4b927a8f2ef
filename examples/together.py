"""Moves two axes, which start in the same cycle, and shows how far they are."""

from wmx_ros2_package.client import Machine

with Machine() as machine:
    axes = machine.axes[0:2]
    axes.on()
    motion = machine.move_together({0: 1.0, 1: -0.5}, velocity=1.0)
    while not motion.done:
        print(f"{motion.progress:4.0%}")
        machine.clock.sleep(0.25)
    places = motion.wait().positions
    print("at", {axis: round(place, 2) for axis, place in places.items()})
    axes.move([0.0, 0.0], velocity=1.0).wait()
