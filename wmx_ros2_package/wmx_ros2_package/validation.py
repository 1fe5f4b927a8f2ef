"""Judges the fields of a message for who converts it: lengths of arrays, finite numbers, axes.

A request that breaks a rule raises `BadRequest` with the first few reasons, each naming the
field, its value and the rule. An axis or a place of the I/O image that there is not has a code of
the vendor's and raises `CommandRefused`; which axes there are is left to the engine, but where a
request is refused as a whole: motion, with `count`, and `known_axes`.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.io_range import require_bits
from wmx_core.values import MAX_AXES, REGISTER_SPACE, EcState

MOST_BITS = 1024
"""Of one request."""
LARGEST_OBJECT = 4096
"""Of a slave's dictionary that is read or written, bytes."""
MOST_REASONS = 5
"""How many reasons are listed at most: a message may hold a million bad elements."""
MOST_NAMES = 8
"""How many axes or actuators one reason names at most."""
_SELECTS = re.compile(r"|[0-9]+-[0-9]+|all|.*[,=\s].*", re.DOTALL)
"""What people type for axes that is no name: a range, all of them, several, one and its target."""


class BadRequest(ValueError):
    """A request that breaks a rule; nothing was done."""

    def __init__(self, reasons: Iterable[str], *, code: int = 0) -> None:
        """`code` is that of the refusal, where the rule has one: an ErrorCode or a RefusalCode."""
        super().__init__("; ".join(reasons))
        self.code = code


class NothingAsked(BadRequest):
    """A request that names nothing to do, such as no axis.

    Clients meet a service with one, before they send what must not be sent twice.
    """


class Column(NamedTuple):
    """An array parallel to `index`, and what each of its elements must be.

    `reason` returns why a value is wrong, with `{axis}` where the axes are to be named, or None.
    """

    values: Sequence[Any]
    reason: Callable[[Any], str | None]


def finite(values: Sequence[float], name: str) -> Column:
    """Numbers that are neither NaN nor infinite."""
    return _numbers(values, name, math.isfinite, "must be finite")


def positive(values: Sequence[float], name: str) -> Column:
    """Finite numbers greater than zero."""
    return _numbers(
        values, name, lambda v: math.isfinite(v) and v > 0.0, "must be finite and greater than 0"
    )


def within(values: Sequence[float], name: str, low: float, high: float) -> Column:
    """Numbers from `low` to `high`; NaN is none of them."""
    return _numbers(values, name, lambda v: low <= v <= high, f"must be {low:g} to {high:g}")


def one_of(values: Sequence[int], choices: Iterable[int], text: str) -> Column:
    """Choices; `text` words a wrong one, with the fields `axis` and `value`."""
    known = frozenset(choices)
    return Column(values, lambda v: None if v in known else text.replace("{value}", str(v)))


def level(values: Sequence[int]) -> Column:
    """The levels of bits, 0 or 1."""
    return one_of(values, (0, 1), "value of axis {axis} is {value}: must be 0 or 1")


def any_of(values: Sequence[Any]) -> Column:
    """Values that are judged elsewhere, or that any of is right."""
    return Column(values, lambda v: None)


def rows(
    index: Sequence[int], *, count: int | None = None, **columns: Column
) -> list[tuple[Any, ...]]:
    """One tuple per axis, (axis, value of each column...), or BadRequest."""
    if reasons := list(islice(_broken_rules(index, count, columns), MOST_REASONS)):
        raise (BadRequest if len(index) else NothingAsked)(reasons)
    return list(zip(map(int, index), *(column.values for column in columns.values()), strict=True))


def bit_rows(
    index: Sequence[int], byte: Sequence[int], bit: Sequence[int], **columns: Column
) -> list[tuple[Any, ...]]:
    """Rows that give each axis a bit of the I/O image, (axis, byte, bit, value of columns...).

    None for a request that only names axes: these are to have no bit any more.
    """
    if not any(map(len, (byte, bit, *(column.values for column in columns.values())))):
        rows(index)
        return []
    wanted = rows(index, count=None, byte=any_of(byte), bit=any_of(bit), **columns)
    bits(byte, bit)
    return wanted


