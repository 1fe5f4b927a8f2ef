"""A homing: its service answers for all axes, each of which is a motion with an end of its own."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from typing import Any

from ..control.request import EndReason
from .errors import refusal
from .events import Result, result_of
from .motions import Expected

EVENTS_TIMEOUT = 2.0
"""How long the events of axes that have been homed may take after the answer, s."""


class Homing:
    """A homing of `axes` that was asked for; its callbacks run in the thread of the link."""

    def __init__(self, axes: Sequence[int], expected: Expected, answer: Future[Any]) -> None:
        self.ended: Future[Result] = Future()
        """Done once it is answered, and all that has begun has ended."""
        self.ended.set_running_or_notify_cancel()
        self.accepted: Future[None] = Future()
        """Done once one of its axes has begun, or it is answered; Refused where none has begun."""
        self._axes = tuple(axes)
        self._expected = expected
        self._answer = answer
        self._late = False
        """Whether begins that have not come will not."""
        expected.on_end = self.see
        expected.first.add_done_callback(lambda _: self._accept())
        answer.add_done_callback(lambda _: self.see())

    @property
    def axes(self) -> list[int]:
        """Those that it may still move: of the others something else may.

        What has not begun when it is answered was refused.
        """
        begun = {axis for motion in self._expected.begun for axis in motion.axes}
        ended = {axis for end in self._expected.ends for axis in end.axes}
        moved = (begun if self._answer.done() else {*self._axes}) - ended
        return [axis for axis in self._axes if axis in moved]

    def see(self, *, late: bool = False) -> None:
        """See whether it has ended; `late`: begins that have not come until now will not."""
        self._late |= late
        ends = self._expected.ends
        if len(ends) < len(self._expected.begun):
            return
        if not self._answer.done():
            if any(end.reason is EndReason.OWNER_LOST for end in ends):  # and answers no more
                self._end(result_of(ends))
            return
        said = self._answer.result()
        words = refusal(said.message)
        if said.success:
            self._accept()
        elif not self._expected.begun:
            with suppress(InvalidStateError):  # it was accepted already
                self.accepted.set_exception(words)
        if said.success and len(ends) < len(self._axes) and not self._late:
            return
        failures = (end.reason for end in ends if end.reason is not EndReason.ARRIVED)
        reason = EndReason.ARRIVED if said.success else next(failures, EndReason.REFUSED)
        self._end(Result(reason=reason, message=words.text, code=words.code, ends=ends))

    def _accept(self) -> None:
        with suppress(InvalidStateError):  # it was accepted, or refused, already
            self.accepted.set_result(None)

    def _end(self, result: Result) -> None:
        with suppress(InvalidStateError):  # it has ended already
            self.ended.set_result(result)
