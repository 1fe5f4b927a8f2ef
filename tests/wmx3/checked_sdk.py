"""The vendor's module as `wmx_sim.sdk` simulates it, under a layer that is as strict as SWIG.

The layer has exactly the names that `python_api.json` lists, and takes the listed arguments of
plain types; it records the calls, and a test may replace any function by its own. What is ordered
is carried out by the engine that is given.
"""

import re
import weakref
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from functools import partial
from types import MappingProxyType, SimpleNamespace
from typing import Any

from wmx3.driver import driver_on
from wmx_core.errors import CommandRefused, WmxError
from wmx_core.interface import Driver
from wmx_core.options import DriverOptions
from wmx_sim.sdk.enums import NAMES_OF_ERRORS, SURFACE, code_of
from wmx_sim.sdk.module import build
from wmx_sim.sdk.not_simulated import NotSimulated
from wmx_sim.sdk.parts import behind
from wmx_sim.sdk.runtime import Runtime
from wmx_sim.sdk.structs import JogCommand, JogCommandWithRunTime, Struct, arrays_of

PLAIN = bool, int, float, str, list, tuple
"""What SWIG takes for a C value, besides its own objects, as one that is compiled shows
(test_wmx3_swig.py); numpy's numbers are none of these, but for float64, which is a float."""
WHOLE = {"addr", "axis", "axisCount", "bit", "channel", "dimensionCount", "index", "numPoints"}
WHOLE |= {"numCommands", "size", "slaveId", "subindex", "waitTime", "sdoBuffSize", "sdoDataSize"}
"""Parameters and attributes that are whole numbers."""
UNCHOSEN = -1
"""The type of a profile that nothing has chosen."""
SHIFT = 1_000_000
"""Between a number of an enum and that of a build that numbers otherwise."""
NUMBERED = "engineState", "emergencyStopLevel", "opState", "axisCommandMode", "state", "mode"
"""Attributes of what the SDK answers that are numbers of enums."""
NOTHING: Mapping[str, str] = MappingProxyType({})
Act = Callable[..., Any]


class Refused(CommandRefused):
    """A refusal that comes with values."""

    def __init__(self, code: int, *values: Any) -> None:
        super().__init__(code)
        self.values = values


def changed(
    *, without: Sequence[str] = (), added: Mapping[str, str] = NOTHING, renumbered: bool = False
) -> dict[str, Any]:
    """The surface of another build: without a class or a `Class.Method`, or with more of them.

    With `renumbered` no enum has the numbers that are listed.
    """
    surface = deepcopy(SURFACE)
    surface["renumbered"] = renumbered
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


