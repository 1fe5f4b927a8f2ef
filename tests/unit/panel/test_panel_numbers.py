"""Numbers that people type: taken as they stand, or refused with the reason."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmx_ros2_package.panel.numbers import (
    NoNumber,
    NumberRule,
    number_text,
    read_integer,
    read_number,
)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0.5", 0.5),
        ("0,5", 0.5),
        ("-0,5", -0.5),
        ("\N{MINUS SIGN}3", -3.0),
        ("+3", 3.0),
        (" 2 ", 2.0),
        (".5", 0.5),
        (",5", 0.5),
        ("5.", 5.0),
        ("05", 5.0),
        ("0,500", 0.5),
        ("1,0000", 1.0),
        ("1.000", 1.0),
        ("3.14159265358979", 3.14159265358979),
    ],
)
def test_a_point_and_a_comma_are_the_same(text: str, number: float) -> None:
    assert read_number(text) == number


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", None, "-", ".", ",", "0,5,0", "1.2.3", "1.000,5", "1,000.5", "0.5 rad", "1e3"),
        *("nan", "inf", "0x10", "1 000", "1_000", "--1", "٣", "1" * 41),
        *("1,000", "12,345", "1,000,000"),
    ],
)
def test_all_else_is_refused(text: object) -> None:
    with pytest.raises(NoNumber, match=r"^target: "):
        read_number(text, "target")


@given(st.text(alphabet="0123456789.,+-eE x", max_size=12))
def test_nothing_is_changed_to_another_number(text: str) -> None:
    """What is read is what a person who knows both forms reads, digit by digit."""
    try:
        number = read_number(text)
    except NoNumber:
        return
    plain = text.strip()
    assert plain.count(".") + plain.count(",") <= 1
    assert number == float(plain.replace(",", "."))


@given(st.floats(-1e6, 1e6).filter(lambda number: not number or abs(number) > 1e-20))
def test_what_is_shown_is_read_as_the_same_number(number: float) -> None:
    assert read_number(number_text(number)) == number


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.1, "0.1"),
        (0.30000000000000004, "0.30000000000000004"),
        (-2.70, "-2.7"),
        (-0.0, "0"),
        (100.0, "100"),
        (1e22, "1" + 22 * "0"),
        (1e-7, "0.0000001"),
        (1e-18, "0.000000000000000001"),
        (np.float64(0.25), "0.25"),
    ],
)
def test_a_number_is_shown_without_rounding_as_short_as_it_can_be(number: float, text: str) -> None:
    assert number_text(number) == text
    assert read_number(text) == number


VELOCITY = NumberRule(name="velocity", above=0.0, high=3.1)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("99", "velocity: '99' is above 3.1"),
        ("3,11", "velocity: '3,11' is above 3.1"),
        ("0", "velocity: '0' is not above 0"),
        ("-0.3", "velocity: '-0.3' is not above 0"),
        ("fast", "velocity: 'fast' is no number: write it such as 0.5 or 0,5"),
        ("", "velocity: nothing is given"),
    ],
)
def test_a_rule_refuses_and_moves_nothing_into_its_range(text: str, why: str) -> None:
    with pytest.raises(NoNumber) as refused:
        VELOCITY.read(text)
    assert str(refused.value) == VELOCITY.complaint(text) == why
    assert VELOCITY.read("3,1") == 3.1


def test_a_whole_number() -> None:
    rule = NumberRule(name="slave", low=0, whole=True)
    assert rule.read("2") == rule.read("2.0") == 2
    for text in "2.5", "-1":
        assert rule.complaint(text)


def test_integers_are_decimal_or_hexadecimal() -> None:
    assert read_integer("0x6065", "object", 0, 0xFFFF) == 0x6065
    assert read_integer("-12", "value", -128, 255) == -12
    for text in "0x", "1.0", "0b1", "010000000", "x", "", "70000":
        with pytest.raises(NoNumber):
            read_integer(text, "object", 0, 0xFFFF)
