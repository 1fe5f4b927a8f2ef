"""What bringup makes of its arguments, before a node is made."""

import pytest

from wmx_ros2_package.cli import bringup
from wmx_ros2_package.robots.catalogue import ROBOTS


@pytest.mark.parametrize(
    ("environment", "typed", "simulated"),
    [
        ("fake", "", True),
        ("fake", "--ros-args -p driver:=wmx3", False),
        ("fake", "--ros-args --param driver:=wmx3 -p driver:=fake", True),
        ("fake", "--ros-args -p driver:=''", True),
        ("wmx3", "", False),
        ("wmx3", "--ros-args -p driver:=fake", True),
    ],
)
def test_only_the_simulated_engine_gets_the_machine_of_a_robot(
    monkeypatch: pytest.MonkeyPatch, environment: str, typed: str, simulated: bool
) -> None:
    """The SDK would look for itself there."""
    monkeypatch.setenv("WMX_DRIVER", environment)
    _, given = bringup.choose(*bringup.parse(["--robot", "arm", *typed.split()]))
    assert (f"device_path:={ROBOTS['arm'].machine}" in given) is simulated
    assert given[len(given) - len(typed.split()) :] == typed.split(), "what is typed wins"
