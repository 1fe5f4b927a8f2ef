"""Parameter files: nothing is lost, every value is typed, every fault is named."""

import os
import pickle
import time
import unicodedata
from math import inf
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy import nextafter

from wmx_ros2_package.drivers.errors import CommandRefused, ErrorCode, ParameterFileError
from wmx_ros2_package.drivers.parameters import parameter_set as module
from wmx_ros2_package.drivers.parameters.axis_parameters import FIELDS
from wmx_ros2_package.drivers.parameters.dump import describe_axis
from wmx_ros2_package.drivers.parameters.parameter_set import (
    MAX_FILE_BYTES,
    ParameterSet,
    read_parameters,
)
from wmx_ros2_package.drivers.parameters.xml_elements import (
    MAX_ATTRIBUTES,
    MAX_DEPTH,
    MAX_ELEMENTS,
    MAX_TEXT,
)
from wmx_ros2_package.drivers.values import CommandMode

SHIPPED = Path(__file__).parents[3] / "config" / "wmx_parameters_6_axes.xml"


def document(*axes: str) -> bytes:
    """A file with one AxisParameters per text, numbered from 0."""
    elements = (
        f'<AxisParameters Axis="{number}">{sections}</AxisParameters>'
        for number, sections in enumerate(axes)
    )
    return f'<Parameters ver="1.00">{"".join(elements)}</Parameters>'.encode()


def element(section: str, name: str, text: str) -> str:
    return f"<{section}><{name}>{text}</{name}></{section}>"


def fault(data: bytes) -> str:
    """What a file is refused for."""
    with pytest.raises(ParameterFileError) as refused:
        ParameterSet.from_xml(data, "the file")
    assert refused.value.code == ErrorCode.ParameterFileParseError
    assert refused.value.detail.startswith("the file: ")
    return refused.value.detail.removeprefix("the file: ")


def elements(xml: bytes) -> list[tuple[str, dict[str, str], str]]:
    """Every element with its attributes and text, read by another parser than ours."""
    return [
        (item.tag, item.attrib, (item.text or "") if len(item) == 0 else "")
        for item in ElementTree.fromstring(xml).iter()
    ]


# --- the typed view ------------------------------------------------------------------------


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
    texts = module._vendor_texts()
    for name, at in FIELDS.items():
        assert (at.section, at.element) in texts, name


# --- changes -------------------------------------------------------------------------------


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


@pytest.mark.parametrize(
    ("field", "value", "rule"),
    [
        ("gear_ratio_numerator", 0.0, "must be a number from 1e-9 to 1e15"),
        ("gear_ratio_denominator", float("nan"), "must be a number from 1e-9 to 1e15"),
        ("polarity", 0, "must be 1 or -1"),
        ("command_mode", 1.5, "must be a whole number from 0 to 2"),
    ],
)
def test_a_change_that_breaks_a_rule(field, value, rule):
    with pytest.raises(CommandRefused) as refused:
        ParameterSet.defaults(2).with_axis(1, **{field: value})
    assert refused.value.code == ErrorCode.ParamOutOfRange
    assert refused.value.detail == f"axis 1, {field} = {value}: {rule}"


@given(st.sampled_from(sorted(FIELDS)), st.floats())
def test_any_change_is_applied_exactly_or_refused(field, value):
    parameters = ParameterSet.defaults(1)
    try:
        after = parameters.with_axis(0, **{field: value})
    except CommandRefused:
        return
    assert getattr(after.axis(0), field) == value
    assert ParameterSet.from_xml(after.to_xml().encode()) == after


# --- nothing is lost -----------------------------------------------------------------------

SOME_FILE = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<Parameters ver="1.00" made="&quot;by&quot; hand">\n'
    "\t<GlobalParameters>\n\t\t<Future><Setting>on</Setting></Future>\n\t</GlobalParameters>\n"
    "\t<Future/>\n"
    '\t<AxisParameters Axis="7">\n'
    "\t\t<FeedbackParam>\n\t\t\t<InPosWidth>0.50</InPosWidth>\n"
    "\t\t\t<Unknown unit='u'> a &lt; b &amp; c </Unknown>\n\t\t</FeedbackParam>\n"
    "\t\t<ClosedLoopParam><pid><deadband>1.</deadband></pid>"
    "<sensor><analogData><type>3</type></analogData></sensor></ClosedLoopParam>\n"
    "\t</AxisParameters>\n"
    '\t<AxisParameters Axis="0"/>\n'
    "</Parameters>\n"
)


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


