"""Streams of positions: what an axis makes of them, cycle by cycle, beside another way.

    . ./env.sh && python benchmarks/streams.py

Nothing here waits for a machine: the clock of the simulated engine is held, delays are drawn with a
seed. One joint swings by 50 mrad at 0.25 Hz, as on the bench of the vendor's servo streamer, and by
0.3 rad at 0.5 Hz; each message asks to be somewhere one period ahead, as those of MoveIt Servo do.

| column | what becomes of a message |
|---|---|
| C++ | a move that ends there in that time, as of the C++ node (movensys/wmx-r2) |
| here | the moves of `joint_position_controller` |
| even | a message takes 0.4 ms and a little more |
| stalls | besides, twice a second nothing is served for 30 to 150 ms |

`streams_live.py` measures the same over ROS.
"""

import argparse
import random
from collections import deque
from collections.abc import Callable, Iterator
from itertools import chain
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray
from table import Figures, print_table

from wmx_core.values import MotionStatus, PositionMove
from wmx_ros2_package.nodes.joint_position.stream_moves import (
    Now,
    StreamHistory,
    StreamRules,
    moves,
    worth_moving,
)
from wmx_sim.engine.clock import HeldClock
from wmx_sim.engine.engine import SimulatedEngine
from wmx_sim.engine.machine.description import (
    AxisModel,
    Machine,
    MasterDescription,
    SlaveDescription,
)
from wmx_sim.engine.proxies import EngineProxy, MotionProxy

Floats = NDArray[np.float64]
CYCLE = 1e-3
SWINGS = {"50 mrad at 0.25 Hz": (0.05, 0.25), "300 mrad at 0.5 Hz": (0.3, 0.5)}
GROWING = 2.0
"""How long a swing takes to grow to its full size, s."""
TRANSPORT, UNEVEN = 4e-4, 2e-4
"""What each message takes, and the mean of what comes on top, s."""
SERVING = 5e-4
"""What the node takes for a message, s; of those that wait then the newest is taken."""
RULES = StreamRules(
    default_velocity=0.5,
    accel_ratio=0.3,
    min_step=0.001,
    top_speed=np.array([inf]),
    unlimited_speed=5.0,
)
Follow = Callable[[float, float, float, MotionStatus], list[PositionMove]]
"""What is commanded for a message: when it was sent, its position, its period, and the status."""


def swing(size: float, frequency: float) -> Callable[[Any], Any]:
    """A sine that grows to its `size` (rad)."""

    def path(at: Any) -> Any:
        share = np.clip(np.asarray(at) / GROWING, 0.0, 1.0)
        return size * share**2 * (3.0 - 2.0 * share) * np.sin(2.0 * np.pi * frequency * at)

    return path


def here() -> Follow:
    """The moves of joint_position_controller."""
    history = StreamHistory(0.2)

    def follow(
        sent: float, position: float, period: float, status: MotionStatus
    ) -> list[PositionMove]:
        nonlocal history
        history = history.extended(sent, np.array([position]))
        now = Now(status.time, status.pos_cmd[:1], status.velocity_cmd[:1])
        return (
            moves((0,), history, period, now, RULES)
            if worth_moving(history.target, now, RULES)
            else []
        )

    return follow


def cpp() -> Follow:
    """A move that ends where the message says, in the time that it gives."""

    def follow(
        _: float, position: float, period: float, status: MotionStatus
    ) -> list[PositionMove]:
        way = abs(position - float(status.pos_cmd[0]))
        if way < RULES.min_step:
            return []
        velocity = way / period
        rate = velocity / (RULES.accel_ratio * period)
        return [PositionMove(axis=0, target=position, velocity=velocity, acc=rate, dec=rate)]

    return follow


WAYS = {"C++": cpp, "here": here}


