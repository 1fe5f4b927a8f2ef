"""Axes as bytes, and copies made of them, in another process, too.

What an axis is about to do is held by many small objects that refer to each other, so they are
pickled. Only what axes are made of is unpickled: classes of the engine and of the driver interface.
"""

import io
import pickle
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from enum import Enum
from functools import partial
from importlib import import_module
from types import MethodType
from typing import Any

import numpy as np

from ..clock import Instant
from ..machine.description import AxisModel
from .axis import Axis
from .shared_state import SharedState, layout

_PACKAGES = "wmx_sim.engine.", "wmx_ros2_package.drivers."
_STATE = "state"


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What axes need around them, at one communication cycle."""

    models: tuple[AxisModel, ...]
    """Of all axes of the engine."""
    now: Instant
    rate: float
    """Steady seconds in a second of engine time."""
    vendor_rules: bool
    state: bytes
    """The shared state of all axes."""


def dump(around: Around, axes: Mapping[int, Axis], state: SharedState) -> bytes:
    """Return `axes`, which write to `state`, as bytes."""
    stream = io.BytesIO()
    pickler = _Pickler(stream, state)
    pickler.dump(tuple(getattr(around, field.name) for field in fields(Around)))
    pickler.dump(dict(axes))
    return stream.getvalue()


class Loading:
    """What `dump` has written; pickle.UnpicklingError for what no axes are made of."""

    def __init__(self, data: bytes) -> None:
        self._unpickler = _Unpickler(io.BytesIO(data))
        names = [field.name for field in fields(Around)]
        self.around = Around(**dict(zip(names, self._unpickler.load(), strict=True)))

    def axes(self, state: SharedState) -> dict[int, Axis]:
        """Return the axes, which write to `state`, with their columns in it."""
        self._unpickler.state = state
        axes: dict[int, Axis] = self._unpickler.load()
        _restore(state, self.around.state, list(axes))
        return axes


def _restore(state: SharedState, written: bytes, axes: Sequence[int]) -> None:
    """Let the columns of `axes` in `state`, and what is no column, be as in `written`."""
    then = np.frombuffer(written, layout(len(state.start)))[0]
    for name in ("engine_state", "emergency_stop"):
        getattr(state, name)[...] = then[name]
    for name in layout(1).names or ():
        if (column := getattr(state, name)).ndim:
            column[..., list(axes)] = then[name][..., list(axes)]


class _Pickler(pickle.Pickler):
    def __init__(self, stream: io.BytesIO, state: SharedState) -> None:
        super().__init__(stream, protocol=5)
        self._state = state

    def persistent_id(self, value: Any) -> str | None:
        return _STATE if value is self._state else None

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, MethodType):
            return _method, (value.__self__, value.__func__.__name__)
        if isinstance(value, Enum):
            return type(value), (value.value,)
        return NotImplemented


class _Unpickler(pickle.Unpickler):
    state: SharedState | None = None
    """What the axes write to."""

    def persistent_load(self, name: Any) -> SharedState:
        if name != _STATE or self.state is None:
            raise pickle.UnpicklingError(f"{name!r} is no part of axes")
        return self.state

    def find_class(self, module: str, name: str) -> Any:
        if known := _KNOWN.get((module, name)):
            return known
        if module.startswith(_PACKAGES):
            found = getattr(import_module(module), name, None)
            if isinstance(found, type) and found.__module__ == module:
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is no part of axes")


def _method(owner: object, name: str) -> Any:
    """Return the method `name` of a part of an axis."""
    method = getattr(owner, name)
    if not isinstance(method, MethodType) or not type(owner).__module__.startswith(_PACKAGES):
        raise pickle.UnpicklingError(f"{name!r} is no method of a part of axes")
    return method


_KNOWN: dict[tuple[str, str], Any] = {
    (kind.__module__, kind.__qualname__): kind for kind in (partial, deque, _method)
}
