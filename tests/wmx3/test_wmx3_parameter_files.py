"""Parameter files through the SDK: what is in force, and what never reaches the engine."""

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from checked_sdk import CheckedSdk, changed
from held_engine import HeldEngine

from wmx3.parameter_files import import_file, invalid_parameters
from wmx_core.errors import CommandRefused, ParameterFileError
from wmx_core.interface import Driver
from wmx_core.parameters.parameter_set import ParameterSet, read_parameters


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
    driver = CheckedSdk(held.fake).attached()
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


MARKED = [
    *("LimitParam.lsDec", "LimitParam.lsSlowDec", "MotionParam.quickStopDec", "AxisPolarity"),
    *("GearRatioDenominator", "GearRatioNumerator", "eStopDec"),
]
"""What is not allowed to be 0."""


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
    five = [*(f"axis 1 {name}" for name in MARKED[:3]), *(f"axis 2 {name}" for name in MARKED[:2])]
    assert refused.value.detail.endswith(f"; invalid: {', '.join(five)}")
    system, axes = vendor.sdk.Config_SystemParam(), vendor.sdk.Config_AxisParam()
    with pytest.raises(CommandRefused):
        session.config.through_binding("Config_ImportAndSetAll", str(path), system, axes)
    assert [*invalid_parameters(system, axes, 2)] == [f"axis 1 {name}" for name in MARKED]


def test_a_whole_file_is_imported_as_it_is(vendor: CheckedSdk, driver: Driver, file: Path) -> None:
    driver.motion.load_parameters(str(file))
    assert vendor.called("Config.ImportAndSetAll") == [[str(file)]]


def test_parameters_that_the_engine_refuses(vendor: CheckedSdk, driver: Driver, file: Path) -> None:
    vendor.refuse("Config.ImportAndSetAll", 65536)
    with pytest.raises(CommandRefused) as refused:
        driver.motion.load_parameters(str(file))
    assert refused.value.name == "ParameterSettingsInvalid"


SMALL = 131072.0, 0.00628318531
"""A gear ratio of which six decimals make another one."""


def test_a_gear_ratio_has_digits_that_the_engine_does_not_write(
    held: HeldEngine, over_held: CheckedSdk, tmp_path: Path
) -> None:
    """It keeps them where a file is loaded that does not hold its axis."""
    driver = over_held.attached()
    file = tmp_path / "one_axis.xml"
    file.write_text(ParameterSet.defaults(1).to_xml())
    driver.motion.set_gear_ratio(1, *SMALL)
    driver.motion.load_parameters(str(file))
    driver.motion.set_gear_ratio(0, 1.0, 1e-7)  # of which they leave nothing
    for parameters in driver.motion.parameters(), held.motion.parameters():
        axes = [parameters.axis(axis) for axis in (0, 1)]
        ratios = [(axis.gear_ratio_numerator, axis.gear_ratio_denominator) for axis in axes]
        assert ratios == [(1.0, 1e-7), SMALL]


def test_without_gear_ratios_the_parameters_are_as_they_are_written(held: HeldEngine) -> None:
    driver = CheckedSdk(held.fake, changed(without=["Config.GetGearRatio"])).attached()
    driver.motion.set_gear_ratio(1, *SMALL)
    assert driver.motion.parameters().axis(1).gear_ratio_denominator == 0.006283
    driver.motion.set_gear_ratio(0, 1.0, 1e-7)
    with pytest.raises(ParameterFileError, match=r"AxisGearRatioDenominator = '0\.000000'"):
        driver.motion.parameters()


def test_a_gear_ratio_that_is_refused_is_no_gear_ratio(vendor: CheckedSdk, driver: Driver) -> None:
    vendor.refuse("Config.GetGearRatio", 1557)
    with pytest.raises(CommandRefused) as refused:
        driver.motion.parameters()
    assert refused.value.code == 1557
