"""The newest of what is recorded, in bounded memory."""

import threading
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from wmx_core.interface import StatusSpan
from wmx_core.values import MotionStatus

OVERHEAD = 200
"""What an item takes beside its data, bytes."""
STATUS_BYTES = 100
"""What a status takes for each axis, bytes."""


@dataclass(frozen=True, slots=True)
class Item:
    """One message that was recorded, or the statuses of some cycles."""

    time: float
    """When it was recorded, s of the steady clock."""
    topic: str
    data: bytes | MotionStatus | StatusSpan
    """A serialized message, or what becomes messages when it is written."""


class Ring:
    """Items of the last `seconds`, at most `most_bytes` and `most_items`; any thread may call."""

    def __init__(self, seconds: float, most_bytes: int, most_items: int = 1_000_000) -> None:
        self.seconds = seconds
        self._most_bytes = most_bytes
        self._most_items = most_items
        self._items: deque[tuple[Item, int]] = deque()
        self.bytes = 0
        """What they take, about."""
        self._number = 0
        """How many items were added."""
        self._body: object = None
        """The body of the newest span."""
        self._lock = threading.Lock()

    def add(self, item: Item) -> None:
        """Keep `item`, and drop what is too old or too much."""
        with self._lock:
            size = OVERHEAD + self._size(item)
            self._items.append((item, size))
            self._number += 1
            self.bytes += size
            oldest = item.time - self.seconds
            while len(self._items) > 1 and (
                self._items[0][0].time < oldest
                or self.bytes > self._most_bytes
                or len(self._items) > self._most_items
            ):
                self.bytes -= self._items.popleft()[1]

    def since(self, number: int) -> tuple[int, int, list[Item]]:
        """What was added after item `number`: the newest number, how many are lost, the others."""
        with self._lock:
            count = min(self._number - number, len(self._items))
            lost = self._number - number - count
            first = len(self._items) - count
            return self._number, lost, [self._items[i][0] for i in range(first, first + count)]

    def __iter__(self) -> Iterator[Item]:
        """The items that are there now, the oldest first."""
        with self._lock:
            return iter([item for item, _ in self._items])

    def _size(self, item: Item) -> int:
        data = item.data
        if isinstance(data, bytes):
            return len(data)
        if isinstance(data, MotionStatus):
            return STATUS_BYTES * data.axes
        shared = data.body is self._body  # spans of one state share its bytes
        self._body = data.body
        return 0 if shared else len(data.body)
