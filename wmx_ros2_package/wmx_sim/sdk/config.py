"""CoreMotion.home and CoreMotion.config: where axes are, and their parameters."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from wmx_core.errors import UNNUMBERED, CommandRefused, ErrorCode
from wmx_core.parameters.axis_parameters import FIELDS
from wmx_core.parameters.parameter_set import ParameterSet, read_parameters
from wmx_core.parameters.xml_elements import Element, completed, to_xml

from .arguments import judged, require_axis
from .enums import ENUMS
from .files import here, is_foreign
from .not_simulated import NotSimulated
from .parts import Part, command
from .runtime import Runtime
from .sdk_commands import axes_of
from .structs import CLASSES, Kept, Struct, struct

COUNTS = 1000.0
"""Encoder counts of a user unit, of the axes that the real engine's logs show."""


class Home(Part):
    """CoreMotion.home: by the type CurrentPos the command becomes zero."""

    @command
    def StartHome(self, axis: int) -> None:
        self.runtime.motion.home(axis)

    @command
    def StartHome_AxisSel(self, selection: Any) -> None:
        for axis in axes_of(selection):
            self.runtime.motion.home(axis)

    @command
    def SetCommandPos(self, axis: int, position: float) -> None:
        self.runtime.motion.set_position(axis, position)

    def SetHomeDone(self, _axis: int, _done: int) -> int:
        """Declaring a position does it, too."""
        return 0

    def Cancel_AxisSel(self, _selection: Any) -> int:
        """Only homing that is paused can be canceled (API reference, Cancel), and none is here."""
        raise CommandRefused(UNNUMBERED, "", "NotPausedDuringHoming")


class Config(Part):
    """CoreMotion.config: what is set is kept and read back; few of it changes the engine."""

    def __init__(self, runtime: Runtime, missing: NotSimulated) -> None:
        super().__init__(runtime, missing)
        self._kept: dict[tuple[str, int | None], Any] = {}

    def ImportAndSetAll(self, path: str) -> tuple[int, Any, Any]:
        """Load a file; the error objects have a 1 for each parameter that is invalid."""
        errors = CLASSES["Config_SystemParam"](), CLASSES["Config_AxisParam"]()
        return self.import_marking(path, *errors), *errors

    @judged
    def import_marking(self, path: str, system: Any, axes: Any) -> int:
        """Load a file; one of another machine, if it is missing here, is reported only.

        Elements and axes that it leaves out become 0 (API reference, ImportAndSetAll). A parameter
        that is invalid becomes 1 in `system`, a Config_SystemParam, or `axes`, a Config_AxisParam.
        """
        file = here(path, self.runtime.folder)
        if not file.is_file():
            if not is_foreign(path):
                return int(ErrorCode.FileOperationFailed)
            self.missing.ignored(f"there is no {file}: the parameters of {path} are not loaded")
            return 0
        root = _with_zeros(read_parameters(file.absolute()).root, self.runtime.axes)
        if invalid := [*_invalid(root)]:
            for axis, section, element in invalid:
                _mark((system, axes), axis, section, element)
            return int(ErrorCode.ParameterSettingsInvalid)
        parameters = ParameterSet.from_xml(to_xml(root).encode())
        typed = [parameters.axis(axis) for axis in range(self.runtime.axes)]
        self.runtime.local.apply_parameters(parameters, typed)
        return 0

    def GetAndExportAll(self, path: str) -> int:
        """Write them to a file; where none can be made, as in no folder, that is refused."""
        parameters = self.runtime.motion.parameters().to_xml()
        try:
            here(path, self.runtime.folder).write_text(parameters, encoding="utf-8")
        except (OSError, ValueError):  # the latter where a path holds a zero
            return int(ErrorCode.FileOperationFailed)
        return 0

    def GetGearRatio(self, axis: int) -> tuple[int, float, float]:
        parameters = self.runtime.motion.parameters().axis(axis)
        return 0, parameters.gear_ratio_numerator, parameters.gear_ratio_denominator

    @command
    def SetAxisPolarity(self, axis: int, polarity: int) -> None:
        self.runtime.motion.set_polarity(axis, polarity)

    @command
    def SetGearRatio(self, axis: int, numerator: float, denominator: float) -> None:
        self.runtime.motion.set_gear_ratio(axis, numerator, denominator)

    def __getattr__(self, name: str) -> Any:
        if name[:3] not in ("Get", "Set") or not name.endswith("Param"):
            return super().__getattr__(name)
        return partial(self._keep, name)

    @judged
    def _keep(self, name: str, *args: Any) -> tuple[int, Any]:
        """Return parameters of all axes, or, where the first argument is a number, of one."""
        axis = int(args[0]) if args and isinstance(args[0], int | np.integer) else None
        if axis is not None:
            require_axis(axis, self.runtime.axes)
        if name.startswith("Set"):
            self._kept[name[3:], axis] = args[-1]
            return 0, Struct()
        made = CLASSES.get(f"Config_{name[3:]}", Kept)
        return 0, self._kept.setdefault((name[3:], axis), made())

    def SetSingleTurn(self, axis: int, enable: int, counts: int) -> int:
        """Return positions are those of one turn from now on."""
        self.runtime.single_turns[axis] = counts / COUNTS if enable else 0.0
        self.runtime.step()
        return 0

    def SetMotionParam(self, axis: int, parameters: Any) -> tuple[int, Any]:
        self._kept["MotionParam", axis] = parameters
        enabled = getattr(parameters, "enableGlobalStartingVelocity", 0)
        velocity = float(getattr(parameters, "globalStartingVelocity", 0.0))
        self.runtime.starting_velocities[axis] = velocity if enabled else 0.0
        return 0, Struct()

    def GetMotionParam(self, axis: int) -> tuple[int, Any]:
        """Return what was set, with the quick stop deceleration that is in force."""
        made = self._kept.setdefault(("MotionParam", axis), CLASSES["Config_MotionParam"]())
        made.quickStopDec = self.runtime.motion.parameters().axis(axis).quick_stop_dec
        return 0, made

    def GetHomeParam(self, axis: int) -> tuple[int, Any]:
        made = CLASSES["Config_HomeParam"]
        return 0, self._kept.setdefault(("HomeParam", axis), made())

    def SetHomeParam(self, axis: int, parameters: Any) -> tuple[int, Any]:
        self._kept["HomeParam", axis] = parameters
        self.runtime.configure(axis, home_position=float(parameters.homePosition))
        if parameters.homeType != ENUMS["Config_HomeType"].CurrentPos:
            self.missing.note("Config_HomeType other than CurrentPos")
        return 0, Struct()


