"""The first messages of a connection: its purpose, and what a device needs of its engine.

The client sends a request, [version, name]: the name of the device that it attaches, or None for
one more connection of a device that is attached already. The reply to both is [engine, axes,
rate]; the file of the engine's mapped status comes with it.
"""

import inspect
from dataclasses import fields
from functools import cache
from hashlib import sha256
from typing import Any, NamedTuple, cast

from wmx_core.errors import CommandRefused, ErrorCode

from ..engine.motion.shared_state import layout
from ..engine.proxies import METHODS
from .codec import DATACLASSES, ENUMS, NAMED_TUPLES, RECORDS


class HandshakeRequest(NamedTuple):
    """What a client sends first."""

    version: str
    device: str | None


class HandshakeReply(NamedTuple):
    """What a client needs of its engine."""

    engine: bytes
    """Another one for each engine: one connection of a device may reach the successor of its
    engine, which has to be noticed."""
    axes: int
    rate: float
    """Of its clock; the rest of that is in the shared state, for it can be held."""


@cache
def version() -> str:
    """Return what stands for all that both ends have to agree on: methods, values, memory."""
    methods = sorted((*key, str(inspect.signature(m.signature))) for key, m in METHODS.items())
    records = [kind.__name__ for kind in RECORDS]
    members = [
        *([field.name for field in fields(cast(Any, kind))] for kind in DATACLASSES),
        *(cast(Any, kind)._fields for kind in NAMED_TUPLES),
        *([(member.name, member.value) for member in kind] for kind in ENUMS),
    ]
    agreed = methods, records, members, layout(1).descr
    return sha256(repr(agreed).encode()).hexdigest()[:16]


def other_version() -> CommandRefused:
    """Return the refusal where the two ends belong to different versions."""
    detail = "the engine belongs to another version of this package: end it first"
    return CommandRefused(ErrorCode.StartProcessFailed, detail)