class CheckedSdk:
    """One engine, and the module through which it is reached: `sdk`.

    An engine has a `clock`, and `call(part, method, ...)` of `SimulatedEngine`.
    """

    def __init__(self, engine: Any, surface: Mapping[str, Any] = SURFACE) -> None:
        self.engine = engine
        self.runtime = Runtime(engine=engine, newer=True)
        self.calls: list[tuple[Any, ...]] = []
        """Every function that was called, `Class.Method` and its arguments."""
        self._acts: dict[str, Act] = {}
        self._module = build(self.runtime, NotSimulated(lambda _: None))
        self._renumbered: bool = surface.get("renumbered", False)
        self.sdk = self._checked(surface)
        self.sdk._WMX3ApiPython = SimpleNamespace(Config_ImportAndSetAll=self._import_and_set_all)

    # For tests

    def play(self, name: str, act: Act) -> "CheckedSdk":
        """Let `Class.Method` do something else than what the simulated SDK does.

        `act` gets this and the arguments, and answers what comes after the code, or refuses.
        """
        self._acts[name] = act
        return self

    def refuse(self, name: str, code: int, *values: Any) -> "CheckedSdk":
        """Let `Class.Method` be refused with `code`, after which `values` come."""

        def act(*_: Any) -> None:
            raise Refused(code, *values)

        return self.play(name, act)

    def alter(self, name: str, change: Callable[[Any], object]) -> "CheckedSdk":
        """Let `change` do something to what the simulated SDK answers to `Class.Method`."""

        def act(*args: Any) -> tuple[Any]:
            (answer,) = self.real(name, *args[1:])
            change(answer)
            return (answer,)

        return self.play(name, act)

    def restore(self, name: str) -> None:
        """Let `Class.Method` do again what the simulated SDK does."""
        del self._acts[name]

    def real(self, name: str, *args: Any) -> tuple[Any, ...]:
        """What the simulated SDK answers to `Class.Method` after the code; refusals are raised."""
        kind, method = name.split(".")
        answer = getattr(self._object(kind), method)(*args)
        code, *values = answer if isinstance(answer, tuple) else (answer,)
        if code:
            raise Refused(code, *values)
        return (*values,)

    def driver(self, options: DriverOptions | None = None) -> Driver:
        """The backend on this module."""
        return driver_on(self.sdk, options or DriverOptions(), self.engine.clock)

    def attached(self) -> Driver:
        """A driver whose device is attached; what that took is forgotten."""
        driver = self.driver()
        driver.engine.create_device("/opt/wmx3", "test")
        self.calls.clear()
        return driver

    def called(self, name: str) -> list[list[Any]]:
        """The arguments of each call of a function."""
        return [args for called, *args in self.calls if called == name]

    def code(self, name: str) -> int:
        """The number of an error."""
        return next(number for number, each in self.names.items() if each == name)

    @property
    def names(self) -> Mapping[int, str]:
        """Of every error, by its number."""
        return NAMES_OF_ERRORS

    # The module

    def _checked(self, surface: Mapping[str, Any]) -> Any:
        sdk = SimpleNamespace()
        for name, described in surface["classes"].items():
            own = getattr(self._module, name)
            checked = _struct if issubclass(own, Struct) else self._part
            setattr(sdk, name, checked(name, described, own))
        for name, kind in vars(sdk).items():
            nested = getattr(kind, "fields", {})
            kind.fields = {field: getattr(sdk, getattr(default, "__name__", ""), default)
                           for field, default in nested.items()}  # fmt: skip
            if name == "Profile":
                kind.fields["type"] = UNCHOSEN
        for name in surface["enums"]:
            shift = SHIFT if self._renumbered and name != "constants" else 0
            members = vars(getattr(self._module, name))
            setattr(sdk, name, SimpleNamespace(**{m: n + shift for m, n in members.items()}))
        for name, members in surface["errors"].items():
            ours = vars(getattr(self._module, name))
            general = surface["errors"]["ErrorCode"]
            setattr(sdk, name, SimpleNamespace(**{m: ours[m] for m in {**general, **members}}))
        return sdk

    def _part(self, name: str, described: Mapping[str, Any], own: Any) -> type:
        """A class of functions: each judged, recorded and carried out."""

        def construct(this: Any, *args: Any) -> None:
            this.real = own(*(arg.real for arg in args))

        def part(this: Any, attribute: str) -> Any:
            if attribute not in described["attributes"]:
                raise AttributeError(f"{name} has no attribute {attribute}")
            checked = getattr(self.sdk, type(behind(getattr(this.real, attribute))[0]).__name__)
            return checked(this)

        acts = {"__init__": construct, "ErrorToString": partial(self._text, name)}
        members: dict[str, Any] = {"__getattr__": part}
        for method, signature in described["methods"].items():
            act = acts.get(method, partial(self._do, f"{name}.{method}"))
            members[method] = _judged(f"{name}.{method}", signature, act)
        return type(name, (CheckedPart,), members)

    def _text(self, kind: str, code: int) -> str:
        return f"the {kind}'s text of {self.names[code]}"

    def _do(self, name: str, target: Any, *args: Any) -> Any:
        self.calls.append((name, *args))
        return self._carry_out(name, target, args)

    def _carry_out(self, name: str, target: Any, args: Sequence[Any]) -> Any:
        real = target.real
        part, device = behind(real)
        function = getattr(real, name.split(".")[1])
        args = [_unshifted(arg) for arg in args] if self._renumbered else args
        if name not in self._acts or not self._reaches(real, name):
            answer = function(*args)
        else:
            refused = getattr(getattr(part, name.split(".")[1]), "refused", None)
            answer = self._answer(self._acts[name], args, refused)
            if name == "WMX3Api.CloseDevice" and answer == 0:
                device.attached = False
        if name == "CoreMotion.GetStatus" and isinstance(answer, tuple):
            # The status of an axis is memory of the whole: SWIG keeps no reference to that.
            weakref.finalize(answer[1], _free, vars(answer[1]).get("axes", ()))
        if self._renumbered and isinstance(answer, tuple):
            return tuple(_shifted(value) for value in answer)
        return answer

    def _reaches(self, real: Any, name: str) -> bool:
        """Whether a function that a test plays is called on a device; to create one is enough."""
        _, device = behind(real)
        if name == "WMX3Api.CreateDevice":
            device.attached = True
        return bool(device.attached) or name.split(".")[1] in real.WITHOUT_DEVICE

    def _answer(self, act: Act, args: Sequence[Any], refused: Act | None) -> Any:
        """What `act` answers, in the form of the function that it takes the place of."""
        code, values = 0, ()
        try:
            values = act(self, *args) or ()
        except Refused as error:
            code, values = int(error.code), error.values
        except WmxError as error:
            code = code_of(error)
        form = refused(code) if refused else code
        if values and not isinstance(form, int):
            return (code, *values)
        return form

    def _object(self, kind: str) -> Any:
        """An object of one of the module's own classes, on a device that is attached."""
        api = self._module.WMX3Api()
        behind(api)[1].attached = True
        for owner in (self._module.CoreMotion(api), self._module.AdvancedMotion(api)):
            for name, part in vars(behind(owner)[0]).items():
                if type(part).__name__ == kind:
                    return getattr(owner, name)
        return api if kind == "WMX3Api" else getattr(self._module, kind)(api)

    # The parameters

    def _import_and_set_all(self, config: Any, path: str, system: Any, axes: Any) -> Any:
        """The function of the binding, which takes its own types only."""
        if type(system) is not self.sdk.Config_SystemParam:
            raise TypeError(
                "in method 'Config_ImportAndSetAll', argument 3 of type 'SystemParam *'"
            )
        if type(axes) is not self.sdk.Config_AxisParam:
            raise TypeError("in method 'Config_ImportAndSetAll', argument 4 of type 'AxisParam *'")
        self.calls.append(("Config.ImportAndSetAll", path))
        if "Config.ImportAndSetAll" in self._acts:
            answer = self._carry_out("Config.ImportAndSetAll", config, (path,))
            return answer[0] if isinstance(answer, tuple) else answer
        return config.real.import_marking(path, system, axes)