names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_.\-]{0,8}", fullmatch=True).filter(
    lambda name: not name.lower().startswith("xml")
)
# Every character that XML can hold.
characters = st.one_of(
    st.sampled_from("\t\n\r"),
    st.characters(min_codepoint=0x20).filter(
        lambda c: unicodedata.category(c) not in ("Cc", "Cs") and c not in "\ufffe\uffff"
    ),
)
texts = st.text(characters, max_size=12)


def escaped(text: str) -> str:
    for character in "&<>\"'\r":
        text = text.replace(character, f"&#{ord(character)};")
    return text


def rendered(name: str, attributes: dict[str, str], content: str | list[str]) -> str:
    attribute_text = "".join(f" {key}='{escaped(text)}'" for key, text in attributes.items())
    body = escaped(content) if isinstance(content, str) else "".join(f"\n{c}" for c in content)
    return f"<{name}{attribute_text}>{body}</{name}>"


unknown_names = names.map(lambda name: f"X{name}")
unknown_leaves = st.builds(
    rendered, unknown_names, st.dictionaries(names, texts, max_size=2), texts
)
unknown = st.recursive(
    unknown_leaves,
    lambda inner: st.builds(
        rendered,
        unknown_names,
        st.dictionaries(names, texts, max_size=2),
        st.lists(inner, min_size=1, max_size=3),
    ),
    max_leaves=6,
)
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


@settings(max_examples=60)
@given(files())
def test_no_file_loses_anything(data):
    parameters = ParameterSet.from_xml(data)
    dump = parameters.to_xml().encode()
    assert elements(dump) == elements(data)
    assert ParameterSet.from_xml(dump) == parameters
    assert pickle.loads(pickle.dumps(parameters)) == parameters


# --- validation the content -------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["", "abc", "nan", "inf", "1e999", "1,5", "1_0", "0x10", "\u0661", "1 2"]
)
@pytest.mark.parametrize(
    ("section", "name"), [("FeedbackParam", "InPosWidth"), ("SyncParam", "SyncGain")]
)
def test_every_known_element_is_a_finite_number(section, name, text):
    reason = fault(document("", element(section, name, text)))
    assert reason.startswith(f"axis 1, {section}/{name} = {text!r}: must be a finite number")


@pytest.mark.parametrize(
    ("section", "name", "text", "rule"),
    [
        ("AxisParam", "AxisGearRatioNumerator", "0.000000", "a number from 1e-9 to 1e15"),
        ("AxisParam", "AxisGearRatioDenominator", "-1", "a number from 1e-9 to 1e15"),
        ("AxisParam", "AxisPolarity", "0", "1 or -1"),
        ("AxisParam", "AxisCommandMode", "3", "a whole number from 0 to 2"),
        ("AxisParam", "AxisCommandMode", "0.5", "a whole number from 0 to 2"),
        ("AxisParam", "MaxTrqLimit", "-300", "a number from 0 to 1e6"),
        ("AxisParam", "MaxMotorSpeed", "-1", "0 or a number from 1e-6 to 1e9"),
        ("AxisParam", "MaxMotorSpeed", "0.9e-6", "0 or a number from 1e-6 to 1e9"),
        ("AxisParam", "MaxMotorSpeed", "1.1e9", "0 or a number from 1e-6 to 1e9"),
        ("AxisParam", "PositiveTrqLimit", "1.1e6", "a number from 0 to 1e6"),
        ("AxisParam", "NegativeTrqLimit", "1e300", "a number from 0 to 1e6"),
        ("AxisParam", "VelocityFeedforwardGain", "-1", "a number from 0 to 1e6"),
        ("FeedbackParam", "InPosWidth", "-0.1", "a finite number >= 0"),
        ("FeedbackParam", "DelayedPosSetWidth", "-0.1", "a finite number >= 0"),
        ("HomeParam", "HomeType", "21", "a whole number from 0 to 20"),
        ("HomeParam", "HomeDir", "-1", "a whole number from 0 to 1"),
        ("HomeParam", "HomingVelFast", "-1", "a finite number >= 0"),
        ("HomeParam", "ClearHomeDoneOnServoOff", "2", "0 or 1"),
        ("AlarmParam", "FollowingErrorMoving", "-1", "a finite number >= 0"),
        ("LimitParam", "SoftLimitType", "7", "a whole number from 0 to 6"),
        ("MotionParam", "QuickStopDec", "0", "a number from 1e-9 to 1e15"),
    ],
)
def test_typed_elements_have_their_own_rules(section, name, text, rule):
    reason = fault(document(element(section, name, text)))
    assert reason == f"axis 0, {section}/{name} = {text!r}: must be {rule}"


