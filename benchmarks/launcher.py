"""Runs one of the package's executables as it is, with what the benchmark changes or adds.

    python launcher.py EXECUTABLE ARGUMENT...

WMX_BENCH_EXECUTOR  `single` or `multi`: rclpy's executor of that name instead of the nodes' own
WMX_BENCH_STAMPS    a file for the times (time.monotonic, s) at which the driver was told to move
"""

import json
import os
import runpy
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import wmx_core.opening as drivers
from wmx_core.interface import Driver
from wmx_core.options import DriverOptions

Backend = Callable[[DriverOptions], Driver]


def stamp_moves(backend: Backend, stamps: list[float]) -> Backend:
    """`backend`, whose drivers note when move_absolute is called."""

    def open_driver(options: DriverOptions) -> Driver:
        driver = backend(options)
        move: Any = driver.motion.move_absolute

        def stamped(moves: Sequence[Any]) -> None:
            stamps.append(time.monotonic())
            move(moves)

        vars(driver.motion)["move_absolute"] = stamped
        return driver

    return open_driver


def use_executor(name: str) -> None:
    """Let the nodes run on rclpy's executor `name`."""
    from rclpy.executors import MultiThreadedExecutor, SingleThreadedExecutor

    from wmx_ros2_package.node_base import rclpy_compat

    chosen = {"single": SingleThreadedExecutor, "multi": MultiThreadedExecutor}[name]
    if not hasattr(rclpy_compat, "make_executor"):
        sys.exit("benchmarks/launcher.py: the nodes' executor is made elsewhere now")
    vars(rclpy_compat)["make_executor"] = chosen


def main() -> None:
    """Run the executable, then write the stamps."""
    del sys.argv[0]
    sys.path[0] = str(Path(sys.argv[0]).parent)
    stamps: list[float] = []
    for name, backend in drivers.BACKENDS.items():
        drivers.BACKENDS[name] = stamp_moves(backend, stamps)
    if executor := os.environ.get("WMX_BENCH_EXECUTOR"):
        use_executor(executor)
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    finally:
        if stamps and (file := os.environ.get("WMX_BENCH_STAMPS")):
            Path(file).write_text(json.dumps(stamps))


if __name__ == "__main__":
    main()
