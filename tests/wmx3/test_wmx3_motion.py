"""Orders to axes, as the SDK gets them: command objects, units, all or nothing."""

import tempfile
from collections.abc import Callable
from dataclasses import replace
from math import inf, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checked_sdk import CheckedSdk, Refused, open_wmx3_over
from held_engine import HeldEngine
from recorder import Recorder

from wmx_ros2_package.drivers.errors import (
    CommandRefused,
    EngineLost,
    ErrorCode,
    ParameterFileError,
)
from wmx_ros2_package.drivers.interface import Driver
from wmx_ros2_package.drivers.parameters.parameter_set import ParameterSet, read_parameters
from wmx_ros2_package.drivers.values import (
    CommandMode,
    EmergencyStop,
    LinearMove,
    OperationState,
    PositionMove,
    TorqueMove,
    VelocityMove,
)
from wmx_ros2_package.drivers.wmx3 import stops
from wmx_ros2_package.drivers.wmx3.parameter_files import import_file
from wmx_sim.sdk.sdk_commands import axes_of

FORWARD = PositionMove(axis=1, target=1.5, velocity=2.5, acc=3.5, dec=4.5)
BACK = PositionMove(axis=0, target=-7.0, velocity=0.25, acc=1.25, dec=8.0)
FAST = VelocityMove(axis=2, velocity=6.5, acc=3.5, dec=4.5)
REVERSE = VelocityMove(axis=3, velocity=-2.5, acc=1.5, dec=0.5)
HALT = VelocityMove(axis=1, velocity=0.0, acc=1.5, dec=0.5)
PUSH = TorqueMove(axis=0, torque=12.5)
PULL = TorqueMove(axis=3, torque=-30.0)
LINE = LinearMove(axes=(3, 1), targets=(1.5, -2.5), velocity=3.5, acc=4.5, dec=5.5)

STARTS = {
    "move_absolute": ("Motion.StartPos", [FORWARD, BACK]),
    "move_relative": ("Motion.StartMov", [FORWARD, BACK]),
    "jog": ("Motion.StartJog", [FAST, REVERSE, HALT]),
    "move_velocity": ("Velocity.StartVel", [FAST, REVERSE, HALT]),
    "move_torque": ("Torque.StartTrq", [PUSH, PULL]),
}


@pytest.mark.parametrize("order", STARTS)
@pytest.mark.parametrize("count", [0, 1, 2])
def test_moves_that_start_together(
    vendor: CheckedSdk, driver: Driver, recorder: Recorder, order: str, count: int
) -> None:
    function, moves = STARTS[order]
    getattr(driver.motion, order)(moves[:count])
    assert recorder.orders == ([(order, moves[:count])] if count else [])
    assert [len(args) for args in vendor.called(function)] == ([] if not count else [count])


@pytest.mark.parametrize("order", STARTS)
def test_every_axis_of_a_large_machine(order: str) -> None:
    recorder = Recorder(128)
    driver = CheckedSdk(recorder).attached()
    moves = [replace(STARTS[order][1][0], axis=axis) for axis in range(128)]
    getattr(driver.motion, order)(moves)
    assert recorder.orders == [(order, moves)]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (lambda m: m.set_servo(2, on=True), ("set_servo", 2, True)),
        (lambda m: m.set_servo(2, on=False), ("set_servo", 2, False)),
        (lambda m: m.clear_alarm(1), ("clear_alarm", 1)),
        (lambda m: m.set_polarity(3, -1), ("set_polarity", 3, -1)),
        (lambda m: m.set_gear_ratio(3, 8388608, 6), ("set_gear_ratio", 3, 8388608.0, 6.0)),
        (lambda m: m.move_linear(LINE), ("move_linear", LINE)),
        (lambda m: m.home(2), ("home", 2)),
        (lambda m: m.release_emergency_stop(), ("release_emergency_stop",)),
    ],
)
def test_single_orders(
    driver: Driver, recorder: Recorder, order: Callable[[Any], None], expected: tuple[Any, ...]
) -> None:
    order(driver.motion)
    assert recorder.orders == [expected]


