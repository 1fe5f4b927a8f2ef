"""The module `WMX3ApiPython`, made of the parts of one runtime."""

from types import ModuleType, SimpleNamespace
from typing import Any

from .advanced_motion import AdvancedMotion
from .api_buffer import ApiBuffer
from .compensation import Compensation
from .core_motion import CoreMotion, WMX3Api
from .cyclic_buffer import CyclicBuffer
from .ecat import Ecat
from .enums import ENUMS, ERRORS, SURFACE
from .events import EventControl
from .io import Io
from .log import Log
from .not_simulated import NotSimulated
from .parts import Api, Device, Part, SdkObject, behind
from .runtime import Runtime
from .structs import CLASSES, JogCommandWithRunTime, inner
from .user_memory import UserMemory

PARTS: tuple[type[Part], ...] = (
    WMX3Api,
    CoreMotion,
    Io,
    Log,
    Ecat,
    EventControl,
    ApiBuffer,
    AdvancedMotion,
    Compensation,
    CyclicBuffer,
    UserMemory,
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
    names: dict[str, Any] = ENUMS | ERRORS | CLASSES
    if runtime.newer:
        names["Motion_JogCommand"] = JogCommandWithRunTime
    names |= {kind.__name__: _class_of(kind(runtime, missing)) for kind in PARTS}
    for name, described in SURFACE["classes"].items():
        if name not in names:
            names[name] = inner(name) if described["attributes"] else _class_of_part(name, missing)
    for name, value in names.items():
        setattr(module, name, value)
    module.__dict__["__all__"] = sorted(names)
    module.__dict__["_WMX3ApiPython"] = SimpleNamespace(Config_ImportAndSetAll=_import_and_set_all)
    return module


def _import_and_set_all(config: Any, path: str, wrong: Any, wrong_axes: Any) -> int:
    """The function of the binding below the wrapper, which fills the error objects it is given."""
    code: int = config.import_marking(path, wrong, wrong_axes)
    return code


def _class_of(part: Part) -> type:
    """Return the class of the SDK of which programs make objects, all over the one `part`."""

    def construct(self: SdkObject, device: SdkObject | None = None) -> None:
        SdkObject.__init__(self, part, behind(device)[1] if device else Device())

    name = type(part).__name__
    base = Api if isinstance(part, WMX3Api) else SdkObject
    return type(name, (base,), {**_statics(name, part.missing), "__init__": construct})


def _class_of_part(name: str, missing: NotSimulated) -> type:
    """Return a class of the SDK whose objects are a part of another, such as CoreMotion.motion."""

    def construct(self: SdkObject, owner: SdkObject) -> None:
        part, device = behind(owner)
        parts = (each for each in vars(part).values() if isinstance(each, Part))
        found = next(each for each in parts if type(each).__name__ == name)
        SdkObject.__init__(self, found, device)

    return type(name, (SdkObject,), {**_statics(name, missing), "__init__": construct})


def _statics(name: str, missing: NotSimulated) -> dict[str, Any]:
    """Return the functions that the SDK's class has without an object, and nothing simulates."""
    methods = SURFACE["classes"].get(name, {"methods": {}})["methods"].items()
    return {
        method: staticmethod(missing.function(f"{name}.{method}"))
        for method, signature in methods
        if signature.startswith("static") and not hasattr(SdkObject, method)
    }
