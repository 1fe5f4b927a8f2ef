"""Inputs and outputs of a machine: bits and bytes of its two I/O images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, overload

from wmx_ros2_message.srv import GetIoBit, GetIoBits, GetIoBytes, SetIoBit, SetIoBits, SetIoBytes

from .checked import time_out
from .errors import NotAnswered
from .session import Session

POLL_PERIOD = 0.01
"""How often a bit that is waited for is read, s."""


class Inputs:
    """The input image: `inputs[0, 3]` is bit 3 of byte 0, `inputs[0:4]` are four bytes.

    Raises Refused for what is not in the image (bytes 0 to 7999, bits 0 to 7).
    """

    _kind = "input"

    def __init__(self, session: Session) -> None:
        self._session = session

    @overload
    def __getitem__(self, place: tuple[int, int]) -> bool: ...
    @overload
    def __getitem__(self, place: slice) -> bytes: ...
    def __getitem__(self, place: tuple[int, int] | slice) -> bool | bytes:
        """A bit, by (byte, bit), or bytes, by a slice with both ends and no step."""
        if isinstance(place, slice):
            start, length = _block(place)
            answer = self._session.call(
                GetIoBytes, f"wmx/io/get_{self._kind}_bytes", byte=start, length=length
            )
            return bytes(answer.data)
        byte, bit = _bit(place)
        answer = self._session.call(GetIoBit, f"wmx/io/get_{self._kind}_bit", byte=byte, bit=bit)
        return bool(answer.value)

    def wait(self, byte: int, bit: int, value: bool = True, *, timeout: float = 10.0) -> None:
        """Wait until the bit has `value`; NotAnswered where it has not within `timeout` (s)."""
        deadline = self._session.link.clock.now() + time_out(timeout)
        wanted = level(value)
        while self[byte, bit] is not wanted:
            if self._session.link.clock.now() > deadline:
                raise NotAnswered(
                    f"{self._kind} {byte}.{bit} is not {int(wanted)} within {timeout:g} s"
                )
            self._session.link.clock.sleep(POLL_PERIOD)


class Outputs(Inputs):
    """The output image: it is read as `Inputs`, and `outputs[0, 3] = True` sets a bit."""

    _kind = "output"

    @overload
    def __setitem__(self, place: tuple[int, int], value: bool) -> None: ...
    @overload
    def __setitem__(self, place: slice, value: bytes) -> None: ...
    def __setitem__(self, place: tuple[int, int] | slice, value: bool | bytes) -> None:
        """Set a bit, by (byte, bit), or bytes, by a slice: `outputs[2:4] = bytes([15, 14])`."""
        if isinstance(place, slice):
            start, length = _block(place)
            data = _bytes(value)
            if len(data) != length:
                raise ValueError(f"{length} bytes are to be set: must be as many as are given")
            self._session.call(SetIoBytes, "wmx/io/set_output_bytes", byte=start, data=list(data))
            return
        byte, bit = _bit(place)
        self._session.call(
            SetIoBit, "wmx/io/set_output_bit", byte=byte, bit=bit, value=int(level(value))
        )

    def set(self, values: Mapping[tuple[int, int], bool]) -> None:
        """Set several bits, by (byte, bit), in one call; their neighbours stay as they are."""
        self._session.call(
            SetIoBits,
            "wmx/io/set_bits",
            byte=[byte for byte, _ in values],
            bit=[bit for _, bit in values],
            value=[int(level(value)) for value in values.values()],
        )


class Io:
    """The I/O of a machine; each access is one request, which takes about a millisecond."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.inputs = Inputs(session)
        self.outputs = Outputs(session)

    def read(self, bits: Sequence[tuple[int, int]]) -> list[bool]:
        """Several inputs, by (byte, bit), read in one cycle."""
        answer = self._session.call(
            GetIoBits,
            "wmx/io/get_bits",
            byte=[byte for byte, _ in bits],
            bit=[bit for _, bit in bits],
        )
        return [bool(value) for value in answer.value]


def level(value: Any) -> bool:
    """The level of a bit; ValueError for what is neither True nor False, 1 nor 0."""
    if isinstance(value, str) or value not in (0, 1):
        raise ValueError(f"value is {value!r}: must be True or False")
    return bool(value)


def _bit(place: Any) -> tuple[int, int]:
    if not isinstance(place, tuple) or len(place) != 2:
        raise ValueError(f"{place!r} names no bit: must be byte and bit, such as [0, 3]")
    byte, bit = place
    return byte, bit


def _bytes(value: Any) -> bytes:
    """The bytes of a list of numbers, too; `bytes` of one number is as many zeros."""
    try:
        return bytes([*value])
    except (TypeError, ValueError):
        words = f"value is {value!r}: must be bytes, such as bytes([15, 14])"
        raise ValueError(words) from None


def _block(place: slice) -> tuple[int, int]:
    if place.step is not None or place.start is None or place.stop is None:
        raise ValueError("bytes are named by both ends and no step, such as [0:4]")
    return place.start, place.stop - place.start
