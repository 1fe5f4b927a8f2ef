"""The vendor's module as the backend uses it: its functions answer or raise.

A function of the SDK returns its error code, or a tuple that begins with it. `Part` is the one
place that reads these codes, and the one that finds what the installed SDK lacks: a name is
looked up when it is used, so that a missing one hurts only its user.

Releases differ in their numbers, too. Those of enums are matched by name, for ours are those of
the wire; how much an SDK holds, its constants say, or where it has none, the documentation.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from enum import IntEnum
from functools import cached_property, partial
from typing import Any, Generic, TypeVar

from wmx_core.errors import CommandRefused, EngineLost, ErrorCode, WmxError
from wmx_core.path_rules import MAX_SPLINE_AXES
from wmx_core.values import (
    CommandMode,
    EcState,
    EmergencyStop,
    EngineState,
    MasterMode,
    OperationState,
)

SUCCESS = 0

ERROR_CLASSES = (
    "ErrorCode",
    "CoreMotionErrorCode",
    "IOErrorCode",
    "AdvancedMotionErrorCode",
    "EcErrorCode",
    "EventErrorCode",
    "UserMemoryErrorCode",
    "CyclicBufferErrorCode",
)

LOST = frozenset(
    {
        "IMLibIsNotRunning",
        "InvalidChannelId",
        "StatusChannelNull",
        "StatusChannelIdError",
        "StatusSharedMemoryChannelIndexError",
        "DeviceIsNull",
        "CommandInvalidQueueId",
        "SystemIsNoRunning",
        "DeviceIsNotInUse",
    }
)
"""Errors that are taken to mean that the engine is gone, or has closed the device.

Without a device every function answers DeviceIsNull (API reference, CreateDevice), and where this
backend has one, the engine has closed it. The others are judged by their names alone.
"""

TIMED_OUT = frozenset({"APIChannelError", "APIChannelTimeOut", "StatusChannelError"})
"""Errors of one call that was not answered in time: an engine that counts cycles is not gone."""

MISFITS = TypeError, ValueError, RuntimeError, SystemError
"""What a binding of SWIG raises for arguments that it does not take: ValueError for a null
reference, NotImplementedError, a RuntimeError, where no overload fits."""

USER_MEMORY = 1024 * 2480
"""Bytes of the user memory (API reference, User Memory Constants)."""

E = TypeVar("E", bound=IntEnum)
T = TypeVar("T")
Call = Callable[[], Any]
Trace = Callable[[str, tuple[Any, ...], Call], Any]
"""Gets the name of a function, its arguments and what calls it; answers what that answers."""


class Sdk:
    """The module itself: its classes and enums; one that it lacks is refused."""

    def __init__(self, module: Any, trace: Trace = lambda name, args, call: call()) -> None:
        """`trace` makes every call of a function."""
        self._module = module
        self._trace = trace

    def __getattr__(self, name: str) -> Any:
        try:
            return getattr(self._module, name)
        except AttributeError:
            raise _not_supported(f"{name} missing") from None

    def call(self, name: str, function: Callable[..., Any], *args: Any) -> Any:
        """Call a function of the SDK, which is called `name`."""
        return self._trace(name, args, partial(function, *args))

    @property
    def binding(self) -> Any:
        """The C functions that the classes of the module are wrapped around (SWIG)."""
        return getattr(self._module, "_WMX3ApiPython", None)

    @cached_property
    def error_names(self) -> Mapping[int, str]:
        """The vendor's name of each error code."""
        classes = [getattr(self._module, name, None) for name in ERROR_CLASSES]
        return {
            code: name
            for errors in classes
            for name in dir(errors)
            if isinstance(code := getattr(errors, name), int)
        }


class Part:
    """One object of the SDK; what its functions return is what follows the error code.

    That is nothing, a value, or a tuple of values. `texts` is the object whose ErrorToString
    words the errors; unless given, the part itself. Arguments that the binding does not take are
    refused as a missing function is: the installed SDK is then one that this backend was not
    written for. `lives` returns whether the engine does, where a call was not answered in time.
    """

    def __init__(
        self,
        sdk: Sdk,
        target: Any,
        texts: Any = None,
        lives: Callable[[], bool] = lambda: False,
    ) -> None:
        self._sdk = sdk
        self._target = target
        self._texts = texts or target
        self._lives = lives

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return partial(self._call, name)

    def through_binding(self, name: str, *args: Any) -> Any:
        """Call the C function `name` of the binding below the SDK's classes on this object."""
        function = getattr(self._sdk.binding, name, None)
        return self._answer(name, function, self._target, *args)

    def _call(self, name: str, *args: Any) -> Any:
        return self._answer(name, getattr(self._target, name, None), *args)

    def _answer(self, name: str, function: Callable[..., Any] | None, *args: Any) -> Any:
        if function is None:
            raise _not_supported(f"{name} missing")
        try:
            answer = self._sdk.call(name, function, *args)
        except OverflowError as error:  # a number that does not fit the function's C type
            raise CommandRefused(ErrorCode.ArgumentOutOfRange, f"{name}: {error}") from None
        except MISFITS as error:
            raise _not_supported(f"{name} takes other arguments: {error}") from None
        # Most answer a tuple, whose first number is the code.
        answers = answer if isinstance(answer, tuple | list) else (answer,)
        code = next((item for item in answers if isinstance(item, int)), None)
        if code is None:
            raise _not_supported(f"{name} answers no error code, but {answer!r:.100}")
        values = tuple(answers[1:])
        if code != SUCCESS:
            raise self._error(code, values)
        return values[0] if len(values) == 1 else values or None

    def _error(self, code: int, values: tuple[Any, ...]) -> CommandRefused | EngineLost:
        name = self._sdk.error_names.get(code, "")
        text = str(self._texts.ErrorToString(code))
        details = [] if text == name else [text]
        # The last value of ChangeSlaveState, SdoUpload and SdoDownload.
        if values and type(values[-1]) is int and values[-1]:
            details.append(f"the slave's code is 0x{values[-1]:X}")
        lost = name in LOST
        if name in TIMED_OUT:
            lost = not self._lives()
            details += [] if lost else ["the engine lives; it may have taken the call"]
        kind = EngineLost if lost else CommandRefused
        return kind(code, ", ".join(details), name)


