"""Messages that clients send: what is put into one is converted and judged first.

The generated classes take any value, and any name: a name that is misspelt is left out in silence,
and a whole number in a field of a real one ends the process in generated C code as the message is
sent. So whatever comes from a program of a user passes here.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from math import isnan
from threading import TIMEOUT_MAX
from typing import Any, TypeVar

from rosidl_parser.definition import (
    AbstractGenericString,
    AbstractNestedType,
    BasicType,
    NamespacedType,
)

M = TypeVar("M")
REAL = "float", "double"
RANGES = {
    f"{sign}int{bits}": (0, 2**bits - 1) if sign else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    for sign in ("", "u")
    for bits in (8, 16, 32, 64)
}
"""The least and the greatest value of each type of whole numbers."""


def made(kind: type[M], /, **fields: Any) -> M:
    """A message of this kind; ValueError that names a field which cannot be so."""
    known = kind.get_fields_and_field_types()  # type: ignore[attr-defined]
    for name in fields:
        if name not in known:
            raise ValueError(f"{kind.__name__} has no field {name!r}: it has {', '.join(known)}")
    message = kind()
    for name, value in fields.items():
        _set(message, name, value, name)
    return checked(message)


def checked(message: M, path: str = "") -> M:
    """The same message, whose fields have been converted to their types; errors as `made`."""
    kinds: Any = message
    for name, field in zip(kinds.get_fields_and_field_types(), kinds.SLOT_TYPES, strict=True):
        value, where = getattr(message, name), f"{path}{name}"
        settled = _value(value, field, where)
        if settled is not value:
            setattr(message, name, settled)
    return message


def _set(message: Any, name: str, value: Any, where: str) -> None:
    """Set a field; numbers in an array are converted here, by the generated class."""
    try:
        setattr(message, name, value)
    except (TypeError, ValueError, OverflowError, AssertionError) as error:
        kind = message.get_fields_and_field_types()[name]
        raise ValueError(f"{where} is {value!r}: must be {kind} ({error})") from None


def _value(value: Any, field: Any, where: str) -> Any:
    if isinstance(field, BasicType):
        return _basic(value, field.typename, where)
    if isinstance(field, AbstractGenericString):
        if not isinstance(value, str):
            raise ValueError(f"{where} is {value!r}: must be a text")
        value.encode()  # ValueError for what is no text, such as a file name of other bytes
        return value
    if isinstance(field, NamespacedType):
        namespace, name = ".".join(field.namespaces), type(value).__name__
        if not type(value).__module__.startswith(f"{namespace}.") or name != field.name:
            raise ValueError(f"{where} is {value!r}: must be a {field.name}")
        return checked(value, f"{where}.")
    assert isinstance(field, AbstractNestedType)
    inner = field.value_type
    if isinstance(inner, BasicType) and inner.typename in (*REAL, *RANGES):
        return value  # an array of numbers, which the class has made
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ValueError(f"{where} is {value!r}: must be a list")
    return [_value(each, inner, f"{where}[{i}]") for i, each in enumerate(value)]


def _basic(value: Any, kind: str, where: str) -> Any:
    if kind == "boolean":
        if not isinstance(value, bool) and type(value).__name__ not in ("bool_", "bool"):
            raise ValueError(f"{where} is {value!r}: must be True or False")
        return bool(value)
    if kind in REAL:
        return real(value, where)
    if kind in RANGES:
        low, high = RANGES[kind]
        if not low <= whole(value, where) <= high:
            raise ValueError(f"{where} is {value}: must be {low} to {high}")
        return whole(value, where)
    return value


def real(value: Any, what: str) -> float:
    """A number as a float; ValueError for what is none, as a text is not."""
    if type(value) is float:
        return value
    is_array = getattr(value, "ndim", 0) > 0
    if isinstance(value, bool) or is_array or not hasattr(value, "__float__"):
        raise ValueError(f"{what} is {value!r}: must be a number")
    try:
        return float(value)
    except OverflowError as error:  # 10**400
        raise ValueError(f"{what} is {value!r}: {error}") from None


def time_out(value: Any) -> float:
    """A time-out, s; inf is the longest that a thread can wait, hundreds of years.

    ValueError for NaN, which never passes, and for what is no number.
    """
    if isnan(number := real(value, "timeout")):
        raise ValueError("timeout is nan: must be a number")
    return min(number, TIMEOUT_MAX)


def whole(value: Any, what: str) -> int:
    """A whole number as an int; ValueError for what is none."""
    if isinstance(value, bool):
        return int(value)
    try:
        return operator.index(value)
    except TypeError:
        raise ValueError(f"{what} is {value!r}: must be a whole number") from None
