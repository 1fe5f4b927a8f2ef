"""What a dry run costs, without ROS: the processor time of trajectories and moves, as JSON.

    python benchmarks/dry_run.py

From the copy of the axes to the outcome, the median of several runs, ms.
"""

import json
import statistics
import time

import numpy as np

from wmx_core.interface import Driver
from wmx_core.opening import open_driver
from wmx_ros2_package.actuators.command import Command, CommandType, Point
from wmx_ros2_package.actuators.description import Actuator
from wmx_ros2_package.dry_run import DryRun, Step, Trial, axes_of
from wmx_sim.copies import copy_of

AXES = 6
RUNS = 9
ACTUATORS = {f"axis_{axis}": Actuator(name=f"axis_{axis}", axis=axis) for axis in range(AXES)}


def trajectory(points: int, spacing: float = 0.01) -> Step:
    """A trajectory of all axes through so many points, which begins where they are."""
    times = np.arange(points) * spacing
    return [
        Command(
            name=name,
            type=CommandType.TRAJECTORY,
            points=tuple(
                Point(time=float(t), positions=(0.3 * float(np.sin(t * (1.0 + 0.1 * axis))),))
                for t in times
            ),
        )
        for axis, name in enumerate(ACTUATORS)
    ]


def cost(driver: Driver, step: Step, samples: int = 0) -> float:
    """Processor time of a dry run of `step`, ms."""
    trial = Trial(steps=[step], samples=samples)
    spent = []
    for _ in range(RUNS):
        begin = time.process_time()
        copy = copy_of(driver, axes_of(trial, ACTUATORS))
        outcome = DryRun(trial, ACTUATORS, copy).outcome()
        spent.append(1e3 * (time.process_time() - begin))
        assert outcome.exact
    return round(statistics.median(spent), 1)


def main() -> None:
    """Print the figures."""
    driver = open_driver("fake", in_process=True)
    driver.engine.create_device("", "benchmark")
    try:
        driver.engine.start_communication()
        for axis in range(AXES):
            driver.motion.set_servo(axis, on=True)
        while not driver.motion.status().servo_on.all():
            time.sleep(0.01)
        time.sleep(2.0)
        moves = [Command(name=name, type=CommandType.POSITION, value=1.0) for name in ACTUATORS]
        figures = {
            "a move of one axis": cost(driver, moves[:1]),
            "moves of 6 axes": cost(driver, moves),
            "100 points of 6 axes": cost(driver, trajectory(100)),
            "1000 points of 6 axes": cost(driver, trajectory(1000)),
            "1000 points of 6 axes, a path of 500 times": cost(driver, trajectory(1000), 500),
        }
    finally:
        driver.engine.close_device()
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
