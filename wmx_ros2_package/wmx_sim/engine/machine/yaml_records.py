"""YAML text -> frozen dataclasses: a field is a key, its type and `Limits` are its rule.

A new key of a format is one new line in its dataclass. Every mistake is a ValueError that names
the key, the value and the rule, or a yaml.YAMLError that names the line.
"""

import re
import reprlib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from difflib import get_close_matches
from types import UnionType
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import yaml

MAX_DEPTH = 16
"""Of values in values; a machine file needs 5."""
MAX_VALUES = 20_000
"""Keys count, too; a script of 1000 faults has about 13,000."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The range of a number, or of the length of a text or list, both ends included."""

    low: float
    high: float
    unit: str = ""

    def __str__(self) -> str:
        return f"{self.low} to {self.high} {self.unit}".rstrip()


def parse(text: bytes | str, name: str) -> object:
    """Return what YAML `text` holds; `name` is the place that errors name."""
    loader = _Loader(text)
    loader.name = name
    return loader.get_single_data()


_PLAIN: dict[object, tuple[tuple[type, ...], str]] = {
    int: ((int,), "a whole number"),
    float: ((int, float), "a number like 40 or 1e9"),
    str: ((str,), "text"),
    bool: ((bool,), "true or false"),
    tuple: ((list,), "a list"),
    Mapping: ((dict,), "a mapping of keys to values"),
}
"""What a value must be for a type, before its limits are looked at."""


def read(kind: Any, value: object, where: str) -> Any:
    """Return `value` as `kind`.

    A dataclass, a tuple, a mapping, a scalar with limits, or one of some texts; a class with a
    method `from_text` is read from text by it.
    """
    if is_dataclass(kind):
        return _read_record(kind, _plain(Mapping, value, where), where)
    if hasattr(kind, "from_text"):
        return _read_text(kind, value, where)
    if get_origin(kind) is Annotated:
        inner, limits = get_args(kind)
        plain = _plain(get_origin(inner) or inner, value, where)
        limit(len(plain) if isinstance(plain, (str, list)) else plain, limits, where, plain)
        return read(inner, plain, where)
    if get_origin(kind) is tuple:
        items = _plain(tuple, value, where)
        return tuple(read(get_args(kind)[0], v, f"{where}[{i}]") for i, v in enumerate(items))
    if get_origin(kind) is Mapping:
        return _present(_plain(Mapping, value, where))
    if get_origin(kind) is Literal:
        return _one_of(get_args(kind), value, where)
    if get_origin(kind) is UnionType:  # with None: a value that was not left out
        return read(get_args(kind)[0], value, where)
    return kind(_plain(kind, value, where))


def _read_record(kind: Any, given: dict[object, object], where: str) -> Any:
    known = {f.name: f for f in fields(kind)}
    for key in given:
        if key not in known:
            alike = get_close_matches(str(key), known, n=1)
            meant = f"is {alike[0]} meant? It " if alike else ""
            known_keys = ", ".join(known)
            raise ValueError(
                f"{_inside(where, key)}: is unknown, {meant}must be one of {known_keys}"
            )
    present = _present(given)
    for name, f in known.items():
        required = f.default is MISSING and f.default_factory is MISSING
        if required and name not in present:
            raise ValueError(f"{_inside(where, name)}: is missing, must be given")
    kinds = get_type_hints(kind, include_extras=True)
    return kind(**{k: read(kinds[k], v, _inside(where, k)) for k, v in present.items()})


def _read_text(kind: Any, value: object, where: str) -> Any:
    try:
        return kind.from_text(value if isinstance(value, str) else "")
    except ValueError as error:
        raise ValueError(f"{where} = {reprlib.repr(value)}: {error}") from None


def _one_of(texts: tuple[str, ...], value: object, where: str) -> object:
    if value not in texts:
        raise ValueError(f"{where} = {reprlib.repr(value)}: must be one of {', '.join(texts)}")
    return value


def _present(given: dict[object, object]) -> dict[str, object]:
    """A key without a value counts as left out."""
    return {str(key): value for key, value in given.items() if value is not None}


def _plain(kind: object, value: object, where: str) -> Any:
    accepted, name = _PLAIN[kind]
    if isinstance(value, bool) is not (kind is bool) or not isinstance(value, accepted):
        raise ValueError(f"{where or 'content'} = {reprlib.repr(value)}: must be {name}")
    return value


