"""Why an axis does not move, as the machine explains it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from wmx_core.values import EmergencyStop

from ..diagnosis.blockers import Blocker, BlockerCode
from ..diagnosis.explanations import EMERGENCY_STOPS
from ..messages.blockers import blocker_of

_LEVELS = {code: level for level, (code, _) in EMERGENCY_STOPS.items()}


@dataclass(frozen=True, slots=True)
class Explanation:
    """All that blocks motion of one axis now, in the order in which it is to be cleared."""

    text: str
    """As the machine words it."""
    blockers: tuple[Blocker, ...] = ()
    """What blocks, each with its code and what clears it; empty where nothing does."""

    @property
    def blocked(self) -> bool:
        """Whether anything blocks motion."""
        return bool(self.blockers)

    @property
    def codes(self) -> list[BlockerCode | str]:
        """The codes of what blocks."""
        return [blocker.code for blocker in self.blockers]

    @property
    def emergency_stop(self) -> EmergencyStop | None:
        """The level of the emergency stop that is active; None without one."""
        return next((_LEVELS[code] for code in self.codes if code in _LEVELS), None)  # type: ignore[index]

    @property
    def remedy(self) -> str:
        """The commands that clear what blocks, one a line."""
        return "\n".join(blocker.remedy for blocker in self.blockers)

    def __str__(self) -> str:
        return self.text


def explanations_of(answer: Any, axes: tuple[int, ...]) -> list[Explanation]:
    """The explanations of an answer about `axes`, none for all."""
    found = [blocker_of(message) for message in answer.blockers]
    return [
        Explanation(text, tuple(each for each in found if each.concerns(axis)))
        for axis, text in zip(axes or range(len(answer.explanations)), answer.explanations)  # noqa: B905
    ]
