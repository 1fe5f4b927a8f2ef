"""WMX parameter XML <-> typed parameters; pure, no engine needed.

    <Parameters ver="1.00">
        <GlobalParameters> sections </GlobalParameters>
        <AxisParameters Axis="0"> sections </AxisParameters>     one per axis, 0 to 127
    </Parameters>

`ParameterSet` keeps every element of a file, known or not, with its attributes and its text as
it stood; comments and the white space between elements are not kept. `AxisParameters` is the
typed view of one axis: an element that the file leaves out reads as the vendor's default.
A file is judged as a whole when it is read, so that reading a typed value cannot fail later.

To type one more element, add one row to `AxisParameters`.
"""

import math
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import islice
from typing import Annotated, Any, NamedTuple, NoReturn, get_type_hints
from xml.sax import SAXException
from xml.sax.handler import ContentHandler
from xml.sax.saxutils import escape, quoteattr
from xml.sax.xmlreader import AttributesImpl

from defusedxml import DefusedXmlException
from defusedxml.sax import make_parser

from .errors import CommandRefused, ErrorCode, ParameterFileError
from .values import MAX_AXES, CommandMode

MAX_FILE_BYTES = 16 * 2**20
"""A file of 128 axes has about 1.3 MB."""
MAX_ELEMENTS = 250_000
"""A file of 128 axes has about 24,000."""
MAX_DEPTH = 32
"""The format itself needs 6."""

_PATH_MAX = 4096
_BLANK = " \t\r\n"
# float() alone also takes "nan", "1_000" and digits of every script, which the engine does not.
_DECIMAL = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")


# --- what an element may hold --------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Kind:
    """What the number in an element means: the numbers allowed, in words too, and their type."""

    rule: str
    accepts: Callable[[float], bool] = math.isfinite
    convert: Callable[[float], Any] = float

    def judge(self, number: float) -> Any:
        """The typed value of `number`; ValueError says the rule it breaks."""
        if not (math.isfinite(number) and self.accepts(number)):
            raise ValueError(f"must be {self.rule}")
        return self.convert(number)

    def read(self, text: str) -> Any:
        """The typed value of an element's text; ValueError says the rule it breaks."""
        return self.judge(float(text) if _DECIMAL.fullmatch(text.strip(_BLANK)) else math.nan)


def _whole(low: int, high: int, convert: Callable[[float], Any] = int) -> Kind:
    return Kind(
        f"a whole number from {low} to {high}",
        lambda number: number.is_integer() and low <= number <= high,
        convert,
    )


NUMBER = Kind("a finite number")
POSITIVE = Kind("a finite number > 0", lambda number: number > 0)
UNSIGNED = Kind("a finite number >= 0", lambda number: number >= 0)
SIGN = Kind("1 or -1", lambda number: number in (1, -1), int)
FLAG = Kind("0 or 1", lambda number: number in (0, 1), bool)
COMMAND_MODE = _whole(0, 2, lambda number: CommandMode(int(number)))
HOME_TYPE = _whole(0, 20)
HOME_DIRECTION = _whole(0, 1)
LIMIT_TYPE = _whole(0, 6)


