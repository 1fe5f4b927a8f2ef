"""Motion: parameter files, all of one or nothing of it, and the parameters in force."""

from collections.abc import Callable
from pathlib import Path

import moves
import pytest
import simulation
from backends import Backend

from wmx_core.errors import CommandRefused, ErrorCode, ParameterFileError
from wmx_core.parameters.axis_parameters import FIELDS
from wmx_core.parameters.parameter_set import ParameterSet, read_parameters


def dump(backend: Backend, name: str) -> Path:
    """The parameters in force as a file."""
    path = backend.folder / name
    path.write_text(backend.motion.parameters().to_xml())
    return path


def typed(parameters: ParameterSet, axis: int) -> dict[str, float]:
    """All typed parameters of an axis."""
    values = parameters.axis(axis)
    return {name: getattr(values, name) for name in FIELDS}


@pytest.mark.over_process("parameters")
def test_the_engine_starts_with_the_parameters_of_the_machine(backend: Backend) -> None:
    x = backend.motion.parameters().axis(backend.x)
    assert x.quick_stop_dec == simulation.QUICK_STOP_DEC
    assert x.in_pos_width == pytest.approx(0.001)
    if backend.simulated:
        assert x.gear_ratio_numerator == simulation.COUNTS


def test_they_can_be_read_without_communication(attached: Backend) -> None:
    assert attached.motion.parameters().axes


@pytest.mark.over_process("load_parameters")
def test_loaded_parameters_are_in_force(backend: Backend) -> None:
    path = backend.folder / "loaded.xml"
    elements = {
        "HomeParam/HomingVelSlow": 0.125,
        "FeedbackParam/PosSetWidth": 0.25,
        "AlarmParam/FollowingErrorMoving": 0.375,
        "LimitParam/SoftLimitPositivePos": 7.5,
        "MotionParam/QuickStopDec": 12.5,
    }
    before = backend.motion.parameters()
    path.write_text(simulation.changed(before, [backend.x], elements))
    backend.motion.load_parameters(str(path))
    in_force, loaded = backend.motion.parameters(), read_parameters(path)
    assert in_force.axis(backend.x).homing_velocity_slow == 0.125
    for axis in backend.axes:
        assert typed(in_force, axis) == typed(loaded, axis)
    assert typed(in_force, backend.y) == typed(before, backend.y), "and no others"


def test_a_loaded_unit_changes_the_numbers(powered: Backend) -> None:
    powered.motion.move_absolute([moves.to(powered.x, 0.5)])
    powered.at_rest()
    powered.advance(0.5)
    numerator = powered.motion.parameters().axis(powered.x).gear_ratio_numerator
    powered.load(AxisParam_AxisGearRatioNumerator=2.0 * numerator)
    status = powered.motion.status()
    assert status.pos_cmd[powered.x] == pytest.approx(0.25, abs=max(1e-6, powered.tolerance))
    assert status.actual_pos[powered.x] == pytest.approx(0.25, abs=max(1e-6, powered.tolerance))


def test_a_loaded_mode_shows(backend: Backend) -> None:
    backend.load(AxisParam_AxisCommandMode=1)
    assert (backend.motion.status().command_mode[list(backend.axes)] == 1).all()


def test_a_loaded_deceleration_is_in_force(backend: Backend) -> None:
    """QuickStopDec 2 takes 1 u from 2 u/s; 20 would take 0.1 u."""
    backend.load(MotionParam_QuickStopDec=2)
    backend.servo_on()
    backend.motion.move_absolute([moves.to(backend.x, 4.0)])
    before = backend.advance(0.2)
    backend.motion.set_servo(backend.x, on=False)
    way = (backend.at_rest().pos_cmd - before.pos_cmd)[backend.x]
    if backend.simulated:
        assert way == pytest.approx(1.0, abs=0.1)


def test_what_was_dumped_can_be_loaded_and_changes_nothing(backend: Backend) -> None:
    """The vendor's engine writes six decimals, and the simulated one every digit."""
    backend.load(MotionParam_QuickStopDec=1 / 3, HomeParam_HomePosition=-1e-7)
    before = backend.motion.parameters()
    backend.motion.load_parameters(str(dump(backend, "dumped.xml")))
    after = backend.motion.parameters()
    assert after == before
    assert after.axis(backend.x).quick_stop_dec in (1 / 3, 0.333333)


