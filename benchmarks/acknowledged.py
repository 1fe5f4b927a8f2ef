"""What it costs to be answered: a command to an actuator beside the smallest service there is.

python benchmarks/acknowledged.py --calls 2000

Both services take turns, in one system and from one client; the aim is a ratio of medians of 1.3.
"""

import argparse
import gc
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import client as measuring
from system import System, Variant, isolate
from wmx_ros2_message.msg import ActuatorCommand
from wmx_ros2_message.srv import CommandActuator

BASELINE, EXECUTE = "get_input_bytes", "actuator/execute"
AIM = 1.3
COMMAND = {
    "name": "axis_0",
    "type": ActuatorCommand.POSITION,
    "velocity": 1.0,
    "acceleration": 10.0,
}
SETTLING = 2.0
"""What all nodes take to be ready once the engine is, s."""
SWITCHING = 1.0
"""What a servo may take to be on once it was told, on a busy machine, s."""
RESTS = 0.1
"""How long a move of STEP takes at most, s: each command finds its axis at rest."""


class Client(measuring.Client):
    """Calls both services."""

    def __init__(self) -> None:
        measuring.REQUESTS[EXECUTE] = ("wmx/actuator/execute", CommandActuator, {})
        super().__init__()
        self._target = 0.0

    def alternate(self, calls: int, pause: float) -> dict[str, list[float]]:
        """Round trips of both, ms, taking turns."""
        self._call("set_on")
        time.sleep(SWITCHING)
        taken: dict[str, list[float]] = {BASELINE: [], EXECUTE: []}
        for i in range(calls):
            for name in taken if i % 2 else reversed(taken):
                taken[name].append(self._call(name))
                time.sleep(max(pause, RESTS if name == EXECUTE else 0.0))
        return taken

    def _call(self, name: str) -> float:
        if name != EXECUTE:
            return super()._call(name)
        self._target = measuring.STEP - self._target
        command = ActuatorCommand(value=self._target, **COMMAND)
        return self._request(name, CommandActuator.Request(command=command))

    def _require(self, name: str, response: Any) -> None:
        taken = response.accepted if name == EXECUTE else response.success
        assert taken, f"{name}: {response.message}"


def main() -> None:
    """Start a system, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=500, help="of each service")
    parser.add_argument("--pause", type=float, default=0.002, help="between two calls, s")
    parser.add_argument("--variant", type=Variant.parse, default=Variant.parse("bringup"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="wmxbench") as folder:
        environment = isolate(Path(folder))
        os.environ.update(environment)
        system = System(options.variant, 6, environment)
        system.start()
        try:
            client = Client()
            client.start_up()
            time.sleep(SETTLING)
            gc.freeze()
            gc.disable()
            client.alternate(20, options.pause)  # meets cold caches
            taken = client.alternate(options.calls, options.pause)
        finally:
            system.stop()
    medians = {}
    for name, milliseconds in taken.items():
        ordered = sorted(milliseconds)
        medians[name] = statistics.median(ordered)
        p99 = ordered[int(0.99 * (len(ordered) - 1))]
        print(f"{name:>18}: median {medians[name]:.3f} ms, p99 {p99:.3f} ms")
    ratio = medians[EXECUTE] / medians[BASELINE]
    print(f"{'ratio':>18}: {ratio:.2f} (aim: {AIM} at most)")


if __name__ == "__main__":
    main()