@pytest.mark.parametrize(
    ("field", "lowest", "highest"),
    [
        ("gear_ratio_numerator", 1e-9, 1e15),
        ("quick_stop_dec", 1e-9, 1e15),
        ("max_motor_speed", 1e-6, 1e9),
        ("max_torque_limit", 0.0, 1e6),
    ],
)
def test_the_ends_of_a_range_are_within_it(field, lowest, highest):
    parameters = ParameterSet.defaults(1)
    for value in (lowest, highest):
        assert getattr(parameters.with_axis(0, **{field: value}).axis(0), field) == value
    for value in (nextafter(lowest, -inf), nextafter(highest, inf)):
        with pytest.raises(CommandRefused, match=f"{field} = "):
            parameters.with_axis(0, **{field: value})


def test_nested_and_global_elements_are_judged_too():
    nested = (
        "<ClosedLoopParam><sensor><axisData><axis>x</axis></axisData></sensor></ClosedLoopParam>"
    )
    assert fault(document(nested)) == (
        "axis 0, ClosedLoopParam/sensor/axisData/axis = 'x': must be a finite number"
    )
    estop = element("EmergencyStopParam", "EnableEStopSignal", "on")
    data = f"<Parameters><GlobalParameters>{estop}</GlobalParameters></Parameters>".encode()
    assert fault(data).startswith(
        "GlobalParameters, EmergencyStopParam/EnableEStopSignal = 'on': must be a finite number; "
    )


def test_several_faults_are_named_at_once():
    wrong = element("AxisParam", "AxisPolarity", "0")
    reason = fault(document(wrong, wrong, wrong, wrong))
    assert reason.count("must be 1 or -1") == 3
    assert "axis 2" in reason
    assert reason.endswith("; and more")
    assert "more" not in fault(document(wrong, wrong, wrong))


@pytest.mark.parametrize("number", ["128", "-1", "1.0", "x", "", " 1", "\u0663", "9" * 5000])
def test_axis_numbers(number):
    data = document("").replace(b'"0"', f'"{number}"'.encode())
    reason = fault(data)
    assert reason.startswith(f"AxisParameters Axis = '{number[:60]}'")
    assert "must be a whole number from 0 to 127" in reason


def test_structure():
    axis = '<AxisParameters Axis="3"></AxisParameters>'
    for body, reason in {
        "": "holds no AxisParameters, must hold at least one axis",
        "<AxisParameters/>": "AxisParameters Axis = '': must be a whole number from 0 to 127",
        axis + axis: "axis 3 occurs twice",
        axis + axis.replace("3", "03"): "axis 3 occurs twice",
        "<GlobalParameters/>" * 2 + axis: "GlobalParameters occurs twice",
        axis.replace("><", "><AxisParam/><AxisParam/><"): "axis 3, AxisParam occurs twice",
        axis.replace("><", "><AxisParam>5</AxisParam><"): (
            "axis 3, AxisParam: text '5' in place of elements"
        ),
        axis.replace("><", ">5<"): "axis 3: text '5' in place of elements",
        axis.replace(
            "><", "><AxisParam><AxisUnit>1</AxisUnit><AxisUnit>2</AxisUnit></AxisParam><"
        ): ("axis 3, AxisParam/AxisUnit occurs twice"),
        axis.replace("><", "><AxisParam><AxisUnit><a/></AxisUnit></AxisParam><"): (
            "axis 3, AxisParam/AxisUnit: must be a finite number, but holds elements"
        ),
        f"{axis}stray": "line 1: text 'stray' between the elements of 'Parameters'",
    }.items():
        assert fault(f"<Parameters>{body}</Parameters>".encode()) == reason


def test_more_axes_than_the_engine_has():
    assert "Axis = '128': must be a whole number" in fault(document(*[""] * 129))


