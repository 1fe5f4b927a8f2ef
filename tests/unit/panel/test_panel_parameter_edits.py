"""What people type for parameters, and what is uploaded of it."""

from pathlib import Path
from typing import Any

import pytest

from wmx_core.parameters.differences import Difference
from wmx_core.parameters.parameter_set import ParameterSet
from wmx_ros2_package.diagnosis.parameter_changes import Change, compare, doubts, loaded, read_texts
from wmx_ros2_package.panel.numbers import NoNumber
from wmx_ros2_package.panel.parameter_edits import (
    as_file,
    range_of,
    read_change,
    unit_of,
    unmet,
    upload,
    words,
)
from wmx_ros2_package.panel.parameter_rows import MOST_ROWS, element_rows, file_rows, place_of

HIGH, LOW = "LimitParam/SoftLimitPositivePos", "LimitParam/SoftLimitNegativePos"
EXPORTED = ParameterSet.defaults(2).with_axis(1, soft_limit_positive=3.0).to_xml()


class Machine:
    """A machine of two axes that has the parameters EXPORTED."""

    def __init__(self) -> None:
        self.parameters = self
        self.changed = ""

    def export(self, axes: Any) -> str:
        return ParameterSet.from_xml(EXPORTED.encode()).of(axes).to_xml()

    def change(self, path: Path) -> str:
        self.changed = path.read_text()
        return ""


def limit(old: str = "3.0", new: str = "2.5", name: str = HIGH) -> Change:
    return Change(axis=1, name=name, old=old, new=new, unit="rad")


@pytest.mark.parametrize(
    ("name", "typed", "why"),
    [
        (HIGH, "1;5", "axis 1 LimitParam/SoftLimitPositivePos: '1;5' is no number"),
        (HIGH, "1,000", "may be 1000 or 1.000"),
        ("AxisParam/AxisPolarity", "3", "'3' must be 1 or -1"),
        ("LimitParam/SoftLimitType", "1.5", "must be a whole number from 0 to 6"),
        ("MotionParam/QuickStopDec", "0", "must be a number from 1e-9 to 1e15"),
        ("AxisParam/AxisCommandMode", "1", "the mode is changed on the page of the axis"),
    ],
)
def test_what_is_refused(name: str, typed: str, why: str) -> None:
    with pytest.raises(NoNumber) as refused:
        read_change(1, name, "0", typed)
    assert why in str(refused.value)


@pytest.mark.parametrize(
    ("typed", "new"),
    [("2,5", "2.5"), ("-0.1", "-0.1"), ("0", "0"), ("0.00000000000010", "0.0000000000001")],
)
def test_what_is_typed_is_what_is_set(typed: str, new: str) -> None:
    change = read_change(1, HIGH, "3.000000", typed, "rad")
    assert change == limit("3.000000", new)
    assert float(read_texts(as_file([change]))[1][HIGH]) == float(new)


def test_the_number_in_force_is_no_change() -> None:
    assert read_change(1, HIGH, "3.000000", "3") is None


def test_units_and_ranges_are_those_of_the_element() -> None:
    assert unit_of(HIGH, "rad") == "rad"
    assert unit_of("HomeParam/HomingVelFast", "m") == "m/s"
    assert unit_of("HomeParam/HomingVelFastAcc", "m") == "m/s²"
    assert unit_of("AlarmParam/VelFollowingErrorStoppedMilliseconds", "m") == "ms"
    assert unit_of("AxisParam/MaxMotorSpeed", "m") == "rpm"
    assert unit_of("AxisParam/PositiveTrqLimit", "m") == "%"
    assert unit_of("LimitParam/SoftLimitType", "m") == ""
    assert range_of(HIGH) == "a finite number; 0 is no limit"
    assert range_of("AxisParam/AxisPolarity") == "1 or -1"


def test_only_what_was_shown_as_in_force_is_changed() -> None:
    machine: Any = Machine()
    upload(machine, [limit(), limit("0.000000", "-1", LOW)])
    assert read_texts(machine.changed) == {1: {HIGH: "2.5", LOW: "-1"}}
    for shown in "2.0", "3.1", "no number":
        machine.changed = ""
        with pytest.raises(ValueError, match=r"is 3\.0+ by now, and was shown as"):
            upload(machine, [limit("0", "-1", LOW), limit(shown)])
        assert not machine.changed
    with pytest.raises(ValueError, match="is None by now"):
        upload(machine, [limit(name="LimitParam/NoSuch")])
    upload(machine, [limit("3.0000004")])  # what an engine shows of 3.0000004 is 3.000000


def test_a_change_is_undone_by_what_was_before() -> None:
    assert limit().back == limit("2.5", "3.0")
    assert str(limit()) == f"axis 1 {HIGH}: 3.0 → 2.5 rad"
    many = [limit(new=f"{n}") for n in range(5)]
    assert words(many).endswith("; and 2 more")
    assert words(many[:1]) == f"axis 1 {HIGH}: 3.0 → 0 rad"