def limit(size: float, limits: Limits, where: str, value: object = None) -> None:
    """Refuse a `size` outside `limits`; `value` is what has that size, where it is not itself."""
    if not limits.low <= size <= limits.high:  # also refuses NaN, which is within nothing
        shown = reprlib.repr(size if value is None else value)
        raise ValueError(f"{where} = {shown}: must be {limits}")


def _inside(where: str, key: object) -> str:
    name = key if isinstance(key, str) else repr(key)
    shown = reprlib.repr(name)[1:-1]
    return f"{where}.{shown}" if where else shown


class _Loader(yaml.SafeLoader):
    """Safe YAML with plain values alone: those of YAML 1.2's core schema, without tags.

    And yes, no, on and off are true and false, as in YAML 1.1.
    Nor are there aliases, by which a short file grows without bound, or repeated keys. How deep
    values are nested and how many there are is bounded while the text is read: what takes longer
    than a moment keeps other threads from theirs.
    """

    _values = 0

    def fetch_flow_collection_start(self, token: Any) -> None:
        self._require_flat(self.flow_level)
        super().fetch_flow_collection_start(token)

    def add_indent(self, column: int) -> bool:
        self._require_flat(len(self.indents))
        return bool(super().add_indent(column))

    def compose_node(self, parent: Any, index: Any) -> Any:
        self._values += 1
        if self._values > MAX_VALUES:
            problem = f"has more than {MAX_VALUES} keys and values"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=self.get_mark())
        return super().compose_node(parent, index)

    def _require_flat(self, depth: int) -> None:
        if depth >= MAX_DEPTH:
            problem = f"nested too deeply: must be {MAX_DEPTH} levels at most"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=self.get_mark())

    def scan_flow_scalar(self, style: str) -> Any:
        try:
            return super().scan_flow_scalar(style)
        except (OverflowError, ValueError):  # of chr()
            problem = "holds an escape that is no character"
            mark = self.get_mark()
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=mark) from None

    def fetch_alias(self) -> None:
        raise yaml.MarkedYAMLError(problem="aliases are not allowed", problem_mark=self.get_mark())

    def fetch_tag(self) -> None:
        raise yaml.MarkedYAMLError(problem="tags are not allowed", problem_mark=self.get_mark())

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key in (key for key, _ in node.value if isinstance(key, yaml.ScalarNode)):
            if key.value in seen:
                problem = f"key {key.value!r} is given twice"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)

    def construct_text(self, node: yaml.ScalarNode) -> str:
        """Return the text of a scalar.

        Half a surrogate pair, written as an escape, is no character.
        """
        try:
            node.value.encode()
        except UnicodeEncodeError:
            problem = f"text {reprlib.repr(node.value)} holds half a character"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark) from None
        return str(node.value)


def _whole_number(text: str) -> int:
    return int(text, {"0x": 16, "0o": 8}.get(text[:2], 10))


def _number(text: str) -> float:
    return float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))


_CORE: tuple[tuple[str, str, str, Callable[[str], object]], ...] = (
    ("null", r"|~|null|Null|NULL", "~nN", lambda _: None),
    (
        "bool",
        "(?i:true|yes|on|false|no|off)",
        "tTyYoOfFnN",
        lambda text: text.lower() in ("true", "yes", "on"),
    ),
    ("int", "[-+]?[0-9]{1,40}|0o[0-7]{1,40}|0x[0-9a-fA-F]{1,40}", "-+0123456789", _whole_number),
    (
        "float",
        r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?"
        r"|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
        "-+.0123456789",
        _number,
    ),
)
"""What is no text: its name, its form, the characters it begins with, and its value."""

_Loader.yaml_implicit_resolvers = {}
_Loader.yaml_constructors = {
    "tag:yaml.org,2002:str": _Loader.construct_text,
    "tag:yaml.org,2002:seq": _Loader.construct_yaml_seq,
    "tag:yaml.org,2002:map": _Loader.construct_yaml_map,
}


def _teach(name: str, form: str, first: str, value: Callable[[str], object]) -> None:
    tag = f"tag:yaml.org,2002:{name}"
    begins = [*first, ""] if name == "null" else [*first]
    _Loader.add_implicit_resolver(tag, re.compile(rf"(?:{form})\Z"), begins)
    _Loader.add_constructor(tag, lambda _, node: value(node.value))


for _row in _CORE:
    _teach(*_row)