def told_once(wrong: Iterable[tuple[str, str]], place: str = "{name}") -> Iterator[str]:
    """Yield each reason once, with all names that it is about, or the first few, at its `place`."""
    names: dict[str, list[str]] = {}
    for reason, name in wrong:
        names.setdefault(reason, []).append(name)
    for reason, about in names.items():
        more = f" and {len(about) - MOST_NAMES} more" if len(about) > MOST_NAMES else ""
        text = reason if len(about) == 1 else reason.replace(f"axis {place}", f"axes {place}")
        yield text.replace(place, ", ".join(about[:MOST_NAMES]) + more)


def known_axes(index: Sequence[int], count: int) -> list[tuple[int]]:
    """The axes of a request of which nothing is to be done unless all of them exist."""
    wanted = rows(index)
    for (axis,) in wanted:
        if not 0 <= axis < count:
            detail = f"axis {axis} must be 0 to {count - 1}"
            raise CommandRefused(ErrorCode.AxisOutOfRange, detail)
    return wanted


def bits(addresses: Sequence[int], numbers: Sequence[int], *more: Sequence[int]) -> None:
    """Refuse places that are not parallel or none, too many, or outside the I/O image."""
    lengths = [len(array) for array in (addresses, numbers, *more)]
    if len(set(lengths)) != 1:
        raise BadRequest([f"the arrays have {lengths} elements: must be equal"])
    if not 1 <= lengths[0] <= MOST_BITS:
        raise BadRequest([f"{lengths[0]} bits: must be 1 to {MOST_BITS}"])
    require_bits(zip(addresses, numbers, strict=True))


def register(address: int, length: int) -> None:
    """Refuse a block that is not within the register space of a slave, in clients' words."""
    if not 0 <= address < REGISTER_SPACE:
        raise BadRequest(["Invalid reg_address: must be in [0x000, 0xFFF]."])
    if not 1 <= length <= REGISTER_SPACE:
        raise BadRequest(["Invalid length: must be in [1, 4096]."])
    if address + length > REGISTER_SPACE:
        raise BadRequest(["reg_address + length exceeds 0x1000."])


def sdo(index: int, subindex: int, size: int) -> None:
    """Refuse what can be no object of a slave's dictionary, or no size of one.

    Of 0 bytes nothing is asked.
    """
    for name, value, least, most in (
        ("index", index, 0, 0xFFFF),
        ("subindex", subindex, 0, 0xFF),
        ("size", size, 1, LARGEST_OBJECT),
    ):
        if not least <= value <= most:
            kind = BadRequest if size else NothingAsked
            raise kind([f"Invalid {name} {value}: must be in [{least}, {most}]."])


def slave_state(number: int) -> EcState:
    """A state that a slave can be brought to, or BadRequest."""
    states = [state for state in EcState if state is not EcState.NONE]
    if number not in states:
        rule = ", ".join(f"{state.value} ({state.name})" for state in states)
        raise BadRequest([f"Invalid state {number}: must be one of {rule}."])
    return EcState(number)


def _numbers(
    values: Sequence[float], name: str, accepts: Callable[[float], bool], rule: str
) -> Column:
    return Column(
        values, lambda v: None if accepts(v) else f"{name} of axis {{axis}} is {v}: {rule}"
    )


def _broken_rules(
    index: Sequence[int], count: int | None, columns: dict[str, Column]
) -> Iterator[str]:
    if not 1 <= len(index) <= MAX_AXES:
        yield f"index has {len(index)} elements: must have 1 to {MAX_AXES}"
        return
    ragged = False
    for name, column in columns.items():
        if len(column.values) != len(index):
            ragged = True
            yield (
                f"{name} has {len(column.values)} elements but index has {len(index)}: "
                "must be equal"
            )
    if ragged:
        return
    seen: set[int] = set()
    for i, axis in enumerate(index):
        if axis in seen:
            yield f"index names axis {axis} more than once: must name each axis once"
        seen.add(axis)
        if count is not None and not 0 <= axis < count:
            yield f"index[{i}] is {axis}: must be 0 to {count - 1}"
    for column in columns.values():
        reasons = map(column.reason, column.values)
        wrong = ((reason, str(axis)) for reason, axis in zip(reasons, index, strict=True) if reason)
        yield from told_once(wrong, "{axis}")


def check_axis_name(name: str) -> list[str]:
    """Return what is wrong with a name of an axis: typed, it must not mean other axes."""
    try:
        float(name)
    except ValueError:
        if not _SELECTS.fullmatch(name):
            return []
    rule = "must be no number, no range such as 0-2, not all, and have no comma, = or space"
    return [f"{name!r} is no name of an axis: {rule}"]
