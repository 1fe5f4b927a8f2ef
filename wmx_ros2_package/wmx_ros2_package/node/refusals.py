"""What clients and the log are told of a request that failed: one wording for all.

Services, topics and actions word an error here, whatever raised it.
"""

import traceback
from dataclasses import dataclass

from ..drivers.errors import EngineLost, WmxError
from ..validation import BadRequest


class NotReady(Exception):
    """The node has no engine to ask; the text is the answer to clients."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a request was not carried out."""

    message: str
    """For the client."""
    expected: bool = False
    """Clients ask again and again until the engine is ready: no word of it in the log."""
    bug: str = ""
    """The traceback of an error that nobody foresaw, for the log."""


def refusal(error: Exception, *, not_ready: str, failed: str = "") -> Refusal:
    """What to say of `error`.

    `not_ready` is the answer while there is no engine to ask, `failed` words the request before
    an error of the engine.
    """
    match error:
        case NotReady():
            return Refusal(message=str(error), expected=True)
        case EngineLost():
            return Refusal(message=not_ready, expected=True)
        case BadRequest():
            return Refusal(message=str(error))
        case WmxError():
            return Refusal(message=f"{failed} {error}".strip())
        case _:
            bug = "".join(traceback.format_exception(error))
            return Refusal(message=f"Internal error: {error!r}", bug=bug)