def test_a_setting_is_in_the_next_dump(backend: Backend) -> None:
    backend.motion.set_polarity(backend.x, -1)
    assert read_parameters(dump(backend, "set.xml")).axis(backend.x).polarity == -1


def test_loading_needs_every_axis_at_rest(powered: Backend) -> None:
    path = dump(powered, "dumped.xml")
    powered.motion.move_absolute([moves.to(powered.y, 2.0)])
    powered.advance(0.1)
    with powered.refuses(ErrorCode.NotIdleState):
        powered.motion.load_parameters(str(path))
    powered.motion.stop([powered.y])
    powered.at_rest()
    powered.motion.load_parameters(str(path))


def test_loading_needs_no_servo_and_switches_none(powered: Backend) -> None:
    powered.motion.load_parameters(str(dump(powered, "dumped.xml")))
    assert powered.motion.status().servo_on[list(powered.axes)].all()


# Bad files

PARSE, FILE = ErrorCode.ParameterFileParseError, ErrorCode.FileOperationFailed
BAD_FILES: dict[str, tuple[ErrorCode, Callable[[str], str]]] = {
    "empty": (PARSE, lambda _: ""),
    "no XML": (PARSE, lambda _: "gear = 3"),
    "cut off": (PARSE, lambda text: text[: len(text) // 2]),
    "another document": (PARSE, lambda _: "<Machine/>"),
    "no axes": (PARSE, lambda _: '<Parameters ver="1.00"/>'),
    "no number": (PARSE, lambda text: value(text, "QuickStopDec", "fast")),
    "not a finite number": (PARSE, lambda text: value(text, "QuickStopDec", "nan")),
    "a value out of range": (PARSE, lambda text: value(text, "QuickStopDec", "-1")),
    "a gear ratio of nothing": (PARSE, lambda text: value(text, "AxisGearRatioNumerator", "0")),
}


def value(text: str, element: str, new: str) -> str:
    """`text` with the last `element` in it changed, so that whatever comes before it is good."""
    before, _, after = text.rpartition(f"<{element}>")
    return f"{before}<{element}>{new}{after[after.index('<') :]}"


def refuses_file(backend: Backend, code: ErrorCode, path: str, *names: str) -> None:
    """Loading `path` is refused with `code`, says why, and changes nothing."""
    before, status = backend.motion.parameters(), backend.motion.status()
    with pytest.raises((ParameterFileError, CommandRefused)) as refused:
        backend.motion.load_parameters(path)
    assert refused.value.code == code, str(refused.value)
    assert isinstance(refused.value, ParameterFileError)
    for name in names:
        assert name in refused.value.detail
    assert backend.motion.parameters() == before
    assert backend.motion.status().pos_cmd.tolist() == status.pos_cmd.tolist()


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_is_refused_as_a_whole(backend: Backend, name: str) -> None:
    code, spoil = BAD_FILES[name]
    good = backend.motion.parameters().with_axis(backend.x, home_position=9.0).to_xml()
    path = backend.folder / "bad.xml"
    path.write_text(spoil(good))
    refuses_file(backend, code, str(path), "bad.xml")


def test_what_is_no_file(backend: Backend) -> None:
    refuses_file(backend, FILE, str(backend.folder / "missing.xml"), "missing.xml")
    refuses_file(backend, FILE, str(backend.folder))


def test_a_path_is_absolute(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    path = dump(backend, "dumped.xml")
    monkeypatch.chdir(path.parent)
    refuses_file(backend, FILE, path.name)
    refuses_file(backend, FILE, "")


def test_a_file_leaves_the_axes_alone_that_it_does_not_hold(powered: Backend) -> None:
    before = powered.motion.parameters()
    path = powered.folder / "one_axis.xml"
    one = ParameterSet.defaults(powered.x + 1).root
    axes = [child for child in one.children if child.tag == "AxisParameters"]
    path.write_text(ParameterSet(one._replace(children=(axes[powered.x],))).to_xml())
    powered.motion.load_parameters(str(path))
    after = powered.motion.parameters()
    assert after.axis(powered.x) == ParameterSet.defaults(128).axis(powered.x)
    assert after.axis(powered.y) == before.axis(powered.y)
    assert after.emergency_stop_switches_off == before.emergency_stop_switches_off
