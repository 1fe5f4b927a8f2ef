"""Parts of the panel that need neither a browser nor a system."""

import os
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import yaml

from wmx_ros2_package.actuators.description import PARAMETERS, actuators
from wmx_ros2_package.panel.description import ShownAxis, limit_of
from wmx_ros2_package.panel.foreseen import foresee
from wmx_ros2_package.panel.machine_link import DIAGNOSTICS_TIMEOUT
from wmx_ros2_package.panel.pages.curves import line_style
from wmx_ros2_package.panel.trajectories import check_start, sways
from wmx_ros2_package.robots.catalogue import ROBOTS
from wmx_ros2_package.robots.finding import OtherRobot, Range, find_robot, mesh_file
from wmx_ros2_package.robots.urdf import MOST_LEVELS, MOST_LINKS, read_urdf, read_urdf_file
from wmx_ros2_package.trajectories.point_files import read_trajectory, smooth_move, sway


@pytest.mark.parametrize("name", sorted(ROBOTS))
def test_the_shipped_robots_are_read(name: str) -> None:
    model = read_urdf(ROBOTS[name].urdf.read_text())
    assert model.links[model.root] is not None
    reached = [model.root]
    for link in reached:
        reached += [joint.child for joint in model.after(link)]
    assert sorted(reached) == sorted(model.links)


def robot(joints: str, links: int = 3) -> str:
    made = "".join(f"<link name='l{i}'/>" for i in range(links))
    return f"<robot name='r'>{made}{joints}</robot>"


def joint(parent: int, child: int, name: str = "j") -> str:
    return (
        f"<joint name='{name}' type='fixed'><parent link='l{parent}'/>"
        f"<child link='l{child}'/></joint>"
    )


