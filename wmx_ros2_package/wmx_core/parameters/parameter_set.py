"""WMX parameter XML <-> typed parameters; pure, no engine needed.

    <Parameters ver="1.00">
        <GlobalParameters> sections </GlobalParameters>
        <AxisParameters Axis="0"> sections </AxisParameters>     one per axis, 0 to 127
    </Parameters>

`ParameterSet` keeps every element of a file, known or not, with its attributes and its text as
it stood; comments and the white space between elements are not kept. `AxisParameters` is the
typed view of one axis: an element that the file leaves out reads as the vendor's default.
A file is judged as a whole when it is read, so that reading a typed value cannot fail later.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from itertools import islice
from typing import NoReturn

from ..errors import CommandRefused, ErrorCode, ParameterFileError
from ..regular_file import read_regular_file
from ..values import MAX_AXES
from .axis_parameters import FIELDS, NUMBER, AxisParameters, Kind, judged
from .xml_elements import (
    BLANK,
    Element,
    completed,
    parse,
    replaced,
    shown,
    to_xml,
    with_child,
    with_text,
)

MAX_FILE_BYTES = 4 * 2**20
"""A file of 128 axes has about 1.1 MB; nothing is read of one that is larger."""
_PATH_MAX = 4096
Exact = tuple[tuple[int, str, float], ...]
"""Numbers of axes, each after its name in `AxisParameters`, of which a file has fewer digits."""


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
    def from_xml(cls, data: bytes, source: str = "parameters", exact: Exact = ()) -> "ParameterSet":
        """The parameters in `data`, with `exact` numbers in their places; `source` names it.

        Raises ParameterFileError (ParameterFileParseError) with the first faults found.
        """
        try:
            return cls(_judged(data, exact))
        except ValueError as reason:
            _refuse(ErrorCode.ParameterFileParseError, source, str(reason))

    def to_xml(self) -> str:
        """The whole set as a file's text: tabs, LF, to be encoded as UTF-8."""
        return to_xml(self.root)

    def completed(self) -> "ParameterSet":
        """This set with the vendor's default in each element that an axis of it leaves out.

        Axes that it does not hold are not added; global parameters are.
        """
        return ParameterSet(completed(self.root, _vendor_defaults()))

    def over(self, base: "ParameterSet") -> "ParameterSet":
        """This set, completed, with the axes and global parameters of `base` that it does not hold.

        So a file of a few axes leaves all others as they are. What `base` has that neither this set
        nor the vendor's defaults name, as an engine newer than these has, stays as it is, too.
        """
        in_force = {_where(child): child for child in base.root.children if child.tag in _rules()}
        own = {_where(child) for child in self.root.children if child.tag in _rules()}
        kept = (child for where, child in in_force.items() if where not in own)
        whole = self.root._replace(children=(*self.root.children, *kept))
        return ParameterSet(
            whole._replace(
                children=tuple(
                    completed(child, in_force.get(_where(child), child))
                    if child.tag in _rules()
                    else child
                    for child in completed(whole, _vendor_defaults()).children
                )
            )
        )

    def changing(self, base: "ParameterSet") -> "ParameterSet":
        """`base` with the elements that the axes of this set hold in the place of its own.

        All others stay, of these axes, too. Raises CommandRefused (ParamOutOfRange) for an axis or
        an element that `base` does not have, and for anything but axes.
        """
        children = base.root.children
        places = {_where(child): i for i, child in enumerate(children) if child.tag in _rules()}
        root = base.root
        for child in self.root.children:
            where = _where(child) if child.tag == "AxisParameters" else shown(child.tag)
            if where not in places:
                detail = f"{where}: there is no such axis, and nothing else is changed so"
                raise CommandRefused(ErrorCode.ParamOutOfRange, detail)
            try:
                new = replaced(children[places[where]], child)
            except ValueError as reason:
                detail = f"{where}: {reason}"
                raise CommandRefused(ErrorCode.ParamOutOfRange, detail) from None
            root = with_child(root, places[where], new)
        return ParameterSet(root)

    def of(self, axes: Iterable[int]) -> "ParameterSet":
        """This set without the axes that are not among `axes`; all else stays."""
        wanted = {f"axis {axis}" for axis in axes}
        return ParameterSet(
            self.root._replace(
                children=tuple(
                    child
                    for child in self.root.children
                    if child.tag != "AxisParameters" or _where(child) in wanted
                )
            )
        )

    @property
    def axes(self) -> tuple[int, ...]:
        """The numbers of the axes that the set holds, as they stand in it."""
        return tuple(
            _axis_number(child) for child in self.root.children if child.tag == "AxisParameters"
        )

    def unknown(self) -> Iterator[str]:
        """The elements that the vendor's defaults do not name: kept, but not read."""
        for child in self.root.children:
            rules = _rules().get(child.tag)
            if isinstance(rules, Mapping):
                yield from _unknown_in(child, rules, _where(child), ", ")
            else:
                yield shown(child.tag)

    def axis(self, axis: int) -> AxisParameters:
        """The typed parameters of `axis`; what the set leaves out is the vendor's default.

        Raises CommandRefused (AxisOutOfRange) unless `axis` is from 0 to 127.
        """
        return _typed(self._axis_element(axis))

    @property
    def emergency_stop_switches_off(self) -> bool:
        """Whether servos go off at rest after an emergency stop of level 1 (EStopLevel1Type)."""
        section, element = "EmergencyStopParam", "EStopLevel1Type"
        texts = dict[tuple[str, str], str]()
        for child in self.root.children:
            if child.tag == "GlobalParameters":
                texts |= _texts(child)
        return bool(NUMBER.read(texts.get((section, element), "0")))

    def with_axis(self, axis: int, **changes: float) -> "ParameterSet":
        """This set with some typed values of `axis` changed, by the names in `AxisParameters`.

        Raises CommandRefused: AxisOutOfRange unless `axis` is from 0 to 127, ParamOutOfRange
        when a value breaks its rule.
        """
        old = new = self._axis_element(axis)
        for name, value in judged(axis, **changes).items():
            at = FIELDS[name]
            new = with_text(new, (at.section, at.element), _number_text(value))
        children = self.root.children
        index = children.index(old) if old in children else len(children)
        return ParameterSet(with_child(self.root, index, new))

    def _axis_element(self, axis: int) -> Element:
        if not 0 <= axis < MAX_AXES:
            detail = f"axis {axis}: must be from 0 to {MAX_AXES - 1}"
            raise CommandRefused(ErrorCode.AxisOutOfRange, detail)
        for child in self.root.children:
            if child.tag == "AxisParameters" and _axis_number(child) == axis:
                return child
        return Element("AxisParameters", (("Axis", str(axis)),))


