"""The YAML that scripts and machine files may hold: plain values, read or refused."""

from dataclasses import dataclass
from math import inf, isnan
from typing import Annotated

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from wmx_core.errors import CommandRefused
from wmx_sim.engine.faults.fault_script import read_script
from wmx_sim.engine.machine.yaml_records import Limits, parse, read


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("~", None),
        ("null", None),
        ("true", True),
        ("FALSE", False),
        ("on", True),
        ("No", False),
        ("0", 0),
        ("-17", -17),
        ("+8", 8),
        ("0777", 777),
        ("0x7121", 0x7121),
        ("0o17", 15),
        ("1.5", 1.5),
        (".5", 0.5),
        ("1.", 1.0),
        ("1e9", 1e9),
        ("-1.0e+9", -1e9),
        (".inf", inf),
        ("-.INF", -inf),
        ("'1'", "1"),
        ("1_000", "1_000"),
        ("1:30", "1:30"),
        ("0b1", "0b1"),
        ("2001-01-01", "2001-01-01"),
        ("<<", "<<"),
        ("=", "="),
        ("trues", "trues"),
        ("1" * 41, float("1" * 41)),
        ("[1, a, {b: 2.0}]", [1, "a", {"b": 2.0}]),
    ],
)
def test_plain_values(text: str, value: object) -> None:
    found = parse(text, "text")
    assert found == value
    assert type(found) is type(value)


def test_what_is_no_number() -> None:
    found = parse(".nan", "text")
    assert isinstance(found, float)
    assert isnan(found)


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**39), 10**39))
def test_numbers_as_python_writes_them(number: float) -> None:
    assert parse(repr(number), "text") == number


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """Every kind of value that a format knows."""

    whole: Annotated[int, Limits(0, 10)] = 0
    number: Annotated[float, Limits(0, 10)] = 0.0
    text: Annotated[str, Limits(0, 10, "characters")] = ""
    flag: bool = False
    inner: "tuple[Record, ...]" = ()


TAGS = "", "!!int ", "!!bool ", "!!float ", "!!timestamp ", "!!set ", "!!omap ", "!!binary ", "! "
SCALARS = "''", "x", "1", "1.5", "-", "0x", "1:2:3", "9" * 400 + ":1.0", "=", "<<", "2001-13-1", "~"
scalars = st.builds("{}{}".format, st.sampled_from(TAGS), st.sampled_from(SCALARS))
keys = st.sampled_from(["whole", "number", "text", "flag", "inner", "other"]) | scalars
texts = st.recursive(
    scalars | st.text(max_size=10),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]")
        | st.lists(st.tuples(keys, inner), max_size=3).map(
            lambda items: f"{{{', '.join(f'{key}: {value}' for key, value in items)}}}"
        )
    ),
    max_leaves=8,
)


@given(texts)
def test_whatever_a_text_holds_it_is_a_record_or_refused_with_its_rule(text: str) -> None:
    try:
        assert isinstance(read(Record, parse(text, "text"), "record"), Record)
    except (ValueError, yaml.YAMLError) as error:
        str(error).encode()


@given(texts)
def test_whatever_a_script_holds_it_is_read_or_refused(text: str) -> None:
    try:
        assert read_script(text)
    except CommandRefused as refused:
        refused.detail.encode()
