"""Servos and settings at the gate."""

import re
from collections.abc import Callable
from math import nan
from pathlib import Path

import pytest
from axis_files import axis_file
from gate_requests import AXES, jog, leave_motor_turning, rests, state
from held_engine import HeldEngine
from held_node import HeldNode
from parameter_documents import document, element
from refusing import refuses
from stubborn import Stubborn, Unanswered

from wmx_core.errors import CommandRefused, EngineLost, ErrorCode, ParameterFileError, WmxError
from wmx_core.parameters.parameter_set import ParameterSet, read_parameters
from wmx_core.values import CommandMode
from wmx_ros2_package.control.axis_file.records import ServoHistory
from wmx_ros2_package.control.gate import StoppedSince
from wmx_ros2_package.control.ownership import AxisOwned


def test_what_was_done_to_a_servo_is_known_to_all(node: HeldNode, other: HeldNode) -> None:
    file = axis_file(other)
    node.gate.set_servo(0, on=False)
    assert file.servo_history(0) is ServoHistory.SWITCHED_OFF
    assert file.stopped[0] > 0.0
    node.after(0.1)
    stopped = file.stopped.copy()
    node.gate.set_servo(0, on=True)
    assert file.servo_history(0) is ServoHistory.SWITCHED_ON
    assert file.servo_history(1) is ServoHistory.UNTOUCHED
    assert (file.stopped == stopped).all(), "switching on is no stop"
    assert node.after(0.2).servo_on.all()


def test_clearing_an_alarm_is_no_stop(node: HeldNode) -> None:
    node.held.raise_alarm(0)
    node.after(0.1)
    node.gate.clear_alarm(0)
    assert not node.after(0.1).amp_alarm.any()
    assert not axis_file(node).stopped.any()


def _one_limit(path: Path) -> Path:
    path.write_bytes(document(element("LimitParam", "SoftLimitPositivePos", "5")))
    return path


SETTINGS: dict[str, Callable[[HeldNode, Path], None]] = {
    "mode": lambda node, _: node.gate.set_command_mode(0, CommandMode.TORQUE),
    "polarity": lambda node, _: node.gate.set_polarity(0, -1),
    "gear ratio": lambda node, _: node.gate.set_gear_ratio(0, 7.0, 1.0),
    "position": lambda node, _: node.gate.set_position(0, 3.0),
    "parameters": lambda node, path: node.gate.load_parameters(str(path)),
    "one parameter": lambda node, path: node.gate.change_parameters(str(_one_limit(path))),
}


@pytest.mark.parametrize("setting", SETTINGS)
def test_settings_are_refused_while_an_axis_moves_or_another_node_owns_it(
    node: HeldNode, other: HeldNode, tmp_path: Path, setting: str
) -> None:
    file = tmp_path / "wmx.xml"
    file.write_text(node.held.motion.parameters().to_xml())
    change = lambda: SETTINGS[setting](node, file)  # noqa: E731
    jog(other, 0)
    node.after(0.2)
    before = state(node)
    with pytest.raises(AxisOwned):
        change()
    assert state(node) == before
    other.gate.stop([0])
    rests(other)
    jog(node, 0)
    node.after(0.2)
    before = state(node)
    with pytest.raises(CommandRefused, match="axis 0 is in JOG state"):
        change()
    assert state(node) == before


def test_a_setting_is_refused_while_the_motor_turns(held: HeldEngine, node: HeldNode) -> None:
    leave_motor_turning(held)
    with pytest.raises(CommandRefused, match="the motor of axis 0 still turns"):
        node.gate.set_polarity(0, -1)
    node.gate.set_polarity(1, -1)


def test_a_setting_that_is_refused_refuses_no_command(node: HeldNode, tmp_path: Path) -> None:
    asked_at = node.now()
    node.after(0.1)
    with pytest.raises(CommandRefused):
        node.gate.set_polarity(0, 3)
    with pytest.raises(CommandRefused):
        node.gate.set_position(0, nan)
    with pytest.raises(ParameterFileError):
        node.gate.load_parameters(str(tmp_path))
    node.gate.set_command_mode(0, CommandMode.POSITION)  # which it is in
    jog(node, 0, asked_at=asked_at)


class Meddling(Stubborn):
    """Makes something else of what it is told to set, once."""

    def set_gear_ratio(self, axis: int, numerator: float, denominator: float) -> None:
        self._make(lambda: self._motion.set_gear_ratio(axis, numerator, denominator))

    def load_parameters(self, path: str) -> None:
        self._make(lambda: self._motion.load_parameters(path))

    def _make(self, change: Callable[[], None]) -> None:
        change()
        if self.refusals:
            self.refusals = 0
            self._motion.set_gear_ratio(0, 100.0, 1.0)


