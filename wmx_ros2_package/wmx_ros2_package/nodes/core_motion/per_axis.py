"""Carries out what is asked of each axis of a request and words the answer clients expect.

The answer has one part per axis, each ended by "; ", and is a success only if every part is:
``Set axis 0 on; Failed to set axis 130 on. Error=1547 (AxisOutOfRange); ``
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from wmx_core.errors import CommandRefused, ErrorCode, WmxError
from wmx_core.values import MotionStatus


@dataclass(slots=True)
class Outcome:
    """The outcome of a request for one axis."""

    axis: int
    done: str
    """The text when it was carried out."""
    failed: str
    """The text when it was not; the error is added."""
    error: WmxError | None = None

    def __str__(self) -> str:
        return f"{self.failed}. {self.error}" if self.error else self.done


def carry_out(
    rows: Iterable[Sequence[Any]],
    act: Callable[..., None],
    *,
    done: Callable[..., str],
    failed: Callable[..., str],
) -> list[Outcome]:
    """Call `act` with each row (axis, value...); `done` and `failed` word it."""
    outcomes = []
    for row in rows:
        outcome = Outcome(row[0], done(*row), failed(*row))
        try:
            act(*row)
        except WmxError as error:
            outcome.error = error
        outcomes.append(outcome)
    return outcomes


async def wait_for(
    outcomes: Sequence[Outcome],
    arrived: Callable[[MotionStatus, int], bool],
    read: Callable[[], MotionStatus],
    until: Callable[[Callable[[], bool], float], Awaitable[bool]],
    timeout: float,
) -> list[int]:
    """Wait until `arrived(status, axis)` for the axis of each outcome that has not failed.

    `read` gives the status, `until` waits for a condition. A CommandRefused of `arrived` is the
    error of its axis; the axes returned were still under way after `timeout` seconds. A status that
    is refused shows nothing, so the wait goes on.
    """
    pending = [outcome for outcome in outcomes if outcome.error is None]

    def all_arrived() -> bool:
        try:
            status = read()
        except CommandRefused:
            return False
        for outcome in list(pending):
            try:
                if arrived(status, outcome.axis):
                    pending.remove(outcome)
            except CommandRefused as error:
                outcome.error = error
                pending.remove(outcome)
        return not pending

    if pending and not await until(all_arrived, timeout):
        for outcome in pending:
            outcome.error = CommandRefused(ErrorCode.WaitTimeout)
    return [outcome.axis for outcome in pending]


def answer(outcomes: Sequence[Outcome]) -> tuple[bool, str]:
    """Success and message of the whole request."""
    succeeded = all(outcome.error is None for outcome in outcomes)
    return succeeded, "".join(f"{outcome}; " for outcome in outcomes)
