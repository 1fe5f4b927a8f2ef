"""Reports each call that commands the engine: `ReportedMotion` wraps that part of the driver."""

import inspect
from collections.abc import Callable, Mapping
from collections.abc import Sequence as AbcSequence
from contextlib import suppress
from dataclasses import asdict, dataclass, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, cast, get_args, get_origin, get_type_hints

import numpy as np

from wmx_core.clock import STEADY, Clock
from wmx_core.errors import WmxError
from wmx_core.interface import Motion
from wmx_core.values import MotionStatus

READS = "status", "parameters"
"""The methods of `Motion` that command nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """One call of a method of `Motion`."""

    method: str
    arguments: Mapping[str, object]
    called_at: float
    """s of the steady clock."""
    answered_at: float
    error: WmxError | None
    """Why it was refused."""


class ReportedMotion:
    """A `Motion` whose calls are reported; any thread may call."""

    def __init__(
        self,
        motion: Motion,
        report: Callable[[Report], object],
        wanted: Callable[[], object],
        clock: Clock = STEADY,
    ) -> None:
        """`report` is called after the engine has answered, while it is `wanted`.

        An error of either of them changes nothing of the call: no stop fails because of a recorder.
        """
        self._motion = motion
        self._report = report
        self._wanted = wanted
        self._clock = clock
        self.status: Callable[[], MotionStatus] = motion.status
        self.parameters = motion.parameters

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._motion, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            if not self._is_wanted():
                return method(*args, **kwargs)
            error, called_at = None, self._clock.now()
            try:
                return method(*args, **kwargs)
            except WmxError as refused:
                error = refused
                raise
            finally:
                answered_at = self._clock.now()
                with suppress(Exception):
                    self._report(
                        Report(
                            method=name,
                            arguments=_signature(name).bind(*args, **kwargs).arguments,
                            called_at=called_at,
                            answered_at=answered_at,
                            error=error,
                        )
                    )

        return call

    def _is_wanted(self) -> bool:
        with suppress(Exception):  # such as that of a publisher that was destroyed
            return bool(self._wanted())
        return False


def plain(value: Any) -> Any:
    """`value` as what JSON has: a dataclass as its fields, an enum as its number."""
    if is_dataclass(value) and not isinstance(value, type):
        return plain(asdict(value))
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, (list, tuple, set, frozenset, range)):
        return [plain(each) for each in value]
    return value


def arguments_of(method: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a method of `Motion` from what `plain` made of them.

    ValueError for a method that is not there, or arguments that are not its own.
    """
    if method.startswith("_") or method in READS or not hasattr(Motion, method):
        raise ValueError(f"{method!r} is no method that commands axes")
    hints = get_type_hints(getattr(Motion, method))
    try:
        bound = _signature(method).bind(**given).arguments
        return {name: _value_of(hints[name], value) for name, value in bound.items()}
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise ValueError(f"{method} cannot have been given {given!r:.200}: {error}") from None


def _value_of(kind: Any, value: Any) -> Any:
    """The value of type `kind` that `plain` made `value` of."""
    origin = get_origin(kind)
    if origin in (tuple, AbcSequence):
        return tuple(_value_of(get_args(kind)[0], each) for each in value)
    if origin is np.ndarray:
        return np.array(value, dtype=np.float64)
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        return cast(Any, kind)(
            **{name: _value_of(hints[name], each) for name, each in value.items()}
        )
    if kind is bool and not isinstance(value, bool):
        raise ValueError(f"{value!r} must be true or false")
    return kind(value)


@cache
def _signature(name: str) -> inspect.Signature:
    signature = inspect.signature(getattr(Motion, name))
    return signature.replace(parameters=list(signature.parameters.values())[1:])
