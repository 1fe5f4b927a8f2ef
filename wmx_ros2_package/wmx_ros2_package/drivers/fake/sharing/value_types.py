"""Reads plain values, such as msgpack's, as the types of the driver seam, and as nothing else."""

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from enum import IntEnum
from functools import cache
from math import prod
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from ...parameters.parameter_set import ParameterSet
from ...values import Flags, Floats, Ints
from .parameter_table import read_table

Read = Callable[[Any], Any]


class Malformed(Exception):
    """A message that does not hold what it must."""


@cache
def reader(kind: Any) -> Read:
    """What makes a `kind` of a plain value, or raises Malformed."""
    if kind in _PLAIN:
        return _PLAIN[kind]
    if kind is ParameterSet:
        return lambda value: _parameter_set(value)
    for array, name in ((Floats, "f8"), (Ints, "i4"), (Flags, "b1")):
        if kind == array:
            return _array_reader(np.dtype(name))
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Sequence or (origin is tuple and arguments[-1] is Ellipsis):
        return _list_reader(reader(arguments[0]))
    if origin is tuple:
        return _tuple_reader([reader(each) for each in arguments])
    if origin in (Union, UnionType):
        (inner,) = (each for each in arguments if each is not NoneType)
        return _optional_reader(reader(inner))
    if isinstance(kind, type) and issubclass(kind, IntEnum):
        return _enum_reader(kind)
    if is_dataclass(kind) and isinstance(kind, type):
        return _record_reader(kind)
    raise TypeError(f"no message holds a {kind!r}")


def _plain(kind: type) -> Read:
    def read(value: Any) -> Any:
        if type(value) is not kind:
            raise Malformed(f"a {type(value).__name__} must be a {kind.__name__}")
        return value

    return read


def _number(value: Any) -> float:
    if type(value) is float:
        return value
    if type(value) is int:
        return float(value)
    raise Malformed(f"a {type(value).__name__} must be a number")


_PLAIN: dict[Any, Read] = {
    **{kind: _plain(kind) for kind in (int, bool, str, bytes)},
    float: _number,
    None: _plain(NoneType),
    NoneType: _plain(NoneType),
}


def _list_reader(item: Read) -> Read:
    def read(value: Any) -> Any:
        if type(value) is not tuple:
            raise Malformed(f"a {type(value).__name__} must be a list")
        return tuple([item(each) for each in value])

    return read


def _tuple_reader(items: list[Read]) -> Read:
    def read(value: Any) -> Any:
        if type(value) is not tuple or len(value) != len(items):
            raise Malformed(f"a {type(value).__name__} must be a list of {len(items)}")
        return tuple([item(each) for item, each in zip(items, value, strict=True)])

    return read


def _optional_reader(inner: Read) -> Read:
    return lambda value: None if value is None else inner(value)


def _enum_reader(kind: type[IntEnum]) -> Read:
    members = {int(member): member for member in kind}

    def read(value: Any) -> Any:
        """A number without a name stays one: what it means is for the engine to say."""
        if type(value) is not int:
            raise Malformed(f"a {type(value).__name__} must be a number of {kind.__name__}")
        return members.get(value, value)

    return read


def _record_reader(kind: Any) -> Read:
    hints = get_type_hints(kind, include_extras=True)
    names = [field.name for field in fields(kind)]
    readers = [reader(hints[name]) for name in names]

    def read(value: Any) -> Any:
        if type(value) is not tuple or len(value) != len(readers):
            raise Malformed(f"a {kind.__name__} must be a list of {len(readers)} fields")
        values = [each(plain) for each, plain in zip(readers, value, strict=True)]
        return kind(**dict(zip(names, values, strict=True)))

    return read


def _array_reader(kind: "np.dtype[Any]") -> Read:
    def read(value: Any) -> Any:
        if type(value) is not tuple or [type(each) for each in value] != [str, tuple, bytes]:
            raise Malformed("an array must be kind, shape and bytes")
        name, shape, data = value
        if name not in _ARRAYS or not all(type(n) is int and n >= 0 for n in shape):
            raise Malformed(f"an array of kind {name!r:.20} and shape {shape!r:.40}")
        if len(shape) > 2 or prod(shape) * _ARRAYS[name].itemsize != len(data):
            raise Malformed(f"{len(data)} bytes for an array of shape {shape!r:.40}")
        array = np.frombuffer(data, _ARRAYS[name]).reshape(shape)
        return array if array.dtype == kind else array.astype(kind)

    return read


_ARRAYS = {kind.str: kind for kind in map(np.dtype, ("f8", "i4", "i8", "b1"))}


def _parameter_set(value: Any) -> ParameterSet:
    try:
        return ParameterSet(read_table(value))
    except (TypeError, ValueError, IndexError) as error:
        raise Malformed(f"no set of parameters: {error}") from None
