"""What clients have set is put in force again on every engine, and compared by reading back."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from backends import Backend

from wmx_core.values import CommandMode
from wmx_ros2_package.control.ownership import Ownership
from wmx_ros2_package.control.settings.kept import KeptSettings
from wmx_ros2_package.control.settings.restorer import SettingsRestorer


@pytest.fixture
def settings(harmless: Backend) -> Iterator[KeptSettings]:
    driver = harmless.driver
    ownership = Ownership("contract", driver.motion.status, driver.status_latency)
    ownership.open(harmless.path, "/contract")
    yield KeptSettings(driver, ownership)
    assert ownership.file is not None
    ownership.file.ended = True
    ownership.close()


def restorer(backend: Backend, settings: KeptSettings) -> SettingsRestorer:
    return SettingsRestorer(backend.driver, settings.store)


def load(settings: KeptSettings, backend: Backend) -> None:
    file = Path(backend.folder) / "kept.xml"
    parameters = backend.motion.parameters().with_axis(backend.x, soft_limit_positive=1.234567891)
    file.write_text(parameters.to_xml())
    settings.load(str(file))


CHANGES: dict[str, Callable[[KeptSettings, Backend], object]] = {
    "polarity": lambda settings, backend: settings.set_polarity(backend.x, -1),
    "gear": lambda settings, backend: settings.set_gear_ratio(
        backend.x, 8388608.0, 6.283185307179586
    ),
    "parameters": load,
}


@pytest.mark.over_process
@pytest.mark.parametrize("name", CHANGES)
def test_a_setting_that_an_engine_lost_is_in_force_again(
    harmless: Backend, settings: KeptSettings, name: str
) -> None:
    first = Path(harmless.folder) / "first.xml"
    first.write_text(harmless.motion.parameters().to_xml())
    CHANGES[name](settings, harmless)
    before = harmless.motion.parameters().axis(harmless.x)
    harmless.motion.load_parameters(str(first))  # as a new engine has them
    assert harmless.motion.parameters().axis(harmless.x) != before
    document = restorer(harmless, settings).restore(new=True)
    assert not document.lost(harmless.axes)
    assert harmless.motion.parameters().axis(harmless.x) == before


@pytest.mark.parametrize("name", CHANGES)
def test_an_engine_that_has_it_is_left_as_it_is(
    harmless: Backend, settings: KeptSettings, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    CHANGES[name](settings, harmless)

    def fail(path: str) -> None:
        raise AssertionError(f"{path} is loaded, though all of it is in force")

    monkeypatch.setattr(harmless.motion, "load_parameters", fail)
    assert not restorer(harmless, settings).restore(new=False).lost(harmless.axes)


def test_velocity_mode_is_put_back(harmless: Backend, settings: KeptSettings) -> None:
    settings.set_mode(harmless.x, CommandMode.VELOCITY)
    harmless.motion.set_command_mode(harmless.x, CommandMode.POSITION)
    restorer(harmless, settings).restore(new=True)
    assert harmless.motion.status().command_mode[harmless.x] == CommandMode.VELOCITY