class At(NamedTuple):
    """Where a typed value stands in an axis, and what it may hold."""

    section: str
    element: str
    kind: Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class AxisParameters:
    """The typed parameters of one axis.

    Positions and widths are in u, velocities in u/s, decelerations in u/s^2, where u is the
    axis's user unit: gear_ratio_numerator / gear_ratio_denominator encoder counts.
    """

    gear_ratio_numerator: Annotated[float, At("AxisParam", "AxisGearRatioNumerator", POSITIVE)]
    gear_ratio_denominator: Annotated[float, At("AxisParam", "AxisGearRatioDenominator", POSITIVE)]
    axis_unit: Annotated[float, At("AxisParam", "AxisUnit", NUMBER)]
    polarity: Annotated[int, At("AxisParam", "AxisPolarity", SIGN)]
    command_mode: Annotated[CommandMode, At("AxisParam", "AxisCommandMode", COMMAND_MODE)]
    # Percent of rated torque; rpm; percent.
    max_torque_limit: Annotated[float, At("AxisParam", "MaxTrqLimit", UNSIGNED)]
    max_motor_speed: Annotated[float, At("AxisParam", "MaxMotorSpeed", UNSIGNED)]
    velocity_feedforward_gain: Annotated[
        float, At("AxisParam", "VelocityFeedforwardGain", UNSIGNED)
    ]

    # Numbered as the vendor's HomeType (0 CurrentPos, 1 ZPulse, 2 HS, 4 HSZPulse, ...) and
    # HomeDirection (0 positive, 1 negative).
    home_type: Annotated[int, At("HomeParam", "HomeType", HOME_TYPE)]
    home_direction: Annotated[int, At("HomeParam", "HomeDir", HOME_DIRECTION)]
    homing_velocity_slow: Annotated[float, At("HomeParam", "HomingVelSlow", UNSIGNED)]
    homing_velocity_fast: Annotated[float, At("HomeParam", "HomingVelFast", UNSIGNED)]
    home_position: Annotated[float, At("HomeParam", "HomePosition", NUMBER)]
    clear_home_done_on_servo_off: Annotated[bool, At("HomeParam", "ClearHomeDoneOnServoOff", FLAG)]
    clear_home_done_on_comm_stop: Annotated[bool, At("HomeParam", "ClearHomeDoneOnCommStop", FLAG)]

    in_pos_width: Annotated[float, At("FeedbackParam", "InPosWidth", UNSIGNED)]
    pos_set_width: Annotated[float, At("FeedbackParam", "PosSetWidth", UNSIGNED)]
    delayed_pos_set_width: Annotated[float, At("FeedbackParam", "DelayedPosSetWidth", UNSIGNED)]

    following_error_stopped: Annotated[float, At("AlarmParam", "FollowingErrorStopped", UNSIGNED)]
    following_error_moving: Annotated[float, At("AlarmParam", "FollowingErrorMoving", UNSIGNED)]
    servo_off_during_amp_alarm: Annotated[bool, At("AlarmParam", "ServoOffDuringAmpAlarm", FLAG)]

    # Numbered as the vendor's LimitSwitchType (0 none, 3 decelerate, 6 the two separate ones).
    soft_limit_type: Annotated[int, At("LimitParam", "SoftLimitType", LIMIT_TYPE)]
    positive_soft_limit_type: Annotated[int, At("LimitParam", "PositiveSoftLimitType", LIMIT_TYPE)]
    negative_soft_limit_type: Annotated[int, At("LimitParam", "NegativeSoftLimitType", LIMIT_TYPE)]
    soft_limit_positive: Annotated[float, At("LimitParam", "SoftLimitPositivePos", NUMBER)]
    soft_limit_negative: Annotated[float, At("LimitParam", "SoftLimitNegativePos", NUMBER)]

    quick_stop_dec: Annotated[float, At("MotionParam", "QuickStopDec", POSITIVE)]


FIELDS: Mapping[str, At] = {
    name: hint.__metadata__[0]
    for name, hint in get_type_hints(AxisParameters, include_extras=True).items()
}
"""Every row of `AxisParameters`, by the name of its field."""


# --- the parameters ------------------------------------------------------------------------


class Element(NamedTuple):
    """One XML element: either its text or its children, whichever it has."""

    tag: str
    attributes: tuple[tuple[str, str], ...] = ()
    text: str = ""
    children: tuple["Element", ...] = ()


