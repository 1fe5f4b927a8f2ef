"""A robot is a folder: found by its name or its path, with a machine that its parameters need."""

import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from wmx_ros2_package.robots.catalogue import CONFIG, LOW_LEVEL, find_robot, robot_names
from wmx_ros2_package.robots.needed_machine import needed_machine
from wmx_ros2_package.validation import BadRequest
from wmx_sim.engine.machine.description import Machine, load_machine

Needed = Callable[..., Machine]


@pytest.fixture
def needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Needed:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    return lambda *sections: load_machine(needed_machine(sections, None))


def test_robots_are_found_by_their_names_and_by_their_paths() -> None:
    for name in robot_names():
        robot = find_robot(name)
        assert find_robot(str(robot.folder)) == robot
        assert (robot.name, robot.nodes[: len(LOW_LEVEL)]) == (name, LOW_LEVEL)


@pytest.mark.parametrize("given", ["nonsense", "", "..", "/no/such/folder", "./arm"])
def test_what_is_no_robot_is_refused(given: str) -> None:
    with pytest.raises(BadRequest, match="must be one of arm, base, cr3a, cr5a, diffbot"):
        find_robot(given)


def test_a_folder_that_is_here_is_named_as_it_has_to_be_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "robot.yaml").write_text("nodes: []")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadRequest, match=r"with robot.yaml, such as ./mine$"):
        find_robot("mine")
    assert find_robot("./mine").name == "mine"


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("nodes: [", "while parsing"),
        ("", "must have the key nodes"),
        ("- nodes", "must have the key nodes"),
        ("{nodes: [], more: 1}", "must have the key nodes and no other"),
        ("nodes: 3", "nodes is 3: must be a list of executables"),
        ("nodes: [1]", "must be a list of executables"),
        ("nodes: [griper_controller]", "'griper_controller': is 'gripper_controller' meant?"),
        ("nodes: [nonsense]", "nodes[0] is 'nonsense': must be one of wmx_lifecycle_manager_node"),
        ("nodes: [wmx_io_node]", "every robot has it"),
        ("nodes: [gripper_controller, gripper_controller]", "nodes[1] is"),
        ("nodes: 2026-99-99", "month must be in"),
        (r'nodes: "\UFFFFFFFF"', "C int"),
        pytest.param("nodes: " + "[" * 5000, "recursion", id="nested"),
    ],
)
def test_what_is_wrong_with_a_folder_is_said(tmp_path: Path, text: str, rule: str) -> None:
    file = tmp_path / "robot.yaml"
    file.write_text(text)
    with pytest.raises(BadRequest) as refused:
        find_robot(str(tmp_path))
    assert str(refused.value).startswith(f"{file}: ")
    assert rule in str(refused.value)


def test_a_machine_has_the_axes_that_are_named(needed: Needed) -> None:
    assert len(needed({"joint_axes": [1, 2, 9]}, {"left_axis": 10, "right_axis": 11}).axes) == 12
    assert len(needed({"joint_number": 8}).axes) == 8
    assert len(needed({}).axes) == 6


def test_and_the_bytes_and_wires_of_a_gripper(needed: Needed) -> None:
    gripper = {"gripper_address": [5, 1], "confirm_address": [7, 2], "pre_setup_io": True}
    machine = needed(gripper)
    slave = machine.masters[0].slaves[-1]
    assert (slave.input_size, slave.output_size) == (8, 29)
    wires = {(wire.output, wire.input) for wire in machine.wiring}
    assert wires == {((5, 1), (7, 2)), ((28, 0), (0, 1))}


def test_and_those_of_actuators(needed: Needed) -> None:
    names = [f"motor_{i}" for i in range(9)]
    machine = needed({"names": names, "safe_outputs": ["2.0=0", "11.7=1"]})
    assert len(machine.axes) == 9
    assert machine.masters[0].slaves[-1].output_size == 12
    assert len(needed({"names": names, "axes": [0, 1, 2, 3, 4, 5, 6, 7, 7]}).axes) == 8


def test_a_machine_has_its_parameters_wherever_its_own_file_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    shutil.copy(CONFIG / "wmx_parameters_6_axes.xml", "parameters.xml")
    machine = load_machine(needed_machine([], Path("parameters.xml")))
    assert machine.parameters == Path("parameters.xml").resolve()


def test_many_make_the_same_file_at_once_and_no_other_user_does(needed: Needed) -> None:
    with ThreadPoolExecutor(8) as threads:
        paths = {*threads.map(lambda _: needed_machine([{"axis_count": 7}], None), range(100))}
    [folder] = {path.parent for path in paths}
    assert {*folder.iterdir()} == paths
    assert not folder.stat().st_mode & 0o077


def test_what_is_of_another_type_is_left_to_the_nodes(needed: Needed) -> None:
    strange = {"joint_axes": "all", "gripper_address": ["a"], "left_axis": None, "joint_number": {}}
    short = {"gripper_address": [5], "confirm_address": [1], "pre_setup_output": [28]}
    far = {"gripper_address": [-1, 0], "pre_setup_output": [28, 0], "pre_setup_input": [10**9, 1]}
    disarmed = {"names": "motor", "safe_outputs": ["out0.0=1", 7, f"{10**3}0.0=1", "9999.0=0"]}
    for section in (
        strange,
        disarmed,
        short | {"pre_setup_io": True},
        far | {"pre_setup_io": True},
    ):
        machine = needed(section)
        assert (len(machine.axes), machine.wiring) == (6, ())
