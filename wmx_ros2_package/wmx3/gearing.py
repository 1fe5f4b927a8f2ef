"""Axes that follow others, by the SDK's CoreMotion.sync.

SetSyncGearRatio with a master, a slave, a ratio and a profile engages the gear, which takes hold at
once where both axes rest; the profile is for axes that move (API reference, SetSyncGearRatio).
"""

from collections.abc import Sequence
from typing import Any

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.move_rules import require_gearings
from wmx_core.values import Gearing

from . import commands
from .partial_refusals import all_or_none
from .session import SdkSession
from .status import require_no_slaves

UNUSED = 1.0
"""Velocity, u/s, and rates, u/s^2, of a profile that moves nothing."""


def start_gearing(session: SdkSession, gearings: Sequence[Gearing]) -> None:
    """See `interface.Motion`."""
    require_gearings(gearings)
    slaves = [each.slave for each in gearings]
    masters = list(dict.fromkeys(each.master for each in gearings))
    commands.require_axes(masters, session.axes)
    commands.require_axes(slaves, session.axes)
    _require_ready(session, slaves, masters)
    require_no_slaves(session, *slaves)
    with all_or_none(session, slaves):
        for each in gearings:
            _engage(session, each)


def _engage(session: SdkSession, each: Gearing) -> None:
    """Engage one gear; a refusal names its slave."""
    try:
        session.sync.SetSyncGearRatio(each.master, each.slave, float(each.ratio), _profile(session))
    except CommandRefused as refused:
        detail = f"axis {each.slave}: {refused.detail}"
        raise CommandRefused(refused.code, detail, refused.name) from None


def _require_ready(session: SdkSession, slaves: Sequence[int], masters: Sequence[int]) -> None:
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


def _profile(session: SdkSession) -> Any:
    profile = session.sdk.Profile()
    profile.type = session.sdk.ProfileType.Trapezoidal
    profile.velocity, profile.acc, profile.dec = UNUSED, UNUSED, UNUSED
    return profile
