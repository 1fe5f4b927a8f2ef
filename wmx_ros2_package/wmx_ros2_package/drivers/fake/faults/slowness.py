"""Calls that are answered late, as those of a real engine sometimes are."""

from ...interface import Ecat, Engine, Io, Motion

ANY = ""
"""Stands for every one of METHODS."""
METHODS = frozenset(
    {name for part in (Engine, Motion, Io, Ecat) for name in vars(part) if name[0] != "_"}
    - {"status", "create_device", "close_device", "set_watchdog", "load_parameters"}
)
"""What can be late: what the engine is called for by that name, but never the status."""


class Slowness:
    """How late which of the next calls are answered."""

    def __init__(self) -> None:
        self._coming: dict[str, tuple[float, int]] = {}
        """Seconds, and how many calls are left, by method."""

    def slow_down(self, seconds: float, count: int, method: str) -> None:
        """Answer the next `count` calls of `method`, or of ANY, `seconds` late."""
        self._coming[method] = seconds, count

    def take(self, method: str) -> float:
        """How late a call of `method` is answered, s; it is one of the next ones."""
        if not self._coming or method not in METHODS:
            return 0.0
        for key in method, ANY:
            if key in self._coming:
                seconds, count = self._coming.pop(key)
                if count > 1:
                    self._coming[key] = seconds, count - 1
                return seconds
        return 0.0
