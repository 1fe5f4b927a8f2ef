"""What the simulated engine costs by itself, without ROS: against its number of axes.

Prints figures as JSON, ``{axes: {figure: value}}``; `run.py` calls it and draws the table.
A hundred reads a second, as the nodes do, from the process of the engine or from another one.
"""

import json
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from system import cpu_seconds, engine_pids, machine_file

from wmx_core.interface import Driver
from wmx_core.opening import open_driver
from wmx_core.values import PositionMove

READS = 2000
RATE = 100.0
"""Status reads a second while the cost is taken, Hz."""
TURNS_PER_MOVE = 100
"""Every axis is sent to and fro once in so many reads while the axes move."""


def measure(folder: Path, axes: int, seconds: float) -> dict[str, float]:
    """All figures of an engine with `axes` axes."""
    figures = {"CPU %, the loop alone": 100 * loop(seconds, lambda _: None)}
    for place, in_process in (("in process", True), ("across processes", False)):
        driver = open_driver("fake", in_process=in_process)
        driver.engine.create_device(str(machine_file(folder, axes)), "benchmark")
        try:
            driver.engine.start_communication()
            for axis in range(axes):
                driver.motion.set_servo(axis, on=True)
            while not driver.motion.status().servo_on.all():
                time.sleep(0.01)
            engine = set() if in_process else engine_pids(folder)
            for doing, move in (
                ("at rest", lambda _: None),
                ("moving", partial(to_and_fro, driver, axes)),
            ):
                figures |= {
                    f"{what}, {doing}, {place}": value
                    for what, value in watch(driver, engine, move, seconds).items()
                }
            figures[f"get_input_bytes, {place}, us"] = microseconds(
                partial(driver.io.input_bytes, 0, 4)
            )
            if engine:
                start = cpu_seconds(engine)
                time.sleep(seconds)
                cost = (cpu_seconds(engine) - start) / seconds
                figures["engine's CPU, nobody looks, %"] = 100 * cost
        finally:
            driver.engine.close_device()
    return figures


def watch(
    driver: Driver, engine: set[int], move: Callable[[int], None], seconds: float
) -> dict[str, float]:
    """Read the status at RATE, calling `move` meanwhile; then read as fast as possible."""

    def once(turn: int) -> None:
        if turn % TURNS_PER_MOVE == 0:
            move(turn // TURNS_PER_MOVE)
        driver.motion.status()

    start, engine_cpu = time.monotonic(), cpu_seconds(engine)
    figures = {"CPU %": 100 * loop(seconds, once)}
    if engine:
        passed = time.monotonic() - start
        figures["engine's CPU %"] = 100 * (cpu_seconds(engine) - engine_cpu) / passed
    move(0)
    move(1)
    return figures | {"status us": microseconds(driver.motion.status)}


def loop(seconds: float, once: Callable[[int], None]) -> float:
    """Call `once` at RATE; the share of a core that this process took."""
    start, cpu = time.monotonic(), time.process_time()
    for turn in range(int(seconds * RATE)):
        once(turn)
        time.sleep(max(0.0, start + (turn + 1) / RATE - time.monotonic()))
    return (time.process_time() - cpu) / (time.monotonic() - start)


def to_and_fro(driver: Driver, axes: int, move: int) -> None:
    """Send every axis to one of two places, where it arrives before the next `move`."""
    target = 0.2 * (1 + move % 2)
    driver.motion.move_absolute(
        [
            PositionMove(axis=axis, target=target, velocity=0.5, acc=2.0, dec=2.0)
            for axis in range(axes)
        ]
    )


def microseconds(call: Callable[[], object]) -> float:
    """The median time of a call, us."""
    taken = []
    for _ in range(READS):
        start = time.perf_counter_ns()
        call()
        taken.append(time.perf_counter_ns() - start)
    return float(np.median(taken)) / 1000


def main(folder: str, seconds: str, *counts: str) -> None:
    """Measure engines of each of the `counts` of axes."""
    print(json.dumps({axes: measure(Path(folder), int(axes), float(seconds)) for axes in counts}))


if __name__ == "__main__":
    main(*sys.argv[1:])
