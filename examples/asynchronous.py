"""Moves two axes with asyncio: each goes on as soon as it has arrived."""

import asyncio

from wmx_ros2_package.client import Axis, Machine, aio


async def there_and_back(axis: Axis, distance: float) -> None:
    """Move an axis by a distance (u), and back."""
    for way in (distance, -distance):
        motion = await aio(axis.move_by, way, velocity=1.0)
        await motion
        print(f"{axis.name} has moved by {way:g}")


async def main() -> None:
    """Move both."""
    async with Machine() as machine:
        await aio(machine.axes[0:2].on)
        await asyncio.gather(
            there_and_back(machine.axes[0], 0.5), there_and_back(machine.axes[1], 1.0)
        )


asyncio.run(main())
