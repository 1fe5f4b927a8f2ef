"""CoreMotion.home and CoreMotion.config: where axes are, and their parameters."""

from functools import partial
from typing import Any

from wmx_ros2_package.drivers.errors import ErrorCode, WmxError

from .arguments import judged, require_axis
from .files import here, is_foreign
from .orders import axes_of
from .parts import NotSimulated, Part
from .runtime import Runtime
from .structs import CLASSES, Kept, Struct

COUNTS = 1000.0
"""Encoder counts of a user unit, of the axes that the real engine's logs show."""


class Home(Part):
    """CoreMotion.home: by the type CurrentPos the command becomes zero."""

    def StartHome(self, axis: int) -> int:
        return self.runtime.order(lambda: self.runtime.motion.home(axis))

    def StartHome_AxisSel(self, selection: Any) -> int:
        axes = axes_of(selection)
        return self.runtime.order(lambda: [self.runtime.motion.home(axis) for axis in axes])

    def SetCommandPos(self, axis: int, position: float) -> int:
        return self.runtime.order(lambda: self.runtime.motion.set_position(axis, position))

    def SetHomeDone(self, _axis: int, _done: int) -> int:
        """Declaring a position does it, too."""
        return 0

    def Cancel_AxisSel(self, selection: Any) -> int:
        return self.runtime.order(lambda: self.runtime.motion.stop(axes_of(selection)))


class Config(Part):
    """CoreMotion.config: what is set is kept and read back; few of it changes the engine."""

    def __init__(self, runtime: Runtime, missing: NotSimulated) -> None:
        super().__init__(runtime, missing)
        self._kept: dict[tuple[str, int | None], Any] = {}

    def ImportAndSetAll(self, path: str) -> int:
        """Load a file; one of another machine that is not here is told of, and changes nothing."""
        file = here(path, self.runtime.folder)
        if not file.is_file():
            if not is_foreign(path):
                return int(ErrorCode.FileOperationFailed)
            self.missing.ignored(f"there is no {file}: the parameters of {path} are not loaded")
            return 0
        try:
            self.runtime.motion.load_parameters(str(file))
        except WmxError as error:
            return int(error.code)
        return 0

    def GetAndExportAll(self, path: str) -> int:
        """Write them to a file; where none can be made, as in no folder, that is refused."""
        parameters = self.runtime.motion.parameters().to_xml()
        try:
            here(path, self.runtime.folder).write_text(parameters, encoding="utf-8")
        except (OSError, ValueError):  # the latter where a path holds a zero
            return int(ErrorCode.FileOperationFailed)
        return 0

    def SetAxisPolarity(self, axis: int, polarity: int) -> int:
        return self.runtime.order(lambda: self.runtime.motion.set_polarity(axis, polarity))

    def SetGearRatio(self, axis: int, numerator: float, denominator: float) -> int:
        motion = self.runtime.motion
        return self.runtime.order(lambda: motion.set_gear_ratio(axis, numerator, denominator))

    def __getattr__(self, name: str) -> Any:
        if name[:3] not in ("Get", "Set") or not name.endswith("Param"):
            return super().__getattr__(name)
        return partial(self._keep, name)

    @judged
    def _keep(self, name: str, *args: Any) -> tuple[int, Any]:
        """Parameters of all axes, or, where the first argument is a number, of one."""
        axis = args[0] if args and isinstance(args[0], int) else None
        if axis is not None:
            require_axis(axis, self.runtime.axes)
        if name.startswith("Set"):
            self._kept[name[3:], axis] = args[-1]
            return 0, Struct()
        return 0, self._kept.setdefault((name[3:], axis), Kept())

    def SetSingleTurn(self, axis: int, enable: int, counts: int) -> int:
        """Positions are those of one turn from now on."""
        self.runtime.single_turns[axis] = counts / COUNTS if enable else 0.0
        self.runtime.step()
        return 0

    def SetMotionParam(self, axis: int, parameters: Any) -> tuple[int, Any]:
        self._kept["MotionParam", axis] = parameters
        enabled = getattr(parameters, "enableGlobalStartingVelocity", 0)
        velocity = float(getattr(parameters, "globalStartingVelocity", 0.0))
        self.runtime.starting_velocities[axis] = velocity if enabled else 0.0
        return 0, Struct()

    def GetHomeParam(self, axis: int) -> tuple[int, Any]:
        made = CLASSES["Config_HomeParam"]
        return 0, self._kept.setdefault(("HomeParam", axis), made())

    def SetHomeParam(self, axis: int, parameters: Any) -> tuple[int, Any]:
        self._kept["HomeParam", axis] = parameters
        self.runtime.configure(axis, home_position=float(parameters.homePosition))
        if parameters.homeType != self.enums["Config_HomeType"].CurrentPos:
            self.missing.note("Config_HomeType other than CurrentPos")
        return 0, Struct()


PARAMETERS: dict[str, Any] = {
    name: type(name, (Kept,), {})
    for name in [
        "Config_AxisParam",
        "Config_FeedbackParam",
        "Config_MotionParam",
        "Config_LimitParam",
        "Config_EmergencyStopParam",
        "Config_AlarmParam",
        "Config_SyncParam",
        "Config_FlightRecorderParam",
        "Config_SystemParam",
    ]
}
