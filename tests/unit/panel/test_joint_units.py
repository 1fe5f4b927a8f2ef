"""Axes as the panel moves them: where their joints are, in rad and m, and how fast at most."""

from math import inf, pi
from types import SimpleNamespace
from typing import Any

import pytest

from wmx_ros2_package.client import Actuator
from wmx_ros2_package.nodes.actuators.parameters import ActuatorNodeParameters
from wmx_ros2_package.panel import machine_link
from wmx_ros2_package.panel.description import FASTEST, ShownAxis, axes_of
from wmx_ros2_package.panel.machine_link import MachineLink
from wmx_ros2_package.panel.trajectories import check_start
from wmx_ros2_package.trajectories.point_files import read_trajectory

SHIPPED = min(ActuatorNodeParameters().velocity_max)
CSV = "time_s,a,b\n0,0,0\n1,0.5,0.1\n"


class Seen:
    """What of a status is asked for here; no axis of it is kept for plots."""

    def __init__(self, command: list[float]) -> None:
        self.command, self.at_rest = command, [True] * len(command)

    def __len__(self) -> int:
        return 0


@pytest.fixture(autouse=True)
def _now(monkeypatch: pytest.MonkeyPatch) -> None:
    """No status gets too old meanwhile."""
    monkeypatch.setattr(machine_link, "monotonic", lambda: 0.0)


def link_of(*units: str) -> MachineLink:
    """Axes a, b ..., which are at 90 of their units."""
    link = MachineLink()
    link.actuators = tuple(
        ShownAxis(name=name, unit=unit) for name, unit in zip("abcd", units, strict=False)
    )
    seen: Any = Seen([90.0] * len(units))
    link.take_statuses([seen])
    return link


def test_joints_are_where_their_axes_are_in_rad_and_m() -> None:
    positions = link_of("rad", "m", "deg", "u").joint_positions
    assert positions == {"a": 90.0, "b": 90.0, "c": pytest.approx(pi / 2.0)}


def test_an_axis_without_an_actuator_is_not_moved_by_the_panel() -> None:
    arm = Actuator(name="joint1", axis=0)
    axes = [SimpleNamespace(number=0, name="joint1", unit="rad")]
    axes.append(SimpleNamespace(number=1, name="1", unit="u"))
    machine: Any = SimpleNamespace(actuators={"joint1": arm}, axes=axes)
    shown = axes_of(machine)
    assert [(each.name, each.movable) for each in shown] == [("joint1", True), ("axis 1", False)]


@pytest.mark.parametrize(
    ("limit", "most"), [(0.2, 0.2), (3.0, 3.0), (SHIPPED, FASTEST), (inf, 1.0)]
)
def test_an_axis_without_a_limit_of_its_machine_is_moved_slowly(limit: float, most: float) -> None:
    """Of what a motor can do nobody has said that the machine may."""
    axis = SimpleNamespace(number=0, name="a", unit="rad")
    actuator = Actuator(name="a", axis=0, velocity_max=limit)
    machine: Any = SimpleNamespace(axes=[axis], actuators={"a": actuator})
    assert axes_of(machine)[0].velocity == most


def test_a_joint_whose_place_is_not_known_is_at_no_start() -> None:
    trajectory = read_trajectory(CSV, "x.csv")
    unknown = [f"{joint}: it is not known where it is, in rad or m" for joint in "ab"]
    assert check_start(trajectory, {"a": 0.0}) == unknown[1:]
    assert check_start(trajectory, {}) == unknown


@pytest.mark.parametrize(
    ("unit", "kind", "factor"),
    [
        ("rad", "revolute", 1.0),
        ("deg", "continuous", pi / 180.0),
        ("m", "prismatic", 1.0),
        ("m", "revolute", None),
        ("rad", "prismatic", None),
        ("deg", "prismatic", None),
        ("u", "revolute", None),
    ],
)
def test_what_is_drawn_is_an_angle_or_a_length(unit: str, kind: str, factor: Any) -> None:
    pytest.importorskip("nicegui", reason="NiceGUI is not installed")
    from wmx_ros2_package.panel.pages.robot import joint_factor

    assert joint_factor(unit, kind) == (factor and pytest.approx(factor))


@pytest.mark.parametrize(
    ("low", "high", "ends"),
    [
        (None, None, (-pi, pi)),
        (-1.0, None, (-1.0, pi)),
        (4.0, None, (4.0, 4.0 + pi)),
        (None, -4.0, (-4.0 - pi, -4.0)),
        (0.5, 0.5, (0.5, 0.5)),
    ],
)
def test_a_slider_has_ends_whatever_the_limits_of_its_joint(
    low: float | None, high: float | None, ends: tuple[float, float]
) -> None:
    ui = pytest.importorskip("nicegui.ui", reason="NiceGUI is not installed")
    from nicegui.client import Client

    from wmx_ros2_package.panel.pages.joints import JointRow

    with Client(ui.page("")) as client:
        slider = JointRow("a", 0, low, high).slider
    assert (slider.props["min"], slider.props["max"]) == pytest.approx(ends)
    client.delete()


@pytest.mark.parametrize(
    ("place", "end", "text"),
    [
        (2.96706, 2.96706, "2.96706"),
        (-2.96706, 2.96706, "-2.96706"),
        (1.23456, 2.96706, "1.23"),
        (pi, pi, "3.14"),
    ],
)
def test_a_slider_at_its_end_sets_no_target_beyond_it(place: float, end: float, text: str) -> None:
    pytest.importorskip("nicegui", reason="NiceGUI is not installed")
    from wmx_ros2_package.panel.pages.joints import target_text

    assert target_text(place, -end, end) == text
