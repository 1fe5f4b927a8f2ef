"""The vendor's module, played by a simulated engine.

`StandIn.sdk` has the listed surface and the SDK's manner: codes and tuples, lists of commands,
milliseconds, numbers of its own. What is ordered is carried out by a `FakeEngine` in this process;
a listed method that nobody plays here raises NotImplementedError.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from types import SimpleNamespace
from typing import Any, NoReturn, Protocol

import sdk_answers as answers
import sdk_orders as orders
from engine_time import EngineTime
from sdk_surface import SURFACE, SdkObject, build

from wmx_ros2_package.drivers.errors import UNNUMBERED, CommandRefused, WmxError
from wmx_ros2_package.drivers.fake.clock import Clock, newest_cycle
from wmx_ros2_package.drivers.interface import Driver
from wmx_ros2_package.drivers.options import DriverOptions
from wmx_ros2_package.drivers.values import CommandMode, EmergencyStop
from wmx_ros2_package.drivers.wmx3.device import driver_on


class Engine(Protocol):
    """What plays the engine: a FakeEngine, or what records its calls."""

    clock: Clock

    def call(self, part: str, method: str, *args: Any, **kwargs: Any) -> Any:
        """Carry out one method of engine, motion, io or ecat."""


def open_wmx3_over(engine: Engine, options: DriverOptions | None = None) -> Driver:
    """The wmx3 backend on a stand-in that `engine` plays, which is this driver's alone.

    No device is attached yet; whatever its path, `engine` is there. Times of its status are those
    of this process's steady clock, whatever clock `engine` has; the backend waits on that of
    `engine`.
    """
    return StandIn(engine).driver(options)


class Refused(CommandRefused):
    """A refusal that comes with values."""

    def __init__(self, code: int, *values: Any) -> None:
        super().__init__(code)
        self.values = values


OUTPUTS = "Get", "Sdo", "ChangeSlaveState", "RegisterRead"
"""How the methods begin that answer a tuple."""


class StandIn:
    """One engine, and the module through which it is reached."""

    def __init__(
        self,
        engine: Engine,
        surface: Mapping[str, Any] = SURFACE,
        *,
        linux: bool = True,
    ) -> None:
        """With `linux`, ImportAndSetAll has the mistake of that module's wrapper (3.5.0)."""
        self.engine = engine
        self.sdk = build(surface, self._do)
        self.sdk._WMX3ApiPython = SimpleNamespace(Config_ImportAndSetAll=self._import_and_set_all)
        self._linux = linux
        self.calls: list[tuple[Any, ...]] = []
        """Every function that was called, `Class.Method` and its arguments."""
        self.paused: set[int] = set()
        """Axes that wait in the middle of their homing."""
        self.pending: dict[int, int] = {}
        """Axes whose newest command starts only after so many more attempts to stop them."""
        self.started: dict[int, int] = {}
        """In which cycle each axis was last told to move; it does so from the next one on."""
        self.velocities: dict[int, float] = {}
        """What each axis was ordered to run at."""
        self.halted: dict[int, float] = {}
        """Axes whose move is paused, and the override with which it will go on."""
        self.watchdog: int | None = None
        """Milliseconds, if it was set."""
        self.link_time = 0.0
        """How long after its start the engine takes to reach the network, s."""
        self.counting = True
        """Whether the engine counts its cycles, which a dead one does not."""
        self.rooms: dict[int, int] = {}
        """Points that the buffers of spline channels hold."""
        self._started = self._now()
        self._first_cycle: int | None = None
        self._last_count = 0
        self._attached: set[Any] = set()
        self._played = dict(PLAYED)

    def play(self, name: str, act: Callable[..., Any]) -> "StandIn":
        """Let `Class.Method` do something else than what it does here, or something at all."""
        self._played[name] = act
        return self

    def driver(self, options: DriverOptions | None = None) -> Driver:
        """The backend on this module."""
        return driver_on(self.sdk, options or DriverOptions(), EngineTime(self.engine.clock))

    def attached(self) -> Driver:
        """A driver whose device is attached; what that took is forgotten."""
        driver = self.driver()
        driver.engine.create_device("/opt/wmx3", "test")
        self.calls.clear()
        return driver

    def called(self, name: str) -> list[tuple[Any, ...]]:
        """The arguments of each call of a function."""
        return [args for called, *args in self.calls if called == name]

    def order(self, method: str, *args: Any, **kwargs: Any) -> Any:
        return self.engine.call("motion", method, *args, **kwargs)

    def code(self, name: str) -> int:
        """The number of an error."""
        classes = [getattr(self.sdk, errors) for errors in SURFACE["errors"]]
        return next(getattr(c, name) for c in classes if hasattr(c, name))

    def name_of(self, enum: str, number: int) -> str:
        """What one of the SDK's numbers is called, in our capitals."""
        members = vars(getattr(self.sdk, enum)).items()
        return next(name for name, value in members if value == number).upper()

    def start_communication(self, _milliseconds: int = 0) -> None:
        """As the engine: soon after its own start it cannot reach the network yet."""
        if self._now() < self._started + self.link_time:
            self.refuse("StartCommunicationError")
        self.engine.call("engine", "start_communication")
        self._first_cycle = None

    def set_watchdog(self, milliseconds: int) -> None:
        self.engine.call("engine", "state")  # which says whether it lives
        self.watchdog = milliseconds

    def count(self, cycle: int, *, communicating: bool) -> int:
        """What the cycle counter shows at the engine's `cycle`: those since communication began."""
        if communicating and self.counting:
            if self._first_cycle is None:
                self._first_cycle = cycle
            self._last_count = cycle - self._first_cycle
        return self._last_count

    def start(self, axes: Iterable[int]) -> None:
        """Axes were told to move."""
        self.started |= dict.fromkeys(axes, newest_cycle(self.engine.clock).cycle)

    def starting(self, axis: int) -> bool:
        """Whether the newest command of an axis has still to start, when a stop is tried."""
        pending = self.pending.get(axis, 0)
        self.pending[axis] = max(0, pending - 1)
        return pending > 0 or self.started.get(axis) == newest_cycle(self.engine.clock).cycle

    def _now(self) -> float:
        return EngineTime(self.engine.clock).now()

    def refuse(self, name: str) -> NoReturn:
        raise CommandRefused(self.code(name))

    @cached_property
    def names(self) -> dict[int, str]:
        """Of every error, by its number."""
        classes = [getattr(self.sdk, errors) for errors in SURFACE["errors"]]
        return {code: name for c in classes for name, code in vars(c).items() if type(code) is int}

    def _do(self, name: str, target: SdkObject | None, *args: Any) -> Any:
        """Whatever is done with the module ends up here."""
        kind, method = name.split(".")
        if method == "__init__":
            self._connect(kind, target)
            return None
        if method == "ErrorToString":
            return f"the {kind}'s text of {self.names[args[0]]}"
        self.calls.append((name, *args))
        if name not in self._played:
            raise NotImplementedError(name)
        if name == "Config.ImportAndSetAll":
            return self._import_by_wrapper(target, *args)
        code, values = self._carry_out(name, target, args)
        outputs = method.startswith(OUTPUTS) and method != "GetAndExportAll"
        return (code, *values) if outputs else code

    def _import_by_wrapper(self, config: Any, path: str) -> tuple[Any, ...]:
        """As both modules do it: the error objects are returned, one of them twice."""
        axes = self.sdk.Config_AxisParam()
        system = axes if self._linux else self.sdk.Config_SystemParam()
        return self._import_and_set_all(config, path, system, axes), system, system

    def _import_and_set_all(self, config: Any, path: str, system: Any, axes: Any) -> int:
        """The function of the binding, which takes its own types only."""
        if type(system) is not self.sdk.Config_SystemParam:
            raise TypeError(
                "in method 'Config_ImportAndSetAll', argument 3 of type 'SystemParam *'"
            )
        if type(axes) is not self.sdk.Config_AxisParam:
            raise TypeError("in method 'Config_ImportAndSetAll', argument 4 of type 'AxisParam *'")
        code, _ = self._carry_out("Config.ImportAndSetAll", config, (path,))
        return code

    def _carry_out(
        self, name: str, target: SdkObject | None, args: tuple[Any, ...]
    ) -> tuple[int, tuple[Any, ...]]:
        device = target
        while device is not None and device.owner is not None:
            device = device.owner
        try:
            if name == "WMX3Api.CreateDevice":
                self._attached.add(device)
            elif device not in self._attached:
                self.refuse("DeviceIsNull")
            values = self._played[name](self, *args)
            if name == "WMX3Api.CloseDevice":
                self._attached.remove(device)
        except Refused as error:
            return int(error.code), error.values
        except WmxError as error:
            code = self.code(error.name) if error.code == UNNUMBERED else error.code
            return int(code), (None,)
        return 0, values or ()

    def _connect(self, kind: str, target: Any) -> None:
        """Give CoreMotion and AdvancedMotion their parts."""
        for attribute, part in PARTS.get(kind, {}).items():
            object.__setattr__(target, attribute, getattr(self.sdk, part)(target))


