"""Goals as planners compute them: OMPL with TOTG, Pilz, MoveIt Servo, MTC, cuMotion.

Each function makes the rows of a trajectory for `count` joints that begin at zero: times,
positions, velocities, accelerations.
"""

from collections.abc import Callable

import numpy as np

Rows = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
REACH = 0.6
"""How far the first joint goes, rad; the others less and less, in both directions."""
TOP_SPEED, TOP_ACCELERATION = 1.0, 2.0


def _ways(count: int) -> np.ndarray:
    return REACH * (-1.0) ** np.arange(count) / np.arange(1, count + 1)


def _trapezoid(length: float, times: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How far, how fast and how accelerated a trapezoid of velocity is at `times`."""
    ramp = TOP_SPEED / TOP_ACCELERATION
    if length < TOP_SPEED * ramp:
        ramp = np.sqrt(length / TOP_ACCELERATION)
    top = TOP_ACCELERATION * ramp
    end = length / top + ramp
    left = end - times
    far = np.where(
        times < ramp,
        TOP_ACCELERATION * times**2 / 2.0,
        np.where(
            left > ramp, top * (times - ramp / 2.0), length - TOP_ACCELERATION * left**2 / 2.0
        ),
    )
    fast = TOP_ACCELERATION * np.minimum(np.minimum(times, ramp), np.maximum(left, 0.0))
    accelerated = np.where(
        times < ramp, TOP_ACCELERATION, np.where(left > ramp, 0.0, -TOP_ACCELERATION)
    )
    return far, fast, accelerated


def _samples(length: float, period: float) -> np.ndarray:
    ramp = min(TOP_SPEED / TOP_ACCELERATION, np.sqrt(length / TOP_ACCELERATION))
    end = length / (TOP_ACCELERATION * ramp) + ramp
    return np.append(np.arange(0.0, end - 1e-9, period), end)


def totg(count: int, period: float = 0.1) -> Rows:
    """MoveIt's TimeOptimalTrajectoryGeneration after OMPL: accelerations at both ends, not zero.

    It resamples every 0.1 s (its default resample_dt); the last interval is what is left.
    """
    ways = _ways(count)
    length = float(np.linalg.norm(ways))
    times = _samples(length, period)
    far, fast, accelerated = _trapezoid(length, times)
    along = ways / length
    return times, np.outer(far, along), np.outer(fast, along), np.outer(accelerated, along)


def pilz_ptp(count: int) -> Rows:
    """Pilz PTP: every joint has a trapezoid of its own, all as long as the slowest, every 0.1 s."""
    times, positions, velocities, accelerations = totg(count)
    scale = REACH / np.abs(positions[-1]).max()
    accelerations[[0, -1]] = 0.0
    return times, positions * scale, velocities * scale, accelerations * scale


def pilz_lin(count: int) -> Rows:
    """Pilz LIN: joint velocities and accelerations are differences of the positions, 0 at the ends.

    The curve that the joints of an arm follow is bent: here each joint a little.
    """
    times, positions, _, _ = totg(count)
    share = positions[:, :1] / positions[-1, 0]
    positions = positions + 0.1 * np.sin(np.pi * share) ** 2 * np.arange(count)
    steps = np.diff(times)[:, np.newaxis]
    velocities, accelerations = np.zeros_like(positions), np.zeros_like(positions)
    velocities[1:-1] = (np.diff(positions, axis=0) / steps)[:-1]
    accelerations[1:-1] = (np.diff(velocities, axis=0) / steps)[:-1]
    return times, positions, velocities, accelerations


def servo_halt(count: int) -> Rows:
    """MoveIt Servo's smoothed halt: it ends with 5.2e-5 rad/s (moveit2 issue 3561)."""
    times = np.array([0.0, 0.034, 0.068])
    velocities = np.outer([5.2e-5, 0.002, 5.2e-5], np.ones(count))
    positions = np.outer([0.0, 3.5e-5, 7.0e-5], np.ones(count))
    return times, positions, velocities, np.zeros((3, 0))


def task_constructor(count: int) -> Rows:
    """MoveIt's task constructor: what is left of rounding at the ends is within 1e-4 rad/s."""
    times, positions, velocities, accelerations = totg(count)
    velocities[[0, -1]] = [[1e-4], [-1e-4]]
    return times, positions, velocities, accelerations


def joint_interpolation(count: int) -> Rows:
    """Interpolated joints, 4e-7 rad/s at the end."""
    times, positions, velocities, _ = totg(count, 0.05)
    velocities[-1] = 4e-7
    return times, positions, velocities, np.zeros((len(times), 0))


def cumotion(count: int) -> Rows:
    """Isaac's cuMotion: minimum jerk, every 25 ms, in float32."""
    end = 1.5
    times = np.linspace(0.0, end, 61)
    share = times / end
    far = 10.0 * share**3 - 15.0 * share**4 + 6.0 * share**5
    fast = (30.0 * share**2 - 60.0 * share**3 + 30.0 * share**4) / end
    accelerated = (60.0 * share - 180.0 * share**2 + 120.0 * share**3) / end**2
    ways = _ways(count)
    rows = [np.outer(each, ways) for each in (far, fast, accelerated)]
    positions, velocities, accelerations = (each.astype(np.float32) for each in rows)
    velocities[-1] += np.float32(3e-5)
    return times, *(each.astype(np.float64) for each in (positions, velocities, accelerations))


GOALS: dict[str, Callable[[int], Rows]] = {
    each.__name__: each
    for each in (
        totg,
        pilz_ptp,
        pilz_lin,
        servo_halt,
        task_constructor,
        joint_interpolation,
        cumotion,
    )
}
