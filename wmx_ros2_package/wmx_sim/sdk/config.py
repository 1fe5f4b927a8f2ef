"""CoreMotion.home and CoreMotion.config: where axes are, and their parameters."""

from collections.abc import Iterator
from contextlib import suppress
from functools import partial, update_wrapper
from typing import Any

import numpy as np

from wmx_core.errors import UNNUMBERED, CommandRefused, ErrorCode
from wmx_core.numerals import decimal
from wmx_core.parameters.axis_parameters import FIELDS, AxisParameters
from wmx_core.parameters.parameter_set import ParameterSet, read_parameters, six_decimals
from wmx_core.parameters.xml_elements import Element, completed, to_xml

from .arguments import judged, require_axis
from .files import here, is_foreign
from .not_simulated import NotSimulated
from .parameter_objects import OF_AXES, attribute_of, changes, show, without_effect
from .parts import Part, command
from .runtime import Runtime
from .sdk_commands import axes_of
from .structs import CLASSES, Kept, Struct, struct

SECTIONS = "FeedbackParam", "HomeParam", "LimitParam", "MotionParam", "AlarmParam"
"""Parameters of one axis, of which an object holds a part."""
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

    @command
    def SetFeedbackPos(self, axis: int, position: float) -> None:
        lag = self.runtime.position(axis) - float(self.runtime.status.actual_pos[axis])
        self.runtime.motion.set_position(axis, position + lag)

    def SetHomeDone(self, axis: int, done: int) -> int:
        """Declaring a position does it, too."""
        if not done:
            return self.missing.note("Home.SetHomeDone(axis, 0)")
        if self.runtime.status.home_done[axis]:
            return 0
        here = self.runtime.position(axis)
        return self.runtime.command(lambda: self.runtime.motion.set_position(axis, here))

    # Only homing that is paused can be canceled, or continued (API reference, Cancel), and none is.

    def Cancel(self, _axis: int) -> int:
        raise CommandRefused(UNNUMBERED, "", "NotPausedDuringHoming")

    def Cancel_AxisSel(self, _selection: Any) -> int:
        raise CommandRefused(UNNUMBERED, "", "NotPausedDuringHoming")

    def Continue(self, _axis: int) -> int:
        raise CommandRefused(UNNUMBERED, "", "NotPausedDuringHoming")

    def Continue_AxisSel(self, _selection: Any) -> int:
        raise CommandRefused(UNNUMBERED, "", "NotPausedDuringHoming")


