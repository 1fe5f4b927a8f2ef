"""What is known of commands that were accepted."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Started:
    """A command that was accepted; `arrival` (s of the steady clock) is None without an end."""

    id: UUID
    arrival: float | None


def last_arrival(started: Sequence[Started]) -> float | None:
    """When the last of commands ends that began together; None where one has no end."""
    arrivals = [each.arrival for each in started if each.arrival is not None]
    return max(arrivals) if len(arrivals) == len(started) else None
