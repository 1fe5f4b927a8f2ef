"""Which robot a machine is: its URDF is read, found and compared with the axes, and its meshes."""

import os
import re
from pathlib import Path

import pytest

from wmx_ros2_package.actuators.description import PARAMETERS, actuators
from wmx_ros2_package.panel.description import limit_of
from wmx_ros2_package.robots.catalogue import ROBOTS
from wmx_ros2_package.robots.finding import OtherRobot, Range, find_robot, mesh_file
from wmx_ros2_package.robots.parameter_files import sections_of
from wmx_ros2_package.robots.urdf import MOST_LEVELS, MOST_LINKS, read_urdf, read_urdf_file


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
    parameters = sections_of(ROBOTS[name].parameters)["/**/wmx_actuator_node"]
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
