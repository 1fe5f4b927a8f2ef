"""How the execution of a trajectory can end."""

from dataclasses import dataclass
from enum import Enum, auto


class Ending(Enum):
    """The kinds of ends."""

    SUCCEEDED = auto()
    CANCELED = auto()
    PREEMPTED = auto()
    """Another trajectory has taken the axes over."""
    NOT_STARTED = auto()
    """The axes were not as they have to be at the start, or the engine refused."""
    OFF_PATH = auto()
    """Something kept the axes from following the path."""
    OFF_GOAL = auto()
    """The axes have not settled at the goal in time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How an execution ended, and in words why."""

    ending: Ending
    text: str = ""


class Ended(Exception):
    """An execution is over, as `outcome` says."""

    def __init__(self, ending: Ending, text: str = "") -> None:
        super().__init__(text)
        self.outcome = Outcome(ending=ending, text=text)
