"""Trajectories through points with velocities: the splines that are used, beside PVT.

    . ./env.sh && python benchmarks/pvt.py

Random goals of six joints from rest to rest. What is asked for is that of ROS: a cubic between two
points with velocities, a quintic where they have accelerations, too. The engine's PVT leads a cubic
through the same points; the splines have points of their own (`trajectories.segments`). Compared in
every communication cycle.
"""

import argparse

import numpy as np
from table import Figures, print_table

from wmx_core.values import Floats
from wmx_ros2_package.trajectories.curves import Curve, cubic, quintic
from wmx_ros2_package.trajectories.segments import segments

JOINTS = 6
CYCLE = 1e-3


def goal(drawn: np.random.Generator, points: int, interval: float) -> tuple[Floats, list[Floats]]:
    """Times, and positions, velocities and accelerations there, of a smooth random motion."""
    times: Floats = interval * np.arange(points, dtype=float)
    rates, sizes = drawn.uniform(0.5, 4.0, JOINTS), drawn.uniform(0.1, 1.0, JOINTS)

    def path(at: Floats) -> Floats:
        slow = np.sin(np.pi * at / times[-1]) ** 4  # at rest at both ends
        moved: Floats = slow[:, None] * sizes * np.sin(rates * at[:, None])
        return moved

    h = 1e-4
    position = path(times)
    velocity = (path(times + h) - path(times - h)) / (2 * h)
    acceleration = (path(times + h) - 2 * position + path(times - h)) / h**2
    velocity[[0, -1]] = 0.0
    return times, [position, velocity, acceleration]


def off(one: Curve, other: Curve) -> float:
    """How far two curves are from each other at most, u, over the cycles of the first."""
    at = np.arange(one.times[0], one.times[-1], CYCLE)
    return float(np.abs(one.at(at) - other.at(at)).max())


def measure(drawn: np.random.Generator, points: int, interval: float, goals: int) -> Figures:
    """The worst of some goals."""
    figures: Figures = {}

    def worst(name: str, value: float) -> None:
        figures[name] = max(figures.get(name, 0.0), value)

    for _ in range(goals):
        times, (position, velocity, acceleration) = goal(drawn, points, interval)
        pvt = cubic(times, position, velocity)
        for kind, asked in (
            ("velocities", pvt),
            ("accelerations, too", quintic(times, position, velocity, acceleration)),
        ):
            made = segments(asked)
            worst(f"{kind}: splines, 1e-9 u", 1e9 * max(s.error for s in made))
            worst(f"{kind}: points of the splines", sum(len(s.times) for s in made))
            worst(f"{kind}: PVT, 1e-9 u", 1e9 * off(pvt, asked))
    return figures


def main() -> None:
    """Compare, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--goals", type=int, default=20)
    options = parser.parse_args()
    drawn = np.random.default_rng(1)
    columns = {
        f"{points} x {interval:g} s": measure(drawn, points, interval, options.goals)
        for points, interval in ((50, 0.1), (20, 0.25), (200, 0.02))
    }
    print_table("at most", columns)


if __name__ == "__main__":
    main()