@pytest.mark.parametrize("setting", ["gear ratio", "parameters", "one parameter"])
def test_a_setting_of_which_the_engine_makes_another_is_put_back(
    held: HeldEngine, nodes: Callable[..., HeldNode], tmp_path: Path, setting: str
) -> None:
    node = nodes(held, motion=Meddling(held))
    file, before = tmp_path / "wmx.xml", held.motion.parameters()
    file.write_text(before.to_xml())
    asked_at = node.now()
    node.after(0.1)
    with pytest.raises(CommandRefused, match="what there was before is put back"):
        SETTINGS[setting](node, file)
    assert held.motion.parameters() == before
    assert node.settings.store.document().says_nothing
    with pytest.raises(StoppedSince):
        jog(node, 0, asked_at=asked_at)


UNANSWERED = {
    "mode": "set_command_mode",
    "polarity": "set_polarity",
    "gear ratio": "set_gear_ratio",
}


@pytest.mark.parametrize("setting", UNANSWERED)
def test_a_setting_that_is_not_answered_is_put_back(
    held: HeldEngine, nodes: Callable[..., HeldNode], tmp_path: Path, setting: str
) -> None:
    """The engine has taken it, so that what is refused would be in force."""
    motion = Unanswered(held, UNANSWERED[setting], refusals=1, code=ErrorCode.WaitTimeout)
    node = nodes(held, motion=motion)
    before, mode = held.motion.parameters(), held.status().command_mode[0]
    with refuses(ErrorCode.WaitTimeout):
        SETTINGS[setting](node, tmp_path)
    assert node.after(0.1).command_mode[0] == mode
    assert held.motion.parameters() == before
    assert node.settings.store.document().says_nothing


def test_a_setting_of_an_engine_that_seems_lost_refuses_what_was_asked_for_before(
    held: HeldEngine, nodes: Callable[..., HeldNode]
) -> None:
    """It lives, has made the change, and gave one answer late."""
    motion = Unanswered(held, "set_polarity", refusals=1, error=EngineLost)
    node = nodes(held, motion=motion)
    asked_at = node.now()
    node.after(0.1)
    with pytest.raises(EngineLost):
        node.gate.set_polarity(0, -1)
    assert held.motion.parameters().axis(0).polarity == -1
    with pytest.raises(StoppedSince):
        jog(node, 0, asked_at=asked_at)


def test_a_setting_that_is_made_and_not_kept_is_refused(
    held: HeldEngine, nodes: Callable[..., HeldNode]
) -> None:
    """As where the folder is tidied up in which its document waits for the engine to make it."""

    class Emptied(Stubborn):
        def set_polarity(self, axis: int, polarity: int) -> None:
            self._motion.set_polarity(axis, polarity)
            path = axis_file(node).settings_path
            [prepared] = path.parent.glob(f"{path.name}.*")
            prepared.unlink()

    node = nodes(held, motion=Emptied(held))
    asked_at = node.now()
    node.after(0.1)
    with refuses(ErrorCode.FileOperationFailed, match="it is made, but settings cannot be kept"):
        node.gate.set_polarity(0, -1)
    with pytest.raises(StoppedSince):
        jog(node, 0, asked_at=asked_at)


def test_a_position_that_is_not_answered_refuses_what_was_asked_for_before(
    held: HeldEngine, nodes: Callable[..., HeldNode]
) -> None:
    motion = Unanswered(held, "set_position", refusals=1, code=ErrorCode.WaitTimeout)
    node = nodes(held, motion=motion)
    asked_at = node.now()
    node.after(0.1)
    with refuses(ErrorCode.WaitTimeout):
        node.gate.set_position(0, 3.0)
    assert node.settings.store.document().says_nothing
    with pytest.raises(StoppedSince):
        jog(node, 0, asked_at=asked_at)


def test_a_position_that_is_refused_for_a_motion_changes_nothing(
    held: HeldEngine, nodes: Callable[..., HeldNode]
) -> None:
    """The axis is elsewhere afterwards, for it moves."""

    class Slow(Stubborn):
        def set_position(self, axis: int, position: float) -> None:
            held.after(0.1)
            self._motion.set_position(axis, position)

    node = nodes(held, motion=Slow(held, refusals=0))
    jog(node, 0)
    node.after(0.2)
    with refuses(ErrorCode.NotIdleState):
        node.gate.set_position(0, 3.0)
    assert not axis_file(node).stopped.any()


