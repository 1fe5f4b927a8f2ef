"""What the methods of `proxies` are made of: each is declared once, typed, and sent to the engine.

A `Proxy` stands for one part of the engine. `query` and `command` make the bodies of its methods
and declare what the engine needs before it carries a call out; `carries_out` does that for the
methods of a part of the driver interface. The type checker checks every call, and the engine
refuses what is not declared.

    class EngineProxy(Proxy):
        part = "engine"

        @query(offline=True)
        def state(self) -> EngineState: ...

A query changes nothing: samples that were read before stay valid. A method that is `offline` is
answered while the network does not communicate; the others are refused with CommNotStarted.
"""

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import wraps
from typing import Any, ClassVar, Protocol, TypeVar, cast

Typed = TypeVar("Typed", bound=Callable[..., Any])
Part = TypeVar("Part", covariant=True)


class Call(Protocol):
    """Carries out one method of one part of the engine."""

    def __call__(self, part: str, method: str, /, *args: Any, **kwargs: Any) -> Any: ...


@dataclass(frozen=True, slots=True)
class Declared:
    """What the engine needs of a method before it carries it out."""

    signature: Callable[..., Any]
    """The method as it was written, with its types."""
    reads: bool
    """It changes nothing."""
    offline: bool
    """It is answered without communication."""
    local: bool
    """Only the process of the engine itself may call it."""
    reading: bool
    """It reads a file or a script first, which takes a while."""


class Proxy:
    """One part of the engine, reached through a `Call`."""

    part: ClassVar[str]

    def __init__(self, call: Call, **instead: Callable[..., Any]) -> None:
        """`instead` are called in the place of methods."""
        self._call = call
        vars(self).update(instead)


class ProxyOf(Protocol[Part]):
    """A class of proxies that carry out a protocol."""

    def __call__(self, call: Call, **instead: Callable[..., Any]) -> Part: ...


def query(*, offline: bool = False, local: bool = False) -> Callable[[Typed], Typed]:
    """Declare a method that changes nothing."""
    return _declare(reads=True, offline=offline, local=local, reading=False)


def command(
    *, offline: bool = False, local: bool = False, reading: bool = False
) -> Callable[[Typed], Typed]:
    """Declare a method that may change something."""
    return _declare(reads=False, offline=offline, local=local, reading=reading)


def carries_out(
    protocol: type[Part],
    part: str,
    *,
    queries: AbstractSet[str] = frozenset(),
    offline: AbstractSet[str] = frozenset(),
    reading: AbstractSet[str] = frozenset(),
) -> ProxyOf[Part]:
    """Return a class of proxies for `part` that has the methods of `protocol`."""
    methods = {name: method for name, method in vars(protocol).items() if name[0] != "_"}
    if unknown := (queries | offline | reading) - methods.keys():
        raise TypeError(f"{protocol.__name__} has no {sorted(unknown)}")
    made = {
        name: _declare(
            reads=name in queries, offline=name in offline, local=False, reading=name in reading
        )(method)
        for name, method in methods.items()
    }
    proxy = type(f"{protocol.__name__}Proxy", (Proxy,), {"part": part, **made})
    return cast(ProxyOf[Part], proxy)


def declarations(*proxies: Any) -> dict[tuple[str, str], Declared]:
    """Return all that classes of proxies declare, by part and method."""
    return {
        (proxy.part, name): method.declared
        for proxy in proxies
        for name, method in vars(proxy).items()
        if hasattr(method, "declared")
    }


def _declare(**about: bool) -> Callable[[Typed], Typed]:
    def declare(method: Typed) -> Typed:
        name = method.__name__

        @wraps(method)
        def call(self: Proxy, *args: Any, **kwargs: Any) -> Any:
            return self._call(self.part, name, *args, **kwargs)

        call.declared = Declared(method, **about)  # type: ignore[attr-defined]
        return cast(Typed, call)

    return declare
