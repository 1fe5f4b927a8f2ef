"""What is judged of the arguments of the SDK's functions, before anything is done with them.

The vendor's functions answer a code for a number that cannot be: an axis that is not there, a count
of more than a list holds, a number that no enum has. A mistake in types alone is an exception, of
Python's binding. Every function of a `Part` is `judged`, so that none checks these by itself.
"""

from collections.abc import Callable, Collection, Mapping
from functools import wraps
from inspect import signature
from typing import Any, get_args, get_origin

from wmx_core.errors import CommandRefused, ErrorCode, WmxError

from .enums import ENUMS, code_of
from .structs import Struct, require_type

_AXES = dict.fromkeys(
    ("axis", "master", "slave", "masterAxis", "slaveAxis", "rotationalAxis", "zAxis"),
    ErrorCode.AxisOutOfRange,
) | {"triggerAxis": ErrorCode.TriggerAxisArgumentOutOfRange}
"""Parameters and fields that name an axis, each with the code for one that is not there."""
_MEMBERS = {
    "mode": ("AxisCommandMode", ErrorCode.ArgumentOutOfRange),
    "level": ("EStopLevel", ErrorCode.ArgumentOutOfRange),
    "triggerType": ("TriggerType", ErrorCode.TriggerTypeArgumentOutOfRange),
    "waitConditionType": ("Motion_WaitConditionType", ErrorCode.ArgumentOutOfRange),
    "bufferConditionType": ("ApiBufferConditionType", ErrorCode.ArgumentOutOfRange),
    "inputFunction": ("CoreMotionEventInputType", ErrorCode.ArgumentOutOfRange),
    "ioSourceType": ("IOSourceType", ErrorCode.ArgumentOutOfRange),
    "homeType": ("Config_HomeType", ErrorCode.ArgumentOutOfRange),
    "homeDirection": ("Config_HomeDirection", ErrorCode.ArgumentOutOfRange),
}
"""Parameters and fields that hold a number of an enum, each with the code for one of no member."""
_TYPES = {
    "AdvSync_ECAMOptions": "AdvSync_ECAMType",
    "CyclicBufferSingleAxisCommand": "CyclicBufferCommandType",
}
"""Classes whose field `type` is a number of this enum; that of profiles is judged with them."""
_COUNTS = "count", "size", "args"
"""Parameters that hold how much of the lists beside them is meant, if they are numbers."""


def judged(method: Callable[..., Any]) -> Callable[..., Any]:
    """`method` of a part, which answers a code for arguments that cannot be, and for refusals."""
    names = [name.lstrip("_") for name in signature(method).parameters][1:]
    nothing = _nothing(method)

    def refused(code: int) -> Any:
        """Return the answer for a refusal, in the form that the method has."""
        return (code, *(make() for make in nothing)) if nothing else code

    @wraps(method)
    def call(part: Any, *args: Any, **named: Any) -> Any:
        try:
            _judge(dict(zip(names, args, strict=False)) | named, args, part.runtime.axes)
            if nothing:
                part.runtime.count_read()
            return method(part, *args, **named)
        except WmxError as error:
            return refused(code_of(error))

    call.refused = refused  # type: ignore[attr-defined]
    return call


def require_axis(axis: int, axes: int, code: ErrorCode = ErrorCode.AxisOutOfRange) -> None:
    """Refuse an axis that an engine of `axes` axes does not have."""
    if not 0 <= axis < axes:
        raise CommandRefused(code, f"axis {axis} must be 0 to {axes - 1}")


def _nothing(method: Callable[..., Any]) -> list[Callable[[], Any]]:
    """Return what makes the values that `method` answers beside a code that is an error."""
    answer = method.__annotations__.get("return")
    if get_origin(answer) is not tuple:
        return []
    return [Struct if kind is Any else get_origin(kind) or kind for kind in get_args(answer)[1:]]


def _judge(given: Mapping[str, Any], args: tuple[Any, ...], axes: int) -> None:
    for name, value in given.items():
        _judge_number(name, value, axes)
    lists = [
        value for value in args if isinstance(value, Collection) and not isinstance(value, str)
    ]
    for name in _COUNTS:
        count, least = given.get(name), name == "args"  # of a list of commands, one is meant
        if lists and isinstance(count, int) and not least <= count <= min(map(len, lists)):
            raise CommandRefused(ErrorCode.ArgumentOutOfRange, f"{count} of {lists}")
    for value in (*args, *(each for values in lists for each in values)):
        if isinstance(value, Struct):
            _judge_struct(value, axes)


def _judge_number(name: str, value: Any, axes: int) -> None:
    if name in _AXES:
        require_type(name, value, 0)
        require_axis(value, axes, _AXES[name])
    elif name in _MEMBERS:
        _require_member(value, *_MEMBERS[name])


def _judge_struct(struct: Struct, axes: int) -> None:
    """Judge all that an object of the SDK holds, and what is in it."""
    if enum := _TYPES.get(type(struct).__name__):
        _require_member(struct.type, enum, ErrorCode.ArgumentOutOfRange)
    for name, value in vars(struct).items():
        if isinstance(value, Struct):
            _judge_struct(value, axes)
        else:
            _judge_number(name, value, axes)
    for (array, *_), value in struct.elements.items():
        if isinstance(value, Struct):
            _judge_struct(value, axes)
        elif array == "Axis":
            require_axis(value, axes)


def _require_member(number: int, enum: str, code: ErrorCode) -> None:
    if number not in vars(ENUMS[enum]).values():
        raise CommandRefused(code, f"{number} is none of {enum}")
