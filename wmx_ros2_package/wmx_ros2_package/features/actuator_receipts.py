"""The order in which commands to axes were received, for what begins later than it came."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from ..node.context import NodeContext
from ..validation import BadRequest


@dataclass(frozen=True, slots=True)
class Receipt:
    """When a command was received."""

    number: int
    """Later ones have greater numbers."""
    axes: tuple[int, ...]
    marks: tuple[bytes, ...]
    """Of the stops of the axes, as they were then."""


class Receipts:
    """Those of `node`; any thread may call."""

    def __init__(self, node: NodeContext[Any]) -> None:
        self._node = node
        self._numbers = count(1)
        self._newest: dict[int, int] = {}
        """The number of what has begun last, by axis."""

    def receive(self, axes: Sequence[int]) -> Receipt:
        """A command to `axes` has come just now."""
        return Receipt(next(self._numbers), tuple(axes), self._node.stop_marks(axes))

    def begin(self, axes: Iterable[int], receipt: Receipt | None) -> None:
        """What is to begin on `axes` now came as `receipt` says, or just now."""
        number = next(self._numbers) if receipt is None else receipt.number
        self._newest.update(dict.fromkeys(axes, number))

    def require_newest(self, receipt: Receipt) -> None:
        """BadRequest for what something later, or a stop, has overtaken."""
        later = any(self._newest.get(axis, 0) > receipt.number for axis in receipt.axes)
        if later or self.stopped(receipt):
            raise BadRequest(["a later command or a stop came before the trajectory was planned"])

    def stopped(self, receipt: Receipt) -> bool:
        """Whether any process has stopped one of the axes since."""
        return self._node.stop_marks(receipt.axes) != receipt.marks
