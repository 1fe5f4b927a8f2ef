"""Delays answers of the engine, as a real engine sometimes is late."""

from ..proxies import INTERFACE

ANY = ""
"""Stands for every one of CAN_BE_LATE."""
CAN_BE_LATE = frozenset(
    {method for _, method in INTERFACE} - {"status", "devices", "load_parameters"}
)
"""What can be late: the methods of the driver interface, but never the status."""


class CallDelay:
    """How late the answers to the next calls are."""

    def __init__(self) -> None:
        self._coming: dict[str, tuple[float, int]] = {}
        """Seconds, and how many calls are left, by method."""

    def delay(self, seconds: float, count: int, method: str) -> None:
        """Answer the next `count` calls of `method`, or of ANY, `seconds` late."""
        self._coming[method] = seconds, count

    def take(self, method: str) -> float:
        """Return how late this call of `method` is answered, s, and count it."""
        if not self._coming or method not in CAN_BE_LATE:
            return 0.0
        for key in method, ANY:
            if key in self._coming:
                seconds, count = self._coming.pop(key)
                if count > 1:
                    self._coming[key] = seconds, count - 1
                return seconds
        return 0.0
