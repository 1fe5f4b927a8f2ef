"""Counts the Python functions that the nodes enter for a state and for a command.

    . ./env.sh && python benchmarks/functions.py           # the figures
    . ./env.sh && python benchmarks/functions.py --list    # and which functions are entered

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
from types import CodeType, FrameType

SECONDS = 5.0
MESSAGES = 200
WHERE = "WMX_BENCH_COUNTS"
WRITING_PERIOD = 0.05
STATE_THREAD = "wmx_core_motion_node-supervisor"
SPIN_THREAD = "spin"
LEAST_LISTED = 0.05
"""A function that is entered less often for a sample or a message is not listed."""

Entered = Counter[tuple[str, str]]
"""How often a thread has entered a function."""
Each = dict[tuple[str, str], float]
"""How often a thread enters a function for a sample or a message."""


def count_functions() -> None:
    """Count in every thread of this process, and keep writing the counts into the file WHERE."""
    counts: Counter[tuple[str, CodeType]] = Counter()
    path = Path(os.environ[WHERE])

    def enter(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            counts[threading.current_thread().name, frame.f_code] += 1

    def write() -> None:
        partial = path.with_suffix(".partial")
        while True:
            at = time.monotonic()
            entered = [(thread, _name(code), n) for (thread, code), n in counts.copy().items()]
            partial.write_text(json.dumps([at, entered]))
            partial.rename(path)
            time.sleep(WRITING_PERIOD)

    threading.Thread(target=write, daemon=True).start()
    threading.setprofile(enter)


def _name(code: CodeType) -> str:
    return f"{'/'.join(Path(code.co_filename).parts[-2:])}:{code.co_firstlineno} {code.co_name}"


def count_program() -> None:
    """Run the executable that the arguments name, and count."""
    del sys.argv[0]
    sys.path[0] = str(Path(sys.argv[0]).parent)
    count_functions()
    runpy.run_path(sys.argv[0], run_name="__main__")


def measure(folder: Path) -> tuple[dict[str, float], dict[str, Each]]:
    """Figures of `bringup` with six axes, the simulated engine inside, and what was entered."""
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

    def counts() -> tuple[float, Entered]:
        """What has been entered until now, and when that is, s."""
        now = time.monotonic()
        while True:
            at, entered = json.loads(Path(os.environ[WHERE]).read_text())
            if at > now:
                counted: Entered = Counter()
                for thread, name, n in entered:
                    counted[thread, name] += n
                return at, counted
            time.sleep(WRITING_PERIOD / 2.0)

    def entered(act: Callable[[], object]) -> tuple[Entered, float]:
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
        motion, _ = entered(samples)
    finally:
        system.stop()
    rest_samples, motion_samples = _samples(rest), _samples(motion)
    for name in {name for thread, name in commands if thread == SPIN_THREAD}:
        at_rest = rest[SPIN_THREAD, name] / rest_seconds * seconds
        commands[SPIN_THREAD, name] = round(commands[SPIN_THREAD, name] - at_rest)
    figures = {
        "state thread, for a sample at rest": _of_thread(rest, STATE_THREAD) / rest_samples,
        "whole process, for a sample at rest": rest.total() / rest_samples,
        "whole process, for a sample in motion": motion.total() / motion_samples,
        "spin thread, for a message on wmx/axis/position": (
            _of_thread(commands, SPIN_THREAD) / MESSAGES
        ),
        "Python threads": float(len({thread for (thread, _), n in motion.items() if n > 0})),
    }
    lists = {
        "for a sample at rest": _each(rest, rest_samples),
        "for a sample in motion": _each(motion, motion_samples),
        "for a message on wmx/axis/position": _each(commands, MESSAGES),
    }
    return figures, lists


def _samples(entered: Entered) -> int:
    """How many samples were published; on a busy machine fewer than were asked for."""
    from wmx_ros2_package.nodes.core_motion.state import StateTopic

    return entered[STATE_THREAD, _name(StateTopic.publish.__code__)]


def _of_thread(entered: Entered, wanted: str) -> int:
    return sum(n for (thread, _), n in entered.items() if thread == wanted)


def _each(entered: Entered, count: float) -> Each:
    """How often each function is entered for one of `count` samples or messages."""
    return {key: n / count for key, n in sorted(entered.items()) if n / count > LEAST_LISTED}


def main() -> None:
    """Print the figures, or count as the program that is measured."""
    listed = sys.argv[1:] == ["--list"]
    if len(sys.argv) > 1 and not listed:
        count_program()
        return
    with tempfile.TemporaryDirectory() as folder:
        figures, lists = measure(Path(folder))
    for name, figure in figures.items():
        print(f"{name:50} {figure:8.1f}")
    for name, each in lists.items() if listed else ():
        print(f"\n{name}")
        for (thread, function), n in each.items():
            print(f"{n:8.2f}  {thread:35} {function}")


if __name__ == "__main__":
    main()
