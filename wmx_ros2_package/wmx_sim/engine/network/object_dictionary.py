"""The object dictionary of a slave, and SDO transfers with it (CoE, ETG.1000.6).

Modelled: expedited and normal transfers of one entry, little endian, and the abort codes below.
An entry is a function, so its value is that of the moment of the read. What is written to an entry
stays there until the slave loses power, and moves nothing. Not modelled: complete access, SDO
information, the time that a transfer takes, and storing (0x1010).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, IntEnum
from functools import cached_property


class Abort(IntEnum):
    """SDO abort codes; ETG.1000.6, table 41."""

    TIMED_OUT = 0x0504_0000
    OBJECT_IS_READ_ONLY = 0x0601_0002
    OBJECT_DOES_NOT_EXIST = 0x0602_0000
    LENGTH_DOES_NOT_MATCH = 0x0607_0010
    SUBINDEX_DOES_NOT_EXIST = 0x0609_0011
    NOT_IN_THIS_DEVICE_STATE = 0x0800_0022
    """The object is set by process data."""


class SdoAborted(Exception):
    """The slave aborted a transfer; `code` is the reason."""

    def __init__(self, code: Abort) -> None:
        super().__init__(code)
        self.code = code


class Access(Enum):
    """Who sets an entry."""

    READ_ONLY = "the slave"
    READ_WRITE = "an SDO"
    PROCESS_DATA = "the master, in each cycle"


@dataclass(frozen=True, slots=True)
class Integer:
    """An integer data type: its bytes, and whether it has a sign."""

    size: int
    signed: bool = False

    def pack(self, value: float) -> bytes:
        """Return `value`, rounded and no further than the type goes."""
        bits = 8 * self.size - self.signed
        low, high = -(1 << bits) if self.signed else 0, (1 << bits) - 1
        return min(max(round(value), low), high).to_bytes(self.size, "little", signed=self.signed)


U8, U16, U32 = Integer(1), Integer(2), Integer(4)
I8, I16, I32 = Integer(1, signed=True), Integer(2, signed=True), Integer(4, signed=True)


@dataclass(frozen=True, slots=True)
class Entry:
    """What one subindex holds, as bytes, and who sets it."""

    read: Callable[[], bytes]
    access: Access = Access.READ_ONLY


Entries = Mapping[tuple[int, int], Entry]
"""By index and subindex."""


def constant(kind: Integer, value: int) -> Entry:
    """Return an entry that always holds `value`."""
    packed = kind.pack(value)
    return Entry(lambda: packed)


def text(value: str) -> Entry:
    """Return an entry that holds `value` as a VISIBLE_STRING, which is ASCII."""
    packed = value.encode("ascii", errors="replace")
    return Entry(lambda: packed)


def record(index: int, kind: Integer, values: tuple[int, ...]) -> dict[tuple[int, int], Entry]:
    """Return a record or array of constants: subindex 0 counts them, 1 and up hold them."""
    entries = {(index, 0): constant(U8, len(values))}
    return entries | {(index, i): constant(kind, value) for i, value in enumerate(values, 1)}


class ObjectDictionary:
    """The entries of one slave, made when the first of them is asked for, and what was written."""

    def __init__(self, make: Callable[[], Entries]) -> None:
        self._make = make
        self._written: dict[tuple[int, int], bytes] = {}

    def upload(self, index: int, subindex: int) -> bytes:
        """Return what an entry holds; raises SdoAborted."""
        entry = self._entry(index, subindex)
        written = self._written.get((index, subindex))
        return entry.read() if written is None else written

    def download(self, index: int, subindex: int, data: bytes) -> None:
        """Write an entry; raises SdoAborted."""
        entry = self._entry(index, subindex)
        if entry.access is Access.READ_ONLY:
            raise SdoAborted(Abort.OBJECT_IS_READ_ONLY)
        if len(data) != len(entry.read()):
            raise SdoAborted(Abort.LENGTH_DOES_NOT_MATCH)
        if entry.access is Access.PROCESS_DATA:
            raise SdoAborted(Abort.NOT_IN_THIS_DEVICE_STATE)
        self._written[index, subindex] = bytes(data)

    def forget(self) -> None:
        """What was written is lost."""
        self._written.clear()

    @cached_property
    def _entries(self) -> Entries:
        return self._make()

    def _entry(self, index: int, subindex: int) -> Entry:
        try:
            return self._entries[index, subindex]
        except KeyError:
            exists = any(index == each for each, _ in self._entries)
            no = Abort.SUBINDEX_DOES_NOT_EXIST if exists else Abort.OBJECT_DOES_NOT_EXIST
            raise SdoAborted(no) from None
