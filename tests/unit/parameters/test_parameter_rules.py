"""What a parameter file may hold: values, structure, text, and the file itself."""

import os
import time
from math import inf
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy import nextafter
from parameter_documents import SOME_FILE, document, element

from wmx_core.errors import CommandRefused, ErrorCode, ParameterFileError
from wmx_core.parameters.parameter_set import MAX_FILE_BYTES, ParameterSet, read_parameters
from wmx_core.parameters.xml_elements import MAX_ATTRIBUTES, MAX_DEPTH, MAX_ELEMENTS, MAX_TEXT


def fault(data: bytes) -> str:
    """What a file is refused for."""
    with pytest.raises(ParameterFileError) as refused:
        ParameterSet.from_xml(data, "the file")
    assert refused.value.code == ErrorCode.ParameterFileParseError
    assert refused.value.detail.startswith("the file: ")
    return refused.value.detail.removeprefix("the file: ")


# The content


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


# The text

TOO_MANY_ATTRIBUTES = b"<a %s/>" % b" ".join(b"a%d=''" % n for n in range(1_000_000))
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
            TOO_MANY_ATTRIBUTES,
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
    ids=lambda value: repr(value[:60])[:60],
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
        TOO_MANY_ATTRIBUTES,
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


# The file


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
