"""What differs between two sets of parameters."""

from wmx_core.parameters.differences import differences
from wmx_core.parameters.parameter_set import ParameterSet

BOTH = ParameterSet.defaults(2)


def test_equal_sets_differ_in_nothing() -> None:
    assert [*differences(BOTH, BOTH)] == []


def test_numbers_count_and_not_how_they_are_written() -> None:
    text = BOTH.to_xml().replace("1000.000000", "1e3")
    assert [*differences(BOTH, ParameterSet.from_xml(text.encode()))] == []


def test_what_is_left_out_is_the_default() -> None:
    empty = b'<Parameters><AxisParameters Axis="0"/><AxisParameters Axis="1"/></Parameters>'
    assert [*differences(BOTH, ParameterSet.from_xml(empty))] == []


def test_one_number_of_one_axis() -> None:
    [only] = differences(BOTH, BOTH.with_axis(1, in_pos_width=0.5))
    assert only == ("axis 1", "FeedbackParam/InPosWidth", "1000.000000", "0.500000")


def test_an_axis_that_one_of_them_lacks() -> None:
    found = [*differences(BOTH, ParameterSet.defaults(1))]
    assert {each.where for each in found} == {"axis 1"}
    assert all(each.second == "" for each in found)
