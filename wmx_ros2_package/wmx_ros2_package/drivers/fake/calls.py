"""What a device may call the engine for: declared at typed methods, and nothing else.

A `Proxy` stands for one part of the engine. Its methods have no bodies of their own: `query` and
`command` make them, and declare what the engine has to know before it carries a call out. So the
type checker sees every call, and the engine refuses what is not declared.

    class MotionProxy(Proxy, part="motion"):
        @query(offline=True)
        def status(self) -> MotionStatus: ...

A query changes nothing: samples that were taken before are true afterwards, too. What is `offline`
is answered while the network does not communicate; the rest is refused with CommNotStarted.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Protocol, TypeVar, cast

Typed = TypeVar("Typed", bound=Callable[..., Any])


class Call(Protocol):
    """Carries out one method of one part of the engine."""

    def __call__(self, part: str, method: str, /, *args: Any, **kwargs: Any) -> Any: ...


@dataclass(frozen=True, slots=True)
class Declared:
    """What the engine has to know of a method before it carries it out."""

    signature: Callable[..., Any]
    """The method as it was written, with its types."""
    reads: bool
    """It changes nothing."""
    offline: bool
    """It is answered without communication."""
    local: bool
    """Only the process of the engine itself may call it."""


METHODS: dict[tuple[str, str], Declared] = {}
"""Everything that can be called, by part and method."""


def declared(part: str, method: str) -> Declared:
    """What is declared of a method; a call of anything else is a mistake in the program."""
    try:
        return METHODS[part, method]
    except KeyError:
        raise AttributeError(f"the simulated engine has no {part}.{method}") from None


class Proxy:
    """One part of the engine, reached by way of a `Call`."""

    _part = ""

    def __init__(self, call: Call) -> None:
        self._call = call

    def __init_subclass__(cls, part: str = "") -> None:
        cls._part = part or cls._part
        for name, method in vars(cls).items():
            if isinstance(about := getattr(method, "declared", None), Declared):
                METHODS[cls._part, name] = about


def query(*, offline: bool = False, local: bool = False) -> Callable[[Typed], Typed]:
    """A method that changes nothing."""
    return _declare(reads=True, offline=offline, local=local)


def command(*, offline: bool = False, local: bool = False) -> Callable[[Typed], Typed]:
    """A method that may change something."""
    return _declare(reads=False, offline=offline, local=local)


def _declare(*, reads: bool, offline: bool, local: bool) -> Callable[[Typed], Typed]:
    def declare(method: Typed) -> Typed:
        name = method.__name__

        @wraps(method)
        def call(self: Proxy, *args: Any, **kwargs: Any) -> Any:
            return self._call(self._part, name, *args, **kwargs)

        call.declared = Declared(method, reads, offline, local)  # type: ignore[attr-defined]
        return cast(Typed, call)

    return declare
