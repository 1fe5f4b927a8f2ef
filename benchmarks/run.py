"""Measures the system, or variants of it side by side; see README.md beside this file.

python benchmarks/run.py --quick --variants bringup processes
"""

import argparse
import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import datetime
from itertools import product
from pathlib import Path

from measure import Extent, measure_attached, measure_started
from system import HERE, Variant, isolate
from table import Figures, Measurement, print_table, summary

STOP_SIGNALS = signal.SIGINT, signal.SIGTERM
QUICK = ["--axes=6", "--seconds=5", "--rounds=1", "--calls=200", "--commands=50", "--no-engine"]
ENGINE_AXES = 1, 2, 6, 16, 64, 128
ENGINE_SECONDS = 3.0
"""How long each cost of the engine alone is taken, at most, s."""


def arguments() -> argparse.Namespace:
    """What is to be measured."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add(
        "--variants",
        nargs="+",
        type=Variant.parse,
        default=[Variant.parse("bringup"), Variant.parse("processes")],
        help="bringup or processes, either with /single or /multi for rclpy's executors, or "
        "NAME=COMMAND with {axes} and {machine}; ratios are to the first",
    )
    add("--quick", action="store_true", help=f"a minute of it: {' '.join(QUICK)}, unless given too")
    add("--axes", nargs="+", type=int, default=[2, 6, 64, 128])
    add("--seconds", type=float, default=20.0, help="of AxisState in each measurement")
    add("--calls", type=int, default=500, help="of each service")
    add("--pause", type=float, default=0.002, help="between two calls, s")
    add("--commands", type=int, default=200, help="on wmx/axis/position")
    add("--rounds", type=int, default=2, help="in which the variants take turns")
    add("--each", action="store_true", help="a table for each number of axes, too")
    add("--no-engine", action="store_true", help="leave out the simulated engine alone")
    add("--only-engine", action="store_true", help="the simulated engine alone")
    add("--attach", metavar="NAME", help="measure the system that runs in this ROS domain")
    add("--pid", nargs="+", type=int, default=[], help="its processes, for CPU and memory")
    add("--move", action="store_true", help="switch on and move its axis 0, too")
    add("--output", type=Path, help="the JSON file; default: results/TIME.json")
    words = sys.argv[1:]
    return parser.parse_args([*QUICK, *words] if "--quick" in words else words)


def measure_started_ones(
    options: argparse.Namespace, extent: Extent, environment: dict[str, str]
) -> Iterator[Measurement]:
    """Every variant with every number of axes, taking turns; the order turns round each time."""
    for number, axes in product(range(options.rounds), options.axes):
        for variant in options.variants[:: -1 if number % 2 else 1]:
            say(f"round {number + 1}, {axes} axes, {variant.name}")
            yield variant.name, axes, measure_started(variant, axes, extent, environment)


def measure_running_one(options: argparse.Namespace, extent: Extent) -> Iterator[Measurement]:
    """The system that runs already."""
    for number in range(options.rounds):
        say(f"round {number + 1}, {options.attach}")
        axes, figures = measure_attached(options.pid, extent, move=options.move)
        yield options.attach, axes, figures


def measure_engine(seconds: float, environment: dict[str, str]) -> dict[str, Figures]:
    """The simulated engine without ROS, by its number of axes."""
    say("the simulated engine alone")
    command: list[str | Path] = [
        sys.executable,
        HERE / "engine_alone.py",
        environment["XDG_RUNTIME_DIR"],
    ]
    done = subprocess.run(
        [*command, str(min(ENGINE_SECONDS, seconds)), *map(str, ENGINE_AXES)],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    figures: dict[str, Figures] = json.loads(done.stdout)
    return {f"{axes} axes": values for axes, values in figures.items()}


def stop(_number: int, _frame: object) -> None:
    """End; nothing more interrupts the stopping of what was started."""
    for number in STOP_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def say(text: str) -> None:
    """Tell whoever waits what is being done, and how busy the machine was before."""
    print(f"{text} (load {os.getloadavg()[0]:.2f})", file=sys.stderr)


def main() -> None:
    """Measure, write the JSON file, print the tables."""
    options = arguments()
    for number in STOP_SIGNALS:
        signal.signal(number, stop)
    extent = Extent(options.seconds, options.calls, options.pause, options.commands)
    load = os.getloadavg()
    with tempfile.TemporaryDirectory(prefix="wmxbench") as folder:
        environment = isolate(Path(folder))
        measured: list[Measurement] = []
        if options.attach:
            measured += measure_running_one(options, extent)
        elif not options.only_engine:
            measured += measure_started_ones(options, extent, environment)
        engine: dict[str, Figures] = {}
        if not options.attach and not options.no_engine:
            engine = measure_engine(options.seconds, environment)

    now = datetime.now().astimezone()
    output = options.output or HERE / f"results/{now:%Y%m%d-%H%M%S}.json"
    output.parent.mkdir(parents=True, exist_ok=True)
    results = {
        "time": now.isoformat(),
        "machine": {"system": platform.platform(), "cpus": os.cpu_count(), "load before": load},
        "arguments": sys.argv[1:],
        "nodes": [{"variant": v, "axes": a, "figures": f} for v, a, f in measured],
        "engine": engine,
    }
    output.write_text(json.dumps(results, indent=1))

    counts = list(dict.fromkeys(axes for _, axes, _ in measured))
    if measured:
        print_table(f"mean over {counts} axes", summary(measured, counts))
    if options.each:
        for axes in counts:
            print_table(f"{axes} axes", summary(measured, [axes]))
    if engine:
        print_table("the simulated engine alone", engine)
    print(f"\n{output}")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
