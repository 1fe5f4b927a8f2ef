"""An engine that notes what it is ordered, for orders whose effect is tested elsewhere."""

from dataclasses import replace
from typing import Any

from held_engine import HeldEngine

from wmx_core.values import MotionStatus

ASKED = {"devices", "state", "status", "parameters", "network_state", "course"}
"""What a simulated engine answers; the rest is noted."""


class Recorder:
    """The engine of a `CheckedSdk`; its status is that of a `HeldEngine`, but for `status`."""

    def __init__(self, axes: int = 4) -> None:
        self.held = HeldEngine(axes)
        self.clock = self.held.clock
        self.orders: list[tuple[Any, ...]] = []
        self.answers: dict[str, Any] = {}
        """What orders answer, by their names."""
        self.status: dict[str, Any] = {}

    def try_read(self) -> None:
        """Return nothing: each status is called for."""

    def call(self, part: str, method: str, *args: Any, **kwargs: Any) -> Any:
        if method in ASKED:
            answer = self.held.fake.call(part, method, *args, **kwargs)
            return replace(answer, **self.status) if isinstance(answer, MotionStatus) else answer
        self.orders.append((method, *args, *kwargs.values()))
        return self.answers.get(method)