def served(rate: float, seconds: float, *, stalls: bool) -> Iterator[tuple[float, int]]:
    """When a message is served, s, and its number; those that are overtaken are left out."""
    drawn = random.Random(1)
    begins = [drawn.uniform(0.0, seconds) for _ in range(round(2.0 * seconds) if stalls else 0)]
    busy = [(begin, begin + drawn.uniform(0.03, 0.15)) for begin in begins]
    waiting: deque[tuple[float, int]] = deque()
    for i in range(round(rate * seconds)):
        came = i / rate + TRANSPORT + drawn.expovariate(1.0 / UNEVEN)
        waiting.append((max(chain([came], (end for b, end in busy if b <= came < end))), i))
    free = 0.0
    while waiting:
        came, i = waiting.popleft()
        at = max(came, free)
        while waiting and waiting[0][0] <= at:
            _, i = waiting.popleft()
        yield at, i
        free = at + SERVING


def commanded(
    follow: Follow, path: Callable[[Any], Any], rate: float, seconds: float, *, stalls: bool
) -> tuple[Floats, Floats]:
    """When each cycle was, s, and where the axis was commanded to be."""
    drive = SlaveDescription(name="drive", axes=1)
    machine = Machine(
        masters=(MasterDescription(slaves=(drive,)),),
        axes=(AxisModel(),),
        parameters=None,
        wiring=(),
    )
    clock = HeldClock()
    engine = SimulatedEngine(machine, clock)
    motion = MotionProxy(engine.call)
    EngineProxy(engine.call).start_communication()
    motion.set_servo(0, on=True)
    clock.advance(1.0)
    begin = motion.status().time
    messages = served(rate, seconds, stalls=stalls)
    at, i = next(messages)
    seen = []
    for cycle in range(round(seconds / CYCLE)):
        while at <= cycle * CYCLE:
            sent = begin + i / rate
            ordered = follow(sent, float(path((i + 1) / rate)), 1.0 / rate, motion.status())
            if ordered:
                motion.move_absolute(ordered)
            at, i = next(messages, (inf, 0))
        seen.append((motion.status().time - begin, float(motion.status().pos_cmd[0])))
        clock.advance(CYCLE)
    times, positions = np.array(seen).T
    return times, positions


def figures(path: Callable[[Any], Any], times: Floats, positions: Floats) -> Figures:
    """How positions follow `path`, which says where they were asked to be at `times`."""
    shifts = np.arange(-0.01, 0.15, 0.0005)
    off = [float(np.sqrt(np.mean((positions - path(times - s)) ** 2))) for s in shifts]
    acceleration, jerk = np.diff(positions, 2) / CYCLE**2, np.diff(positions, 3) / CYCLE**3
    best = int(np.argmin(off))
    return {
        "later than asked for, ms": 1000.0 * float(shifts[best]),
        "deviation rms besides, mrad": 1000.0 * off[best],
        "acceleration max, rad/s^2": float(np.abs(acceleration).max()),
        "acceleration rms, rad/s^2": float(np.sqrt(np.mean(acceleration**2))),
        "jerk max, rad/s^3": float(np.abs(jerk).max()),
        "jerk rms, rad/s^3": float(np.sqrt(np.mean(jerk**2))),
    }


def main() -> None:
    """Follow every stream in every way, and print how."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rates", type=float, nargs="+", default=[40.0, 100.0, 500.0, 1000.0])
    parser.add_argument("--seconds", type=float, default=6.0, help="of each stream")
    options = parser.parse_args()
    for name, sizes in SWINGS.items():
        path = swing(*sizes)
        for rate in options.rates:
            columns = {}
            for delays in ("even", "stalls"):
                for way, follow in WAYS.items():
                    times, positions = commanded(
                        follow(), path, rate, options.seconds, stalls=delays == "stalls"
                    )
                    whole = times > GROWING
                    columns[f"{way}, {delays}"] = figures(path, times[whole], positions[whole])
            print_table(f"{name}, {rate:g} messages a second", columns)


if __name__ == "__main__":
    main()
