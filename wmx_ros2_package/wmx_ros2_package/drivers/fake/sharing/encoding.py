"""What crosses the socket of an engine: calls and answers as msgpack, judged by the types.

Values are written without their types: a dataclass or a named tuple is the list of its fields, an
enum its number, an array its kind, shape and bytes. They are read as what the method's annotations
say, and as nothing else, so a message can make nothing but values of the driver seam; `Malformed`
is raised for whatever does not fit. How large a message may be is a matter of `line`.

    call      [part, method, [arguments, in the order of the signature]]
    answer    [true, result] or [false, [kind, code, detail, name]]
"""

import inspect
from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from hashlib import sha256
from operator import attrgetter
from typing import Any, get_type_hints

import msgpack
import numpy as np

from ... import errors
from ...errors import CommandRefused, ErrorCode, WmxError
from ...parameters.parameter_set import ParameterSet
from ..machine.description import MachineFileError
from ..motion.shared_state import layout
from ..proxies import METHODS, declared
from .parameter_table import table
from .value_types import Malformed, Read, reader

ERRORS: dict[str, type[WmxError]] = {
    kind.__name__: kind
    for kind in (
        errors.CommandRefused,
        errors.EngineLost,
        errors.ParameterFileError,
        MachineFileError,
        errors.WmxError,
    )
}
"""The errors that arrive as what they are; another one is a mistake in the program."""
_LONGEST_DETAIL = 2**14
"""Characters."""


class EngineMistake(RuntimeError):
    """An error in the program of the engine, met while it carried out a call."""


def pack(value: object) -> bytes:
    """`value` as a message; TypeError for what no message can hold."""
    try:
        return bytes(msgpack.packb(value, default=_parts))
    except OverflowError:
        raise CommandRefused(
            ErrorCode.ArgumentOutOfRange, "a number of more than 64 bits"
        ) from None


def unpack(message: bytes) -> Any:
    """What a message holds, in tuples; Malformed if it is none."""
    try:
        return msgpack.unpackb(message, use_list=False)
    except Exception as error:  # of several kinds, by msgpack's versions
        raise Malformed(f"no message: {type(error).__name__} {error}"[:200]) from None


# Calls


def pack_call(part: str, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bytes:
    """A call; TypeError where the arguments are not those of the method."""
    return pack((part, method, _form(part, method).in_order(method, args, kwargs)))


def unpack_call(message: bytes) -> tuple[str, str, tuple[Any, ...], dict[str, Any]]:
    """Part, method and arguments of a call.

    Malformed for what is no call; AttributeError or TypeError for one of what cannot be called,
    which is a mistake in the caller's program.
    """
    call = unpack(message)
    if not (isinstance(call, tuple) and [type(word) for word in call] == [str, str, tuple]):
        raise Malformed("a call must be part, method and arguments")
    part, method, values = call
    form = _form(part, method)
    if len(values) != len(form.readers):
        raise TypeError(f"{method} takes {len(form.readers)} arguments, not {len(values)}")
    try:
        read = [read(value) for read, value in zip(form.readers, values, strict=True)]
    except Malformed as error:
        raise TypeError(f"{method}: {error}") from None
    by_name = dict(zip(form.names[form.positional :], read[form.positional :], strict=True))
    return part, method, tuple(read[: form.positional]), by_name


# Answers


def pack_result(result: object) -> bytes:
    """The answer to a call that was carried out."""
    return pack((True, result))


def pack_error(error: Exception) -> bytes:
    """The answer to a call that was not."""
    if isinstance(error, WmxError):
        about = type(error).__name__, error.code, error.detail[:_LONGEST_DETAIL], error.name
    else:
        about = "", 0, f"{type(error).__name__}: {error}"[:_LONGEST_DETAIL], ""
    return pack((False, about))


def unpack_answer(message: bytes, read: Read) -> Any:
    """What an answer says, or else the error that it is is raised."""
    answer = unpack(message)
    if not (isinstance(answer, tuple) and len(answer) == 2):
        raise Malformed("an answer must be whether the call succeeded, and what it has to say")
    if answer[0] is True:
        return read(answer[1])
    raise _error(answer[1])


def result_reader(part: str, method: str) -> Read:
    """What reads the result of a method."""
    return _form(part, method).result


def unpack_error(message: bytes) -> Exception:
    """The error of an answer that is one."""
    answer = unpack(message)
    return _error(answer[1] if isinstance(answer, tuple) and len(answer) == 2 else None)


def _error(about: object) -> Exception:
    if not (isinstance(about, tuple) and [type(each) for each in about] == [str, int, str, str]):
        raise Malformed("an error must be kind, code, detail and name")
    kind, code, detail, name = about
    return ERRORS[kind](code, detail, name) if kind in ERRORS else EngineMistake(detail)


# Methods


@dataclass(frozen=True, slots=True)
class _Form:
    """How the arguments and the result of a method are written."""

    names: tuple[str, ...]
    positional: int
    """So many arguments may be given by their places."""
    defaults: dict[str, Any]
    readers: tuple[Read, ...]
    result: Read

    def in_order(
        self, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Any, ...]:
        if not kwargs and len(args) == self.positional == len(self.names):
            return args
        if len(args) > self.positional:
            raise TypeError(f"{method} takes {self.positional} positional arguments")
        given = {**self.defaults, **dict(zip(self.names, args, strict=False))}
        if kwargs.keys() & set(self.names[: len(args)]) or kwargs.keys() - set(self.names):
            raise TypeError(f"{method} has the arguments {', '.join(self.names)}, each once")
        given |= kwargs
        if len(given) < len(self.names):
            raise TypeError(f"{method} needs {', '.join(set(self.names) - given.keys())}")
        return tuple(given[name] for name in self.names)


@cache
def _form(part: str, method: str) -> _Form:
    about = declared(part, method)
    if about.local:
        raise AttributeError(f"{part}.{method} belongs to the process of the engine")
    hints = get_type_hints(about.signature, include_extras=True)
    parameters = [*inspect.signature(about.signature).parameters.values()][1:]
    return _Form(
        names=tuple(p.name for p in parameters),
        positional=sum(p.kind is p.POSITIONAL_OR_KEYWORD for p in parameters),
        defaults={p.name: p.default for p in parameters if p.default is not p.empty},
        readers=tuple(reader(hints[p.name]) for p in parameters),
        result=reader(hints["return"]),
    )


@cache
def version() -> str:
    """Stands for all that both ends have to agree on; another package may have another one."""
    methods = sorted(
        (part, method, [*inspect.signature(about.signature).parameters])
        for (part, method), about in METHODS.items()
    )
    return sha256(repr((methods, layout(1).descr)).encode()).hexdigest()[:16]


# Values


def _parts(value: object) -> object:
    """What a value is written as that msgpack does not know."""
    if isinstance(value, ParameterSet):
        return table(value.root)
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, np.generic):
        return value.item()
    if is_dataclass(value) and not isinstance(value, type):
        return _fields(type(value))(value)
    if isinstance(value, Sequence):
        return tuple(value)
    if isinstance(value, int):  # which some versions of msgpack ask about
        raise OverflowError
    raise TypeError(f"{type(value).__name__} {value!r:.100} is no value of the driver seam")


@cache
def _fields(kind: type) -> Any:
    names = [field.name for field in fields(kind)]
    if len(names) == 1:
        get = attrgetter(names[0])
        return lambda value: (get(value),)
    return attrgetter(*names)
