"""What crosses the socket of an engine: calls, answers, statuses; msgpack with typed records.

Numbers, text, bytes, None and lists are msgpack's own; a list arrives as a tuple. A value of the
driver interface, or of what copies of axes consist of, is an extension type whose code is its place
in RECORDS: a dataclass or named tuple holds its fields, an enum its number, an error its code,
detail and name. An array holds its kind, shape and bytes, one of Python's objects is a list of
them, and a set of parameters holds its XML. So a message can make these values and no others. Both
ends belong to the same version of this package (`handshake`).
"""

from collections.abc import Callable, Sequence
from dataclasses import fields
from enum import Enum
from functools import cache, lru_cache
from operator import attrgetter
from typing import Any, cast

import msgpack
import numpy as np

from wmx_core import errors, profile_types, reactions, values
from wmx_core.errors import CommandRefused, ErrorCode, WmxError
from wmx_core.parameters.parameter_set import ParameterSet

from ..engine.machine.description import AxisModel, MachineFileError
from ..engine.motion.curve import Curve
from ..engine.motion.ramps import Parts, Ramp, Shape
from ..engine.motion.scale import Scale, Span


class EngineMistake(RuntimeError):
    """A mistake in the program of the engine, met while it carried out a call."""


DATACLASSES: tuple[type, ...] = (
    profile_types.MoveProfile,
    values.PositionMove,
    values.VelocityMove,
    values.TorqueMove,
    values.LinearMove,
    values.SplineMove,
    values.Gearing,
    values.MotionStatus,
    values.SlaveInfo,
    values.MasterStatistics,
    values.NetworkState,
    reactions.StopInput,
    reactions.TouchProbe,
    reactions.PositionOutput,
    AxisModel,
    Ramp,
    Parts,
)
NAMED_TUPLES: tuple[type, ...] = (Curve, Scale, Span)
ENUMS: tuple[type[Enum], ...] = (
    profile_types.ProfileType,
    values.EngineState,
    values.CommandMode,
    values.EmergencyStop,
    values.EcState,
    values.MasterMode,
    values.LimitType,
    reactions.StopKind,
    Shape,
)
ERRORS: tuple[type[WmxError], ...] = (
    errors.CommandRefused,
    errors.EngineLost,
    errors.ParameterFileError,
    MachineFileError,
    errors.WmxError,
)
RECORDS: tuple[type, ...] = (
    *ERRORS,  # first: other versions have to read the refusal of a handshake
    np.ndarray,
    ParameterSet,
    *DATACLASSES,
    *NAMED_TUPLES,
    *ENUMS,
)
"""The types that have a code: their places here."""

_Parts = Callable[[Any], Any]
"""What a value is written as, or makes one of that."""


def pack(value: object) -> bytes:
    """Return `value` as a message.

    Raises TypeError for what no message can hold, CommandRefused for a number of more than 64 bits.
    """
    try:
        return bytes(msgpack.packb(value, default=_extended, strict_types=True))
    except OverflowError:
        detail = "a number of more than 64 bits"
        raise CommandRefused(ErrorCode.ArgumentOutOfRange, detail) from None


def unpacker() -> Any:
    """Return a msgpack.Unpacker, which makes the values of the messages that it is fed with."""
    return msgpack.Unpacker(ext_hook=_record, use_list=False)


def unpack(message: bytes) -> Any:
    """Return the value that a message holds."""
    return msgpack.unpackb(message, ext_hook=_record, use_list=False)


def reply_of(error: Exception) -> tuple[bool, object]:
    """Return the reply to a call that raised `error`: False, and the error or its text.

    An error of a kind below those of ERRORS is written as one of these.
    """
    if not isinstance(error, WmxError):
        return False, f"{type(error).__name__}: {error}"
    kind = next(each for each in ERRORS if isinstance(error, each))
    return False, kind(error.code, error.detail, error.name)


def result_of(reply: Any) -> Any:
    """Return the result that a reply holds, or raise its error.

    EngineMistake for an error that is none of ERRORS.
    """
    succeeded, result = reply
    if succeeded:
        return result
    raise result if isinstance(result, WmxError) else EngineMistake(result)


def _extended(value: Any) -> Any:
    """Return what `value` is written as where msgpack has no type for it."""
    kind = type(value)
    if kind is tuple:
        return list(value)
    if kind is np.ndarray and value.dtype.hasobject:  # its bytes are addresses
        return value.tolist()
    if kind in _CODES:
        return _repeated(value) if kind in _REPEATED else _typed(value)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Sequence):
        return list(value)
    if kind is int:  # some versions of msgpack pass a number that is too large on to here
        raise OverflowError
    raise TypeError(f"{kind.__name__} {value!r:.100} is no value of the driver interface")


def _typed(value: Any) -> msgpack.ExtType:
    code, parts = _CODES[type(value)]
    return msgpack.ExtType(code, pack(parts(value)))


_repeated = lru_cache(maxsize=256, typed=True)(_typed)
_REPEATED = {profile_types.MoveProfile, *ENUMS}
"""Of these types the same values are sent again and again."""


def _record(code: int, data: bytes) -> Any:
    """Return the value of an extension type."""
    return _MAKERS[code](unpack(data))


@cache
def _written(kind: type) -> tuple[_Parts, _Parts]:
    """Return how a value of `kind` is written, and how it is made again."""
    if kind is np.ndarray:
        return lambda v: (v.dtype.str, v.shape, v.tobytes()), _array
    if kind is ParameterSet:
        return _xml_of, ParameterSet.from_xml
    if issubclass(kind, Enum):
        return attrgetter("value"), kind
    if issubclass(kind, tuple):
        return tuple, kind._make  # type: ignore[attr-defined]
    if issubclass(kind, WmxError):
        return attrgetter("code", "detail", "name"), lambda parts: kind(*parts)
    names = [field.name for field in fields(cast(Any, kind))]
    return attrgetter(*names), lambda parts: kind(**dict(zip(names, parts, strict=True)))


def _array(parts: tuple[str, tuple[int, ...], bytes]) -> Any:
    kind, shape, data = parts
    return np.frombuffer(data, kind).reshape(shape)


def _xml_of(parameters: ParameterSet) -> bytes:
    known, xml = _newest[0]
    if parameters is not known:
        xml = parameters.to_xml().encode()
        _newest[0] = parameters, xml
    return xml


_newest: list[tuple[ParameterSet | None, bytes]] = [(None, b"")]
"""The XML of the newest set of parameters: the same one is read again and again."""
_CODES = {kind: (code, _written(kind)[0]) for code, kind in enumerate(RECORDS)}
_MAKERS = tuple(_written(kind)[1] for kind in RECORDS)
