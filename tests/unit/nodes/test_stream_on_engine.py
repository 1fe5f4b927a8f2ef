"""What the simulated engine makes of the moves for a stream, cycle by cycle."""

import random

import numpy as np
import pytest
from held_engine import HeldEngine

from wmx_ros2_package.drivers.values import Floats
from wmx_ros2_package.nodes.joint_position.rhythm import Rhythm, StreamRules, moves

PERIOD = 20
"""Of the stream, in communication cycles: 50 Hz."""
RULES = StreamRules(
    default_velocity=0.5, accel_ratio=0.3, min_step=0.001, top_speed=np.full(2, np.inf)
)


def velocities(speeds: Floats, jitter: int, messages: int = 150) -> Floats:
    """Those commanded in each cycle (cycles, axes), of messages up to `jitter` cycles late."""
    engine = HeldEngine()
    engine.servo_on(0, 1)
    rng = random.Random(4)
    arrivals = {i * PERIOD + rng.randint(0, jitter): i + 1 for i in range(messages)}
    rhythm = Rhythm(0.2)
    seen = []
    for cycle in range(messages * PERIOD):
        status = engine.status()
        seen.append(status.velocity_cmd.copy())
        if cycle in arrivals:
            now = cycle * 1e-3
            target = speeds * arrivals[cycle] * PERIOD * 1e-3
            remaining = rhythm.arrival(rhythm.arrive(now), PERIOD * 1e-3) - now
            engine.motion.move_absolute(moves((0, 1), target, status.pos_cmd, remaining, RULES))
        engine.clock.advance(1e-3)
    return np.array(seen)


@pytest.mark.parametrize("jitter", [0, 2, 4])
def test_the_commanded_velocity_of_a_steady_motion_varies_by_less_than_5_percent(
    jitter: int,
) -> None:
    speeds = np.array([0.5, -0.05])
    steady = velocities(speeds, jitter)[1000:]
    spread = (steady.max(axis=0) - steady.min(axis=0)) / np.abs(speeds)
    assert spread.max() < 0.05
    assert steady.mean(axis=0) == pytest.approx(speeds, rel=0.01)
