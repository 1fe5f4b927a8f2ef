"""Objects of the SDK as programs use them: attributes to set, arrays with SetX and GetX.

A class that is on the driver's list of the SDK has the listed attributes and arrays, 0 unless they
are given here.
"""

import dataclasses
import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any, ClassVar

import numpy as np

from .enums import SURFACE
from .not_simulated import on_stderr


class Struct:
    """Scalars are attributes; any may be set, as in the SDK; only what is there can be read."""

    fields: ClassVar[Mapping[str, Any]] = {}
    arrays: ClassVar[Mapping[str, Any]] = {}
    typed: ClassVar[frozenset[str]] = frozenset()
    """The arrays whose elements are known to be of the type of their default."""
    listed: ClassVar[frozenset[str]] = frozenset()
    """Further attributes, 0 unless they are set."""

    def __init__(self, *_args: object) -> None:
        for name, default in self.fields.items():
            object.__setattr__(self, name, default() if callable(default) else default)
        object.__setattr__(self, "elements", {})

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a copy of `value`, as the SDK does: a later change of it changes nothing here."""
        if name in self.fields:
            require_type(name, value, self.fields[name])
        object.__setattr__(self, name, value.copy() if isinstance(value, Struct) else value)

    def __getattr__(self, name: str) -> Any:
        kind, array = name[:3], name[3:]
        if array in self.arrays and kind in ("Get", "Set"):
            return self._get(array) if kind == "Get" else self._set(array)
        if name in self.listed:
            return 0
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def GetData(self, other: "Struct") -> None:
        """Copy all into `other`."""
        other.SetData(self)

    def SetData(self, other: "Struct") -> None:
        """Copy all from `other`."""
        self.__dict__.update(vars(other.copy()))

    def _get(self, array: str) -> Callable[..., Any]:
        def get(*index: int) -> Any:
            default = self.arrays[array]
            made = default() if callable(default) else default
            return self.elements.setdefault((array, *index), made)

        return get

    def _set(self, array: str) -> Callable[..., None]:
        def put(*args: Any) -> None:
            *index, value = args
            for each in index:
                require_type("index", each, 0)
            if array in self.typed:
                require_type(array, value, self.arrays[array])
            self.elements[(array, *index)] = value.copy() if isinstance(value, Struct) else value

        return put

    def element(self, array: str, *index: int) -> Any:
        """Return one element of an array."""
        return self._get(array)(*index)

    def copy(self) -> Any:
        """Return a copy as it is now."""
        return deepcopy(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        made = type(self)()
        for name, value in vars(self).items():
            object.__setattr__(made, name, deepcopy(value, memo))
        return made


def require_type(name: str, value: Any, default: Any) -> None:
    """Refuse what the binding does not take where the SDK has a whole number, or any number."""
    whole, number = type(default) is int, type(default) is float
    if (whole or number) and not isinstance(value, int if whole else int | float):
        kind = "int" if whole else "double"
        raise TypeError(f"{name} takes {kind}, not {value!r} ({type(value).__name__})")


def copied(value: Any) -> Any:
    """Return an argument as it is now, also where it is a list of objects or an array."""
    if isinstance(value, list | tuple):
        return [copied(each) for each in value]
    return value.copy() if isinstance(value, Struct | np.ndarray) else value


class Kept(Struct):
    """Values that are kept and change nothing: any array is there, and 0 until it is set."""

    def __getattr__(self, name: str) -> Any:
        array = name[3:]
        if name.startswith("Get") and array:
            return lambda *index: self.elements.get((array, *index), 0)
        if name.startswith("Set") and array:
            return self._set(array)
        return super().__getattr__(name)


_MISSING = on_stderr()
CLASSES: dict[str, Any] = {}
"""What programs find in the module, by name."""


def struct(name: str, arrays: Mapping[str, Any] | None = None, **fields: Any) -> Any:
    """Make a class that programs find in the module, see `inner`."""
    CLASSES[name] = inner(name, arrays, **fields)
    return CLASSES[name]


def inner(name: str, arrays: Mapping[str, Any] | None = None, **fields: Any) -> Any:
    """Return a class of the SDK; a callable default makes what each object has of its own."""
    described = SURFACE["classes"].get(name, {"methods": {}, "attributes": ()})
    accessors = arrays_of(described)
    elements = {array[0].upper() + array[1:]: 0 for array in accessors.values()}
    others = described["methods"].keys() - accessors.keys() - vars(Struct).keys()
    members: dict[str, Any] = {
        "fields": fields,
        "arrays": elements | dict(arrays or {}),
        "typed": frozenset(arrays or {}),
        "listed": frozenset(described["attributes"]) - {*accessors.values()},
        **{method: staticmethod(_MISSING.function(f"{name}.{method}")) for method in others},
    }
    return type(name, (Struct,), members)


def arrays_of(described: Mapping[str, Any]) -> dict[str, str]:
    """Return the attribute of a listed class that each accessor method gets or sets."""
    found = {}
    for method in described["methods"]:
        array = re.sub("^[GS]et(.)", lambda match: match[1].lower(), method)
        if array in described["attributes"]:
            found[method] = array
    return found


def same_fields(name: str, ours: type) -> dict[str, str]:
    """Return which attributes of a listed class a dataclass has, too: servoOn as servo_on."""
    own = {field.name for field in dataclasses.fields(ours)}
    snake = {
        theirs: re.sub("(?<=[a-z])(?=[A-Z])", "_", theirs).lower()
        for theirs in SURFACE["classes"][name]["attributes"]
    }
    return {theirs: field for theirs, field in snake.items() if field in own}


Axes = {"Axis": 0}
Profile = struct(
    "Profile", type=0, velocity=0.0, acc=0.0, dec=0.0, jerkAcc=0.0, jerkDec=0.0,
    jerkAccRatio=0.0, jerkDecRatio=0.0, accTimeMilliseconds=0.0, decTimeMilliseconds=0.0,
    startingVelocity=0.0, endVelocity=0.0, secondVelocity=0.0, movingAverageTimeMilliseconds=0.0,
)  # fmt: skip
Trigger = struct("Trigger", triggerAxis=0, triggerType=0, triggerValue=0.0)
AxisSelection = struct("AxisSelection", Axes, axisCount=0)
_LINE = {"Axis": 0, "Target": 0.0, "MaxVelocity": 0.0, "MaxAcc": 0.0, "MaxDec": 0.0}
_LINE |= {"MaxJerkAcc": 0.0, "MaxJerkDec": 0.0}
_PLANE = {"Axis": 0, "CenterPos": 0.0, "EndPos": 0.0, "ThroughPos": 0.0}

struct("IOAddress", byte=0, bit=0, size=0)
PosCommand = struct("Motion_PosCommand", axis=0, target=0.0, profile=Profile)
struct("Motion_TriggerPosCommand", axis=0, target=0.0, profile=Profile, trigger=Trigger)
JogCommand = struct("Motion_JogCommand", axis=0, profile=Profile)


class JogCommandWithRunTime(JogCommand):  # type: ignore[misc, valid-type]
    """The Motion_JogCommand of newer releases, which may end by itself."""

    def SetRunTime(self, milliseconds: float) -> None:
        object.__setattr__(self, "runTimeMilliseconds", milliseconds)


struct("Motion_StopCommand", axis=0, dec=0.0)
struct("Velocity_VelCommand", axis=0, profile=Profile)
struct("Motion_TimedJogCommand", axis=0, runTimeMilliseconds=0.0, profile=Profile)
struct("Velocity_TimedVelCommand", axis=0, runTimeMilliseconds=0.0, profile=Profile)
struct("Torque_TrqCommand", axis=0, torque=0.0)
struct("Motion_LinearIntplCommand", _LINE, axisCount=0, profile=Profile)
struct(
    "Motion_CenterAndLengthCircularIntplCommand", _PLANE, arcLengthDegree=0.0, clockwise=0,
    profile=Profile, maxVelocity=0.0,
)  # fmt: skip
struct("Motion_CenterAndEndCircularIntplCommand", _PLANE, clockwise=0, profile=Profile)
struct("Motion_ThroughAndEndCircularIntplCommand", _PLANE, profile=Profile)
struct("Motion_WaitCondition", Axes, waitConditionType=0, axisCount=0, eventID=0)
