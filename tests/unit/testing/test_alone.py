"""A held system finds no program, and no program finds it, whatever the shell says."""

import os

import pytest

from wmx_ros2_package.testing.held_system import alone


@pytest.mark.parametrize(("release", "local"), [("humble", "1"), ("jazzy", None), ("", None)])
@pytest.mark.parametrize("given", ["1", None])
def test_the_older_variable_of_the_shell_brings_no_others(
    monkeypatch: pytest.MonkeyPatch, given: str | None, release: str, local: str | None
) -> None:
    monkeypatch.setenv("ROS_DISTRO", release)
    monkeypatch.setenv("ROS_LOCALHOST_ONLY", given or "")
    if given is None:
        monkeypatch.delenv("ROS_LOCALHOST_ONLY")
    with alone("/folder"):
        assert os.environ.get("ROS_LOCALHOST_ONLY") == local
        assert os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] == "OFF"
        assert os.environ["XDG_RUNTIME_DIR"] == os.environ["ROS_LOG_DIR"] == "/folder"
    assert os.environ.get("ROS_LOCALHOST_ONLY") == given
