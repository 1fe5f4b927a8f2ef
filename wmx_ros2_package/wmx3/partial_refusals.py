"""A command that the engine refuses, and has carried out in part.

Whether one refused axis keeps the others of its command at rest is documented for overrides alone.
A call that was not answered in time may have been carried out as well. "Refused" means here that
nothing moves because of the command: what has begun is stopped, and what cannot be is named.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import isclose
from typing import Any, NamedTuple

from wmx_core.errors import CommandRefused
from wmx_core.values import OperationState

from .sdk import TIMED_OUT, reasons
from .session import SdkSession
from .stops import ends_refused

STATUS_LATENCY = 0.003
"""By then the status shows what the engine has taken up, s: some communication cycles."""
ENDLESS = OperationState.JOG, OperationState.VELOCITY
"""Motions without a target."""


@contextmanager
def all_or_none(
    session: SdkSession, axes: Sequence[int], *, together: bool = False
) -> Iterator[None]:
    """Stop what a command inside, which is refused, has begun of `axes`; the refusal names it.

    What moves along one path, `together`, is refused as a whole.
    """
    before = None if together or len(axes) == 1 else _motions(session, axes)
    try:
        yield
    except CommandRefused as refused:
        if before is None and refused.name not in TIMED_OUT:
            raise
        session.time.sleep(STATUS_LATENCY)
        after = _motions(session, axes)
        begun = [a for a in axes if before is None or before[a].was_replaced_by(after[a])]
        if not begun:
            raise
        left = ends_refused(session, begun)
        ended = [axis for axis in begun if axis not in left]
        raise refused.more(
            f"axes {ended} may have begun all the same, and were stopped" if ended else "",
            f"axes {[*left]} have begun and could not be stopped: {reasons(left)}" if left else "",
        ) from None


class _Motion(NamedTuple):
    """What an axis is doing: its operation state, where its profile leads, or how fast it goes."""

    state: Any
    target: float
    velocity: float
    """u/s; 0 unless the motion has no end: any other speeds up and slows down by itself."""

    def was_replaced_by(self, after: "_Motion") -> bool:
        """Whether the axis does something else `after`; one that still speeds up may seem to."""
        return self[:2] != after[:2] or not isclose(self.velocity, after.velocity, rel_tol=1e-6)


def _motions(session: SdkSession, axes: Sequence[int]) -> dict[int, _Motion]:
    """What each of `axes` is doing."""
    status = session.core.GetStatus()
    states = session.enums.operation_states.ours
    found = {}
    for axis in axes:
        now = status.GetAxesStatus(axis)
        velocity = now.velocityCmd if states.get(now.opState) in ENDLESS else 0.0
        found[axis] = _Motion(now.opState, now.profileTargetPos, velocity)
    return found
