"""What the recorder costs: processor time of its process, beside `bringup` with 6 and 128 axes.

    . ./env.sh && python benchmarks/recorder.py [SECONDS] [AXES ...]

Prints JSON, ``{axes: {figure: value}}``. The engine is inside `bringup`; every axis is sent to and
fro once a second while the cost in motion is taken.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from engine_alone import to_and_fro
from system import EXECUTABLES, System, Variant, cpu_seconds, isolate, machine_file, memory

from wmx_core.interface import Driver
from wmx_core.opening import open_driver

SETTLING = 5.0
"""How long the system is left alone after its start, s."""
SECONDS = 20.0
AXES = 6, 128


def cost(pid: int, driver: Driver, axes: int, seconds: float, *, moving: bool) -> float:
    """Percent of a core that process `pid` takes."""
    start, begin = cpu_seconds({pid}), time.monotonic()
    for turn in range(round(seconds)):
        if moving:
            to_and_fro(driver, axes, turn)
        time.sleep(max(0.0, begin + turn + 1 - time.monotonic()))
    return 100.0 * (cpu_seconds({pid}) - start) / (time.monotonic() - begin)


def measure(axes: int, seconds: float, *, continuous: bool) -> dict[str, float]:
    """The figures of a recorder that keeps all in memory, or also writes it `continuous`ly."""
    with tempfile.TemporaryDirectory(prefix="wmx_bench_") as folder:
        environment = isolate(Path(folder))
        system = System(Variant("bringup", ["bringup"]), axes, environment)
        system.start()
        machine = machine_file(Path(folder), axes)
        parameters = [f"device_path:={machine}", f"folder:={folder}/recordings"]
        parameters += [f"continuous:={str(continuous).lower()}"]
        words = [word for parameter in parameters for word in ("-p", parameter)]
        command = [str(EXECUTABLES / "wmx_recorder_node"), "--ros-args", *words]
        recorder = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL)
        try:
            time.sleep(SETTLING)
            os.environ["XDG_RUNTIME_DIR"] = folder
            driver = open_driver("fake")
            driver.engine.create_device(str(machine), "benchmark")
            for axis in range(axes):
                driver.motion.set_servo(axis, on=True)
            time.sleep(SETTLING)
            kind = "continuous, " if continuous else ""
            figures = {
                f"CPU, {kind}{'in motion' if moving else 'at rest'}, %": cost(
                    recorder.pid, driver, axes, seconds, moving=moving
                )
                for moving in (False, True)
            }
            figures[f"{kind}memory, MiB"] = memory({recorder.pid})["PSS, MiB"]
            driver.engine.close_device()
            return figures
        finally:
            recorder.terminate()
            recorder.wait()
            system.stop()


def main(seconds: float = SECONDS, *counts: int) -> None:
    """Measure systems of each of the `counts` of axes."""
    print(
        json.dumps(
            {
                axes: measure(axes, seconds, continuous=False)
                | measure(axes, seconds, continuous=True)
                for axes in counts or AXES
            },
            indent=2,
        )
    )


if __name__ == "__main__":
    main(float(sys.argv[1]) if sys.argv[1:] else SECONDS, *map(int, sys.argv[2:]))