@dataclass(frozen=True, slots=True)
class ParameterSet:
    """The parameters of every axis and the global ones; immutable, equal when every element is.

    Made by `read_parameters`, `from_xml` or `defaults`, which judge; `root` is judged already.
    """

    root: Element

    @classmethod
    def defaults(cls, axes: int) -> "ParameterSet":
        """The vendor's defaults for `axes` axes, 1 to 128."""
        if not 1 <= axes <= MAX_AXES:
            raise ValueError(f"axes = {axes}: must be from 1 to {MAX_AXES}")
        vendor = _vendor_defaults()
        *others, axis = vendor.children
        every = (axis._replace(attributes=(("Axis", str(number)),)) for number in range(axes))
        return cls(vendor._replace(children=(*others, *every)))

    @classmethod
    def from_xml(cls, data: bytes, source: str = "parameters") -> "ParameterSet":
        """The parameters in `data`; `source` names it in errors.

        Raises ParameterFileError (ParameterFileParseError) with the first faults found.
        """
        try:
            root = _parse(data)
        except ValueError as reason:
            _refuse(ErrorCode.ParameterFileParseError, source, str(reason))
        faults = _faults(root)
        if first := list(islice(faults, 3)):
            reasons = "; ".join([*first, *("and more" for _ in islice(faults, 1))])
            _refuse(ErrorCode.ParameterFileParseError, source, reasons)
        return cls(root)

    def to_xml(self) -> str:
        """The whole set as a file's text: tabs, LF, to be encoded as UTF-8."""
        return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', *_lines(self.root, ""), ""])

    @property
    def axes(self) -> tuple[int, ...]:
        """The numbers of the axes that the set holds, as they stand in it."""
        return tuple(
            _axis_number(child) for child in self.root.children if child.tag == "AxisParameters"
        )

    def axis(self, axis: int) -> AxisParameters:
        """The typed parameters of `axis`; what the set leaves out is the vendor's default.

        Raises CommandRefused (AxisOutOfRange) unless `axis` is from 0 to 127.
        """
        texts = {**_vendor_texts(), **_texts(self._axis_element(axis))}
        return AxisParameters(
            **{name: at.kind.read(texts[at.section, at.element]) for name, at in FIELDS.items()}
        )

    def with_axis(self, axis: int, **changes: float) -> "ParameterSet":
        """This set with some typed values of `axis` changed, by the names in `AxisParameters`.

        Raises CommandRefused: AxisOutOfRange unless `axis` is from 0 to 127, ParamOutOfRange
        when a value breaks its rule.
        """
        old = new = self._axis_element(axis)
        for name, number in changes.items():
            at = FIELDS[name]
            try:
                value = at.kind.judge(float(number))
            except ValueError as reason:
                detail = f"axis {axis}, {name} = {number}: {reason}"
                raise CommandRefused(ErrorCode.ParamOutOfRange, detail) from None
            new = _with_text(new, (at.section, at.element), _number_text(value))
        children = self.root.children
        index = children.index(old) if old in children else len(children)
        return ParameterSet(_with_child(self.root, index, new))

    def _axis_element(self, axis: int) -> Element:
        if not 0 <= axis < MAX_AXES:
            detail = f"axis {axis}: must be from 0 to {MAX_AXES - 1}"
            raise CommandRefused(ErrorCode.AxisOutOfRange, detail)
        for child in self.root.children:
            if child.tag == "AxisParameters" and _axis_number(child) == axis:
                return child
        return Element("AxisParameters", (("Axis", str(axis)),))


def read_parameters(path: str | os.PathLike[str]) -> ParameterSet:
    """The parameters in the file at `path`, which must be absolute.

    A relative path is refused: it would mean a file in whatever folder this process was started.
    Raises ParameterFileError: FileOperationFailed when it cannot be read, ParameterFileParseError
    when its content breaks a rule.
    """
    name = os.fspath(path)
    return ParameterSet.from_xml(_read(name), _shown(name, _PATH_MAX))


_DUMP: Mapping[str, Mapping[str, Sequence[str]]] = {
    "AxisParam": {
        "GearRatio": ("gear_ratio_numerator", "gear_ratio_denominator"),
        "AxisUnit": ("axis_unit",),
        "AxisPolarity": ("polarity",),
        "CommandMode": ("command_mode",),
        "MaxTrqLimit": ("max_torque_limit",),
        "MaxMotorSpeed": ("max_motor_speed",),
        "VelFeedforwardGain": ("velocity_feedforward_gain",),
    },
    "HomeParam": {
        "HomeType": ("home_type",),
        "HomeDirection": ("home_direction",),
        "HomingVelSlow": ("homing_velocity_slow",),
        "HomingVelFast": ("homing_velocity_fast",),
        "HomePosition": ("home_position",),
    },
    "FeedbackParam": {
        "InPosWidth": ("in_pos_width",),
        "PosSetWidth": ("pos_set_width",),
        "DelayedPosSetWidth": ("delayed_pos_set_width",),
    },
    "AlarmParam": {
        "FollowErrStopped": ("following_error_stopped",),
        "FollowErrMoving": ("following_error_moving",),
    },
    "LimitParam": {
        "SoftLimitPosPos": ("soft_limit_positive",),
        "SoftLimitNegPos": ("soft_limit_negative",),
    },
}


def describe_axis(parameters: ParameterSet, axis: int) -> list[str]:
    """The lines of wmx/params/get for one axis, as the C++ nodes print them; the last is empty.

    Raises CommandRefused (AxisOutOfRange) unless `axis` is from 0 to 127.
    """
    values = parameters.axis(axis)
    lines = [f"=== Axis {axis} ==="]
    for section, entries in _DUMP.items():
        lines.append(f"[{section}]")
        for label, fields in entries.items():
            texts = (_six_decimals(getattr(values, field)) for field in fields)
            lines.append(f"  {label:<18} = {' / '.join(texts)}")
    return [*lines, ""]