for _name in ("SyncParam", "FlightRecorderParam"):  # not on the list
    CLASSES[f"Config_{_name}"] = type(f"Config_{_name}", (Kept,), {})
for _name in ("AxisParam", "FeedbackParam", "MotionParam", "LimitParam", "AlarmParam"):
    struct(f"Config_{_name}")
struct("Config_HomeParam", homeType=0, homeDirection=0, homePosition=0.0)
_SECTIONS = ("FeedbackParam", "HomeParam", "LimitParam", "MotionParam", "AlarmParam", "SyncParam")
struct(
    "Config_SystemParam",
    {name: CLASSES[f"Config_{name}"] for name in _SECTIONS},
    emergencyStopParam=struct("Config_EmergencyStopParam"),
    flightRecorderParam=CLASSES["Config_FlightRecorderParam"],
)


def _zeros(element: Element) -> Element:
    """Return `element` with 0 in everything below it."""
    if not element.children:
        return element._replace(text="0")
    return element._replace(children=tuple(_zeros(child) for child in element.children))


_ZEROS = _zeros(ParameterSet.defaults(1).root)
_ZERO_AXIS = next(child for child in _ZEROS.children if child.tag == "AxisParameters")


def _with_zeros(root: Element, axes: int) -> Element:
    """Return `root` with 0 in what it leaves out of `axes` axes and of the global parameters."""
    own = ParameterSet(root).axes
    absent = (
        _ZERO_AXIS._replace(attributes=(("Axis", str(axis)),))
        for axis in range(axes)
        if axis not in own
    )
    return completed(root._replace(children=(*root.children, *absent)), _ZEROS)


def _invalid(root: Element) -> Iterator[tuple[int, str, str]]:
    """Return the parameters that the engine does not take: axis, section and element."""
    numbers = ParameterSet(root).axes
    axes = [child for child in root.children if child.tag == "AxisParameters"]
    for number, axis in zip(numbers, axes, strict=True):
        sections = {section.tag: section.children for section in axis.children}
        for at in FIELDS.values():
            texts = {each.tag: each.text for each in sections[at.section]}
            try:
                at.kind.read(texts[at.element])
            except ValueError:
                yield number, at.section, at.element


def _mark(errors: tuple[Any, Any], axis: int, section: str, element: str) -> None:
    """Set the field of an element in the error objects of an import to 1."""
    system, axes = errors
    if section == "AxisParam":
        name = element if element in ("AxisCommandMode", "AxisUnit", "AxisPolarity") else ""
        getattr(axes, f"Set{name or element.removeprefix('Axis')}")(axis, 1)
    elif section == "EmergencyStopParam":
        system.emergencyStopParam.SetEStopDec(axis, 1)
    else:
        part = getattr(system, f"Get{section}")(axis)
        setattr(part, _field_of(part, element), 1)


def _field_of(part: Struct, element: str) -> str:
    """Return the attribute of the SDK for an element: lsDec for LSDec."""
    names = {name.lower(): name for name in (*part.listed, *part.fields)}
    return names.get(element.lower(), element)
