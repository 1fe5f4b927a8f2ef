"""Parts of the panel that need neither a browser nor a system."""

from types import SimpleNamespace

import numpy as np
import pytest

from wmx_ros2_package.panel.description import ShownAxis
from wmx_ros2_package.panel.foreseen import foresee
from wmx_ros2_package.panel.machine_link import DIAGNOSTICS_TIMEOUT
from wmx_ros2_package.panel.pages.curves import line_style
from wmx_ros2_package.panel.trajectories import check_start, sways
from wmx_ros2_package.trajectories.point_files import read_trajectory, smooth_move, sway

SERVER = {
    "joint_name": ["a", "b"],
    "position_lower": [-1.0, None],
    "position_upper": [1.0, None],
    "velocity_limit": [2.0, 2.0],
    "acceleration_limit": [None, 0.0],
}
CSV = "time_s,a,b\n0,0,0\n1,0.5,0.1\n"


def test_what_the_server_would_accept() -> None:
    found = read_trajectory(CSV, "x.csv")
    assert [*foresee(found, SERVER).reasons, *check_start(found, {"a": 0.0, "b": 0.0})] == []


@pytest.mark.parametrize(
    ("text", "joint"),
    [
        ("time_s,a,b\n0,0,0\n3,1.5,0\n", "a would reach 1.5"),
        ("time_s,a,b\n0,0,0\n0.1,0,1\n", "b would go at "),
        ("time_s,a,b\n0,0.5,0\n1,0,0\n", "a begins at"),
        ("time_s,a,c\n0,0,0\n1,0,0\n", "its joints are"),
    ],
)
def test_what_the_server_would_refuse(text: str, joint: str) -> None:
    trajectory = read_trajectory(text, "x.csv")
    reasons = foresee(trajectory, SERVER).reasons
    [found] = reasons or check_start(trajectory, {"a": 0.0, "b": 0.0})
    assert found.startswith(joint)


def test_what_is_shown_is_the_curve_that_is_followed() -> None:
    corner = read_trajectory("time_s,b,a\n0,0,0\n2,1.5,0\n6,0,0\n", "x.csv")
    slow = {**SERVER, "position_upper": [1.0, 1.6]}
    seen = foresee(corner, slow)
    assert seen.path.joints == ("b", "a")
    top = seen.path.positions.max(axis=0)
    assert 1.6 < top[0] < 1.7, "a spline through the points goes beyond them"
    assert top[1] == pytest.approx(0.0)
    [reason] = seen.reasons
    assert reason.startswith("b would reach 1.6")


def test_a_move_made_here_is_smooth_and_within_its_speed() -> None:
    move = smooth_move(["a", "b"], [0.0, 1.0], [1.0, -1.0], [0.5, 0.5])
    speeds = np.abs(np.diff(move.positions, axis=0) / np.diff(move.times)[:, None])
    assert move.positions[-1].tolist() == pytest.approx([1.0, -1.0])
    assert speeds.max() <= 0.5
    back = sway(["a"], [0.2], [0.3], 4.0)
    assert back.positions[[0, -1], 0].tolist() == pytest.approx([0.2, 0.2])
    assert back.positions.max() == pytest.approx(0.5)


def test_an_example_stays_within_what_joints_may() -> None:
    server = {"position_lower": [None, -1.0, 0.0, -1.0], "position_upper": [None, 1.0, 0.1, 1.0]}
    assert sways(server, [0.0, 0.0, 0.0, 0.9], 0.3) == pytest.approx([0.3, 0.3, 0.05, -0.3])


def test_limits_of_a_urdf_are_compared_in_its_units() -> None:
    assert ShownAxis(name="a", unit="deg", low=-90.0).reach == (pytest.approx(-np.pi / 2.0), None)
    assert ShownAxis(name="a", unit="u", low=-90.0).reach is None
    assert ShownAxis(name="a", unit="u").reach == (None, None)


def test_diagnostics_that_do_not_come_any_more_are_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("nicegui", reason="NiceGUI is not installed")
    from wmx_ros2_package.panel.pages import diagnostics

    monkeypatch.setattr(diagnostics, "monotonic", lambda: 100.0)
    status = SimpleNamespace(level=b"\x00")
    assert diagnostics.level_of(status, 100.0 - DIAGNOSTICS_TIMEOUT) == "ok"
    assert diagnostics.level_of(status, 99.9 - DIAGNOSTICS_TIMEOUT) == "stale"
    assert diagnostics.level_of(SimpleNamespace(level=2), 100.0) == "error"


def test_no_two_curves_of_a_plot_are_drawn_alike() -> None:
    styles = [str(line_style(number)) for number in range(128)]
    assert len({*styles}) == 128