def read_parameters(path: str | os.PathLike[str], exact: Exact = ()) -> ParameterSet:
    """The parameters in the file at `path`, which must be absolute, with `exact` numbers.

    A relative path is refused: it would mean a file in whatever folder this process was started.
    Raises ParameterFileError: FileOperationFailed when it cannot be read, ParameterFileParseError
    when its content breaks a rule.
    """
    name = os.fspath(path)
    source = shown(name, _PATH_MAX)
    try:
        data = read_regular_file(name, MAX_FILE_BYTES)
    except ValueError as reason:
        _refuse(ErrorCode.FileOperationFailed, source, str(reason))
    return ParameterSet.from_xml(data, source, exact)


def six_decimals(value: float) -> str:
    """A number as the vendor writes it."""
    return f"{value:.6f}" if isinstance(value, float) else str(int(value))


def _number_text(value: float) -> str:
    # The vendor's six decimals where they hold the value, every digit where they do not.
    text = six_decimals(value)
    return text if float(text) == value else repr(value)


def _refuse(code: ErrorCode, source: str, reason: str) -> NoReturn:
    raise ParameterFileError(code, f"{source}: {reason}") from None


# --- validation -------------------------------------------------------------------------------


@lru_cache(maxsize=4)
def _judged(data: bytes, exact: Exact) -> Element:
    """The elements in `data`, with `exact` numbers; ValueError with the first faults found.

    The same few files are read again and again, and reading one keeps other threads waiting.
    """
    root = _with_exact(parse(data), exact)
    faults = _faults(root)
    if first := list(islice(faults, 3)):
        raise ValueError("; ".join([*first, *("and more" for _ in islice(faults, 1))]))
    return root


