"""Parameter files: nothing is lost, every value is typed, every fault is named."""

import pickle
from pathlib import Path

import pytest
from cases import cases
from hypothesis import given, settings
from hypothesis import strategies as st
from parameter_documents import SOME_FILE, document, element, elements, rendered, texts, unknown

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.parameters import parameter_set as module
from wmx_core.parameters.axis_parameters import FIELDS
from wmx_core.parameters.dump import describe_axis
from wmx_core.parameters.parameter_set import ParameterSet, read_parameters
from wmx_core.values import CommandMode

SHIPPED = Path(__file__).parents[3] / "config" / "wmx_parameters_6_axes.xml"


# The typed view


def test_vendor_defaults():
    axis = ParameterSet.defaults(1).axis(0)
    assert (axis.gear_ratio_numerator, axis.gear_ratio_denominator) == (1.0, 1.0)
    assert axis.polarity == 1
    assert axis.command_mode is CommandMode.POSITION
    assert axis.max_torque_limit == 300.0
    assert axis.in_pos_width == 1000.0
    assert axis.quick_stop_dec == 100000.0
    assert axis.clear_home_done_on_comm_stop is True
    assert axis.clear_home_done_on_servo_off is False


@pytest.mark.parametrize("axes", [1, 2, 128])
def test_defaults_for_as_many_axes_as_asked_for(axes):
    parameters = ParameterSet.defaults(axes)
    assert parameters.axes == tuple(range(axes))
    assert ParameterSet.from_xml(parameters.to_xml().encode()) == parameters


@pytest.mark.parametrize("axes", [0, -1, 129])
def test_defaults_for_an_impossible_number_of_axes(axes):
    with pytest.raises(ValueError, match="must be from 1 to 128"):
        ParameterSet.defaults(axes)


def test_values_of_a_file_are_typed():
    sections = (
        "<AxisParam><AxisCommandMode>2</AxisCommandMode><AxisPolarity>-1</AxisPolarity>"
        "<AxisGearRatioNumerator> +1.5e3\t</AxisGearRatioNumerator></AxisParam>"
        + element("HomeParam", "HomeType", "4.000000")
        + element("AlarmParam", "ServoOffDuringAmpAlarm", "0")
    )
    axis = ParameterSet.from_xml(document(sections)).axis(0)
    assert axis.command_mode is CommandMode.TORQUE
    assert axis.polarity == -1
    assert axis.gear_ratio_numerator == 1500.0
    assert axis.home_type == 4
    assert axis.servo_off_during_amp_alarm is False


def test_missing_elements_read_as_defaults_and_are_not_invented():
    parameters = ParameterSet.from_xml(document("", element("MotionParam", "QuickStopDec", "7")))
    assert parameters.axis(1).quick_stop_dec == 7.0
    assert parameters.axis(1).in_pos_width == 1000.0
    assert parameters.axis(0) == parameters.axis(99) == ParameterSet.defaults(1).axis(0)
    assert "InPosWidth" not in parameters.to_xml()


@pytest.mark.parametrize("axis", [-1, 128])
def test_an_axis_that_cannot_be(axis):
    parameters = ParameterSet.defaults(1)
    for ask in (parameters.axis, parameters.with_axis, lambda n: describe_axis(parameters, n)):
        with pytest.raises(CommandRefused, match=f"axis {axis}: must be from 0 to 127") as refused:
            ask(axis)
        assert refused.value.code == ErrorCode.AxisOutOfRange


def test_every_row_stands_in_the_vendor_defaults():
    texts = module.vendor_texts()
    for name, at in FIELDS.items():
        assert (at.section, at.element) in texts, name


# Changes


def test_a_change_shows_in_the_view_and_in_the_dump():
    before = ParameterSet.defaults(3)
    after = before.with_axis(
        1, gear_ratio_denominator=6.283185307179586, polarity=-1, command_mode=CommandMode.VELOCITY
    )
    assert after.axis(1).gear_ratio_denominator == 6.283185307179586
    assert after.axis(1).polarity == -1
    assert after.axis(1).command_mode is CommandMode.VELOCITY
    assert after.axis(0) == after.axis(2) == before.axis(1)
    assert ParameterSet.from_xml(after.to_xml().encode()) == after
    assert "<AxisGearRatioDenominator>6.283185307179586<" in after.to_xml()
    assert "<AxisPolarity>-1<" in after.to_xml()