@pytest.mark.parametrize("axis", [4, -1, 2**40])
@pytest.mark.parametrize(
    "order",
    [
        lambda m, axis: m.set_servo(axis, on=True),
        lambda m, axis: m.set_servo(axis, on=False),
        lambda m, axis: m.clear_alarm(axis),
        lambda m, axis: m.set_command_mode(axis, CommandMode.VELOCITY),
        lambda m, axis: m.set_polarity(axis, -1),
        lambda m, axis: m.set_gear_ratio(axis, 2.0, 1.0),
        lambda m, axis: m.home(axis),
    ],
)
def test_single_orders_to_an_axis_that_is_none(
    vendor: CheckedSdk, driver: Driver, order: Callable[[Any, int], None], axis: int
) -> None:
    with pytest.raises(CommandRefused, match=f"axis {axis} must be 0 to 3") as refused:
        order(driver.motion, axis)
    assert refused.value.code == ErrorCode.AxisOutOfRange
    assert vendor.calls == []


@pytest.mark.parametrize("mode", CommandMode)
def test_command_modes(driver: Driver, recorder: Recorder, mode: CommandMode) -> None:
    driver.motion.set_command_mode(1, mode)
    assert recorder.orders == [("set_command_mode", 1, mode)]


@pytest.mark.parametrize("level", EmergencyStop)
def test_emergency_stops(driver: Driver, recorder: Recorder, level: EmergencyStop) -> None:
    driver.motion.emergency_stop(level)
    assert recorder.orders == [("emergency_stop", level)]


def test_alarms_of_the_amplifier_and_of_the_axis(vendor: CheckedSdk, driver: Driver) -> None:
    driver.motion.clear_alarm(3)
    assert vendor.calls == [("AxisControl.ClearAmpAlarm", 3), ("AxisControl.ClearAxisAlarm", 3)]


def test_an_alarm_of_the_amplifier_that_stays_keeps_none_of_the_axis(
    vendor: CheckedSdk, driver: Driver
) -> None:
    def refuse(*_: Any) -> None:
        raise Refused(ErrorCode.ServoOffline)

    vendor.play("AxisControl.ClearAmpAlarm", refuse)
    with pytest.raises(CommandRefused):
        driver.motion.clear_alarm(2)
    assert vendor.called("AxisControl.ClearAxisAlarm") == [[2]]


def test_real_motion_through_the_sdk() -> None:
    held = HeldEngine(2).servo_on()
    driver = open_wmx3_over(held.fake)
    driver.engine.create_device("", "test")
    driver.motion.move_absolute([replace(FORWARD, axis=0), replace(FORWARD, axis=1, target=-3.0)])
    held.after(10.0)
    assert driver.motion.status().pos_cmd.tolist() == [1.5, -3.0]
    driver.motion.move_relative([replace(FORWARD, axis=1)])
    held.after(0.1)
    driver.motion.stop([0, 1])
    held.after(10.0)
    status = driver.motion.status()
    assert status.op_state.tolist() == [OperationState.IDLE] * 2
    assert -3.0 < status.pos_cmd[1] < -2.8


# Judged before anything is given

BAD_PROFILES = [
    ("velocity", nan, ErrorCode.VelocityArgumentOutOfRange),
    ("velocity", inf, ErrorCode.VelocityArgumentOutOfRange),
    ("acc", nan, ErrorCode.AccArgumentOutOfRange),
    ("acc", 0.0, ErrorCode.AccArgumentOutOfRange),
    ("dec", -1.0, ErrorCode.DecArgumentOutOfRange),
    ("dec", inf, ErrorCode.DecArgumentOutOfRange),
]
BAD_POSITION_MOVES = [
    *BAD_PROFILES,
    ("velocity", 0.0, ErrorCode.VelocityArgumentOutOfRange),
    ("velocity", -2.0, ErrorCode.VelocityArgumentOutOfRange),
    ("target", nan, ErrorCode.PositionArgumentOutOfRange),
    ("target", -inf, ErrorCode.PositionArgumentOutOfRange),
]
BAD_AXES = [
    ("axis", 4, ErrorCode.AxisOutOfRange),
    ("axis", -1, ErrorCode.AxisOutOfRange),
    ("axis", 2**40, ErrorCode.AxisOutOfRange),
]
BAD_TORQUES = [
    ("torque", nan, ErrorCode.TorqueArgumentOutOfRange),
    ("torque", inf, ErrorCode.TorqueArgumentOutOfRange),
]
BAD = [
    (order, wrong)
    for order, wrongs in {
        "move_absolute": BAD_POSITION_MOVES,
        "move_relative": BAD_POSITION_MOVES,
        "jog": BAD_PROFILES,
        "move_velocity": BAD_PROFILES,
        "move_torque": BAD_TORQUES,
    }.items()
    for wrong in (*wrongs, *BAD_AXES)
]


