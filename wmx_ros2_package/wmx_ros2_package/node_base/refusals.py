"""Why requests are refused, in words for their clients: of services, topics and actions."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from wmx_core.errors import CommandRefused, EngineLost, RefusalCode, WmxError

from ..control.gate import GateClosed
from ..control.request import NO_ID
from ..control.tracker import MotionTracker
from ..validation import BadRequest, NothingAsked
from .threads import Ended


class NotReady(Exception):
    """The node has no engine to ask; the text is the answer to clients."""


class ReportedRefusal(BadRequest):
    """A command that was refused, and published as the end of a motion that never began."""


REPORTED = CommandRefused, ReportedRefusal
"""Errors that were published as the end of a motion where they were raised."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a request was not carried out."""

    message: str
    """The text of the answer to the client."""
    code: int = 0
    """The vendor's number where the engine refused it, a RefusalCode, or 0."""
    expected: bool = False
    """Whether clients do this on purpose, such as to poll until the engine is ready, or to send an
    empty request: the answer is not logged."""
    bug: str = ""
    """The traceback of an error that is not foreseen, for the log."""


def refusal(error: Exception, *, not_ready: str, failed: str = "") -> Refusal:
    """Return the answer for `error`.

    `not_ready` is the answer while there is no engine to ask, `failed` words the request before
    an error of the engine.
    """
    match error:
        case NotReady():
            return Refusal(message=str(error), code=RefusalCode.NOT_READY, expected=True)
        case EngineLost() | GateClosed() | Ended():
            return Refusal(message=not_ready, code=RefusalCode.NOT_READY, expected=True)
        case NothingAsked():
            return Refusal(message=str(error), expected=True)
        case BadRequest():
            return Refusal(message=str(error), code=error.code)
        case WmxError():
            return Refusal(message=f"{failed} {error}".strip(), code=error.code)
        case _:
            bug = "".join(traceback.format_exception(error))
            return Refusal(message=f"Internal error: {error!r}", bug=bug)


class Refusing(Protocol):
    """A node that refuses commands."""

    tracker: MotionTracker

    def refused(self, error: Exception, failed: str = "") -> Refusal:
        """Return the answer to a request that ended in `error`."""


def published(
    node: Refusing,
    error: Exception,
    *,
    unless: type[Exception] | tuple[type[Exception], ...],
    id: UUID = NO_ID,
) -> Refusal:
    """Word a refusal, and publish it as the end of a motion that never began.

    Errors of the types `unless` are published where they are raised.
    """
    refused = node.refused(error)
    if not isinstance(error, unless):
        node.tracker.refuse(refused.message, code=refused.code, id=id)
    return refused