# --- validation the text ----------------------------------------------------------------------

LAUGHS = "".join(f"<!ENTITY l{n} '{f'&l{n - 1};' * 10}'>" for n in range(1, 10))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "line 1: no element found"),
        (b"yaml: yes\n", "line 1: syntax error"),
        (b"<Parameters>\n<AxisParameters></Parameters>", "line 2: mismatched tag"),
        (document("") + b"<Parameters/>", "line 1: junk after document element"),
        (b"<Settings/>", "the root element is 'Settings', must be 'Parameters'"),
        (b"<Parameters>&unknown;</Parameters>", "line 1: undefined entity"),
        (document("<a>\0</a>"), "must be text in UTF-8, but holds a NUL byte"),
        (document("<a>\1</a>"), "line 1: not well-formed (invalid token)"),
        (document("").decode().encode("utf-16"), "must be UTF-8, but is not at byte 0"),
        (document("").decode().encode("utf-16-le"), "must be text in UTF-8, but holds a NUL byte"),
        (document("") + "축".encode("euc-kr"), "must be UTF-8, but is not"),
        (b"<!DOCTYPE Parameters><Parameters/>", "line 1: a DTD (DOCTYPE, entities) is not allowed"),
        (
            f"<!DOCTYPE P [<!ENTITY l0 'lol'>{LAUGHS}]><Parameters>&l9;</Parameters>".encode(),
            "line 1: a DTD (DOCTYPE, entities) is not allowed",
        ),
        (
            b"<!DOCTYPE P [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><Parameters>&x;</Parameters>",
            "line 1: a DTD (DOCTYPE, entities) is not allowed",
        ),
        (
            b"<!DOCTYPE P SYSTEM 'http://localhost/x.dtd'><Parameters/>",
            "line 1: a DTD (DOCTYPE, entities) is not allowed",
        ),
        (b"<a>" * 1_000_000, f"line 1: elements nested deeper than {MAX_DEPTH}"),
        (b"<a>" + b"<b/>" * MAX_ELEMENTS, f"line 1: more than {MAX_ELEMENTS} elements"),
        (
            b"<a %s/>" % b" ".join(b"a%d=''" % n for n in range(MAX_ATTRIBUTES + 1)),
            f"line 1: 'a' has more than {MAX_ATTRIBUTES} attributes",
        ),
        (
            b"<a %s/>" % b" ".join(b"a%d=''" % n for n in range(1_000_000)),
            "line 1: a tag or comment longer than 64 KiB",
        ),
        (b"<a><!--" + b"c" * 1_000_000, "line 1: a tag or comment longer than 64 KiB"),
        (
            b"<a>" + b"1" * 1_000_000 + b"x</a>",
            f"line 1: the text of 'a' has more than {MAX_TEXT} characters",
        ),
        (
            b"<a>\n" + b"1" * (MAX_TEXT - 1) + b"<b/>" + b"1" * (MAX_TEXT + 1),
            f"line 2: the text of 'a' has more than {MAX_TEXT} characters",
        ),
    ],
    ids=lambda value: repr(value)[:60],
)
def test_text_that_is_no_parameter_file(data, reason):
    assert fault(data).startswith(reason)


def test_long_values_are_cut_in_the_error():
    assert len(fault(document(element("AxisParam", "AxisUnit", "x" * MAX_TEXT)))) < 200


@settings(deadline=None)
@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
@example(b"<Parameters/>")
def test_any_bytes_are_parameters_or_an_error(data):
    try:
        assert isinstance(ParameterSet.from_xml(data), ParameterSet)
    except ParameterFileError as error:
        str(error).encode()


@settings(deadline=None)
@given(st.data())
def test_any_damage_to_a_file_is_survived_or_named(data):
    original = SOME_FILE.encode()
    start = data.draw(st.integers(0, len(original)))
    end = data.draw(st.integers(start, len(original)))
    noise = data.draw(
        st.binary(max_size=8) | st.sampled_from([b"<", b">", b"&", b"</", b'"', b"<!"])
    )
    try:
        parameters = ParameterSet.from_xml(original[:start] + noise + original[end:])
    except ParameterFileError as error:
        str(error).encode()
    else:
        assert ParameterSet.from_xml(parameters.to_xml().encode()) == parameters
        parameters.axis(7)