@pytest.mark.parametrize(("order", "wrong"), BAD)
def test_one_bad_move_and_none_starts(
    vendor: CheckedSdk, driver: Driver, order: str, wrong: tuple[str, float, ErrorCode]
) -> None:
    field, value, code = wrong
    good, bad, *_ = STARTS[order][1]
    with pytest.raises(CommandRefused) as refused:
        getattr(driver.motion, order)([good, replace(bad, **{field: value})])
    assert refused.value.code == code
    assert f"{field} {value}" in refused.value.detail
    assert vendor.calls == []


@pytest.mark.parametrize("order", STARTS)
def test_an_axis_twice(vendor: CheckedSdk, driver: Driver, order: str) -> None:
    good, other, *_ = STARTS[order][1]
    with pytest.raises(CommandRefused) as refused:
        getattr(driver.motion, order)([good, other, good])
    assert refused.value.code == ErrorCode.DuplicateAxis
    assert vendor.calls == []


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"axes": (0, 4)}, ErrorCode.AxisOutOfRange),
        ({"axes": (1, 1)}, ErrorCode.DuplicateAxis),
        ({"axes": (0, 1, 2)}, ErrorCode.AxisCountOutOfRange),
        ({"targets": (0.0, nan)}, ErrorCode.PositionArgumentOutOfRange),
        ({"velocity": 0.0}, ErrorCode.VelocityArgumentOutOfRange),
        ({"acc": -1.0}, ErrorCode.AccArgumentOutOfRange),
        ({"dec": nan}, ErrorCode.DecArgumentOutOfRange),
    ],
)
def test_a_bad_line(
    vendor: CheckedSdk, driver: Driver, changes: dict[str, Any], code: ErrorCode
) -> None:
    with pytest.raises(CommandRefused) as refused:
        driver.motion.move_linear(replace(LINE, **changes))
    assert refused.value.code == code
    assert vendor.calls == []


# Stops


@pytest.fixture
def modes(recorder: Recorder) -> Recorder:
    """Axes with servo in position, velocity, torque and position mode."""
    recorder.status = {
        "servo_on": np.full(4, True),
        "command_mode": np.array([0, 1, 2, 0], np.int32),
    }
    return recorder


HOLD = ("set_command_mode", 2, CommandMode.POSITION)
"""The axis in torque mode is held where it is."""


def test_each_axis_is_stopped_as_its_mode_asks(driver: Driver, modes: Recorder) -> None:
    driver.motion.stop([3, 2, 1, 0, 3])
    *stops, hold = modes.orders
    assert sorted(stops) == [("stop", [1]), ("stop", [2]), ("stop", [3, 0])]
    assert hold == HOLD


def test_each_axis_is_stopped_quickly_if_it_can_be(driver: Driver, modes: Recorder) -> None:
    driver.motion.quick_stop([3, 2, 1, 0])
    *stops, hold = modes.orders
    assert sorted(stops) == [("quick_stop", [1]), ("quick_stop", [3, 0]), ("stop", [2])]
    assert hold == HOLD


@pytest.mark.parametrize("state", OperationState)
def test_an_axis_is_stopped_whatever_it_seems_to_do(
    driver: Driver, modes: Recorder, state: OperationState
) -> None:
    modes.status["op_state"] = np.full(4, state, np.int32)
    driver.motion.stop([0])
    released = state is OperationState.SYNC  # which the SDK stops in its own way
    assert modes.orders == [("quick_stop" if released else "stop", [0])]


def test_an_axis_without_servo_is_not_stopped(driver: Driver, modes: Recorder) -> None:
    modes.status["servo_on"] = np.array([True, True, True, False])
    driver.motion.stop([0, 3])
    driver.motion.quick_stop([3])
    assert modes.orders == [("stop", [0])]


