"""The first words on a line to an engine: what it is for, and what a device needs to know.

A `Hello` comes from whoever connects; the answer to that of a device is a `Welcome`, and with it
comes the file of the engine's shared state; the answer to that of a channel is None. The token is
the engine's own: a channel that brings another one has come to the wrong engine.
"""

from dataclasses import dataclass
from typing import cast

from ...errors import CommandRefused, EngineLost, ErrorCode
from .encoding import unpack, version
from .value_types import Malformed, reader

DEVICE, CHANNEL = "device", "channel"
"""What a new line is for: attaching a device, or one more thread of an attached one."""
LONGEST_NAME = 256
"""Characters."""


@dataclass(frozen=True, slots=True)
class Hello:
    """Who comes to the engine, and from which version of this package."""

    version: str
    purpose: str
    name: str = ""
    token: bytes = b""


@dataclass(frozen=True, slots=True)
class Welcome:
    """What a device has to know of its engine."""

    token: bytes
    axes: int
    start_ns: int
    """When its clock was started, on `time.monotonic_ns`."""
    rate: float


def read_hello(message: bytes, token: bytes) -> Hello:
    """A hello to the engine of `token`; Malformed, or a WmxError that says what is wrong."""
    hello = cast(Hello, reader(Hello)(unpack(message)))
    if hello.version != version():
        detail = "the engine belongs to another version of this package: end it first"
        raise CommandRefused(ErrorCode.StartProcessFailed, detail)
    if hello.purpose not in (DEVICE, CHANNEL) or len(hello.name) > LONGEST_NAME:
        raise Malformed(f"a hello for {hello.purpose!r:.20}")
    if hello.purpose == CHANNEL and hello.token != token:
        raise EngineLost(ErrorCode.IMLibIsNotRunning, "another engine has taken its place")
    return hello
