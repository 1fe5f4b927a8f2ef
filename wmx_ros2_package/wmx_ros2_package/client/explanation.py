"""Why an axis does not move, as the machine explains it."""

from __future__ import annotations

from dataclasses import dataclass

from ..diagnosis.explanations import EMERGENCY_STOPS, STOP_INPUT, Blocker
from ..drivers.values import EmergencyStop


@dataclass(frozen=True, slots=True)
class Explanation:
    """All that blocks motion of one axis now, in the order in which it is to be cleared."""

    text: str
    """As the machine words it."""

    @property
    def blockers(self) -> list[Blocker]:
        """What blocks, each with the command that clears it; empty where nothing does."""
        lines = [line.strip() for line in self.text.splitlines()[1:]]
        pairs = zip(lines[::2], lines[1::2], strict=False)
        return [Blocker(reason.removeprefix("- "), clear) for reason, clear in pairs]

    @property
    def blocked(self) -> bool:
        """Whether anything blocks motion."""
        return bool(self.blockers)

    @property
    def emergency_stop(self) -> EmergencyStop | None:
        """The level of the emergency stop that is active; None without one."""
        reasons = [blocker.reason for blocker in self.blockers]
        return next((level for level, words in EMERGENCY_STOPS.items() if words in reasons), None)

    @property
    def stop_input(self) -> str:
        """The input that stops the axis now, such as "0.3"; empty where none does."""
        before, after = STOP_INPUT.split("{}")
        found = (b.reason for b in self.blockers if b.reason.startswith(before))
        return next((reason[len(before) : -len(after)] for reason in found), "")

    @property
    def remedy(self) -> str:
        """The commands that clear what blocks, one a line."""
        return "\n".join(blocker.clear for blocker in self.blockers)

    def __str__(self) -> str:
        return self.text
