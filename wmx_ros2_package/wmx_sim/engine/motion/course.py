"""What axes did at many cycles, evaluated at once.

Every number is, to the last bit, the one that a status of that cycle has.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wmx_core.values import Course, Floats

from ..clock import CYCLES_PER_SECOND
from .curve import FADED
from .history import MOST_CELLS, Noted, cycle_of
from .shared_state import SharedState, states_of
from .status_reading import Evaluation, columns_of, named

_AS_NAMED = (
    *("following_error", "positive_ls", "negative_ls", "positive_soft_limit"),
    *("negative_soft_limit", "motion_complete"),
)
"""What is called as in MotionStatus."""


def course_of(noted: Sequence[Noted], axes: Sequence[int], first: int, last: int) -> Course:
    """Return what `axes` did from cycle `first` to `last`, of which `noted` has the states."""
    written = states_of(body for _, body in noted)
    chosen = list(axes)
    cycles = np.arange(first, last + 1)
    begins = [max(first, cycle_of(time)) for time, _ in noted]
    held = np.maximum(np.searchsorted(begins, cycles, side="right") - 1, 0)
    """Which state each cycle has."""
    parts = []
    for part in np.array_split(cycles, max(1, len(cycles) * len(axes) // MOST_CELLS)):
        evaluation = Evaluation(_states(written, held[part - first], chosen), len(part))
        parts.append(named(*evaluation.at(part / CYCLES_PER_SECOND)))
    found = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    accelerations, jerks = _rates(_states(written, slice(None), chosen), noted, first, last)
    return Course(
        cycles=cycles,
        command=found["pos_cmd"],
        motor=found["actual_pos"],
        velocity=found["velocity_cmd"],
        torque=found["actual_torque"],
        **{name: found[name] for name in _AS_NAMED},
        amp_alarm=written["amp_alarm"][held][:, chosen],
        following_error_alarm=written["following_error_alarm"][held][:, chosen],
        top_acceleration=accelerations,
        top_jerk=jerks,
    )


def _states(written: NDArray[Any], held: NDArray[np.int64] | slice, axes: list[int]) -> SharedState:
    """Return what `Evaluation` takes of some of the states that were written."""

    def column(name: str) -> NDArray[Any]:
        found = written[name][..., axes][held]
        return found.transpose(*range(1, found.ndim), 0)  # `np.moveaxis` takes ten times as long

    return columns_of(column)


def _rates(
    states: SharedState, noted: Sequence[Noted], first: int, last: int
) -> tuple[Floats, Floats]:
    """Return the greatest acceleration and jerk of the command of each axis.

    Between two states the command is a cubic, whose acceleration is greatest at an end.
    """
    begins = np.maximum([time for time, _ in noted], (first - 1) / CYCLES_PER_SECOND)
    ends = np.append(begins[1:], last / CYCLES_PER_SECOND)
    _, _, half, sixth, fades = states.course[:, 0]
    acceleration = np.zeros_like(half)
    for time in (begins, ends):
        s = np.maximum(time - states.start, 0.0)
        decay = fades * states.rate**2 * np.exp(-np.minimum(states.rate * s, FADED))
        now = np.abs(2.0 * half + 6.0 * sixth * s + np.where(fades, decay, 0.0))
        np.maximum(acceleration, now, out=acceleration)
    lasts = ends > begins
    jerk = np.abs(6.0 * sixth)
    return (acceleration * lasts).max(axis=-1), (jerk * lasts).max(axis=-1)
