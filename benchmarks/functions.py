"""Counts the Python functions that the nodes enter for a state and for a command.

    . ./env.sh && python benchmarks/functions.py

The figures are counts, not times: they are the same on a busy machine. A profile hook counts every
function that a thread enters; those of the hook's own start and end are the difference of two
readings.
"""

import json
import os
import runpy
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType

SECONDS = 5.0
MESSAGES = 200
WHERE = "WMX_BENCH_COUNTS"
WRITING_PERIOD = 0.05
STATE_THREAD = "wmx_core_motion_node-supervisor"
SPIN_THREAD = "spin"


def count_functions() -> None:
    """Count in every thread of this process, and keep writing the counts into the file WHERE."""
    counts: Counter[str] = Counter()
    path = Path(os.environ[WHERE])

    def enter(_: FrameType, event: str, __: object) -> None:
        if event == "call":
            counts[threading.current_thread().name] += 1

    def write() -> None:
        partial = path.with_suffix(".partial")
        while True:
            partial.write_text(json.dumps([time.monotonic(), counts]))
            partial.rename(path)
            time.sleep(WRITING_PERIOD)

    threading.Thread(target=write, daemon=True).start()
    threading.setprofile(enter)


def count_program() -> None:
    """Run the executable that the arguments name, and count."""
    del sys.argv[0]
    sys.path[0] = str(Path(sys.argv[0]).parent)
    count_functions()
    runpy.run_path(sys.argv[0], run_name="__main__")


def measure(folder: Path) -> dict[str, float]:
    """Figures of `bringup` with six axes, the simulated engine inside."""
    import client as measuring
    from system import System, Variant, isolate

    environment = isolate(folder)
    os.environ.update(environment)
    os.environ[WHERE] = environment[WHERE] = str(folder / "counts.json")
    command = (
        f"exec {sys.executable} {Path(__file__).resolve()} $(which bringup) --ros-args "
        "-p device_path:={machine} -p axis_count:={axes}"
    )
    system = System(Variant("counted", [command], shell=True), 6, environment)
    client = measuring.Client()
    system.start()
    client.start_up()
    time.sleep(2.0)  # what all nodes take to be ready once the engine is

    def counts() -> tuple[float, Counter[str]]:
        """What has been entered until now, and when that is, s."""
        now = time.monotonic()
        while True:
            at, entered = json.loads(Path(os.environ[WHERE]).read_text())
            if at > now:
                return at, Counter(entered)
            time.sleep(WRITING_PERIOD / 2.0)

    def entered(act: Callable[[], object]) -> tuple[Counter[str], float]:
        """What is entered while `act` is done, and for how long it is, s."""
        start, before = counts()
        act()
        end, after = counts()
        after.subtract(before)
        return after, end - start

    def samples() -> int:
        return len(client.state(SECONDS)["arrival interval"]) + 1

    try:
        client.services(["set_on"], 1, 0.0)
        time.sleep(1.0)
        rest, rest_seconds = entered(samples)
        commands, seconds = entered(lambda: client.commands(MESSAGES))
        client.move_all(1, on=True)
        time.sleep(1.0)
        motion, motion_seconds = entered(samples)
    finally:
        system.stop()
    per_second = {thread: n / rest_seconds for thread, n in rest.items()}
    return {
        "state thread, for a sample at rest": per_second[STATE_THREAD] / 100.0,
        "whole process, for a sample at rest": rest.total() / rest_seconds / 100.0,
        "whole process, for a sample in motion": motion.total() / motion_seconds / 100.0,
        "spin thread, for a message on wmx/axis/position": (
            (commands[SPIN_THREAD] - per_second.get(SPIN_THREAD, 0.0) * seconds) / MESSAGES
        ),
        "Python threads": float(sum(n > 0 for n in motion.values())),
    }


def main() -> None:
    """Print the figures, or count as the program that is measured."""
    if len(sys.argv) > 1:
        count_program()
        return
    with tempfile.TemporaryDirectory() as folder:
        for name, figure in measure(Path(folder)).items():
            print(f"{name:50} {figure:8.1f}")


if __name__ == "__main__":
    main()
