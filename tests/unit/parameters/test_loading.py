"""What loading a file changes, told from what an engine shows."""

from hypothesis import given
from hypothesis import strategies as st

from wmx_core.parameters.differences import differences
from wmx_core.parameters.dump import SHOWN, sections
from wmx_core.parameters.loading import GLOBAL, preview, together
from wmx_core.parameters.parameter_set import ParameterSet

ENGINE = ParameterSet.defaults(3).with_axis(1, in_pos_width=0.5).with_axis(2, max_torque_limit=80.0)


def shown(parameters: ParameterSet) -> dict[int, dict[str, dict[str, str]]]:
    return {axis: sections(parameters, axis) for axis in parameters.axes}


def only(axis: int, inside: str) -> ParameterSet:
    text = f'<Parameters><AxisParameters Axis="{axis}">{inside}</AxisParameters></Parameters>'
    return ParameterSet.from_xml(text.encode())


def test_axes_that_the_file_does_not_hold_are_not_named() -> None:
    found = preview(only(0, ""), shown(ENGINE))
    assert found.changed == []
    assert {each.where for each in found.hidden} == {"axis 0"}


def test_what_an_axis_of_the_file_leaves_out_becomes_the_default() -> None:
    [change] = preview(only(1, ""), shown(ENGINE)).changed
    assert change == ("axis 1", "FeedbackParam/InPosWidth", "1000.000000", "0.500000")


def test_what_the_engine_does_not_show_is_named() -> None:
    file = only(0, "<LimitParam><SoftLimitType>1</SoftLimitType><LSDec>7</LSDec></LimitParam>")
    hidden = {each.name: each.first for each in preview(file, shown(ENGINE)).hidden}
    assert hidden["LimitParam/SoftLimitType"] == "1"
    assert hidden["LimitParam/LSDec"] == "7"
    assert not {*hidden} & {*SHOWN}
    assert {where for where, *_ in preview(ENGINE, shown(ENGINE)).hidden} == {
        *(GLOBAL, "axis 0", "axis 1", "axis 2")
    }


def test_digits_that_are_not_shown_cannot_be_compared() -> None:
    file = only(0, "<FeedbackParam><InPosWidth>1000.0000001</InPosWidth></FeedbackParam>")
    found = preview(file, shown(ENGINE))
    assert found.changed == []
    assert ("axis 0", "FeedbackParam/InPosWidth", "1000.0000001", "") in found.hidden


def test_axes_that_the_engine_does_not_have_are_left_out() -> None:
    assert preview(only(7, ""), shown(ENGINE)) == ([], [])


@given(
    axes=st.sets(st.integers(0, 2), min_size=1),
    fields=st.dictionaries(
        st.sampled_from(["in_pos_width", "ls_dec", "max_torque_limit", "soft_limit_positive"]),
        st.floats(1e-3, 1e3),
    ),
)
def test_nothing_that_a_load_changes_is_silent(axes: set[int], fields: dict[str, float]) -> None:
    file = ENGINE
    for axis in axes:
        file = file.with_axis(axis, **fields)
    root = file.root
    held = tuple(c for c in root.children if dict(c.attributes).get("Axis") in {*map(str, axes)})
    file = ParameterSet(root._replace(children=held))
    found = preview(file, shown(ENGINE))
    named = {(each.where, each.name) for part in found for each in part}
    for where, name, *_ in differences(file.over(ENGINE), ENGINE):
        assert {(where, name), (where, SHOWN.get(name, name))} & named
    for where, _, now, before in found.changed:
        assert where in {f"axis {axis}" for axis in axes}
        assert now != before


def test_the_same_of_several_axes_is_one() -> None:
    found = together(preview(ENGINE, shown(ParameterSet.defaults(3))).hidden)
    assert {each.where for each in found} == {GLOBAL, "axes 0 to 2"}