def _not_supported(reason: str) -> CommandRefused:
    return CommandRefused(
        ErrorCode.NoSupportedFunction, f"not supported by the installed SDK ({reason})"
    )


def once(function: Callable[..., T], *args: Any) -> T:
    """Call a function that is not to be carried out twice."""
    return function(*args)


def twice_at_most(function: Callable[..., T], *args: Any) -> T:
    """Call a function that may be carried out twice, once more where it is not answered in time.

    Where that is refused as well, the first call may have been taken: its error is raised. An
    engine that seems lost may live: it is asked once more, too.
    """
    try:
        return function(*args)
    except WmxError as first:
        if first.name not in TIMED_OUT:
            raise
        try:
            return function(*args)
        except CommandRefused as again:
            refused = CommandRefused(first.code, first.detail, first.name)
            raise refused.more(f"asked for once more: {again}") from None


def reasons(refused: Mapping[int, WmxError]) -> str:
    """The reasons of refusals by axis, each of them once."""
    return ", ".join(dict.fromkeys(str(error) for error in refused.values()))


def number(theirs: Any, ours: IntEnum, **others: str) -> int:
    """The number of one of ours in an enum of the SDK.

    Its JerkRatio is our JERK_RATIO; `others` has what it calls otherwise. One that it lacks is
    refused.
    """
    name = others.get(ours.name) or "".join(word.title() for word in ours.name.split("_"))
    found: int | None = getattr(theirs, name, None)
    if found is None:
        raise _not_supported(f"{name} missing")
    return found


class Theirs(dict[E, int]):
    """The numbers of the SDK by ours; what is none of ours is refused."""

    def __missing__(self, ours: E) -> int:
        rule = f"{ours!r}: must be one of {', '.join(each.name for each in self)}"
        raise CommandRefused(ErrorCode.ArgumentOutOfRange, rule)


class Numbers(Generic[E]):
    """One enum, both ways: `theirs` by ours, `ours` by theirs, without what theirs lacks."""

    def __init__(self, ours: type[E], theirs: Any, **others: str) -> None:
        self.theirs = Theirs[E]()
        for each in ours:
            with suppress(CommandRefused):
                self.theirs[each] = number(theirs, each, **others)
        self.ours = {theirs: each for each, theirs in self.theirs.items()}


class Enums:
    """The numbers of one installed SDK."""

    def __init__(self, sdk: Sdk) -> None:
        self._sdk = sdk

    @cached_property
    def engine_states(self) -> Numbers[EngineState]:
        return Numbers(EngineState, self._sdk.EngineState)

    @cached_property
    def operation_states(self) -> Numbers[OperationState]:
        return Numbers(OperationState, self._sdk.OperationState)

    @cached_property
    def command_modes(self) -> Numbers[CommandMode]:
        return Numbers(CommandMode, self._sdk.AxisCommandMode)

    @cached_property
    def emergency_stops(self) -> Numbers[EmergencyStop]:
        return Numbers(EmergencyStop, self._sdk.EStopLevel)

    @cached_property
    def ec_states(self) -> Numbers[EcState]:
        return Numbers(EcState, self._sdk.EcStateMachine, NONE="PyNone")

    @cached_property
    def master_modes(self) -> Numbers[MasterMode]:
        modes = self._sdk.EcMasterMode
        return Numbers(MasterMode, modes, CYCLIC="CyclicMode", PP="PPMode", MONITOR="MonitorMode")


def spline_axes(sdk: Sdk) -> int:
    """The most axes of a spline: a binding writes more of them behind the end of a C array."""
    return _constant(lambda: sdk.constants.maxSplineDimensions, MAX_SPLINE_AXES)


def user_memory(sdk: Sdk) -> int:
    """The bytes of the user memory."""
    return _constant(lambda: sdk.constants.maxUserMemoryBytes, USER_MEMORY)


def _constant(read: Callable[[], int], documented: int) -> int:
    try:
        return int(read())
    except (CommandRefused, AttributeError):
        return documented