def _six_decimals(value: float) -> str:
    return f"{value:.6f}" if isinstance(value, float) else str(int(value))


def _number_text(value: float) -> str:
    # The vendor's six decimals where they hold the value, every digit where they do not.
    text = _six_decimals(value)
    return text if float(text) == value else repr(value)


# --- reading -------------------------------------------------------------------------------


def _refuse(code: ErrorCode, source: str, reason: str) -> NoReturn:
    raise ParameterFileError(code, f"{source}: {reason}") from None


def _shown(text: str, limit: int = 60) -> str:
    # Quoted and escaped: whatever stands in a file or path can be printed and sent as UTF-8.
    return repr(text) if len(text) <= limit else f"{text[:limit]!r}..."


def _read(name: str) -> bytes:
    """The content of the regular file `name`, never waiting for anything but a disk."""
    try:
        if not os.path.isabs(name):
            raise ValueError("the path must be absolute")
        # Looked at before it is opened, because opening a device can already act on it.
        _must_be_regular(os.stat(name))
        with open(name, "rb", opener=_open_without_waiting) as file:
            _must_be_regular(os.fstat(file.fileno()))
            # None is a file of /proc that would have to be waited for.
            data = file.read(MAX_FILE_BYTES + 1) or b""
        if len(data) > MAX_FILE_BYTES:
            raise ValueError(f"larger than {MAX_FILE_BYTES // 2**20} MiB")
        return data
    except OSError as error:
        reason = error.strerror or str(error)
    except ValueError as error:
        reason = str(error)
    _refuse(ErrorCode.FileOperationFailed, _shown(name, _PATH_MAX), reason)