@given(
    st.integers(1, 48 * 1024),
    st.integers(0, 20 * 1024),
    st.sampled_from(["é", "x", "日"]),
)
def test_where_the_pieces_of_a_long_file_end_changes_nothing(length, before, letter):
    """A comment, a text and a name of several bytes a letter, wherever they lie."""
    comment = "<!--" + "c" * length + "-->"
    text = letter * (MAX_TEXT // 2)
    unknown = f"<{letter}>{text}</{letter}>"
    children = " " * before + "<AxisParameters Axis='0'/>" + comment + unknown
    data = f"<Parameters>{children}</Parameters>"
    if before > MAX_TEXT:
        assert "more than" in fault(data.encode())
        return
    parameters = ParameterSet.from_xml(data.encode())
    assert parameters.root.children[1] == (letter, (), text, ())


@pytest.mark.parametrize(
    "data",
    [
        b"<a %s/>" % b" ".join(b"a%d=''" % n for n in range(1_000_000)),
        b"<Parameters><AxisParameters Axis='0'><AxisParam><AxisUnit>"
        + b"1" * 15_000_000
        + b"x</AxisUnit></AxisParam></AxisParameters></Parameters>",
    ],
    ids=["attributes", "digits"],
)
def test_nothing_is_done_about_a_file_that_is_beyond_all_bounds(data):
    """Nobody else in the process runs meanwhile: it is refused after its first few pieces."""
    started = time.thread_time()
    fault(data)
    assert time.thread_time() - started < 0.25


def test_a_file_that_was_read_before_costs_next_to_nothing():
    data = ParameterSet.defaults(128).to_xml().encode()
    parameters = ParameterSet.from_xml(data)
    started = time.thread_time()
    assert ParameterSet.from_xml(bytes(data)).root is parameters.root
    assert time.thread_time() - started < 0.02
    broken = data.replace(b"<AxisPolarity>1<", b"<AxisPolarity>2<", 1)
    assert fault(broken) == fault(broken) == "axis 0, AxisParam/AxisPolarity = '2': must be 1 or -1"


# --- validation the file ----------------------------------------------------------------------


def unreadable(path: str | Path) -> str:
    with pytest.raises(ParameterFileError) as refused:
        read_parameters(path)
    assert refused.value.code == ErrorCode.FileOperationFailed
    str(refused.value).encode()
    return refused.value.detail


def test_errors_name_the_file(tmp_path):
    path = tmp_path / "broken.xml"
    path.write_bytes(document(element("AxisParam", "AxisPolarity", "2")))
    with pytest.raises(ParameterFileError) as refused:
        read_parameters(str(path))
    assert str(refused.value) == (
        f"Error=65542 (ParameterFileParseError): '{path}': "
        "axis 0, AxisParam/AxisPolarity = '2': must be 1 or -1"
    )


@pytest.mark.parametrize("path", ["", "parameters.xml", "./parameters.xml", "~/parameters.xml"])
def test_a_relative_path_is_refused(path):
    assert unreadable(path) == f"{path!r}: the path must be absolute"


@pytest.mark.parametrize(
    "path",
    ["/a\0b", "/\udcff", "/" + "x" * 300, "/x" * 100_000],
    ids=["null", "surrogate", "long name", "long path"],
)
def test_a_path_that_can_be_no_file(path):
    assert len(unreadable(path)) < 5000


def test_what_is_no_file(tmp_path):
    assert unreadable(tmp_path / "missing.xml").endswith("No such file or directory")
    assert unreadable(tmp_path).endswith("is a directory")
    assert unreadable("/dev/zero").endswith("must be a regular file")


def test_a_pipe_is_refused_without_waiting_for_a_writer(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link.xml").symlink_to("pipe")
    assert unreadable(tmp_path / "pipe").endswith("must be a regular file")
    assert unreadable(tmp_path / "link.xml").endswith("must be a regular file")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(tmp_path):
    path = tmp_path / "secret.xml"
    path.write_bytes(document(""))
    path.chmod(0)
    assert unreadable(path).endswith("Permission denied")


def test_a_file_that_is_too_large(tmp_path):
    path = tmp_path / "large.xml"
    path.touch()
    os.truncate(path, MAX_FILE_BYTES + 1)
    assert unreadable(path).endswith("larger than 4 MiB")


# --- what is shipped, what is shown --------------------------------------------------------


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
