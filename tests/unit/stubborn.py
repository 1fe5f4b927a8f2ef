"""The motion of a held engine that refuses some of what it is asked for."""

from functools import partial
from math import inf
from typing import Any

from held_engine import HeldEngine

from wmx_core.errors import CommandRefused, EngineLost, ErrorCode


class Stubborn:
    """The motion of `held`: the next `refusals` calls of `names` are refused, later ones noted."""

    def __init__(
        self,
        held: HeldEngine,
        *names: str,
        refusals: float = inf,
        code: ErrorCode = ErrorCode.StartingPreviousCommand,
        error: type[CommandRefused] | type[EngineLost] = CommandRefused,
    ) -> None:
        self._motion = held.motion
        self._names = names
        self._code = code
        self._error = error
        self.refusals = refusals
        self.taken: list[tuple[Any, ...]] = []
        """The name of each call, and what it was given."""

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._motion, name)
        return partial(self._ask, method) if name in self._names else method

    def _ask(self, method: Any, *given: Any, **options: Any) -> Any:
        if self.refusals > 0:
            self.refusals -= 1
            raise self._error(self._code)
        self.taken.append((method.__name__, *given))
        return method(*given, **options)


class Unanswered(Stubborn):
    """Carries out what it refuses: an engine whose answer does not come in time."""

    def _ask(self, method: Any, *given: Any, **options: Any) -> Any:
        answer = method(*given, **options)
        if self.refusals > 0:
            self.refusals -= 1
            raise self._error(self._code)
        return answer