def test_a_change_keeps_the_vendors_six_decimals_and_every_other_text():
    before = ParameterSet.defaults(2)
    after = before.with_axis(0, max_motor_speed=2500)
    assert after.to_xml() == before.to_xml().replace(
        "<MaxMotorSpeed>3000.000000<", "<MaxMotorSpeed>2500.000000<", 1
    )


def test_a_change_to_what_the_file_leaves_out():
    after = ParameterSet.from_xml(document("")).with_axis(0, polarity=-1).with_axis(5, polarity=-1)
    assert after.axes == (0, 5)
    assert after.axis(0).polarity == after.axis(5).polarity == -1
    assert ParameterSet.from_xml(after.to_xml().encode()) == after


def test_a_change_that_breaks_a_rule():
    with pytest.raises(CommandRefused) as refused:
        ParameterSet.defaults(2).with_axis(1, command_mode=1.5)
    assert refused.value.code == ErrorCode.ParamOutOfRange
    rule = "must be a whole number from 0 to 2"
    assert refused.value.detail == f"axis 1, command_mode = 1.5: {rule}"


@given(st.sampled_from(sorted(FIELDS)), st.floats())
def test_any_change_is_applied_exactly_or_refused(field, value):
    parameters = ParameterSet.defaults(1)
    try:
        after = parameters.with_axis(0, **{field: value})
    except CommandRefused:
        return
    assert getattr(after.axis(0), field) == value
    assert ParameterSet.from_xml(after.to_xml().encode()) == after


# Nothing is lost


def test_known_and_unknown_elements_are_kept_as_they_stood():
    parameters = ParameterSet.from_xml(SOME_FILE.encode())
    assert parameters.axes == (7, 0)
    assert parameters.axis(7).in_pos_width == 0.5
    assert elements(parameters.to_xml().encode()) == elements(SOME_FILE.encode())


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_byte_order_mark_and_line_ends_change_nothing(mark, newline):
    data = mark + SOME_FILE.replace("\n", newline).encode()
    assert ParameterSet.from_xml(data) == ParameterSet.from_xml(SOME_FILE.encode())


def test_utf_8_whatever_the_file_declares():
    data = '<?xml version="1.0" encoding="EUC-KR"?>' + document("<Note>축</Note>").decode()
    assert "<Note>축</Note>" in ParameterSet.from_xml(data.encode()).to_xml()


def test_a_full_file_crosses_a_process_boundary_small():
    parameters = ParameterSet.from_xml(ParameterSet.defaults(128).to_xml().encode())
    assert parameters.axes == tuple(range(128))
    assert parameters.to_xml().count("\n") > 23_000
    pickled = pickle.dumps(parameters)
    assert len(pickled) < 50_000
    assert pickle.loads(pickled) == parameters


known = st.builds(
    lambda width: element("FeedbackParam", "InPosWidth", width),
    st.floats(0, 1e9).map(lambda number: f"{number:.9f}"),
)


@st.composite
def files(draw):
    axes = draw(st.lists(st.integers(0, 127), min_size=1, max_size=4, unique=True))
    children = [
        rendered(
            "AxisParameters",
            {"Axis": str(axis)},
            draw(st.lists(unknown, max_size=3)) + draw(st.lists(known, max_size=1)),
        )
        for axis in axes
    ]
    if draw(st.booleans()):
        sections = draw(st.lists(unknown, max_size=2))
        children.insert(0, rendered("GlobalParameters", {}, sections))
    root = rendered(
        "Parameters", {"ver": draw(texts)}, children + draw(st.lists(unknown, max_size=2))
    )
    mark = draw(st.sampled_from(["", "\ufeff"]))
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    return (mark + root.replace("\n", newline)).encode()