@pytest.mark.parametrize("order", ["stop", "quick_stop"])
def test_homing_that_is_paused_is_cancelled(
    vendor: CheckedSdk, driver: Driver, modes: Recorder, order: str
) -> None:
    def paused(vendor: CheckedSdk) -> tuple[Any]:
        (status,) = vendor.real("CoreMotion.GetStatus")
        status.GetAxesStatus(3).homePaused = True
        return (status,)

    vendor.play("CoreMotion.GetStatus", paused)
    vendor.play("Home.Cancel_AxisSel", lambda *_: None)
    getattr(driver.motion, order)([0, 3])
    assert modes.orders == [(order, [0])]
    ((selection,),) = vendor.called("Home.Cancel_AxisSel")
    assert axes_of(selection) == (3,)


def test_one_refusal_stops_no_other_stop(
    vendor: CheckedSdk, driver: Driver, modes: Recorder
) -> None:
    def refuse(*_: Any) -> None:
        raise Refused(1568)

    vendor.play("Motion.Stop_AxisSel", refuse)
    with pytest.raises(CommandRefused) as refused:
        driver.motion.stop([0, 1, 2, 3])
    assert refused.value.name == "AxisAmpAlarm"
    assert modes.orders == [("stop", [1]), ("stop", [2]), HOLD]
    assert [[*axes_of(s)] for (s,) in vendor.called("Motion.Stop_AxisSel")] == [[0, 3], [0], [3]]


def test_an_engine_that_seems_lost_is_asked_for_every_stop(
    vendor: CheckedSdk, driver: Driver, modes: Recorder
) -> None:
    def lost(*_: Any) -> None:
        raise Refused(ErrorCode.DeviceIsNull)

    vendor.play("Motion.Stop_AxisSel", lost)
    with pytest.raises(EngineLost):
        driver.motion.stop([0, 1, 2, 3])
    assert modes.orders == [("stop", [1]), ("stop", [2]), HOLD]
    assert len(vendor.called("Motion.Stop_AxisSel")) == 1


STOPS = {
    "Motion.Stop_AxisSel": lambda motion: motion.stop([0, 3]),
    "Motion.ExecQuickStop_AxisSel": lambda motion: motion.quick_stop([0, 3]),
    "Velocity.Stop_AxisSel": lambda motion: motion.stop([1, 0]),
    "Torque.StopTrq_AxisSel": lambda motion: motion.stop([2, 0]),
}


class Pending(dict[int, int]):
    """Axes whose newest command starts only after so many more attempts to stop them."""

    def __call__(self, axis: int) -> bool:
        left = self.get(axis, 0)
        self[axis] = max(0, left - 1)
        return left > 0


@pytest.fixture
def pending(vendor: CheckedSdk, monkeypatch: pytest.MonkeyPatch) -> Pending:
    pending = Pending()
    monkeypatch.setattr(vendor.runtime, "is_starting", pending)
    return pending


@pytest.mark.parametrize("name", STOPS)
@pytest.mark.parametrize("cycles", [1, 2, 5])
def test_an_axis_that_has_just_been_commanded_is_stopped_again(
    driver: Driver, modes: Recorder, pending: Pending, name: str, cycles: int
) -> None:
    """The engine leaves it out, stops the others, and answers an error for all of them."""
    late = {"Motion": 3, "Velocity": 1, "Torque": 2}[name.partition(".")[0]]
    pending[late] = cycles
    STOPS[name](driver.motion)
    stopped = [axis for order, *axes in modes.orders if order.endswith("stop") for axis in axes[0]]
    assert {late, 0} == {*stopped}
    assert pending[late] == 0


def test_an_axis_that_is_commanded_for_ever_cannot_be_stopped(
    driver: Driver, modes: Recorder, pending: Pending
) -> None:
    pending[3] = 10**6
    with pytest.raises(CommandRefused) as refused:
        driver.motion.stop([0, 3])
    assert (refused.value.code, refused.value.name) == (1563, "StartingPreviousCommand")
    assert 3 not in [axis for _, axes in modes.orders for axis in axes]
    assert 10**6 - pending[3] == stops.TRIES + 1, "once together, then by itself"


def test_a_refusal_is_not_hidden_by_a_later_success(
    vendor: CheckedSdk, driver: Driver, modes: Recorder, pending: Pending
) -> None:
    """One axis has an alarm, another one a command that has not started."""
    pending[3] = 2

    def refuse_the_first(vendor: CheckedSdk, selection: Any) -> None:
        vendor.real("Motion.Stop_AxisSel", selection)
        if 0 in axes_of(selection):
            raise Refused(1568)

    vendor.play("Motion.Stop_AxisSel", refuse_the_first)
    with pytest.raises(CommandRefused) as refused:
        driver.motion.stop([0, 3])
    assert refused.value.name == "AxisAmpAlarm"
    assert ("stop", [3]) in modes.orders


