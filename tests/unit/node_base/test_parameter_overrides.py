"""What files and arguments set as parameters: what no node knows is named, and where it stands."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from wmx_ros2_package.executables import ON_REQUEST
from wmx_ros2_package.node_base.absolute_names import in_namespace
from wmx_ros2_package.node_base.common_parameters import JointParameters
from wmx_ros2_package.node_base.kind import NodeKind
from wmx_ros2_package.node_base.parameter_overrides import ParameterOverrides, check_overrides
from wmx_ros2_package.node_base.parameters import parameter
from wmx_ros2_package.robots.parameter_files import configures
from wmx_ros2_package.validation import BadRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm(JointParameters):
    speed: float = parameter(1.0, "u/s", (0.0, 10.0), aliases={"velocity": 1.0})
    timeout: float = parameter(0.2, "s", (0.0, 60.0), aliases={"timeout_ms": 1e-3})


@dataclass(frozen=True, slots=True, kw_only=True)
class Io:
    word: str = parameter("", "a word")
    out_topic: str = parameter("", "a topic")


def kind(parameters: type, *names: str, **ineffective: str) -> NodeKind[Any]:
    return NodeKind(object, parameters, names=names, ineffective=ineffective)  # type: ignore[arg-type]


ARM = kind(Arm, "arm_state", "joint_state_broadcaster", jog_ratio="there is no jog here")
IO = kind(Io)
OTHERS = {"arm_state": ARM, "joint_state_broadcaster": ARM, "io_node": IO}
File = Callable[[str], Path]


@pytest.fixture
def file(tmp_path: Path) -> File:
    def write(text: str) -> Path:
        path = tmp_path / "params.yaml"
        path.write_text(text)
        return path

    return write


def check(path: Path | str, *more: str, **nodes: NodeKind[Any]) -> ParameterOverrides:
    arguments = ["program", "--ros-args", "--params-file", str(path), *more]
    return check_overrides(arguments, nodes or {"arm_state": ARM}, OTHERS)


def passed_on(found: ParameterOverrides) -> Any:
    path = Path(found.arguments[3])
    content = yaml.safe_load(path.read_text())
    found.remove_files()
    assert not path.exists()
    return {name: section["ros__parameters"] for name, section in content.items()}


def section(name: str, **parameters: Any) -> str:
    return yaml.safe_dump({name: {"ros__parameters": parameters}})


@pytest.mark.parametrize("name", ["arm_state", "/arm_state", "/**/arm_state", "/**", "/*"])
def test_a_right_file_is_passed_on_as_it_is(file: File, name: str) -> None:
    path = file(section(name, speed=2.0, use_sim_time=True, autostart=False))
    found = check(path)
    assert (found.problems, found.notes, found.arguments[3]) == ([], [], str(path))


@pytest.mark.parametrize(
    ("name", "given", "arguments", "passed"),
    [
        ("joint_state_broadcaster", {"speed": 2.0}, "", {"/arm_state": {"speed": 2.0}}),
        *(
            ("arm_state", {"speed": 2.0}, f"{remap} __node:=other", {"/other": {"speed": 2.0}})
            for remap in ("-r", "--remap")
        ),
        (
            "arm_state",
            {"velocity": 3.0, "timeout_ms": 500.0},
            "",
            {"/arm_state": {"speed": 3.0, "timeout": 0.5}},
        ),
    ],
    ids=["another name", "-r", "--remap", "names and units of another generation"],
)
def test_what_a_node_does_not_find_as_it_stands_is_translated(
    file: File, name: str, given: dict[str, float], arguments: str, passed: dict[str, Any]
) -> None:
    found = check(file(section(name, **given)), *arguments.split())
    assert found.problems == []
    assert passed_on(found) == passed


def test_a_name_that_is_true_to_ros_stays_a_text(file: File) -> None:
    found = check(file(section("joint_state_broadcaster", joint_axes=[0], joint_name=["y"])))
    assert "- 'y'" in Path(found.arguments[3]).read_text()
    assert passed_on(found) == {"/arm_state": {"joint_axes": [0], "joint_name": ["y"]}}


def test_what_has_no_effect_is_said(file: File) -> None:
    path = file(section("arm_state", jog_ratio=0.75))
    found = check(path)
    note = f"{path}: section /arm_state: jog_ratio has no effect: there is no jog here"
    assert (found.problems, found.notes) == ([], [note])


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({"sped": 1.0}, "there is no parameter 'sped': is 'speed' meant?"),
        (
            {"all_joint_axes": [0]},
            "there is no parameter 'all_joint_axes': is 'joint_axes' meant?",
        ),
        ({"word": "x"}, "there is no parameter 'word'"),
        ({"speed": 11.0}, "speed: speed is 11.0: must be 0 to 10"),
        ({"velocity": "fast"}, "velocity: speed is 'fast': must be of type float"),
        ({"timeout_ms": "x"}, "timeout_ms: timeout is 'x': must be of type float"),
        ({"timeout_ms": True}, "timeout_ms: timeout is True: must be of type float"),
        ({"joint_axes": 3}, "joint_axes: joint_axes is 3: must be a list"),
        ({"speed": 1.0, "velocity": 1.0}, "velocity is speed, which is given, too"),
    ],
)
def test_a_wrong_parameter_is_named(file: File, parameters: dict[str, Any], text: str) -> None:
    path = file(section("arm_state", **parameters))
    found = check(path)
    assert found.problems == [f"{path}: section /arm_state: {text}"]
    with pytest.raises(BadRequest, match="/arm_state"):
        found.require_right()


def test_problems_may_be_warnings(file: File) -> None:
    found = check(file(section("arm_state", sped=1.0, strict_parameters=False)))
    assert len(found.problems) == 1
    found.require_right()
    found = check(file(section("arm_state", sped=1.0)), "-p", "strict_parameters:=false")
    found.require_right()


def test_numbers_are_those_of_ros(file: File) -> None:
    found = check(file("arm_state:\n  ros__parameters:\n    velocity: 1e-3\n    timeout: 2\n"))
    assert found.problems == []
    assert passed_on(found) == {"/arm_state": {"speed": 1e-3, "timeout": 2}}


@pytest.mark.parametrize("word", ["2026-11-30", "2024-13-45", "2026-11-30 12:00:00"])
def test_what_looks_like_a_time_is_a_text(file: File, word: str) -> None:
    path = file(f"io:\n  ros__parameters:\n    word: {word}\n")
    assert check(path, "-p", f"word:={word}", io=IO).problems == []


@pytest.mark.parametrize(
    "text",
    [
        "arm_state:\n  ros__parameters:\n    speed: [1.0, ",
        "arm_state:\n  ros__parameters:\n    speed: " + "[" * 5000,
        'arm_state:\n  ros__parameters:\n    speed: "\\UFFFFFFFF"',
        "arm_state: 3\n",
        "- arm_state\n",
        "arm_state:\n  ros__parameters: [1]\n",
        "arm_state:\n  speed: 1.0\n",
        "\udcff",
    ],
    ids=lambda text: text[:60],
)
def test_what_is_no_file_of_parameters_is_refused(file: File, text: str, tmp_path: Path) -> None:
    path = tmp_path / "params.yaml"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    [problem] = check(path).problems
    assert problem.startswith(f"{path}: ")


def test_a_section_of_another_node_of_the_system_is_left_to_it(file: File) -> None:
    for name in "move_group", "servo_stream_controller", "/**":
        assert check(file(section(name, word="for another node"))).problems == []


@pytest.mark.parametrize(
    ("name", "given", "problem"),
    [
        ("/move_group", {"word": "x"}, "configures no node here: must be one of arm_state, io"),
        ("/**", {"word": "known", "nonsense": 1}, "there is no parameter 'nonsense'"),
        (
            "/servo_stream_controller",
            {"target_queue_depth": 3},
            "configures no node here: start joint_position_controller: it follows Servo, too",
        ),
    ],
)
def test_in_a_whole_system_every_section_configures_a_node(
    file: File, name: str, given: dict[str, Any], problem: str
) -> None:
    path = file(section(name, **given))
    assert check(path, arm_state=ARM, io=IO).problems == [f"{path}: section {name}: {problem}"]


def test_in_a_whole_system_a_node_that_is_not_started_is_named(file: File) -> None:
    path = file(section("io_node", word="x"))
    found = check(path, arm_state=ARM, io=IO)
    assert found.problems == []
    assert found.notes == [f"{path}: section /io_node: configures no node that is started here"]


@pytest.mark.parametrize("name", ["arm_state", "joint_state_broadcaster", "/cell2/arm_state"])
@pytest.mark.parametrize("more", [{}, {"io": IO}], ids=["alone", "in a whole system"])
def test_a_section_for_a_node_in_another_namespace_is_a_problem(
    file: File, name: str, more: dict[str, NodeKind[Any]]
) -> None:
    """The node would run on its defaults."""
    path, last = file(section(name, speed=1.0)), name.rpartition("/")[2]
    found = check(path, "-r", "__ns:=/cell1", arm_state=ARM, **more)
    assert found.problems == [
        f"{path}: section /{name.strip('/')}: configures no node here, where /cell1/arm_state is: "
        f"write /cell1/{last} or /**/{last}"
    ]


@pytest.mark.parametrize("name", ["/cell1/arm_state", "/**/joint_state_broadcaster"])
@pytest.mark.parametrize("namespace", ["/cell1", "cell1", "/cell1/"])
def test_a_section_by_the_full_name_configures_it(file: File, name: str, namespace: str) -> None:
    found = check(file(section(name, velocity=2.0)), "-r", f"__ns:={namespace}")
    assert found.problems == []
    assert [*passed_on(found).values()] == [{"speed": 2.0}]


def test_a_file_may_be_for_several_namespaces(file: File) -> None:
    both = section("/cell1/arm_state", speed=1.0) + section("/cell2/arm_state", speed=2.0)
    for namespace in ("/cell1", "/cell2"):
        found = check(file(both), "-r", f"__ns:={namespace}", arm_state=ARM, io=IO)
        found.remove_files()
        assert found.problems == []
        assert len(found.notes) == 1


@pytest.mark.parametrize(("policy", "used"), [("refuse", None), ("move", "out"), ("keep", "/out")])
def test_a_name_with_a_slash_is_refused_in_a_namespace_or_used_as_is_said(
    file: File, policy: str, used: str | None
) -> None:
    path = file(section("/**/io", out_topic="/out", absolute_names=policy))
    found = check(path, "-r", "__ns:=/cell1", io=IO)
    assert [p.partition(":")[0] for p in found.problems] == [str(path)] * (used is None)
    if used is not None:
        assert in_namespace(Io(out_topic="/out"), "/cell1", policy).out_topic == used


def test_two_sections_for_one_node_are_a_problem(file: File) -> None:
    both = section("arm_state", speed=1.0) + section("joint_state_broadcaster", speed=2.0)
    assert "another section configures /arm_state, too" in check(file(both)).problems[0]


@pytest.mark.parametrize(
    ("argument", "problem"),
    [
        ("sped:=1.0", "there is no parameter 'sped': is 'speed' meant?"),
        ("arm_sate:speed:=1.0", "configures no node here: is 'arm_state' meant?"),
    ],
)
def test_arguments_are_checked_as_files_are(argument: str, problem: str) -> None:
    arguments = ["program", "--ros-args", "-p", argument, "-p", "word:=x"]
    found = check_overrides(arguments, {"arm_state": ARM}, OTHERS)
    assert found.problems == [f"-p {argument}: {problem}"]


WRONG = "[", "[" * 5000, "0x_", r'"\UFFFFFFFF"'
"""What is no YAML."""


@pytest.mark.parametrize(
    ("given", "passed"),
    [
        ("velocity:=2.5", "speed:=2.5"),
        ("arm_state:timeout_ms:=500", "arm_state:timeout:=0.5"),
        ("speed:=2.5", "speed:=2.5"),
        *((f"speed:={wrong}", f"speed:={wrong}") for wrong in WRONG),
    ],
    ids=lambda text: text[:40],
)
def test_arguments_are_translated_as_files_are(given: str, passed: str) -> None:
    found = check_overrides(["-p", given], {"arm_state": ARM}, OTHERS)
    assert (found.problems, found.arguments) == ([], ["-p", passed])


def test_what_is_set_for_all_nodes_has_to_suit_one_of_them(file: File) -> None:
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Words:
        speed: str = parameter("", "in words")

    both = {"arm_state": ARM, "words": kind(Words)}
    assert check(file(section("/**", speed="fast")), **both).problems == []
    assert len(check(file(section("/**", speed=True)), **both).problems) == 1


def test_a_parameter_of_one_node_is_no_other_name_for_that_of_another(file: File) -> None:
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Wheels:
        velocity: float = parameter(1.0, "u/s")

    path = file(section("/**", velocity=3.0))
    found = check(path, arm_state=ARM, wheels=kind(Wheels))
    assert (found.problems, found.arguments[3]) == ([], str(path))


def test_joints_without_names_are_named_as_another_section_has_them(file: File) -> None:
    """A controller of x, y and z alone, beside a section that names all axes."""
    names = ["axis_x", "axis_y", "axis_z", "axis_r"]
    broadcaster = section("broadcaster", joint_axes=[0, 1, 2, 3], joint_name=names)
    found = check(file(broadcaster + section("arm_state", joint_axes=[2, 0])))
    assert passed_on(found)["/arm_state"]["joint_name"] == ["axis_z", "axis_x"]
    assert "as section /broadcaster has it" in found.notes[0]


@pytest.mark.parametrize(
    ("other", "own", "named"),
    [
        ("broadcaster", {"joint_number": 2}, ["x", "y"]),
        ("broadcaster", {"joint_axes": [2, 1]}, ["z", "y"]),
        ("broadcaster", {"joint_number": 4}, None),  # of which one has no name
        ("broadcaster", {}, None),  # its axes may stand elsewhere
        ("left/broadcaster", {"joint_number": 2}, None),
        ("/**/broadcaster", {"joint_number": 2}, ["x", "y"]),
        ("/**", {"joint_number": 2}, ["x", "y"]),
        ("/**", {"joint_number": 3}, None),  # as ROS does it, with the gripper
    ],
)
def test_joints_that_are_counted_get_names_too(
    file: File, other: str, own: dict[str, Any], named: list[str] | None
) -> None:
    names = section(other, joint_number=3, joint_name=["x", "y", "z", "gripper"])
    path = file(names + section("arm_state", **own))
    found = check(path)
    assert found.problems == []
    taken = own if found.arguments[3] == str(path) else passed_on(found)["/arm_state"]
    assert taken.get("joint_name") == named


def test_a_rule_over_several_parameters_names_where_they_are_set(file: File) -> None:
    names = [f"joint{i}" for i in range(1, 6)]
    path = file(section("/**", joint_name=names) + section("arm_state", speed=1.0))
    rule = "joint_name has 5 elements: must have one for each of 6 axes"
    assert check(path).problems == [f"{path}: section /**: {rule}"]
    assert check(path, "-p", "joint_axes:=[0, 1, 2, 3, 4]").problems == []
    path = file(section("arm_state", joint_axes=[0, 1], degree_axes=[3]))
    [problem] = check(path).problems
    assert problem.startswith(f"{path}: section /arm_state: degree_axes names [3]: must be of")


@pytest.mark.parametrize(
    ("pattern", "name", "right"),
    [
        ("/**", "/a/b", True),
        ("/**/b", "/b", True),
        ("/**/b", "/a/c/b", True),
        ("/*/b", "/a/b", True),
        ("/*/b", "/b", False),
        ("/b", "/a/b", False),
        ("/a.b", "/axb", False),
    ],
)
def test_patterns_are_those_of_ros(pattern: str, name: str, right: bool) -> None:
    assert configures(pattern, name) is right


def test_a_key_that_comes_twice_is_refused(file: File) -> None:
    path = file("arm_state:\n  ros__parameters:\n    speed: 1.0\n    speed: 2.0\n")
    [problem] = check(path).problems
    assert "'speed' comes twice" in problem
    assert "line 4" in problem


@pytest.mark.parametrize("name", ON_REQUEST)
def test_a_node_that_starts_where_it_is_asked_for_is_not_named(file: File, name: str) -> None:
    arguments = ["program", "--params-file", str(file(section(name, word="x")))]
    found = check_overrides(arguments, {"arm_state": ARM, "io": IO}, {name: IO})
    assert (found.problems, found.notes) == ([], [])
