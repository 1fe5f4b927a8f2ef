"""Carries out an order for each axis of a request and words the answer clients expect.

The answer has one part per axis, each ended by "; ", and is a success only if every part is:
``Set axis 0 on; Failed to set axis 130 on. Error=1547 (AxisOutOfRange); ``
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from .drivers.errors import WmxError


@dataclass(slots=True)
class Outcome:
    """What became of the order for one axis."""

    axis: int
    done: str
    """The text when it was carried out."""
    failed: str
    """The text when it was not; the error is added."""
    error: WmxError | None = None

    def __str__(self) -> str:
        return f"{self.failed}. {self.error}" if self.error else self.done


def carry_out(
    orders: Iterable[Sequence[Any]],
    act: Callable[..., None],
    *,
    done: Callable[..., str],
    failed: Callable[..., str],
) -> list[Outcome]:
    """Call `act` for each order (axis, value...); `done` and `failed` word it."""
    outcomes = []
    for order in orders:
        outcome = Outcome(order[0], done(*order), failed(*order))
        try:
            act(*order)
        except WmxError as error:
            outcome.error = error
        outcomes.append(outcome)
    return outcomes


def answer(outcomes: Sequence[Outcome]) -> tuple[bool, str]:
    """Success and message of the whole request."""
    succeeded = all(outcome.error is None for outcome in outcomes)
    return succeeded, "".join(f"{outcome}; " for outcome in outcomes)