def _must_be_regular(status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise ValueError("is a directory")
    if not stat.S_ISREG(status.st_mode):
        raise ValueError("must be a regular file")


def _open_without_waiting(name: str, flags: int) -> int:
    return os.open(name, flags | os.O_NONBLOCK | os.O_NOCTTY)


def _parse(data: bytes) -> Element:
    """The elements of an XML document; ValueError says why it is none."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"must be UTF-8, but is not at byte {error.start}") from None
    if "\0" in text:
        raise ValueError("must be text in UTF-8, but holds a NUL byte")
    builder = _Builder()
    parser = make_parser()
    parser.setContentHandler(builder)
    parser.forbid_dtd = True
    try:
        # As text, so that an encoding declared in the file cannot change its meaning.
        parser.feed(text)
        parser.close()
        return builder.root
    except DefusedXmlException:
        reason = "a DTD (DOCTYPE, entities) is not allowed"
    except SAXException as error:
        reason = error.getMessage()
    except ValueError as error:
        reason = str(error)
    raise ValueError(f"line {parser.getLineNumber()}: {reason}")


class _Builder(ContentHandler):
    """Builds `root`. Equal elements become one object: real files repeat the same axis 128 times,
    and shared elements make a set small in memory and on its way to another process."""

    root: Element

    def __init__(self) -> None:
        super().__init__()
        self._open: list[tuple[str, AttributesImpl, list[str], list[Element]]] = []
        self._shared: dict[Element, Element] = {}
        self._count = 0

    def startElement(self, name: str, attrs: AttributesImpl) -> None:  # noqa: N802
        self._count += 1
        if self._count > MAX_ELEMENTS:
            raise ValueError(f"more than {MAX_ELEMENTS} elements")
        if len(self._open) == MAX_DEPTH:
            raise ValueError(f"elements nested deeper than {MAX_DEPTH}")
        self._open.append((name, attrs, [], []))

    def characters(self, content: str) -> None:
        self._open[-1][2].append(content)

    def endElement(self, name: str) -> None:  # noqa: N802
        _, attrs, texts, children = self._open.pop()
        text = "".join(texts)
        if children:
            if stray := text.strip(_BLANK):
                raise ValueError(f"text {_shown(stray)} between the elements of {_shown(name)}")
            text = ""
        element = Element(name, tuple(attrs.items()), text, tuple(children))
        if self._open:
            self._open[-1][3].append(self._shared.setdefault(element, element))
        else:
            self.root = element


# --- judging -------------------------------------------------------------------------------

Rules = Mapping[str, "Kind | Rules"]
"""What may stand in an element, by the names of its children; what is not named is not judged."""


def _faults(root: Element) -> Iterator[str]:
    """What is wrong with a document; nothing means accept."""
    if root.tag != "Parameters":
        yield f"the root element is {_shown(root.tag)}, must be 'Parameters'"
        return
    seen = set()
    for child in root.children:
        rules = _rules().get(child.tag)
        if not isinstance(rules, Mapping):
            continue
        where = child.tag
        if child.tag == "AxisParameters":
            try:
                where = f"axis {_axis_number(child)}"
            except ValueError as reason:
                yield str(reason)
                continue
        if where in seen:
            yield f"{where} occurs twice"
        seen.add(where)
        yield from _faults_in(child, rules, where, ", ")
    if all(child.tag != "AxisParameters" for child in root.children):
        yield "holds no AxisParameters, must hold at least one axis"


def _faults_in(parent: Element, rules: Rules, where: str, separator: str) -> Iterator[str]:
    if not parent.children and (stray := parent.text.strip(_BLANK)):
        yield f"{where}: text {_shown(stray)} in place of elements"
    seen = set()
    for child in parent.children:
        rule = rules.get(child.tag)
        if rule is None:
            continue
        name = where + separator + child.tag
        if child.tag in seen:
            yield f"{name} occurs twice"
        seen.add(child.tag)
        if isinstance(rule, Mapping):
            yield from _faults_in(child, rule, name, "/")
        elif child.children:
            yield f"{name}: must be {rule.rule}, but holds elements"
        else:
            try:
                rule.read(child.text)
            except ValueError as reason:
                yield f"{name} = {_shown(child.text)}: {reason}"


def _axis_number(element: Element) -> int:
    """The axis that an AxisParameters element is about; ValueError says what is wrong with it."""
    text = dict(element.attributes).get("Axis", "")
    if not re.fullmatch("[0-9]{1,9}", text) or int(text) >= MAX_AXES:
        rule = f"must be a whole number from 0 to {MAX_AXES - 1}"
        raise ValueError(f"AxisParameters Axis = {_shown(text)}: {rule}")
    return int(text)


# --- the vendor's defaults -----------------------------------------------------------------


@cache
def _vendor_defaults() -> Element:
    """The global parameters and one axis, with the values of an unused axis."""
    return _parse(resources.files(__package__).joinpath("parameter_defaults.xml").read_bytes())


@cache
def _vendor_texts() -> Mapping[tuple[str, str], str]:
    return _texts(_vendor_defaults().children[-1])


@cache
def _rules() -> Rules:
    """Every element that the vendor's defaults name is a number; `FIELDS` is more exact."""
    kinds = {(at.section, at.element): at.kind for at in FIELDS.values()}

    def rules(parent: Element) -> Rules:
        return {
            child.tag: rules(child)
            if child.children
            else kinds.get((parent.tag, child.tag), NUMBER)
            for child in parent.children
        }

    return rules(_vendor_defaults())


# --- elements ------------------------------------------------------------------------------


def _texts(axis: Element) -> dict[tuple[str, str], str]:
    """The texts in the sections of an axis, by section and element."""
    return {
        (section.tag, element.tag): element.text
        for section in axis.children
        for element in section.children
    }


def _with_text(parent: Element, path: Sequence[str], text: str) -> Element:
    """`parent` with `text` in the element at `path` below it, which is made where it is missing."""
    if not path:
        return parent._replace(text=text)
    tag, *rest = path
    tags = [child.tag for child in parent.children]
    index = tags.index(tag) if tag in tags else len(tags)
    old = parent.children[index] if tag in tags else Element(tag)
    return _with_child(parent, index, _with_text(old, rest, text))


def _with_child(parent: Element, index: int, child: Element) -> Element:
    children = (*parent.children[:index], child, *parent.children[index + 1 :])
    return parent._replace(text="", children=children)


def _lines(element: Element, indent: str) -> Iterator[str]:
    attributes = "".join(f" {name}={quoteattr(text)}" for name, text in element.attributes)
    start, end = f"{indent}<{element.tag}{attributes}>", f"</{element.tag}>"
    if not element.children:
        # A carriage return that was written as a reference would otherwise read back as LF.
        yield start + escape(element.text, {"\r": "&#13;"}) + end
        return
    yield start
    for child in element.children:
        yield from _lines(child, indent + "\t")
    yield indent + end
