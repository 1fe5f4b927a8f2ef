"""What axes did at many cycles, evaluated at once.

Every number is, to the last bit, the one that a status of that cycle has: the same sums are made in
the same order, of all cycles and axes in one call of numpy.
"""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from wmx_ros2_package.drivers.values import Course, Floats, OperationState

from ..clock import CYCLES_PER_SECOND
from .curve import FADED
from .history import Noted, cycle_of
from .shared_state import STATE, SharedState, layout
from .status_reading import coefficients

_CELLS = 20_000
"""So many cycles of so many axes are evaluated at a time: what fits into caches."""
_COLUMNS = (
    *("course", "start", "rate", "inertia", "coulomb", "viscous", "creep", "static_torque"),
    *("servo_on", "op_state", "settled_at", "amp_alarm", "following_error_alarm"),
    *("positive_ls", "negative_ls", "positive_soft_limit", "negative_soft_limit"),
)


def course_of(noted: Sequence[Noted], axes: Sequence[int], first: int, last: int) -> Course:
    """Return what `axes` did from cycle `first` to `last`, of which `noted` has the states."""
    one, none = layout(1).itemsize, layout(0).itemsize
    count = (len(noted[0][1]) + STATE - none) // (one - none)
    bodies = b"".join(bytes(STATE) + body for _, body in noted)
    written = np.frombuffer(bodies, layout(count))
    columns = {name: _flat(written[name], list(axes)) for name in _COLUMNS}
    states = cast(SharedState, SimpleNamespace(**columns))
    cycles = np.arange(first, last + 1)
    begins = [max(first, cycle_of(time)) for time, _ in noted]
    held = np.maximum(np.searchsorted(begins, cycles, side="right") - 1, 0)
    """Which state each cycle has."""
    parts = [
        _part(states, chunk, held[chunk - first], len(axes))
        for chunk in np.array_split(cycles, max(1, len(cycles) * len(axes) // _CELLS))
    ]
    accelerations, jerks = _rates(states, noted, len(axes), first, last)
    return Course(
        cycles=cycles,
        **{name: np.concatenate([part[name] for part in parts]) for name in parts[0]},
        top_acceleration=accelerations,
        top_jerk=jerks,
    )


def _flat(column: NDArray[Any], axes: list[int]) -> NDArray[Any]:
    """Return a column of many states, (states, ..., axes), as one of `axes` of each, (..., n)."""
    chosen = np.moveaxis(column[..., axes], 0, -2)
    return np.ascontiguousarray(chosen.reshape(*chosen.shape[:-2], -1))


def _part(
    states: SharedState, cycles: NDArray[np.int64], held: NDArray[np.int64], axes: int
) -> dict[str, NDArray[Any]]:
    """Return the fields of `Course` at some cycles, of which `held` are the states."""
    at = (held[:, np.newaxis] * axes + np.arange(axes)).ravel()
    time = np.repeat(cycles / CYCLES_PER_SECOND, axes)
    basis = np.ones((5, 1, len(at)))
    s, squared, cubed, decay = basis[1:, 0]
    np.subtract(time, states.start[at], out=s)
    np.multiply(s, s, out=squared)
    np.multiply(squared, s, out=cubed)
    fading = -states.rate[at] * s
    np.multiply(np.exp(fading), fading > -FADED, out=decay)
    sums = np.add.reduce(coefficients(states)[:, :, at] * basis)
    command, motor, velocity, motor_velocity, error, torque = sums
    torque = torque + states.coulomb[at] * states.servo_on[at] * np.tanh(
        motor_velocity / states.creep[at]
    )
    rests = states.op_state[at] == OperationState.IDLE
    found = {
        "command": command,
        "motor": motor,
        "velocity": velocity,
        "torque": torque,
        "following_error": error,
        "positive_ls": motor > states.positive_ls[at],
        "negative_ls": motor < states.negative_ls[at],
        "positive_soft_limit": command > states.positive_soft_limit[at],
        "negative_soft_limit": command < states.negative_soft_limit[at],
        "amp_alarm": states.amp_alarm[at],
        "following_error_alarm": states.following_error_alarm[at],
        "motion_complete": rests & (time >= states.settled_at[at]),
    }
    return {name: values.reshape(-1, axes) for name, values in found.items()}


def _rates(
    states: SharedState, noted: Sequence[Noted], axes: int, first: int, last: int
) -> tuple[Floats, Floats]:
    """Return the greatest acceleration and jerk of the command of each axis.

    Between two states the command is a cubic, whose acceleration is greatest at an end.
    """
    begins = np.maximum([time for time, _ in noted], (first - 1) / CYCLES_PER_SECOND)
    ends = np.append(begins[1:], last / CYCLES_PER_SECOND)
    _, _, half, sixth, fades = states.course[:, 0]
    acceleration = np.zeros_like(half)
    for time in (begins, ends):
        s = np.maximum(np.repeat(time, axes) - states.start, 0.0)
        decay = fades * states.rate**2 * np.exp(-np.minimum(states.rate * s, FADED))
        now = np.abs(2.0 * half + 6.0 * sixth * s + np.where(fades, decay, 0.0))
        np.maximum(acceleration, now, out=acceleration)
    lasts = np.repeat(ends > begins, axes)
    jerk = np.abs(6.0 * sixth)
    return (
        (acceleration * lasts).reshape(-1, axes).max(axis=0),
        (jerk * lasts).reshape(-1, axes).max(axis=0),
    )