def test_an_axis_of_a_mode_without_name_stops_no_other_stop(
    vendor: CheckedSdk, driver: Driver, modes: Recorder
) -> None:
    def strange(_: CheckedSdk) -> tuple[Any]:
        (status,) = vendor.real("CoreMotion.GetStatus")
        status.GetAxesStatus(3).axisCommandMode = 77
        return (status,)

    vendor.play("CoreMotion.GetStatus", strange)
    driver.motion.stop([1, 2, 3])
    assert [[*axes_of(s)] for (s,) in vendor.called("Motion.Stop_AxisSel")] == [[3]]
    assert ("stop", [1]) in modes.orders
    assert ("stop", [2]) in modes.orders


@pytest.mark.parametrize("order", ["stop", "quick_stop"])
@pytest.mark.parametrize(
    ("axes", "code"),
    [([0, 4], ErrorCode.AxisOutOfRange), ([-1], ErrorCode.AxisOutOfRange)],
)
def test_stops_of_axes_that_are_none(
    driver: Driver, modes: Recorder, order: str, axes: list[int], code: ErrorCode
) -> None:
    with pytest.raises(CommandRefused) as refused:
        getattr(driver.motion, order)(axes)
    assert refused.value.code == code
    assert modes.orders == []


# Settings, only at rest


@pytest.mark.parametrize(
    "order", [lambda m: m.set_polarity(1, -1), lambda m: m.set_gear_ratio(1, 2.0, 1.0)]
)
def test_settings_of_an_axis_that_moves(
    driver: Driver, recorder: Recorder, order: Callable[[Any], None]
) -> None:
    recorder.status = {"op_state": np.array([0, OperationState.JOG, 0, 0], np.int32)}
    with pytest.raises(CommandRefused) as refused:
        order(driver.motion)
    assert refused.value.code == ErrorCode.NotIdleState
    assert refused.value.detail == "axis 1 is not idle"
    recorder.status["op_state"] = np.array([OperationState.JOG, 0, 1, 1], np.int32)
    order(driver.motion)
    assert len(recorder.orders) == 1


# Parameters


@pytest.fixture
def file(tmp_path: Path) -> Path:
    parameters = ParameterSet.defaults(4).with_axis(2, quick_stop_dec=123.5)
    path = tmp_path / "parameters.xml"
    path.write_text(parameters.to_xml())
    return path


