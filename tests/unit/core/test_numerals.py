"""What is a number, and what Python alone would take for one."""

import pytest

from wmx_core.numerals import decimal, whole


@pytest.mark.parametrize("text", ["1_5", "0_5", "1e1_0", "\u0661", "nan", "inf", "1,5", "", "1 2"])
def test_what_is_no_number(text: str) -> None:
    with pytest.raises(ValueError, match="is no number"):
        decimal(text)


@pytest.mark.parametrize("text", ["1_5", "0x1_0", "\u0661", "1.0", ""])
def test_what_is_no_whole_number(text: str) -> None:
    with pytest.raises(ValueError, match="is no whole number"):
        whole(text)


def test_numbers_as_people_write_them() -> None:
    texts = ("1.5", " -.5", "+2.", "1e-3", "0")
    assert [decimal(text) for text in texts] == [1.5, -0.5, 2.0, 1e-3, 0.0]
    assert [whole(text) for text in ("304", "0x130", " -7 ", "0b101")] == [304, 304, -7, 5]
