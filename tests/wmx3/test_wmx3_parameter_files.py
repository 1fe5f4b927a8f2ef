"""Parameter files through the SDK: what is in force, and what never reaches the engine."""

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checked_sdk import CheckedSdk, Refused, open_wmx3_over
from held_engine import HeldEngine
from recorder import Recorder

from wmx3.parameter_files import import_file
from wmx_core.errors import (
    CommandRefused,
    ErrorCode,
    ParameterFileError,
)
from wmx_core.interface import Driver
from wmx_core.parameters.parameter_set import ParameterSet, read_parameters
from wmx_core.values import (
    OperationState,
)

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
