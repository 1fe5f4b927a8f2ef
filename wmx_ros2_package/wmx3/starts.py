"""Starting moves: all axes of a command start, or none does.

Whether one refused axis keeps the others of its command at rest is documented for overrides alone.
A call that was not answered in time may have been carried out as well. "Refused" means here that
nothing moves because of the command: what has begun is stopped, and what cannot be is named.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from math import isclose
from typing import Any, NamedTuple

from wmx_core.errors import CommandRefused, ErrorCode, WmxError
from wmx_core.move_rules import require_axes, require_gearings, require_rates, require_run_times
from wmx_core.profile_types import TRAPEZOID
from wmx_core.values import Gearing, OperationState, VelocityMove

from . import commands
from .sdk import TIMED_OUT, reasons
from .session import SdkSession
from .status import read_status, require_no_slaves
from .stops import ends_refused

STATUS_LATENCY = 0.003
"""By then the status shows what the engine has taken up, s: some communication cycles."""
ENDLESS = OperationState.JOG, OperationState.VELOCITY
"""Motions without a target."""
UNUSED = 1.0
"""Velocity, u/s, and rates, u/s^2, of a profile that moves nothing."""


def start_together(
    session: SdkSession,
    start: Callable[..., Any],
    command: Callable[..., Any],
    moves: Sequence[Any],
) -> list[Any]:
    """Give the commands of `moves`, which start in one cycle; answers them."""
    require_axes([move.axis for move in moves], session.axes)
    return _give(session, (start, [command(session.sdk, move) for move in moves]))


def start_endless(
    session: SdkSession,
    start: Callable[..., Any],
    command: Callable[..., Any],
    start_timed: Callable[..., Any],
    timed_command: Callable[..., Any],
    moves: Sequence[VelocityMove],
) -> list[Any]:
    """Start `moves`, those with a run time by the SDK's timed commands; answers all commands.

    These go first: an axis that slows down to rest is not given back its velocity where another one
    is refused.
    """
    require_run_times(moves)
    if not any(move.run_time and move.velocity for move in moves):
        return start_together(session, start, command, moves)
    require_axes([move.axis for move in moves], session.axes)
    for move in moves:
        require_rates(move)
        if move.velocity and move.profile != TRAPEZOID:
            detail = (
                f"axis {move.axis}: only a trapezoid has a run_time, not {move.profile.type.name}"
            )
            raise CommandRefused(ErrorCode.ProfileTypeNotSupported, detail)
    status = session.look()
    now = {move.axis: status.GetAxesStatus(move.axis).velocityCmd for move in moves}
    timed = [m for m in moves if m.velocity and not commands.slows_all_along(m, now[m.axis])]
    to_rest = [replace(move, velocity=0.0) for move in moves if move not in timed]
    return _give(
        session,
        (start_timed, [timed_command(session.sdk, move, now[move.axis]) for move in timed]),
        (start, [command(session.sdk, move) for move in to_rest]),
    )


def start_gearing(session: SdkSession, gearings: Sequence[Gearing]) -> None:
    """See `interface.Motion`.

    SetSyncGearRatio with a master, a slave, a ratio and a profile engages a gear, which takes hold
    at once where both axes rest; the profile is for axes that move (API reference,
    SetSyncGearRatio).
    """
    require_gearings(gearings)
    slaves = [each.slave for each in gearings]
    masters = list(dict.fromkeys(each.master for each in gearings))
    require_axes([*masters, *slaves], session.axes)
    _require_ready(session, slaves, masters)
    require_no_slaves(session, read_status(session), slaves)
    with all_or_none(session, slaves):
        for each in gearings:
            _engage(session, each)


@contextmanager
def all_or_none(
    session: SdkSession, axes: Sequence[int], *, together: bool = False
) -> Iterator[None]:
    """Stop what a command inside, which is refused, has begun of `axes`; the refusal names it.

    What moves along one path, `together`, is refused as a whole. What is not answered in time may
    have begun whatever the status shows: not each motion that takes over from another shows there,
    and a slow call may be carried out later still.
    """
    before = None if together or len(axes) == 1 else _motions(session, axes)
    try:
        yield
    except CommandRefused as refused:
        late = refused.name in TIMED_OUT
        if before is None and not late:
            raise
        session.time.sleep(STATUS_LATENCY)
        begun = [*axes]
        if before is not None and not late:
            with suppress(WmxError):  # where no status is answered, any of them may have begun
                after = _motions(session, axes)
                begun = [axis for axis in axes if before[axis].was_replaced_by(after[axis])]
        if not begun:
            raise
        left = ends_refused(session, begun)
        ended = [axis for axis in begun if axis not in left]
        raise refused.more(
            f"axes {ended} may have begun all the same, and were stopped" if ended else "",
            f"axes {[*left]} have begun and could not be stopped: {reasons(left)}" if left else "",
        ) from None


def _give(session: SdkSession, *calls: tuple[Callable[..., Any], list[Any]]) -> list[Any]:
    """Give the commands of each call, several as a count and a list; answers them all."""
    given = [command for _, each in calls for command in each]
    if given:
        with all_or_none(session, [command.axis for command in given]):
            for start, each in calls:
                if each:
                    start(*each) if len(each) == 1 else start(len(each), each)
    return given


def _engage(session: SdkSession, each: Gearing) -> None:
    """Engage one gear; a refusal names its slave."""
    try:
        session.sync.SetSyncGearRatio(
            each.master, each.slave, float(each.ratio), _unused_profile(session)
        )
    except CommandRefused as refused:
        detail = f"axis {each.slave}: {refused.detail}"
        raise CommandRefused(refused.code, detail, refused.name) from None


def _require_ready(session: SdkSession, slaves: Sequence[int], masters: Sequence[int]) -> None:
    """Refuse axes at which a gear would not take hold at once."""
    sdk, status = session.sdk, session.look()
    for axis in (*masters, *slaves):
        found = status.GetAxesStatus(axis)
        if found.opState == sdk.OperationState.Sync and axis in masters:
            raise CommandRefused(ErrorCode.IsSyncSlave, f"axis {axis} follows another axis")
        if found.opState != sdk.OperationState.Idle:
            raise CommandRefused(ErrorCode.NotIdleState, f"axis {axis} is not idle")
        if not found.servoOn:
            raise CommandRefused(ErrorCode.ServoOff, f"axis {axis}")
        if found.axisCommandMode != sdk.AxisCommandMode.Position:
            raise CommandRefused(ErrorCode.NotPosMode, f"axis {axis}")


def _unused_profile(session: SdkSession) -> Any:
    profile = session.sdk.Profile()
    profile.type = session.sdk.ProfileType.Trapezoidal
    profile.velocity, profile.acc, profile.dec = UNUSED, UNUSED, UNUSED
    return profile


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
