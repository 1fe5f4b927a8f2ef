"""A module with the names of the vendor's: exactly those that `python_api.json` lists.

Classes, methods, how many arguments they take, attributes and enums are the listed ones, and
anything else raises, be it read, set or called. Numbers that the list leaves open (null) are the
module's own, and differ from everybody's on purpose.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from types import MappingProxyType, SimpleNamespace
from typing import Any

from wmx_ros2_package.drivers.wmx3.surface import listed

SURFACE: dict[str, Any] = listed()

OWN_NUMBERS = 700_000
"""Where the numbers begin that the list leaves open; they count down, against every order."""

PLAIN = bool, int, float, str, list, tuple
"""What SWIG takes for a C value, besides its own objects; numpy's integers it does not."""
WHOLE = {"addr", "axis", "axisCount", "bit", "channel", "dimensionCount", "index", "numPoints"}
WHOLE |= {"numCommands", "size", "slaveId", "subindex", "waitTime", "sdoBuffSize", "sdoDataSize"}
"""Parameters and attributes that are whole numbers."""

NOTHING: Mapping[str, str] = MappingProxyType({})

Do = Callable[..., Any]
"""Carries out `Class.Method` for an object: its name, the object, and the arguments."""


class SdkObject:
    """An object of the SDK: scalars are attributes, arrays are reached by GetX and SetX."""

    __slots__ = ("arrays", "owner")
    attributes: frozenset[str] = frozenset()
    defaults: Mapping[str, Callable[[], Any]] = {}

    def __getattr__(self, name: str) -> Any:
        """What was never set."""
        if name not in self.attributes:
            raise AttributeError(f"{type(self).__name__} has no attribute {name}")
        value = self.defaults.get(name, int)()
        object.__setattr__(self, name, value)
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self.attributes:
            raise AttributeError(f"{type(self).__name__} has no attribute {name}")
        require_plain(name, value)
        object.__setattr__(self, name, value)

    def hide(self, **values: Any) -> None:
        """Keep what the SDK's object keeps to itself."""
        for name, value in values.items():
            object.__setattr__(self, name, value)


def require_plain(name: str, value: Any) -> None:
    """Refuse what SWIG would not take."""
    whole = name in WHOLE and type(value) is not int
    if whole or not (type(value) in PLAIN or isinstance(value, SdkObject)):
        raise TypeError(f"{name} = {value!r} ({type(value).__name__})")
    for element in value if type(value) is list else ():
        require_plain("element", element)


def build(surface: Mapping[str, Any], do: Do) -> Any:
    """The module; `do` carries out every method that does not just get or set an array."""
    numbers = iter(range(OWN_NUMBERS, 0, -1))
    sdk = SimpleNamespace()
    for name, described in surface["classes"].items():
        setattr(sdk, name, _class(name, described, do))
    for name, members in {**surface["enums"], **surface["errors"]}.items():
        values = {k: next(numbers) if v is None else v for k, v in members.items()}
        # The error classes of the modules inherit the general codes.
        bases = (sdk.ErrorCode,) if name in surface["errors"] and name != "ErrorCode" else ()
        setattr(sdk, name, type(name, bases, values))
    for name in surface["classes"]:
        getattr(sdk, name).defaults = {
            "profile": sdk.Profile,
            "statisticsInfo": sdk.EcMasterStatisticsInfo,
            "type": lambda: -1,  # of a profile that nobody chose
        }
    return sdk


def changed(
    *, without: Sequence[str] = (), added: Mapping[str, str] = NOTHING, renumbered: bool = False
) -> dict[str, Any]:
    """The surface of another build: without a class or a `Class.Method`, or with more of them.

    With `renumbered` no enum has the numbers that are listed.
    """
    surface = deepcopy(SURFACE)
    if renumbered:
        surface["enums"] = {name: dict.fromkeys(e) for name, e in surface["enums"].items()}
    for name in without:
        kind, _, method = name.partition(".")
        if method:
            del surface["classes"][kind]["methods"][method]
        else:
            del surface["classes"][kind]
    for name, signature in added.items():
        kind, _, method = name.partition(".")
        surface["classes"][kind]["methods"][method] = signature
    return surface


def arrays_of(described: Mapping[str, Any]) -> dict[str, str]:
    """Of a described class: the array that a method gets or sets."""
    found = {}
    for method in described["methods"]:
        array = re.sub("^[GS]et(.)", lambda match: match[1].lower(), method)
        if array in described["attributes"]:
            found[method] = array
    return found


def _class(name: str, described: Mapping[str, Any], do: Do) -> type:
    arrays = arrays_of(described)
    scalars = [a for a in described["attributes"] if a not in arrays.values()]
    members: dict[str, Any] = {"__slots__": (*scalars,), "attributes": frozenset(scalars)}
    for method, signature in described["methods"].items():
        act: Do
        if method == "__init__":
            act = _constructor(name, do)
        elif method in arrays:
            act = _accessor(arrays[method], method)
        else:
            act = _forward(f"{name}.{method}", do)
        members[method] = _method(f"{name}.{method}", signature, act)
    return type(name, (SdkObject,), members)


def _method(name: str, signature: str, act: Do) -> Any:
    """A function of exactly the listed parameters, which gives them to `act`."""
    static = signature.startswith("static ")
    listed = re.findall(r"[*\w]+", signature.removeprefix("static "))
    fixed = [parameter for parameter in listed if not parameter.startswith("*")]

    def call(*args: Any) -> Any:
        if len(args) < len(fixed) or (len(args) > len(fixed) and fixed == listed):
            raise TypeError(f"{name}{signature} is called with {args}")
        for i, arg in enumerate(args):
            require_plain(fixed[i] if i < len(fixed) else name, arg)
        return act(None, *args) if static else act(*args)

    return staticmethod(call) if static else call


def _constructor(name: str, do: Do) -> Do:
    def construct(self: SdkObject, *args: Any) -> None:
        self.hide(arrays={}, owner=args[0] if args else None)
        do(f"{name}.__init__", self)

    return construct


def _accessor(array: str, method: str) -> Do:
    if method.startswith("Set"):

        def put(self: SdkObject, index: int, value: Any) -> None:
            require_plain(array, value)
            self.arrays.setdefault(array, {})[index] = value

        return put

    def get(self: SdkObject, index: int) -> Any:
        return self.arrays.get(array, {}).get(index, 0)

    return get


def _forward(name: str, do: Do) -> Do:
    def forward(self: SdkObject | None, *args: Any) -> Any:
        return do(name, self, *args)

    return forward