def _free(axes: Sequence[Struct]) -> None:
    """What was the status of `axes` holds something else now."""
    for axis in axes:
        vars(axis).clear()


class CheckedPart:
    """An object of a class of functions."""

    real: Any


class CheckedStruct(Struct):
    """An object of which only what is listed can be set, to what SWIG takes."""

    scalars: frozenset[str] = frozenset()

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self.scalars:
            raise AttributeError(f"{type(self).__name__} has no attribute {name}")
        require_plain(name, value)
        super().__setattr__(name, value)


def require_plain(name: str, value: Any) -> None:
    """Refuse what SWIG would not take."""
    not_whole = name in WHOLE and not isinstance(value, int)
    own = isinstance(value, Struct | CheckedPart) or hasattr(value, "thisown")
    if not_whole or not (isinstance(value, PLAIN) or own):
        raise TypeError(f"{name} = {value!r} ({type(value).__name__})")
    for element in value if type(value) is list else ():
        require_plain("element", element)


def _struct(name: str, described: Mapping[str, Any], own: Any) -> type:
    arrays = arrays_of(described)
    if "SetRunTime" not in described["methods"]:  # which newer releases have
        own = JogCommand if own is JogCommandWithRunTime else own
    members: dict[str, Any] = {
        "scalars": frozenset(described["attributes"]) - {*arrays.values()},
        "fields": own.fields,
    }
    for method, signature in described["methods"].items():
        if method in arrays:
            members[method] = _judged(f"{name}.{method}", signature, partial(_array, method))
        elif method in ("__init__", "SetRunTime"):
            members[method] = _judged(f"{name}.{method}", signature, getattr(own, method))
    return type(name, (CheckedStruct, own), members)


def _array(method: str, this: Struct, *args: Any) -> Any:
    return this.__getattr__(method)(*args)


def _judged(name: str, signature: str, act: Act) -> Any:
    """A function of exactly the listed parameters, which gives them to `act`."""
    static = signature.startswith("static ")
    listed = re.findall(r"[*\w]+", signature.removeprefix("static "))
    fixed = [parameter for parameter in listed if not parameter.startswith("*")]

    def call(*args: Any) -> Any:
        if len(args) < len(fixed) or (len(args) > len(fixed) and fixed == listed):
            raise TypeError(f"{name}{signature} is called with {args}")
        for i, arg in enumerate(args):
            if i or static or not isinstance(arg, Struct):
                require_plain(fixed[i] if i < len(fixed) else name, arg)
        _, count, commands = args if len(args) == 3 else (None, 0, [])
        if isinstance(commands, list | tuple) and ".Start" in name:
            _require_commands(count, commands)
        return act(*args)

    return staticmethod(call) if static else call


def _require_commands(count: Any, commands: Any) -> None:
    """Refuse what is no count and a list of as many commands."""
    if type(commands) is not list or count != len(commands):
        raise TypeError(f"not a count and a list: {count}, {commands}")


# A build that numbers its enums otherwise


def _unshifted(value: Any) -> Any:
    """`value` with the listed numbers of enums."""
    if isinstance(value, list):
        return [_unshifted(each) for each in value]
    if isinstance(value, Struct):
        value = value.copy()
        vars(value).update({name: _unshifted(each) for name, each in vars(value).items()})
        return value
    return value - SHIFT if type(value) is int and value > SHIFT // 2 else value


def _shifted(value: Any) -> Any:
    """`value`, all of whose numbers of enums are other ones now."""
    if isinstance(value, Struct):
        fields = vars(value)
        fields |= {name: fields[name] + SHIFT for name in NUMBERED if name in fields}
        for each in (*fields.values(), *fields.get("axes", ()), *value.elements.values()):
            _shifted(each)
    return value
