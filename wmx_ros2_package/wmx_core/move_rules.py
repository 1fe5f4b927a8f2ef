"""Ranges of targets, overrides, run times, gearings: a simulated axis or driver `wmx3` asks."""

from collections.abc import Sequence
from math import inf

from .errors import CommandRefused, ErrorCode
from .values import Gearing, TorqueMove, VelocityMove

POSITION_RANGE = 1e15
"""Largest position magnitude, u: beyond it a double resolves little of a single unit."""
LEAST_RATIO = 1e-6
"""The least ratio of a gearing, u of the slave for each u of the master; one by it is the most."""
MAX_OVERRIDE = 20_000.0
"""Percent of the velocity that was commanded; that may be 1 % of what a client has asked for, who
may go on with up to 200 % of it."""


def require_position(position: float, name: str = "target") -> None:
    """Refuse a position, `name` in the refusal, outside the range; NaN is refused as well."""
    if not abs(position) <= POSITION_RANGE:
        raise CommandRefused(
            ErrorCode.PositionArgumentOutOfRange,
            f"{name} {position} must be within {-POSITION_RANGE:g} to {POSITION_RANGE:g}",
        )


def require_override(percent: float) -> None:
    """Refuse an override that is not 0 to 20,000 percent; NaN is refused as well."""
    if not 0.0 <= percent <= MAX_OVERRIDE:
        detail = f"{percent} percent must be 0 to {MAX_OVERRIDE:g}"
        raise CommandRefused(ErrorCode.VelocityArgumentOutOfRange, detail)


def require_gearings(gearings: Sequence[Gearing]) -> None:
    """Refuse gearings of which one axis follows two others, itself or a slave; and wrong ratios."""
    slaves = [each.slave for each in gearings]
    if len(set(slaves)) < len(slaves):
        raise CommandRefused(ErrorCode.DuplicateAxis, f"slaves {slaves}: must be named once each")
    for each in gearings:
        if each.master == each.slave:
            detail = f"axis {each.slave} would follow itself: must follow another axis"
            raise CommandRefused(ErrorCode.IsSyncSlave, detail)
        if each.master in slaves:
            detail = (
                f"axis {each.slave} would follow axis {each.master}, which follows an axis, too: "
                "must be one that follows none"
            )
            raise CommandRefused(ErrorCode.IsSyncSlave, detail)
        if not LEAST_RATIO <= abs(each.ratio) <= 1.0 / LEAST_RATIO:
            limits = f"{LEAST_RATIO:g} to {1.0 / LEAST_RATIO:g} either way"
            detail = f"ratio {each.ratio} of slave {each.slave}: must be {limits}"
            raise CommandRefused(ErrorCode.SyncGearRatioOutOfRange, detail)


def require_run_times(moves: Sequence[VelocityMove] | Sequence[TorqueMove]) -> None:
    """Refuse run times that are none, and moves of which only some end by themselves.

    The vendor's engine starts moves with and without a run time by different functions, so not in
    the same cycle.
    """
    times = [move.run_time for move in moves]
    for time in times:
        if not 0.0 <= time < inf:
            detail = f"run_time {time} must be 0 or more, and finite"
            raise CommandRefused(ErrorCode.TimeArgumentOutOfRange, detail)
    if 0.0 in times and any(times):
        detail = f"run_times {times} must be 0 for all that start together, or for none"
        raise CommandRefused(ErrorCode.RunTimeArgumentOutOfRange, detail)