PARTS = {
    "CoreMotion": {
        "axisControl": "AxisControl",
        "motion": "Motion",
        "home": "Home",
        "velocity": "Velocity",
        "torque": "Torque",
        "config": "Config",
    },
    "AdvancedMotion": {"advMotion": "AdvMotion"},
}

POSITION, VELOCITY, TORQUE = CommandMode

PLAYED: dict[str, Callable[..., Any]] = {
    "WMX3Api.CreateDevice": lambda w, path, kind, milliseconds, core=-1, affinity=0: None,
    "WMX3Api.CloseDevice": lambda w: None,
    "WMX3Api.SetDeviceName": lambda w, name: None,
    "WMX3Api.StartCommunication": StandIn.start_communication,
    "WMX3Api.StopCommunication": lambda w, ms: w.engine.call("engine", "stop_communication"),
    "WMX3Api.SetWatchdog": StandIn.set_watchdog,
    "WMX3Api.GetEngineStatus": answers.engine_status,
    "CoreMotion.GetStatus": answers.core_status,
    "CoreMotion.ExecEStop": lambda w, level: w.order(
        "emergency_stop", EmergencyStop[w.name_of("EStopLevel", level)]
    ),
    "CoreMotion.ReleaseEStop": lambda w: w.order("release_emergency_stop"),
    "AxisControl.SetServoOn": lambda w, axis, on: w.order("set_servo", axis, on=bool(on)),
    "AxisControl.ClearAmpAlarm": lambda w, axis: w.order("clear_alarm", axis),
    "AxisControl.ClearAxisAlarm": lambda w, axis: None,
    "AxisControl.SetAxisCommandMode": lambda w, axis, mode: w.order(
        "set_command_mode", axis, CommandMode[w.name_of("AxisCommandMode", mode)]
    ),
    "Motion.StartPos": orders.start("move_absolute", orders.position_move),
    "Motion.StartMov": orders.start("move_relative", orders.position_move),
    "Motion.StartJog": orders.start("jog", orders.velocity_move),
    "Motion.StartJog_TimedJog": orders.start("jog", orders.timed_move),
    "Motion.OverrideVel": orders.override_velocity,
    "Motion.Pause": orders.pause,
    "Motion.Resume": orders.resume,
    "Motion.StartLinearIntplPos": orders.start_linear,
    "Motion.Stop_AxisSel": orders.stop("stop", POSITION, "NotPosMode"),
    "Motion.ExecQuickStop_AxisSel": orders.stop("quick_stop", POSITION, "NotPosMode"),
    "Home.StartHome": lambda w, axis: w.order("home", axis),
    "Home.SetCommandPos": lambda w, axis, position: w.order("set_position", axis, position),
    "Home.SetHomeDone": lambda w, axis, done: None,
    "Home.Cancel_AxisSel": orders.cancel_homing,
    "Velocity.StartVel": orders.start("move_velocity", orders.velocity_move),
    "Velocity.StartVel_TimedVel": orders.start("move_velocity", orders.timed_move),
    "Velocity.Stop_AxisSel": orders.stop("stop", VELOCITY, "NotVelocityMode"),
    "Velocity.ExecQuickStop_AxisSel": orders.stop("quick_stop", VELOCITY, "NotVelocityMode"),
    "Torque.StartTrq": orders.start("move_torque", orders.torque_move),
    "Torque.StopTrq_AxisSel": orders.stop("stop", TORQUE, "NotTrqMode"),
    "Config.SetAxisPolarity": lambda w, axis, polarity: w.order("set_polarity", axis, polarity),
    "Config.SetGearRatio": lambda w, axis, numerator, denominator: w.order(
        "set_gear_ratio", axis, numerator, denominator
    ),
    "Config.ImportAndSetAll": orders.import_and_set_all,
    "Config.GetAndExportAll": orders.export,
    "AdvMotion.GetSplineBufferPoints": lambda w, channel: (w.rooms.get(channel, 0),),
    "AdvMotion.CreateSplineBuffer": orders.create_room,
    "AdvMotion.FreeSplineBuffer": orders.free_room,
    "AdvMotion.StartCSplinePos_PointTime": orders.start_spline,
    "Io.GetInBit": lambda w, at, bit: (int(w.engine.call("io", "input_bit", at, bit)),),
    "Io.GetOutBit": lambda w, at, bit: (int(w.engine.call("io", "output_bit", at, bit)),),
    "Io.SetOutBit": lambda w, at, bit, on: w.engine.call(
        "io", "set_output_bit", at, bit, value=bool(on)
    ),
    "Io.GetInBytes": lambda w, at, size: ([*w.engine.call("io", "input_bytes", at, size)],),
    "Io.GetOutBytes": lambda w, at, size: ([*w.engine.call("io", "output_bytes", at, size)],),
    "Io.SetOutBits": orders.set_out_bits,
    "Io.SetOutBytes": orders.set_out_bytes,
    "Ecat.GetMasterInfo": answers.master_info,
    "Ecat.ScanNetwork": lambda w: w.engine.call("ecat", "scan_network", 0),
    "Ecat.StartHotconnect": lambda w: w.engine.call("ecat", "start_hotconnect", 0),
    "Ecat.ChangeSlaveState": orders.change_slave_state,
    "Ecat.SdoUpload_SdoType_WaitTime": orders.upload,
    "Ecat.SdoDownload_SdoType_WaitTime": orders.download,
}