class Config(Part):
    """CoreMotion.config: what the engine has is put in force; what changes nothing is said once."""

    def __init__(self, runtime: Runtime, missing: NotSimulated) -> None:
        super().__init__(runtime, missing)
        self._kept: dict[tuple[str, int | None], Any] = {}
        """What programs have set, by section and axis."""

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
        """Write them to a file, with six decimals as the real engine does.

        Where none can be made, as in no folder, that is refused.
        """
        parameters = to_xml(_with_six_decimals(self.runtime.motion.parameters().root))
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

    @command
    def SetVelocityFeedforwardGain(self, axis: int, gain: float) -> None:
        self.runtime.configure(axis, velocity_feedforward_gain=gain)

    def GetAxisPolarity(self, axis: int) -> tuple[int, int]:
        return 0, self._in_force(axis).polarity

    def GetVelocityFeedforwardGain(self, axis: int) -> tuple[int, float]:
        return 0, self._in_force(axis).velocity_feedforward_gain

    def __getattr__(self, name: str) -> Any:
        section = name[3:].removesuffix("_Axis")
        if name[:3] not in ("Get", "Set") or not section.endswith("Param"):
            return super().__getattr__(name)
        if section == OF_AXES:
            return self._set_axes if name[:3] == "Set" else self._get_axes
        return update_wrapper(partial(self._keep, name), self._keep)  # with its form of a refusal

    def GetParam(self) -> tuple[int, Any]:
        """Return the parameters of all axes, but for those of AxisParam."""
        made = CLASSES["Config_SystemParam"]()
        for section in SECTIONS:
            for axis in range(self.runtime.axes):
                made.elements[(section, axis)] = self.get(section, axis)
        return 0, made

    def SetParam(self, given: Any) -> tuple[int, Any]:
        """Put in force what was set of each axis."""
        for (section, axis), part in given.elements.items():
            if section in SECTIONS and 0 <= axis < self.runtime.axes:
                self.put(section, axis, part)
        return 0, CLASSES["Config_SystemParam"]()

    @judged
    def _keep(self, name: str, *args: Any) -> tuple[int, Any]:
        """Keep parameters that change nothing here, and return them."""
        axis = int(args[0]) if args and isinstance(args[0], int | np.integer) else None
        if axis is not None:
            require_axis(axis, self.runtime.axes)
        if name.startswith("Set"):
            self._kept[name[3:], axis] = args[-1]
            self.missing.ignored(f"Config.{name} is taken and changes nothing")
            return 0, Struct()
        made = CLASSES.get(f"Config_{name[3:]}", Kept)
        return 0, self._kept.setdefault((name[3:], axis), made())

    def get(self, section: str, axis: int) -> Any:
        """Return the parameters of one axis: what was set, and what is in force."""
        kept = self._kept.get((section, axis)) or CLASSES[f"Config_{section}"]()
        return show(kept.copy(), section, axis, self._in_force(axis))

    @judged
    def _get_axes(self, *axis: int) -> tuple[int, Any]:
        """Return what is in force of every axis."""
        kept = self._kept.get((OF_AXES, None))
        made = kept.copy() if kept else CLASSES["Config_AxisParam"]()
        for each in axis or range(self.runtime.axes):
            require_axis(each, self.runtime.axes)
            show(made, OF_AXES, each, self._in_force(each))
        return 0, made

    @judged
    def _set_axes(self, *args: Any) -> tuple[int, Any]:
        """Put in force what was set of each axis, or of the one that is named first."""
        *only, given = args
        for axis in only or range(self.runtime.axes):
            require_axis(axis, self.runtime.axes)
            self.put(OF_AXES, axis, given)
        self._kept[OF_AXES, None] = given.copy()
        return 0, Struct()

    def put(self, section: str, axis: int, given: Any) -> None:
        """Put in force what was set of one axis."""
        changed = changes(section, axis, given, self._in_force(axis))
        if changed:
            self.runtime.configure(axis, **changed)
        for name in without_effect(section, axis, given):
            self.missing.ignored(f"{name} is taken and changes nothing")
        if section == "MotionParam":
            enabled = given.enableGlobalStartingVelocity
            velocity = float(given.globalStartingVelocity)
            self.runtime.starting_velocities[axis] = velocity if enabled else 0.0
        self._kept[section, axis] = given.copy()

    def _in_force(self, axis: int) -> AxisParameters:
        return self.runtime.motion.parameters().axis(axis)

    def SetSingleTurn(self, axis: int, enable: int, counts: int) -> int:
        """Return positions are those of one turn from now on."""
        self.runtime.single_turns[axis] = counts / COUNTS if enable else 0.0
        self.runtime.step()
        return 0


def _functions(section: str) -> None:
    """Give Config the functions that get and set a section of one axis."""

    def get(part: Config, axis: int) -> tuple[int, Any]:
        return 0, part.get(section, axis)

    def put(part: Config, axis: int, given: Any) -> tuple[int, Any]:
        part.put(section, axis, given)
        return 0, Struct()

    for name, function in ((f"Get{section}", get), (f"Set{section}", put)):
        function.__name__ = name
        setattr(Config, name, judged(function))


for _section in SECTIONS:
    _functions(_section)
for _name in ("SyncParam", "FlightRecorderParam"):  # not on the list
    CLASSES[f"Config_{_name}"] = type(f"Config_{_name}", (Kept,), {})
for _name in ("AxisParam", *SECTIONS):
    struct(f"Config_{_name}")
struct(
    "Config_SystemParam",
    {name: CLASSES[f"Config_{name}"] for name in (*SECTIONS, "SyncParam")},
    emergencyStopParam=struct("Config_EmergencyStopParam"),
    flightRecorderParam=CLASSES["Config_FlightRecorderParam"],
)


def _with_six_decimals(element: Element) -> Element:
    """Return `element` with no more digits in any number below it."""
    if element.children:
        return element._replace(children=tuple(map(_with_six_decimals, element.children)))
    with suppress(ValueError):
        if not element.text.strip().lstrip("-").isdigit():
            return element._replace(text=six_decimals(decimal(element.text)))
    return element


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
        getattr(axes, f"Set{attribute_of(section, element)}")(axis, 1)
    elif section == "EmergencyStopParam":
        system.emergencyStopParam.SetEStopDec(axis, 1)
    else:
        part = getattr(system, f"Get{section}")(axis)
        setattr(part, attribute_of(section, element), 1)
