"""The module `WMX3ApiPython`, made of the parts of one runtime."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

from wmx_ros2_package.drivers.errors import ErrorCode

from . import advanced_motion, api_buffer, compensation, cyclic_buffer, events
from .config import PARAMETERS
from .core_motion import CoreMotion, CoreMotionStatus, WMX3Api
from .enums import ENUMS
from .io import Io
from .log import Log
from .parts import NotSimulated, Part
from .runtime import Runtime
from .structs import CLASSES

ERRORS = (
    *("ErrorCode", "CoreMotionErrorCode", "IOErrorCode", "AdvancedMotionErrorCode"),
    "EcErrorCode",
)
"""The SDK's classes of error numbers, of which one stands for all here."""
PARTS: tuple[type[Part], ...] = (
    WMX3Api,
    CoreMotion,
    Io,
    Log,
    events.EventControl,
    api_buffer.ApiBuffer,
    advanced_motion.AdvancedMotion,
    compensation.Compensation,
    cyclic_buffer.CyclicBuffer,
)


class _Module(ModuleType):
    """Any other class of the SDK is told of when it is used."""

    missing: NotSimulated

    def __getattr__(self, name: str) -> Any:
        if not name[0].isupper():
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        self.missing.note(name)
        raise AttributeError(f"{name} is not simulated")


def build(runtime: Runtime, missing: NotSimulated) -> ModuleType:
    """The module; `missing` is told what is used and not simulated."""
    module = _Module("WMX3ApiPython")
    module.missing = missing
    made: dict[type[Part], Part] = {}

    def part(kind: type[Part]) -> Callable[..., Part]:
        def construct(*_device: Any) -> Part:
            """Every object of a class is the same part of the one engine."""
            if kind not in made:
                made[kind] = kind(runtime, missing)
            return made[kind]

        return construct

    names: dict[str, Any] = {kind.__name__: part(kind) for kind in PARTS}
    names |= ENUMS | CLASSES | events.CLASSES | api_buffer.CLASSES | advanced_motion.CLASSES
    names |= PARAMETERS | compensation.CLASSES | cyclic_buffer.CLASSES
    names["CoreMotionStatus"] = CoreMotionStatus
    names |= dict.fromkeys(ERRORS, ErrorCode)
    for name, value in names.items():
        setattr(module, name, value)
    module.__dict__["__all__"] = sorted(names)
    return module