class Unread(Stubborn):
    """Fails to show the parameters after it has taken a gear ratio."""

    def __init__(self, held: HeldEngine, failure: type[WmxError]) -> None:
        super().__init__(held, refusals=0)
        self.failure = failure

    def set_gear_ratio(self, axis: int, numerator: float, denominator: float) -> None:
        self._motion.set_gear_ratio(axis, numerator, denominator)
        self.refusals = 2

    def parameters(self) -> ParameterSet:
        if self.refusals > 0:
            self.refusals -= 1
            raise self.failure(ErrorCode.ParameterFileParseError)
        return self._motion.parameters()


@pytest.mark.parametrize("failure", [CommandRefused, ParameterFileError])
def test_a_setting_that_the_engine_does_not_show_is_put_back(
    held: HeldEngine, nodes: Callable[..., HeldNode], failure: type[WmxError]
) -> None:
    node = nodes(held, motion=Unread(held, failure))
    before = held.motion.parameters()
    with pytest.raises(CommandRefused, match="what there was before is put back"):
        node.gate.set_gear_ratio(0, 7.0, 1.0)
    assert held.motion.parameters() == before


class SixDecimals(Stubborn):
    """Shows six decimals of its parameters, and lays files over what it shows."""

    def parameters(self) -> ParameterSet:
        text = self._motion.parameters().to_xml()
        shown = re.sub(r">(\d+\.[\d.e-]+)<", lambda found: f">{float(found[1]):.6f}<", text)
        return ParameterSet.from_xml(shown.encode())

    def load_parameters(self, path: str) -> None:
        whole = Path(path).with_suffix(".whole")
        whole.write_text(read_parameters(path).over(self.parameters()).to_xml())
        self._motion.load_parameters(str(whole))


def test_a_load_leaves_other_axes_the_digits_that_engines_do_not_show(
    held: HeldEngine, nodes: Callable[..., HeldNode], tmp_path: Path
) -> None:
    node, file = nodes(held, motion=SixDecimals(held)), tmp_path / "one_axis.xml"
    node.gate.set_gear_ratio(1, 2.5, 1.25e-5)
    one = held.motion.parameters().of([0]).with_axis(0, in_pos_width=1.5e-6)
    file.write_text(one.to_xml())
    node.gate.load_parameters(str(file))
    first, second = (held.motion.parameters().axis(axis) for axis in AXES)
    assert first.in_pos_width == 1.5e-6
    assert (second.gear_ratio_numerator, second.gear_ratio_denominator) == (2.5, 1.25e-5)


def test_a_file_of_a_node_that_is_in_force_as_it_is_shown_is_not_loaded(
    held: HeldEngine, nodes: Callable[..., HeldNode], tmp_path: Path
) -> None:
    """Modes are shown as they are."""
    node, file = nodes(held, motion=SixDecimals(held)), tmp_path / "one_axis.xml"
    one = held.motion.parameters().of([1]).with_axis(1, in_pos_width=0.001 + 1e-9)
    file.write_text(one.to_xml())
    assert not node.gate.load_parameters_at_start(str(file))
    file.write_text(one.with_axis(1, command_mode=CommandMode.VELOCITY).to_xml())
    assert node.gate.load_parameters_at_start(str(file))
    assert held.motion.parameters().axis(1).command_mode is CommandMode.VELOCITY


def test_parameters_are_those_of_all_axes(node: HeldNode, tmp_path: Path) -> None:
    asked_at = node.now()
    node.after(0.1)
    file = tmp_path / "wmx.xml"
    file.write_text(node.held.motion.parameters().to_xml())
    node.gate.load_parameters(str(file))
    for axis in AXES:
        assert isinstance(
            node.gate.stopped_since([node.request(axis, asked_at=asked_at)]), StoppedSince
        )


def test_an_override_changes_a_motion_of_this_node_alone(node: HeldNode, other: HeldNode) -> None:
    jog(node)
    node.after(1.0)
    with pytest.raises(AxisOwned):
        other.gate.set_override(0, 0.0)
    node.gate.set_override(0, 50.0)
    assert node.after(1.0).velocity_cmd[0] == pytest.approx(1.0)
    assert not axis_file(node).stopped.any()


def test_position_mode_is_restored_without_refusing_a_command(node: HeldNode) -> None:
    asked_at = node.now()
    node.held.motion.set_command_mode(0, CommandMode.TORQUE)
    node.after(0.1)
    node.gate.restore_position_mode(0)
    assert node.after(0.01).command_mode[0] == CommandMode.POSITION
    jog(node, 0, asked_at=asked_at)