@pytest.mark.long
@settings(max_examples=cases(60))
@given(files())
def test_no_file_loses_anything(data):
    parameters = ParameterSet.from_xml(data)
    dump = parameters.to_xml().encode()
    assert elements(dump) == elements(data)
    assert ParameterSet.from_xml(dump) == parameters
    assert pickle.loads(pickle.dumps(parameters)) == parameters


# What is shipped, what is shown


def test_the_shipped_file_is_six_axes_in_radians():
    data = SHIPPED.read_bytes()
    parameters = read_parameters(SHIPPED)
    assert parameters.axes == (0, 1, 2, 3, 4, 5)
    assert b"\r" not in data
    assert elements(parameters.to_xml().encode()) == elements(data)
    for number in parameters.axes:
        axis = parameters.axis(number)
        assert axis.gear_ratio_numerator == 2**23
        assert axis.gear_ratio_denominator == 6.283185307179586
        assert 0 < axis.in_pos_width <= 0.01
        assert 0 < axis.homing_velocity_slow <= axis.homing_velocity_fast <= 1.0
        assert axis.soft_limit_type == 0


def test_the_dump_reads_as_the_original_prints_it():
    parameters = ParameterSet.defaults(4).with_axis(
        3, gear_ratio_numerator=8388608, polarity=-1, in_pos_width=0.0005, home_position=-1.25
    )
    assert describe_axis(parameters, 3) == [
        "=== Axis 3 ===",
        "[AxisParam]",
        "  GearRatio          = 8388608.000000 / 1.000000",
        "  AxisUnit           = 0.000000",
        "  AxisPolarity       = -1",
        "  CommandMode        = 0",
        "  MaxTrqLimit        = 300.000000",
        "  MaxMotorSpeed      = 3000.000000",
        "  VelFeedforwardGain = 0.000000",
        "[HomeParam]",
        "  HomeType           = 0",
        "  HomeDirection      = 0",
        "  HomingVelSlow      = 10000.000000",
        "  HomingVelFast      = 10000.000000",
        "  HomePosition       = -1.250000",
        "[FeedbackParam]",
        "  InPosWidth         = 0.000500",
        "  PosSetWidth        = 1000.000000",
        "  DelayedPosSetWidth = 1000.000000",
        "[AlarmParam]",
        "  FollowErrStopped   = 0.000000",
        "  FollowErrMoving    = 0.000000",
        "[LimitParam]",
        "  SoftLimitPosPos    = 0.000000",
        "  SoftLimitNegPos    = 0.000000",
        "",
    ]


def test_what_a_newer_engine_has_besides_stays_as_it_is() -> None:
    """The names are those of the files of movensys/wmx-r2, which the defaults do not have."""
    unit = "<MaxMotorSpeedUnitDenominator>2.5</MaxMotorSpeedUnitDenominator>"
    slow = "<MotionSlowdownParam><SlowdownFactor>0.75</SlowdownFactor></MotionSlowdownParam>"
    base = f"""<Parameters><GlobalParameters>{slow}</GlobalParameters><AxisParameters Axis="0">
    <AxisParam>{unit}<MaxMotorSpeed>7</MaxMotorSpeed></AxisParam></AxisParameters></Parameters>"""
    file = """<Parameters><GlobalParameters/><AxisParameters Axis="0"/></Parameters>"""
    whole = ParameterSet.from_xml(file.encode()).over(ParameterSet.from_xml(base.encode()))
    text = whole.to_xml().replace("\n", "").replace("\t", "")
    assert slow in text
    assert unit in text
    assert whole.axis(0) == ParameterSet.defaults(1).axis(0), "the rest of an axis is the default"
    own = file.replace(
        "/></Par", f"><AxisParam>{unit.replace('2.5', '4')}</AxisParam></AxisParameters></Par"
    )
    text = ParameterSet.from_xml(own.encode()).over(ParameterSet.from_xml(base.encode())).to_xml()
    assert (unit in text, unit.replace("2.5", "4") in text) == (False, True)