def test_what_a_person_should_know_before() -> None:
    texts = read_texts(EXPORTED)
    assert doubts([limit()], texts, {1: 2.4}) == []
    assert doubts([limit()], texts, {1: 2.6}) == [
        "axis 1 is at 2.6000 then, outside of its soft limits"
    ]
    assert doubts([limit(new="0")], texts, {1: 99.0}) == [], "no limit"
    assert doubts([limit("0", "4", LOW)], texts, {1: 0.0}) == [
        "axis 1 is at 0.0000 then, outside of its soft limits",
        "axis 1: its lower soft limit is not below the upper one",
    ]
    gear = limit("1.0", "2", "AxisParam/AxisGearRatioNumerator")
    elsewhere = "axis 1: positions are other places after that"
    assert doubts([gear], texts, {}) == doubts([gear], texts, {1: 5.9}) == [elsewhere]
    outside = "axis 1 is at 3.0500 then, outside of its soft limits"
    assert doubts([gear], texts, {1: 6.1}) == [elsewhere, outside], "2 counts are 1 u then"
    none = limit("1.0", "0", "AxisParam/AxisGearRatioDenominator")  # which the engine refuses
    assert doubts([none], texts, {1: 6.1}) == [elsewhere]


def test_a_file_of_another_machine_raises_doubts(tmp_path: Path) -> None:
    file = tmp_path / "other.xml"
    other = ParameterSet.defaults(3)
    for axis in range(3):
        other = other.with_axis(axis, gear_ratio_numerator=9.0, soft_limit_negative=-1.0)
    file.write_text(other.to_xml())
    changes = loaded(compare(EXPORTED, f"{file}"))
    assert doubts(changes, read_texts(EXPORTED), {0: -18.0, 1: -8.0}) == [
        "axes 0, 1: positions are other places after that",
        "axis 0 is at -2.0000 then, outside of its soft limits",
    ]


def test_a_misspelled_element_of_a_file_raises_a_doubt(tmp_path: Path) -> None:
    file = tmp_path / "misspelled.xml"
    file.write_text(EXPORTED.replace("HomingVelFast>", "HomingVelFst>"))
    assert doubts(loaded(compare(EXPORTED, f"{file}")), read_texts(EXPORTED), {}) == [
        "no such parameters: HomeParam/HomingVelFst: are they misspelled?"
    ]


def test_a_file_is_compared_with_all_that_is_in_force(tmp_path: Path) -> None:
    file = tmp_path / "two.xml"
    file.write_text(ParameterSet.defaults(4).with_axis(1, ls_dec=0.123456789).to_xml())
    found = [(each.where, each.name, each.first) for each in compare(EXPORTED, f"{file}")]
    assert found == [
        ("axis 1", "LimitParam/LSDec", "0.123456789"),
        ("axis 1", HIGH, "0.000000"),
    ]
    with pytest.raises(Exception, match="the path must be absolute"):
        compare(EXPORTED, "two.xml")


def test_what_of_a_file_is_not_in_force() -> None:
    found = [
        Difference("axis 0", HIGH, "0.1234567", "0.123457"),  # as an engine shows it
        Difference("axis 0", "AxisParam/AxisCommandMode", "0", "1"),  # which no load changes
        Difference("axis 1", HIGH, "2.0", "3.0"),
    ]
    assert unmet(found) == found[2:]


def shown(which: str = "all", search: str = "", edits: dict[str, str] | None = None) -> Any:
    return element_rows(read_texts(EXPORTED), edits or {}, which, search, lambda axis: "rad")


def test_which_rows_are_shown() -> None:
    rows, number = shown(search="softlimitpos")
    assert number == 2
    assert [row["in force"] for row in rows] == ["0.000000", "3.000000"]
    assert rows[1] == {
        "key": f"1 {HIGH}",
        "axis": 1,
        "section": "LimitParam",
        "name": "SoftLimitPositivePos",
        "in force": "3.000000",
        "new": "",
        "unit": "rad",
        "allowed": "a finite number; 0 is no limit",
        "default": "0.000000",
    }
    assert shown("default")[1] == 1
    assert shown("limits")[1] == 10
    [edited] = shown("edited", edits={f"1 {HIGH}": "2,5"})[0]
    assert edited["new"] == "2,5"
    assert shown("all", search="1 limitparam no such word") == ([], 0)


def test_no_more_rows_are_sent_than_a_browser_draws() -> None:
    texts = {axis: dict.fromkeys(read_texts(EXPORTED)[0], "0") for axis in range(128)}
    rows, number = element_rows(texts, {}, "all", "", lambda axis: "u")
    assert len(rows) == MOST_ROWS
    assert number == 128 * len(texts[0])


def test_axes_that_a_file_changes_alike_have_one_row() -> None:
    changes = [Difference(f"axis {axis}", HIGH, "2", "3.0") for axis in range(3)]
    [row], number = file_rows([*changes, Difference("axis 5", LOW, "1", "2")], "positive")
    assert number == 1
    assert (row["axis"], row["file"], row["in force"], row["fixed"]) == ("0 to 2", "2", "3.0", True)


def test_the_place_of_a_key() -> None:
    assert place_of(f"12 {HIGH}") == (12, HIGH)
    assert place_of("x y")[0] == place_of("² y")[0] == place_of("")[0] == -1
