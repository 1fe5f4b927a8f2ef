"""Objects of the SDK as programs use them: attributes to set, arrays with SetX and GetX."""

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any, ClassVar


class Struct:
    """Scalars are attributes; anything may be set, only what is there can be read."""

    fields: ClassVar[Mapping[str, Any]] = {}
    arrays: ClassVar[Mapping[str, Any]] = {}

    def __init__(self, *_args: object) -> None:
        for name, default in self.fields.items():
            object.__setattr__(self, name, default() if callable(default) else default)
        object.__setattr__(self, "elements", {})

    def __setattr__(self, name: str, value: Any) -> None:
        """What is set is the value, as in the SDK: a later change of it changes nothing here."""
        object.__setattr__(self, name, value.copy() if isinstance(value, Struct) else value)

    def __getattr__(self, name: str) -> Any:
        kind, array = name[:3], name[3:]
        if array in self.arrays and kind in ("Get", "Set"):
            return self._get(array) if kind == "Get" else self._set(array)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _get(self, array: str) -> Callable[..., Any]:
        def get(*index: int) -> Any:
            default = self.arrays[array]
            made = default() if callable(default) else default
            return self.elements.setdefault((array, *index), made)

        return get

    def _set(self, array: str) -> Callable[..., None]:
        def put(*args: Any) -> None:
            *index, value = args
            self.elements[(array, *index)] = value.copy() if isinstance(value, Struct) else value

        return put

    def element(self, array: str, *index: int) -> Any:
        """One element of an array."""
        return self._get(array)(*index)

    def copy(self) -> Any:
        """As it is now: programs use an object again for the next command."""
        return deepcopy(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        made = type(self)()
        for name, value in vars(self).items():
            object.__setattr__(made, name, deepcopy(value, memo))
        return made


class Kept(Struct):
    """What is kept and changes nothing: any array is there, and 0 until it is set."""

    def __getattr__(self, name: str) -> Any:
        array = name[3:]
        if name.startswith("Get") and array:
            return lambda *index: self.elements.get((array, *index), 0)
        if name.startswith("Set") and array:
            return self._set(array)
        return super().__getattr__(name)


def struct(name: str, arrays: Mapping[str, Any] | None = None, **fields: Any) -> Any:
    """A class of the SDK; a callable default makes what each object has of its own."""
    return type(name, (Struct,), {"fields": fields, "arrays": arrays or {}})


Axes = {"Axis": 0}
Profile = struct(
    "Profile", type=0, velocity=0.0, acc=0.0, dec=0.0, jerkAcc=0.0, jerkDec=0.0,
    jerkAccRatio=0.0, jerkDecRatio=0.0, accTimeMilliseconds=0.0, decTimeMilliseconds=0.0,
    startingVelocity=0.0, endVelocity=0.0, secondVelocity=0.0, movingAverageTimeMilliseconds=0.0,
)  # fmt: skip
Trigger = struct("Trigger", triggerAxis=0, triggerType=0, triggerValue=0.0)
IOAddress = struct("IOAddress", byte=0, bit=0, size=0)
AxisSelection = struct("AxisSelection", Axes, axisCount=0)
INTERPOLATION = {"Axis": 0, "Target": 0.0, "MaxVelocity": 0.0, "MaxAcc": 0.0, "MaxDec": 0.0}
INTERPOLATION |= {"MaxJerkAcc": 0.0, "MaxJerkDec": 0.0}
PLANE = {"Axis": 0, "CenterPos": 0.0, "EndPos": 0.0, "ThroughPos": 0.0}
VALUE = struct("Value", axis=0, pos=0.0, velocity=0.0, distance=0.0, timeMilliseconds=0.0, trq=0.0,
               milliseconds=0.0, opState=0, disableAfterActivate=0)  # fmt: skip

CLASSES: dict[str, Any] = {
    made.__name__: made
    for made in (
        Profile,
        Trigger,
        IOAddress,
        AxisSelection,
        struct("Motion_PosCommand", axis=0, target=0.0, profile=Profile),
        struct("Motion_TriggerPosCommand", axis=0, target=0.0, profile=Profile, trigger=Trigger),
        struct("Motion_JogCommand", axis=0, profile=Profile),
        struct("Velocity_VelCommand", axis=0, profile=Profile),
        struct("Motion_TimedJogCommand", axis=0, runTimeMilliseconds=0.0, profile=Profile),
        struct("Velocity_TimedVelCommand", axis=0, runTimeMilliseconds=0.0, profile=Profile),
        struct("Torque_TrqCommand", axis=0, torque=0.0),
        struct("Motion_LinearIntplCommand", INTERPOLATION, axisCount=0, profile=Profile),
        struct("Motion_CenterAndLengthCircularIntplCommand", PLANE, arcLengthDegree=0.0,
               clockwise=0, profile=Profile, maxVelocity=0.0),
        struct("Motion_CenterAndEndCircularIntplCommand", PLANE, clockwise=0, profile=Profile),
        struct("Motion_ThroughAndEndCircularIntplCommand", PLANE, profile=Profile),
        struct("Motion_WaitCondition", Axes, waitConditionType=0, axisCount=0, eventID=0),
        struct("Config_HomeParam", homeType=0, homeDirection=0, homePosition=0.0),
        struct("LogChannelOptions", samplingPeriodInCycles=1, samplingTimeMilliseconds=0,
               precision=3, isDelimInLastColumn=0, isRotateFile=0, maxLogFileSize=0,
               stopLoggingOnBufferOverflow=0, triggerOnCondition=0, triggerOnEventID=0),
        struct("LogFilePath", dirPath="", fileName=""),
        struct("CoreMotionLogInput",
               axisSelection=AxisSelection,
               axisOptions=struct("AxisOptions", commandPos=0, feedbackPos=0, commandVelocity=0,
                                  feedbackVelocity=0)),
        struct("ApiBufferCondition", bufferConditionType=0,
               arg_ioInput=lambda: IOAddress(), arg_ioOutput=lambda: IOAddress()),
        struct("ApiBufferOptions", stopOnError=0, stopOnLastBlock=0, autoRewind=0),
        struct("AdvMotion_TotalTimeSplineCommand", Axes, dimensionCount=0, totalTimeMilliseconds=0),
        struct("AdvMotion_ProfileSplineCommand", Axes, dimensionCount=0, profile=Profile),
    )
}  # fmt: skip
