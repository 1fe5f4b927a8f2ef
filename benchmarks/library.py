"""What the Python library costs: a move by it beside the bare service call that does the same.

python benchmarks/library.py --calls 1000

Both take turns, in one system and in one process: `axis.move` of the library, and a request to
`wmx/actuator/execute` by a node of rclpy whose answer is waited for, spun by a thread of its own
with the same executor. The aim is a ratio of medians of 1.3.
"""

import argparse
import gc
import os
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import rclpy
from rclpy.node import Node
from system import System, Variant, isolate
from wmx_ros2_message.msg import ActuatorCommand
from wmx_ros2_message.srv import CommandActuator

from wmx_ros2_package.client import Machine
from wmx_ros2_package.node_base.rclpy_compat import make_executor, spin

AIM = 1.3
STEP = 0.001
"""How far each move goes, u."""
RESTS = 0.1
"""How long that takes at most, s: each command finds its axis at rest."""
SPEED = {"velocity": 1.0, "acceleration": 10.0}


class Bare:
    """A program that calls the service with rclpy alone."""

    def __init__(self, domain: int) -> None:
        context = rclpy.Context()
        rclpy.init(context=context, domain_id=domain)
        self._node = Node("bare", context=context)
        self._client: Any = self._node.create_client(CommandActuator, "wmx/actuator/execute")
        executor = make_executor(context)
        executor.add_node(self._node)
        threading.Thread(target=spin, args=(executor, rclpy.Future()), daemon=True).start()
        assert self._client.wait_for_service(30.0)

    def move(self, target: float) -> None:
        """Move actuator 1, and wait for the answer."""
        command = ActuatorCommand(
            name="axis_1", type=ActuatorCommand.POSITION, value=target, **SPEED
        )
        answered = threading.Event()
        answer = self._client.call_async(CommandActuator.Request(command=command))
        answer.add_done_callback(lambda _: answered.set())
        assert answered.wait(10.0), "no answer"
        assert answer.result().accepted, answer.result().message


def measure(calls: int, moves: Mapping[str, Callable[[float], object]]) -> dict[str, list[float]]:
    """How long each of `moves` takes, ms, taking turns."""
    taken: dict[str, list[float]] = {name: [] for name in moves}
    for i in range(calls):
        for name in moves if i % 2 else reversed([*moves]):
            begun = time.perf_counter()
            moves[name](STEP * (i % 2))
            taken[name].append(1e3 * (time.perf_counter() - begun))
            time.sleep(RESTS)
    return taken


def main() -> None:
    """Start a system, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=300, help="of each kind")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="wmxbench") as folder:
        environment = isolate(Path(folder))
        os.environ.update(environment)
        system = System(Variant.parse("bringup"), 6, environment)
        system.start()
        try:
            with Machine(timeout=30.0) as machine:
                machine.axes.on()
                axis, bare = machine.axes[0], Bare(machine.domain)
                moves = {"bare": bare.move, "library": lambda to: axis.move(to, **SPEED)}
                gc.freeze()
                gc.disable()
                measure(20, moves)  # meets cold caches
                taken = measure(options.calls, moves)
        finally:
            system.stop()
    medians = {name: statistics.median(milliseconds) for name, milliseconds in taken.items()}
    for name, milliseconds in taken.items():
        p99 = sorted(milliseconds)[int(0.99 * (len(milliseconds) - 1))]
        print(f"{name:>8}: median {medians[name]:.3f} ms, p99 {p99:.3f} ms")
    print(f"{'ratio':>8}: {medians['library'] / medians['bare']:.2f} (aim: {AIM} at most)")


if __name__ == "__main__":
    main()
