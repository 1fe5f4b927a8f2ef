"""The SDK's enums and classes of error numbers.

Names and numbers are those of the driver's list of the SDK (`surface`). A number that no public
source states begins at OWN_NUMBERS and is unlike any of the vendor's, so that a program has to use
it by its name. Of enums that are not on the list, the numbers are the places in their order.
"""

import re
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from wmx_core.errors import UNNUMBERED, WmxError
from wmx_core.vendor_names import listed

SURFACE: dict[str, Any] = listed()
"""What the vendor's module is known to have, see `listed`."""
OWN_NUMBERS = 700_000

_NAMES = {
    "TriggerType": "RemainingTime RemainingDistance SameTimeCompletion CompletedTime "
    "CompletedDistance StaggeredTimeCompletion StaggeredDistanceCompletion DistanceToTarget",
    "CoreMotionEventInputType": "EqualPos GreaterPos LessPos EqualVelocity GreaterVelocity "
    "LessVelocity EqualTrq GreaterTrq LessTrq OpState AxisCmdMode InPos PosSET DelayedPosSET "
    "CommandDistributedEnd RemainingTime RemainingDistance CompletedTime CompletedDistance "
    "DistanceToTarget",
    "IoEventOutputType": "SetIOOutBit",
    "Motion_WaitConditionType": "AxisIdle MotionStarted MotionStartedOverrideReady Event",
    "ApiBufferConditionType": "NeverTrue AlwaysTrue IOInput IOOutput UserMemory Event MinimumTrq "
    "OpState AxisCmdMode InPos PosSET DelayedPosSET CommandDistributedEnd RemainingTime "
    "RemainingDistance CompletedTime CompletedDistance DecelerationStarted DistanceToTarget "
    "AxisIdle MotionStarted MotionStartedOverrideReady",
    "ApiBufferState": "Idle Active Stop Delay",
    "AdvMotion_PathIntplSegmentType": "Linear Circular Pause",
    "AdvMotion_PathIntplLookaheadSegmentType": "Linear CenterAndLengthCircular "
    "CenterAndEndCircular ThroughAndEndCircular LengthAndEndCircular RadiusAndEndCircular "
    "ThroughAndEnd3DCircular ThroughAndEnd3DCircularWithAuxiliary Sleep SetOutputBit FollowMotion",
    "AdvMotion_PathIntplLookaheadState": "Idle Executing Stopping Stopped",
    "AdvMotion_PathIntplWithRotationState": "Idle Executing",
    "AdvMotion_PathIntplOutputType": "Immediate RemainingTime CompletedTime RemainingDist "
    "CompletedDist DistanceRatio",
    "AdvMotion_PathIntplOutputSource": "IOOutput UserMemory",
    "AdvSync_ECAMType": "Normal Periodic Repeat",
    "AdvSync_ECAMSourceType": "MasterCommandPos MasterFeedbackPos EncoderInput",
    "AdvSync_ECAMClutchType": "PyNone SimpleCatchUp",
    "Config_SyncCompensationMode": "PyNone VelocityOffset SymmetricVelocityOffset",
    "Config_EStopLevel1Type": "Dec DecServoOff",
}


class Enum(SimpleNamespace):
    """A class of numbers; an object that a program makes of it has the same numbers."""

    def __call__(self) -> "Enum":
        return self


def _numbered() -> tuple[dict[str, Enum], dict[str, Enum]]:
    """Make the enums and the classes of error numbers."""
    numbers = iter(range(OWN_NUMBERS, 0, -1))

    def made(members: Mapping[str, int | None]) -> dict[str, int]:
        return {m: next(numbers) if n is None else n for m, n in members.items()}

    enums = {name: Enum(**made(members)) for name, members in SURFACE["enums"].items()}
    for name, names in _NAMES.items():
        enums[name] = Enum(**{member: number for number, member in enumerate(names.split())})
    errors = {name: made(members) for name, members in SURFACE["errors"].items()}
    # The classes of the modules inherit the general codes.
    general = errors["ErrorCode"]
    return enums, {name: Enum(**(general | own)) for name, own in errors.items()}


ENUMS, ERRORS = _numbered()
_MEMBERS = {enum: {n: name for name, n in vars(made).items()} for enum, made in ENUMS.items()}
NAMES_OF_ERRORS = {number: name for each in ERRORS.values() for name, number in vars(each).items()}
_NUMBERS_OF_ERRORS = {name: number for number, name in NAMES_OF_ERRORS.items()}


def text_of(code: int) -> str:
    """Return a number of an error in the form in which the SDK words it, and its name in words."""
    kinds = (kind for kind, numbers in SURFACE["errors"].items() if code in numbers.values())
    module = next(kinds, "").removesuffix("ErrorCode") or "WMX3"
    words = re.sub("(?<=[a-z])(?=[A-Z])", " ", NAMES_OF_ERRORS.get(code, "Undefined")).capitalize()
    return f"[0x{code:08x}] : {module}Api Error: {words}."


def member(enum: str, number: int) -> str:
    """Return the name of a number of an enum, "" for one that is of no member."""
    return _MEMBERS[enum].get(number, "")


def attribute(name: str) -> str:
    """Return what an object has for a member of an enum: equalPos for EqualPos, ioBit for IOBit."""
    capitals = 2 if name.startswith("IO") else 1
    return name[:capitals].lower() + name[capitals:]


def code_of(error: WmxError) -> int:
    """Return the SDK's number of an error of the driver interface."""
    return _NUMBERS_OF_ERRORS[error.name] if error.code == UNNUMBERED else int(error.code)
