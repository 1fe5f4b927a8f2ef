"""The parts of the SDK over one engine, and the objects that programs make of its classes."""

from collections.abc import Callable
from functools import partial, wraps
from inspect import isfunction
from typing import Any, ClassVar, Concatenate, ParamSpec, TypeVar

from wmx_core.errors import ErrorCode

from .arguments import judged
from .enums import ERRORS, SURFACE, text_of
from .not_simulated import NotSimulated
from .runtime import Runtime
from .structs import copied, inner

NO_ERROR = 0
IM_LIB_IS_NOT_RUNNING = ERRORS["ErrorCode"].IMLibIsNotRunning
P = ParamSpec("P")
S = TypeVar("S", bound="Part")


def command(order: Callable[Concatenate[S, P], object]) -> Callable[Concatenate[S, P], int]:
    """Make a function of a part of `order`, which refuses or does something, and answers nothing.

    It is done in this cycle, or kept while a buffer is recorded, with the arguments as they are
    now: programs use an object again for the next command. The call returns a cycle later.
    """

    @wraps(order)
    def give(part: S, /, *args: P.args, **named: P.kwargs) -> int:
        named_now: Any = {name: copied(value) for name, value in named.items()}
        return part.runtime.command(partial(order, part, *map(copied, args), **named_now))

    return give


class Part:
    """A class of functions of the SDK, over one runtime.

    Its functions answer codes, also for what is wrong with their arguments. A name that the
    driver's list of the SDK does not have raises AttributeError, as in the SDK. One that is listed
    and not simulated, or of a class that is not on the list, answers NoSupportedFunction.
    """

    newer: ClassVar[frozenset[str]] = frozenset()
    """Functions that the listed release lacks, and newer ones have."""

    def __init__(self, runtime: Runtime, missing: NotSimulated) -> None:
        self.runtime = runtime
        self.missing = missing

    def __init_subclass__(cls) -> None:
        for name, method in [*vars(cls).items()]:
            if name[0].isupper() and isfunction(method):
                setattr(cls, name, judged(method))

    def __getattr__(self, name: str) -> Any:
        kind = type(self).__name__
        described = SURFACE["classes"].get(kind)
        if name in (described["attributes"] if described else ()):
            return Absent(self.runtime, self.missing, f"{kind}.{name}")
        if name not in described["methods"] if described else not name[0].isupper():
            raise AttributeError(f"{kind!r} object has no attribute {name!r}")
        return self.missing.function(f"{kind}.{name}", *_outputs(kind, name))


_IMPORTED = {"SysPrm": "Config_SystemParam", "AxisPrm": "Config_AxisParam"}
"""What a function of Config that imports a file answers, by the parts of its name."""
_PAIRS = "GetSingleTurn", "GetWatchdog"
"""Functions with two numbers to answer."""


def _outputs(kind: str, name: str) -> tuple[Any, ...]:
    """Return what a function that is not simulated answers beside its code: a tuple has to unpack.

    What is got is an object of the class that has its name, where there is one, else 0.
    """
    if name.startswith("Import_"):
        return tuple(inner(of)() for part, of in _IMPORTED.items() if part in name)
    if name in _PAIRS:
        return 0, 0
    if not name.startswith("Get"):
        return ()
    what = name.removeprefix("Get")
    found = (each for each in (f"{kind}_{what}", what) if each in SURFACE["classes"])
    return (inner(name)(),) if (name := next(found, "")) else (0,)


class Absent(Part):
    """A part of which no function is simulated."""

    def __init__(self, runtime: Runtime, missing: NotSimulated, name: str) -> None:
        super().__init__(runtime, missing)
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return self.missing.function(f"{self._name}.{name}", *_outputs("", name))


class Device:
    """Whether a device is attached: that of one WMX3Api object."""

    attached = False
    engine = 0
    """The engine that it is attached to, see `Runtime.engine_number`."""


class SdkObject:
    """An object that a program makes of a class of the SDK: a part, for one device."""

    WITHOUT_DEVICE = frozenset({"CreateDevice", "GetEngineStatus", "StartEngine", "StopEngine"})
    """What needs no device; anything else answers DeviceIsNull without one."""

    def __init__(self, part: Part, device: Device) -> None:
        self._part = part
        self._device = device

    def __getattr__(self, name: str) -> Any:
        if name in self._part.newer and not self._part.runtime.newer:
            raise AttributeError(f"{type(self._part).__name__!r} object has no attribute {name!r}")
        found = getattr(self._part, name)
        if isinstance(found, Part):
            return SdkObject(found, self._device)
        return partial(self._call, found) if callable(found) else found

    def IsDeviceValid(self) -> bool:
        return self._device.attached

    @staticmethod
    def ErrorToString(code: int) -> str:
        return text_of(code)

    @staticmethod
    def GetLibVersion() -> tuple[int, int, int, int, int]:
        return NO_ERROR, 3, 5, 0, 0

    def _call(self, function: Callable[..., Any], *args: Any, **named: Any) -> Any:
        name, runtime = getattr(function, "__name__", ""), self._part.runtime
        lives = self._device.attached and self._device.engine == runtime.engine_number
        if (lives and not runtime.engine_ended) or name in self.WITHOUT_DEVICE:
            return function(*args, **named)
        code = int(IM_LIB_IS_NOT_RUNNING if runtime.engine_ended else ErrorCode.DeviceIsNull)
        refused: Callable[[int], Any] = getattr(function, "refused", lambda code: code)
        return refused(code)


def behind(made: SdkObject) -> tuple[Part, Device]:
    """What an object stands for: it has itself no names but those of the SDK."""
    return made._part, made._device  # noqa: SLF001


class Api(SdkObject):
    """A WMX3Api: a device."""

    def CreateDevice(self, *args: Any) -> int:
        code: int = self._call(self._part.CreateDevice, *args)
        if code == NO_ERROR:
            self._device.attached = True
            self._device.engine = self._part.runtime.engine_number
        return code

    def CloseDevice(self) -> int:
        code: int = self._call(self._part.CloseDevice)
        self._device.attached &= code != NO_ERROR
        return code