IN_A_ROW = "".join(joint(i, i + 1) for i in range(MOST_LEVELS))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        *(
            (text, "no URDF")
            for text in ("", "<robot", "<robot/>", "<robot><joint name='j'/></robot>")
        ),
        (robot(joint(0, 1) + joint(0, 1)), "two joints have the same child"),
        (robot(joint(0, 1) + joint(1, 2) + joint(2, 1)), "two joints have the same child"),
        (robot("", MOST_LINKS + 1), "more than 1000 links"),
        (robot(IN_A_ROW, MOST_LEVELS + 1), "more than 100 joints in a row"),
        (robot(joint(1, 2) + joint(2, 1)), "'l1' is no link that joints connect to 'l0'"),
        (robot(joint(1, 1), 2), "'l1' is no link that joints connect to 'l0'"),
        (robot(joint(0, 1) + joint(1, 2), 2), "'l2' is no link"),
        (robot(joint(1, 2), 1), "'l1' is no link"),
    ],
    ids=range(12),
)
def test_what_is_not_drawn(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_urdf(text)


def test_a_color_that_is_none_is_the_nearest_one() -> None:
    text = robot("", 1).replace(
        "<link name='l0'/>",
        "<link name='l0'><visual><geometry><sphere radius='1'/></geometry>"
        "<material name=''><color rgba='inf -1 0.5 1'/></material></visual></link>",
    )
    assert read_urdf(text).links["l0"][0].color == "#ff0080"


def test_the_robot_of_a_machine_is_found_and_where_its_meshes_are(tmp_path: Path) -> None:
    axes: dict[str, Range | None] = {"no such joint": (None, None)}
    assert find_robot(None, "", axes) is None
    shape = "<visual><geometry><mesh filename='{}'/></geometry></visual>"
    text = f"<robot><link name='a'>{shape.format('x.stl')}{shape.format('y.dae')}</link></robot>"
    (tmp_path / "x.stl").write_text("")
    urdf = tmp_path / "r.urdf"
    urdf.write_text(text)
    found = find_robot(urdf, "", axes)
    assert found is not None
    assert not found.guessed
    assert found.meshes["x.stl"] == tmp_path / "x.stl"
    assert "only .stl" in str(found.meshes["y.dae"])
    pipe = tmp_path / "pipe.urdf"
    os.mkfifo(pipe)
    with pytest.raises(ValueError, match="must be a regular file"):
        find_robot(pipe, "", axes)


def axes_of_robot(name: str) -> dict[str, Range | None]:
    [parameters] = [
        section["ros__parameters"]
        for node, section in yaml.safe_load(ROBOTS[name].parameters.read_text()).items()
        if node.endswith("/wmx_actuator_node")
    ]
    return {
        actuator.name: (limit_of(actuator.position_min), limit_of(actuator.position_max))
        for actuator in actuators({n: parameters.get(n, []) for n in PARAMETERS}).values()
    }


@pytest.mark.parametrize("name", sorted(ROBOTS))
def test_a_shipped_robot_is_found_by_the_names_and_limits_of_its_axes(name: str) -> None:
    axes = axes_of_robot(name)
    named, found = (find_robot(urdf, "", axes) for urdf in (ROBOTS[name].urdf, None))
    assert named is not None
    assert found is not None
    assert (named.guessed, found.guessed) == (False, True)
    assert found.model == read_urdf_file(ROBOTS[name].urdf)
    [first, *_] = axes
    axes[first] = (-0.5, 0.25)
    assert find_robot(None, "", axes) is None
    with pytest.raises(OtherRobot, match=f"{first} goes .*, its axis from -0.5 to 0.25"):
        find_robot(ROBOTS[name].urdf, "", axes)
    axes[first] = None
    assert find_robot(ROBOTS[name].urdf, "", axes) is not None, "in a unit that is not known"


@pytest.mark.parametrize(
    ("named", "machine", "why"),
    [
        ("cr3a", "cr5a", "joint1 goes from -3 to 3, its axis from -1.57 to 4.71239"),
        ("mobile_manipulator", "arm", "it has left_wheel_joint, which is no axis"),
        ("arm", "mobile_manipulator", "it has no left_wheel_joint, which is an axis"),
        ("gantry", "base", "it has axis_r, which is no axis"),
    ],
)
def test_a_robot_that_is_not_that_of_the_machine_is_not_drawn(
    named: str, machine: str, why: str
) -> None:
    words = f"{named} is not drawn: the machine is another robot.*{re.escape(why)}"
    with pytest.raises(OtherRobot, match=words):
        find_robot(ROBOTS[named].urdf, "", axes_of_robot(machine))


def test_a_robot_that_is_published_has_the_joints_of_the_machine() -> None:
    text = ROBOTS["arm"].urdf.read_text()
    axes = axes_of_robot("arm")
    assert find_robot(None, text, axes) is not None
    axes["conveyor"] = None, None
    with pytest.raises(OtherRobot, match="it has no conveyor, which is an axis"):
        find_robot(None, text, axes)


def test_limits_of_a_urdf_are_compared_in_its_units() -> None:
    assert ShownAxis(name="a", unit="deg", low=-90.0).reach == (pytest.approx(-np.pi / 2.0), None)
    assert ShownAxis(name="a", unit="u", low=-90.0).reach is None
    assert ShownAxis(name="a", unit="u").reach == (None, None)


def test_a_mesh_is_found_by_its_package(tmp_path: Path) -> None:
    mesh = tmp_path / "my_robot" / "meshes" / "link.stl"
    mesh.parent.mkdir(parents=True)
    mesh.write_text("")
    urdf = tmp_path / "my_robot" / "urdf" / "robot.urdf"
    assert mesh_file("package://my_robot/meshes/link.stl", urdf) == mesh
    assert mesh_file(f"file://{mesh}", None) == mesh


def test_a_mesh_of_a_robot_that_is_published_is_found_by_the_installed_package(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "share/ament_index/resource_index/packages").mkdir(parents=True)
    (tmp_path / "share/ament_index/resource_index/packages/my_robot").touch()
    mesh = tmp_path / "share/my_robot/meshes/link.STL"
    mesh.parent.mkdir(parents=True)
    mesh.write_text("")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path))
    assert mesh_file("package://my_robot/meshes/link.STL", None) == mesh
    with pytest.raises(ValueError, match="there is no such file"):
        mesh_file("package://my_robot/meshes/none.stl", None)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("../meshes/none.stl", "there is no such file"),
        ("package://no_such_robot/meshes/link.stl", "no_such_robot is not installed"),
        ("package://my_robot/meshes/link.dae", r"\.dae: only \.stl, \.gltf, \.glb are drawn"),
        ("link", "no suffix: only"),
        ("package://", "no suffix: only"),
        ("package://../link.stl", "is not installed"),
        ("http://robots.example/link.stl", "there is no such file"),
    ],
)
def test_why_a_mesh_is_not_shown(name: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=why):
        mesh_file(name, tmp_path / "robot.urdf")


SERVER = {
    "joint_name": ["a", "b"],
    "position_lower": [-1.0, None],
    "position_upper": [1.0, None],
    "velocity_limit": [2.0, 2.0],
    "acceleration_limit": [None, 0.0],
}
CSV = "time_s,a,b\n0,0,0\n1,0.5,0.1\n"
YAML = "{joint_names: [a], points: [{time: 0, positions: [1]}, {time: 2, positions: [2]}]}"


def test_trajectories_are_read() -> None:
    found = read_trajectory(CSV, "x.csv")
    assert found.joints == ("a", "b")
    assert found.positions.tolist() == [[0.0, 0.0], [0.5, 0.1]]
    assert [*foresee(found, SERVER).reasons, *check_start(found, {"a": 0.0, "b": 0.0})] == []
    assert read_trajectory(YAML, "x.yaml").duration == 2.0


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
