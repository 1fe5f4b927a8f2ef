"""The module `WMX3ApiPython`, made of the parts of one runtime."""

from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

from . import advanced_motion, api_buffer, compensation, cyclic_buffer, ecat, events, user_memory
from .config import PARAMETERS
from .core_motion import CLASSES as API_CLASSES
from .core_motion import CoreMotion, CoreMotionStatus, WMX3Api
from .enums import ENUMS, ERRORS, SURFACE
from .io import Io
from .log import Log
from .not_simulated import NotSimulated
from .parts import Api, Device, Part, SdkObject, absent
from .runtime import Runtime
from .structs import CLASSES, struct

PARTS: tuple[type[Part], ...] = (
    WMX3Api,
    CoreMotion,
    Io,
    Log,
    ecat.Ecat,
    events.EventControl,
    api_buffer.ApiBuffer,
    advanced_motion.AdvancedMotion,
    compensation.Compensation,
    cyclic_buffer.CyclicBuffer,
    user_memory.UserMemory,
)


class _Module(ModuleType):
    """A module that reports a class of the SDK that it lacks, when a program uses it."""

    missing: NotSimulated

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name[0].isupper():
            self.missing.absent(name)
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")


def build(runtime: Runtime, missing: NotSimulated) -> ModuleType:
    """Return the module; `missing` reports what is used and not simulated."""
    module = _Module("WMX3ApiPython")
    module.missing = missing
    made: dict[str, Part] = {}

    def part(kind: type[Part]) -> Part:
        """Return the one part of a class that the engine has, whichever object it is of."""
        if kind.__name__ not in made:
            made[kind.__name__] = kind(runtime, missing)
        return made[kind.__name__]

    names: dict[str, Any] = ENUMS | ERRORS | CLASSES | PARAMETERS | API_CLASSES
    for more in (
        events,
        api_buffer,
        advanced_motion,
        compensation,
        cyclic_buffer,
        ecat,
        user_memory,
    ):
        names |= more.CLASSES
    names["CoreMotionStatus"] = CoreMotionStatus
    names |= {kind.__name__: _class_of(kind, part, missing) for kind in PARTS}
    for name, described in SURFACE["classes"].items():
        if name in names:
            continue
        names[name] = struct(name) if described["attributes"] else _class_of_part(name, missing)
    for name, value in names.items():
        setattr(module, name, value)
    module.__dict__["__all__"] = sorted(names)
    module.__dict__["_WMX3ApiPython"] = SimpleNamespace(Config_ImportAndSetAll=_import_and_set_all)
    return module


def _import_and_set_all(config: Any, path: str, wrong: Any, wrong_axes: Any) -> int:
    """The function of the binding below the wrapper, which fills the error objects it is given."""
    code: int = config.import_marking(path, wrong, wrong_axes)
    return code


def _class_of(kind: type[Part], part: Callable[[type[Part]], Part], missing: NotSimulated) -> type:
    """Return a class of the SDK of which programs make objects over the part of `kind`."""

    def construct(self: SdkObject, device: SdkObject | None = None) -> None:
        SdkObject.__init__(self, part(kind), device._device if device else Device())

    base = Api if kind is WMX3Api else SdkObject
    return type(kind.__name__, (base,), {**_statics(kind.__name__, missing), "__init__": construct})


def _class_of_part(name: str, missing: NotSimulated) -> type:
    """Return a class of the SDK whose objects are a part of another, such as CoreMotion.motion."""

    def construct(self: SdkObject, owner: SdkObject) -> None:
        parts = (each for each in vars(owner._part).values() if isinstance(each, Part))
        found = next(each for each in parts if type(each).__name__ == name)
        SdkObject.__init__(self, found, owner._device)

    return type(name, (SdkObject,), {**_statics(name, missing), "__init__": construct})


def _statics(name: str, missing: NotSimulated) -> dict[str, Any]:
    """Return the functions that the SDK's class has without an object, and nothing simulates."""
    methods = SURFACE["classes"].get(name, {"methods": {}})["methods"].items()
    return {
        method: staticmethod(absent(missing, f"{name}.{method}"))
        for method, signature in methods
        if signature.startswith("static") and not hasattr(SdkObject, method)
    }
