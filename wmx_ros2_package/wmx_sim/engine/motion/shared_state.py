"""The state of all axes as arrays, so that reading 128 axes costs little more than reading 2.

Each `axis.Axis` writes its own column when something changes; `status_reading` evaluates all of
them at one time. What moves is a polynomial of time, so it stays true without being written, until
an axis has something to do itself (`next_event`).

The arrays lie one after the other in memory that other processes can map. A sequence lock guards
them: `writing` makes the sequence number odd while they change, see `server.mapped_status`.
"""

import fcntl
import mmap
import os
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from math import inf
from typing import Annotated, Any, get_type_hints

import numpy as np
from numpy.typing import NDArray

from .curve import FADED

NO_EMERGENCY_STOP = -1
_AXES = -1
"""Stands for the number of axes in the shape of a column."""
_Number = Annotated[NDArray[np.int64], np.int64, ()]
_Moment = Annotated[NDArray[np.float64], np.float64, ()]
_Course = Annotated[NDArray[np.float64], np.float64, (5, 2, _AXES)]
_Floats = Annotated[NDArray[np.float64], np.float64, (_AXES,)]
_Ints = Annotated[NDArray[np.int32], np.int32, (_AXES,)]
_Flags = Annotated[NDArray[np.bool_], np.bool_, (_AXES,)]


class SharedState:
    """One column per axis; times in engine seconds, lengths in user units.

    The annotations are the memory, in its order: the widest elements come first, so that all are
    aligned.
    """

    sequence: _Number
    """Odd while the shared state is being written, and another one each time."""
    version: _Number
    """Another one after each writing that has changed anything."""
    start_ns: _Number
    held_at: _Moment
    """Those of the engine's clock, see `clock.RunningClock`."""
    engine_state: _Number
    emergency_stop: _Number
    """The level of `EmergencyStop`, or NO_EMERGENCY_STOP."""
    next_due: _Moment
    """When the engine has something to do that is not an axis's own."""
    course: _Course
    """What each axis does at the moment, q0 + q1 s + q2 s^2 + q3 s^3 + d exp(-rate s) as
    in `curve`: first q0 to q3 and d, then command and following error."""
    start: _Floats
    """When s is zero."""
    rate: _Floats
    next_event: _Floats
    """When an axis itself has something to do, such as the end of a segment."""
    settled_at: _Floats
    """When the motor is in position after its last motion; inf while that lasts."""
    target: _Floats
    """Where the profile that an axis follows ends; NaN where it has no end."""
    ends_at: _Floats
    """When it ends; inf where it does not."""
    inertia: _Floats
    """Percent of rated torque per u/s^2."""
    coulomb: _Floats
    """Percent of rated torque."""
    viscous: _Floats
    """Percent of rated torque per u/s."""
    creep: _Floats
    """Speed below which Coulomb friction fades, u/s."""
    static_torque: _Floats
    """Percent of rated torque that moves nothing."""
    positive_ls: _Floats
    """Positions beyond which the limit switches are on."""
    negative_ls: _Floats
    positive_soft_limit: _Floats
    """Commands beyond which the soft limits are on."""
    negative_soft_limit: _Floats
    home_switch_low: _Floats
    """Position from which, up to the high one, the home switch is on."""
    home_switch_high: _Floats
    alarm_code: _Ints
    op_state: _Ints
    command_mode: _Ints
    servo_on: _Flags
    servo_offline: _Flags
    amp_alarm: _Flags
    following_error_alarm: _Flags
    home_done: _Flags

    def __init__(self, record: NDArray[Any]) -> None:
        """In the memory of `record`, an array of shape () and dtype `layout(axes)`."""
        self.record = record
        for name in record.dtype.names or ():
            setattr(self, name, record[name])

    def column(self, axis: int) -> "SharedState":
        """Return what is of `axis`, and what is of none, as arrays without its dimension."""
        column = SharedState.__new__(SharedState)
        for name in self.record.dtype.names or ():
            array = self.record[name]
            setattr(column, name, array[..., axis] if array.ndim else array)
        return column

    def still_from(self) -> float:
        """Return from when on nothing changes unless it is written; inf for never.

        No axis moves then, what fades has faded, who is to be in position is, and what ends by
        itself has ended.
        """
        if self.course[1:4].any():
            return inf
        # One time constant more, so that rounding leaves no decay unfinished.
        faded = (self.start + (FADED + 1.0) / self.rate)[self.course[4].any(axis=0)]
        settled = self.settled_at[self.settled_at < inf]
        ended = self.ends_at[self.ends_at < inf]
        return float(max(moment.max(initial=-inf) for moment in (faded, settled, ended)))

    def next_axis(self) -> tuple[int, float]:
        """Return the axis that has something to do first, and when."""
        axis = int(self.next_event.argmin())
        return axis, float(self.next_event[axis])

    def first_due(self) -> float:
        """Return when the engine has something to do, whatever it is."""
        return min(self.next_axis()[1], float(self.next_due))


@cache
def layout(axes: int) -> "np.dtype[Any]":
    """Return the memory of `axes` axes."""
    columns = get_type_hints(SharedState, include_extras=True).items()
    kinds = [(name, *column.__metadata__) for name, column in columns]
    return np.dtype(
        [
            (name, kind, tuple(axes if length == _AXES else length for length in shape))
            for name, kind, shape in kinds
        ]
    )


BODY = layout(1).fields["version"][1]  # type: ignore[index]
"""The byte from which on the state is what `version` is about."""
STATE: int = layout(1).fields["engine_state"][1]  # type: ignore[index]
"""The byte from which on it is the state alone."""


def states_of(memory: Iterable[bytes]) -> NDArray[Any]:
    """Return the states that `OwnedState.state` has returned, an array of `layout`."""
    whole = [bytes(STATE) + body for body in memory]
    one, none = layout(1).itemsize, layout(0).itemsize
    axes = (len(whole[0]) - none) // (one - none)
    return np.frombuffer(b"".join(whole), layout(axes))


class OwnedState(SharedState):
    """The one that the engine writes, in memory that other processes may map through `fd`."""

    def __init__(self, axes: int) -> None:
        size = layout(axes).itemsize
        self.fd = os.memfd_create("wmx-simulated-state", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        weakref.finalize(self, os.close, self.fd)
        os.ftruncate(self.fd, size)
        # Memory that shrinks ends every process that maps it.
        fcntl.fcntl(self.fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW)
        self._memory = mmap.mmap(self.fd, size)
        super().__init__(np.ndarray((), layout(axes), self._memory))
        self.held_at[...] = np.inf
        self.emergency_stop[...] = NO_EMERGENCY_STOP
        self.next_due[...] = np.inf
        self.next_event[:] = np.inf
        self.servo_offline[:] = True
        self.creep[:] = 1.0
        self.positive_soft_limit[:] = np.inf
        self.negative_soft_limit[:] = -np.inf

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Change the state; readers in other processes read again when it is done."""
        self.sequence += 1
        before = self._memory[BODY:]
        try:
            yield
        finally:
            self.version += self._memory[BODY:] != before
            self.sequence += 1

    def state(self) -> bytes:
        """Return the memory of the state alone."""
        return self._memory[STATE:]