def test_parameters_come_and_go_as_files(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    held = HeldEngine(4)
    driver = CheckedSdk(held.fake).driver()
    driver.engine.create_device("", "test")
    assert driver.motion.parameters() == held.motion.parameters()
    driver.motion.load_parameters(str(file))
    assert held.motion.parameters().axis(2).quick_stop_dec == 123.5
    assert driver.motion.parameters() == held.motion.parameters()
    assert [*scratch.iterdir()] == []


PARTIAL = """<Parameters ver="1.00"><AxisParameters Axis="1">
<HomeParam Note="x"><HomePosition>2.5</HomePosition><Own>7</Own></HomeParam>
<Unknown/></AxisParameters><Foreign>text</Foreign></Parameters>"""


def test_the_engine_gets_the_default_of_what_a_file_leaves_out(
    vendor: CheckedSdk, driver: Driver, tmp_path: Path
) -> None:
    """It would take it for 0."""
    path = tmp_path / "partial.xml"
    path.write_text(PARTIAL)
    imported: list[tuple[str, ParameterSet]] = []

    def note(_world: CheckedSdk, name: str) -> None:
        imported.append((name, read_parameters(name)))

    vendor.play("Config.ImportAndSetAll", note)
    driver.motion.load_parameters(str(path))
    [(name, given)] = imported
    assert path.read_text() == PARTIAL
    assert not Path(name).exists()

    default = ParameterSet.defaults(2)
    assert given.completed() == given
    assert given.axes == (1, 0, 2, 3)
    assert given.axis(1) == replace(default.axis(1), home_position=2.5)
    axis = next(each for each in given.root.children if each.tag == "AxisParameters")
    [home] = [each for each in axis.children if each.tag == "HomeParam"]
    assert home.attributes == (("Note", "x"),)
    assert ("Own", "7") in [(each.tag, each.text) for each in home.children]
    assert "Unknown" in [each.tag for each in axis.children]
    assert [each for each in given.root.children if each.tag == "GlobalParameters"] == [
        default.root.children[0]
    ]
    vendor = default.root.children[-1]
    assert {each.tag for each in vendor.children} <= {each.tag for each in axis.children}
    assert len(home.children) > 30, "the elements of a section that is there, too"


def test_a_partial_file_is_in_force_as_the_simulated_engine_takes_it(tmp_path: Path) -> None:
    path = tmp_path / "partial.xml"
    path.write_text(PARTIAL)
    held = HeldEngine(2)
    driver = open_wmx3_over(held.fake)
    driver.engine.create_device("", "test")
    driver.motion.load_parameters(str(path))
    assert held.motion.parameters().axis(1) == read_parameters(path).axis(1)


def test_axes_that_a_file_does_not_hold_keep_their_parameters(tmp_path: Path) -> None:
    """The engine itself takes them for 0, and refuses or ruins them."""
    path = tmp_path / "one_axis.xml"
    path.write_text(ParameterSet.defaults(1).with_axis(0, quick_stop_dec=7.0).to_xml())
    held = HeldEngine(3, home_position=2.5)
    before = held.motion.parameters()
    driver = open_wmx3_over(held.fake)
    driver.engine.create_device("", "test")
    driver.motion.load_parameters(str(path))
    after = held.motion.parameters()
    assert after.axis(0).quick_stop_dec == 7.0
    assert [after.axis(1), after.axis(2)] == [before.axis(1), before.axis(2)]


def test_the_engine_takes_what_is_missing_for_zero_and_marks_it(
    vendor: CheckedSdk, driver: Driver, tmp_path: Path
) -> None:
    """As the vendor's reference says: this is what the driver has to prevent."""
    path = tmp_path / "one_axis.xml"
    path.write_text(ParameterSet.defaults(1).to_xml())
    session = driver.engine.session()  # type: ignore[attr-defined]
    with pytest.raises(CommandRefused) as refused:
        import_file(session, str(path))
    assert refused.value.name == "ParameterSettingsInvalid"
    assert "axis 1 LimitParam.lsDec" in refused.value.detail


def test_a_whole_file_is_imported_as_it_is(vendor: CheckedSdk, driver: Driver, file: Path) -> None:
    driver.motion.load_parameters(str(file))
    assert vendor.called("Config.ImportAndSetAll") == [[str(file)]]


@pytest.mark.parametrize("path", ["relative.xml", "/no/such/file.xml", "/dev/zero"])
def test_a_file_that_cannot_be_read_does_not_reach_the_engine(
    vendor: CheckedSdk, driver: Driver, path: str
) -> None:
    with pytest.raises(ParameterFileError):
        driver.motion.load_parameters(path)
    assert vendor.calls == []


def test_a_file_that_breaks_a_rule_does_not_reach_the_engine(
    vendor: CheckedSdk, driver: Driver, file: Path
) -> None:
    file.write_text(file.read_text().replace("123.5", "fast"))
    with pytest.raises(ParameterFileError, match="fast"):
        driver.motion.load_parameters(str(file))
    assert vendor.calls == []


def test_parameters_are_loaded_at_rest_only(
    vendor: CheckedSdk, driver: Driver, recorder: Recorder, file: Path
) -> None:
    recorder.status = {"op_state": np.array([0, 0, 0, OperationState.POS], np.int32)}
    with pytest.raises(CommandRefused) as refused:
        driver.motion.load_parameters(str(file))
    assert refused.value.code == ErrorCode.NotIdleState
    assert vendor.called("Config.ImportAndSetAll") == []


def test_parameters_that_the_engine_refuses(vendor: CheckedSdk, driver: Driver, file: Path) -> None:
    def refuse(*_: Any) -> None:
        raise Refused(65536)

    vendor.play("Config.ImportAndSetAll", refuse)
    with pytest.raises(CommandRefused) as refused:
        driver.motion.load_parameters(str(file))
    assert refused.value.name == "ParameterSettingsInvalid"
