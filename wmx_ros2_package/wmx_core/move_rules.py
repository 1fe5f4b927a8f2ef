"""Ranges of axes, targets, rates, run times, gearings: a simulated axis or driver `wmx3` asks."""

from collections.abc import Sequence

from .errors import CommandRefused, ErrorCode
from .values import Gearing, LinearMove, PositionMove, TorqueMove, VelocityMove

POSITION_RANGE = 1e15
"""Largest position magnitude, u: beyond it a double resolves little of a single unit."""
RATE_RANGE = 1e-9, 1e15
"""Smallest and largest magnitude of velocity, acceleration and deceleration."""
LONGEST_RUN = 1e15
"""The longest run time, s: beyond it a number of milliseconds may be none."""
LEAST_RATIO = 1e-6
"""The least ratio of a gearing, u of the slave for each u of the master; one by it is the most."""
MAX_OVERRIDE = 20_000.0
"""Percent of the velocity that was commanded; that may be 1 % of what a client has asked for, who
may go on with up to 200 % of it."""


def require_axes(wanted: Sequence[int], axes: int) -> None:
    """Refuse axes that are not there, and one that is named twice."""
    for axis in wanted:
        if not 0 <= axis < axes:
            raise CommandRefused(ErrorCode.AxisOutOfRange, f"axis {axis}: must be 0 to {axes - 1}")
    if len(set(wanted)) < len(wanted):
        raise CommandRefused(ErrorCode.DuplicateAxis, f"axes {[*wanted]}: must be named once each")


def require_position(position: float, name: str = "target") -> None:
    """Refuse a position, `name` in the refusal, outside the range; NaN is refused as well."""
    if not abs(position) <= POSITION_RANGE:
        raise CommandRefused(
            ErrorCode.PositionArgumentOutOfRange,
            f"{name} {position} must be within {-POSITION_RANGE:g} to {POSITION_RANGE:g}",
        )


def require_rates(move: PositionMove | VelocityMove | LinearMove) -> None:
    """Refuse a move whose velocity, acc or dec cannot be planned with; NaN is refused as well.

    Only an endless move may go backwards, or nowhere.
    """
    speed = abs(move.velocity) or 1.0 if isinstance(move, VelocityMove) else move.velocity
    for name, value, code in (
        ("velocity", speed, ErrorCode.VelocityArgumentOutOfRange),
        ("acc", move.acc, ErrorCode.AccArgumentOutOfRange),
        ("dec", move.dec, ErrorCode.DecArgumentOutOfRange),
    ):
        low, high = RATE_RANGE
        if not low <= value <= high:
            detail = f"{name} {value} must be within {low:g} to {high:g}"
            raise CommandRefused(code, detail)


def rest_or(velocity: float) -> float:
    """Return `velocity`, or 0 for what a program's rounding has left of it, such as 0.3 - 3 * 0.1.

    Engines refuse it, and the axis would go on as before.
    """
    return velocity if abs(velocity) >= RATE_RANGE[0] else 0.0


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
        if not 0.0 <= time <= LONGEST_RUN:
            detail = f"run_time {time} must be 0 to {LONGEST_RUN:g}"
            raise CommandRefused(ErrorCode.TimeArgumentOutOfRange, detail)
    if 0.0 in times and any(times):
        detail = f"run_times {times} must be 0 for all that start together, or for none"
        raise CommandRefused(ErrorCode.RunTimeArgumentOutOfRange, detail)