def _with_exact(root: Element, exact: Exact) -> Element:
    """`root` with `exact` numbers in the place of its own, of axes that it holds."""
    places = {
        dict(child.attributes).get("Axis"): place
        for place, child in enumerate(root.children)
        if child.tag == "AxisParameters"
    }
    for axis, name, number in exact:
        if (place := places.get(str(axis))) is not None:
            at = FIELDS[name]
            path = at.section, at.element
            axis_element = with_text(root.children[place], path, _number_text(number))
            root = with_child(root, place, axis_element)
    return root


Rules = Mapping[str, "Kind | Rules"]
"""The contents that an element may have, by its children's names; others are not judged."""


def _faults(root: Element) -> Iterator[str]:
    """Yield the faults of a document; none means accept."""
    if root.tag != "Parameters":
        yield f"the root element is {shown(root.tag)}, must be 'Parameters'"
        return
    seen = set()
    for child in root.children:
        rules = _rules().get(child.tag)
        if not isinstance(rules, Mapping):
            continue
        try:
            where = _where(child)
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
    if not parent.children and (stray := parent.text.strip(BLANK)):
        yield f"{where}: text {shown(stray)} in place of elements"
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
                yield f"{name} = {shown(child.text)}: {reason}"


def _unknown_in(parent: Element, rules: Rules, where: str, separator: str) -> Iterator[str]:
    for child in parent.children:
        rule = rules.get(child.tag)
        if rule is None:
            yield where + separator + shown(child.tag)
        elif isinstance(rule, Mapping):
            yield from _unknown_in(child, rule, where + separator + child.tag, "/")


def _where(child: Element) -> str:
    """The name of a child of the root in error texts; ValueError if it has none."""
    return f"axis {_axis_number(child)}" if child.tag == "AxisParameters" else child.tag


def _axis_number(element: Element) -> int:
    """The axis that an AxisParameters element is about; ValueError names what is wrong with it."""
    text = dict(element.attributes).get("Axis", "")
    if not re.fullmatch("[0-9]{1,9}", text) or int(text) >= MAX_AXES:
        rule = f"must be a whole number from 0 to {MAX_AXES - 1}"
        raise ValueError(f"AxisParameters Axis = {shown(text)}: {rule}")
    return int(text)


# --- the vendor's defaults -----------------------------------------------------------------


@cache
def _vendor_defaults() -> Element:
    """The global parameters and one axis, with the values of an unused axis."""
    return parse(resources.files(__package__).joinpath("parameter_defaults.xml").read_bytes())


@cache
def vendor_texts() -> Mapping[tuple[str, str], str]:
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


@lru_cache(maxsize=2 * MAX_AXES)
def _typed(axis: Element) -> AxisParameters:
    """The texts of an axis; the same few axes are asked for again and again."""
    texts = {**vendor_texts(), **_texts(axis)}
    return AxisParameters(
        **{name: at.kind.read(texts[at.section, at.element]) for name, at in FIELDS.items()}
    )


def _texts(axis: Element) -> dict[tuple[str, str], str]:
    """The texts in the sections of an axis, by section and element."""
    return {
        (section.tag, element.tag): element.text
        for section in axis.children
        for element in section.children
    }
