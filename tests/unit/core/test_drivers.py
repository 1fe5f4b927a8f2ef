"""The table of backends: which one is chosen, and what is said where it cannot run."""

import subprocess
import sys

import pytest

from wmx_core.errors import DriverUnavailable, ErrorCode
from wmx_core.opening import default_device_path, default_driver, open_driver
from wmx_core.values import EngineState


@pytest.mark.parametrize(
    ("environment", "expected"), [(None, "fake"), ("", "fake"), ("wmx3", "wmx3")]
)
def test_the_default_driver(
    monkeypatch: pytest.MonkeyPatch, environment: str | None, expected: str
) -> None:
    monkeypatch.delenv("WMX_DRIVER", raising=False)
    if environment is not None:
        monkeypatch.setenv("WMX_DRIVER", environment)
    assert default_driver() == expected


def test_the_default_device_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WMX_DEVICE_PATH", raising=False)
    assert default_device_path() == "/opt/wmx3"
    monkeypatch.setenv("WMX_DEVICE_PATH", "/tmp/machine.yaml")
    assert default_device_path() == "/tmp/machine.yaml"


@pytest.mark.parametrize("name", ["", "Fake", "wmx4"])
def test_a_driver_that_is_unknown(name: str) -> None:
    with pytest.raises(DriverUnavailable) as refused:
        open_driver(name)
    assert refused.value.code == ErrorCode.NoSupportedFunction
    assert refused.value.detail == f"unknown driver {name!r}: choose 'fake' or 'wmx3'"


def test_a_backend_is_imported_only_when_it_is_asked_for() -> None:
    code = (
        "import sys; from wmx_core import opening; "
        "print([name for name in sys.modules if 'wmx_sim' in name], 'rclpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] False"


@pytest.mark.usefixtures("other_package")
def test_a_driver_of_another_package_is_opened_by_its_name() -> None:
    driver = open_driver("mine", in_process=True)
    driver.engine.create_device("", "test")
    assert driver.engine.state() is EngineState.RUNNING
    driver.engine.close_device()
    with pytest.raises(DriverUnavailable, match="choose 'fake' or 'wmx3' or 'broken' or 'mine'"):
        open_driver("yours")


@pytest.mark.usefixtures("other_package")
def test_a_driver_of_another_package_that_cannot_be_loaded_is_named() -> None:
    with pytest.raises(DriverUnavailable, match="driver 'broken' cannot be loaded from") as refused:
        open_driver("broken")
    assert refused.value.code == ErrorCode.NoSupportedFunction
