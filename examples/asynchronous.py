"""Moves two axes with asyncio: each goes on as soon as it has arrived."""

import asyncio

from wmx_ros2_package.client import Axis, Machine


async def there_and_back(axis: Axis, distance: float) -> None:
    """Move an axis by a distance (u), and back."""
    await axis.move_by(distance, velocity=1.0)
    print(f"{axis.name} turns round")
    await axis.move_by(-distance, velocity=1.0)


async def main() -> None:
    """Move both."""
    async with Machine() as machine:
        machine.axes[0:2].on()
        await asyncio.gather(
            there_and_back(machine.axes[0], 0.5), there_and_back(machine.axes[1], 1.0)
        )


asyncio.run(main())
