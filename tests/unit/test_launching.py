"""What the launch files give each process, and what they refuse before there is one."""

import shutil
from collections.abc import Callable
from contextlib import nullcontext
from itertools import product
from pathlib import Path
from runpy import run_path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("launch_ros", reason="launch_ros is not installed")

import yaml
from launch import LaunchContext, LaunchDescription
from launch.actions import LogInfo, RegisterEventHandler
from launch.events.process import ProcessExited
from launch_ros.actions import Node

from wmx_ros2_package.launching import files, low_level_launch, newer_launch, nodes, robot_launch
from wmx_ros2_package.launching.arguments import FALSE, TRUE
from wmx_ros2_package.node_base.kind import AnyKind, Kinds
from wmx_ros2_package.node_base.runner import CLOSE_TIMEOUT, EXIT_TIMEOUT
from wmx_ros2_package.robots.catalogue import CONFIG, LOW_LEVEL, ROBOTS, find_robot

LAUNCH = Path(__file__).parents[2] / "wmx_ros2_package" / "launch"
SWITCHES = (
    "auto_servo_on",
    "autostart",
    "panel",
    "recorder",
    "robot_state_publisher",
    "rviz",
    "strict_parameters",
    "use_gripper",
    "use_sim_time",
)
AS_FILES_HAVE_IT = "auto_servo_on", "autostart", "strict_parameters", "use_gripper", "use_sim_time"


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The processes that would be started, each as launch gets it."""
    made: list[dict[str, Any]] = []

    def note(**given: Any) -> SimpleNamespace:
        made.append(given)
        return SimpleNamespace(**given)

    monkeypatch.setattr(nodes, "Node", note)
    monkeypatch.setattr(nodes, "is_installed", lambda package, program: True)
    return made


@pytest.fixture
def environment_of(monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, str]]:
    """Starts a robot as `start` does, and returns what launch sets in the environment."""
    found: dict[str, str] = {}
    monkeypatch.delenv("WMX_DEVICE_PATH", raising=False)
    monkeypatch.setattr(
        nodes,
        "SetEnvironmentVariable",
        lambda name, value: found.update({name: value}) or LogInfo(msg=name),
    )

    def start_one(robot: str, **given: str) -> dict[str, str]:
        start(robot, **given)
        return found

    return start_one


def start(file: str, **given: str) -> None:
    """Do what the launch file of a robot does, up to the start of the processes.

    `any` is that of any robot, and an empty text that of the nodes which all of them have.
    """
    launch = robot_launch(file if file != "any" else "") if file else low_level_launch()
    visit(launch, LaunchContext(), **given)


def visit(description: LaunchDescription, context: LaunchContext, **given: str) -> None:
    """Do what launch does with a launch file, up to the start of the processes."""
    context.launch_configurations.update(given)
    for entity in description.entities:
        entity.visit(context)


@pytest.mark.parametrize("robot", ["", "arm"])
def test_the_texts_of_the_arguments_are_of_this_launch_file(robot: str) -> None:
    """`--show-args` prints them; nobody can type an empty text for `ros2 launch`."""
    description = robot_launch(robot) if robot else low_level_launch()
    texts = [str(argument.description) for argument in description.get_launch_arguments()]
    assert not [text for text in texts if "empty" in text]
    assert any("of the robot" in text for text in texts) is bool(robot)


def test_a_node_has_a_minute_to_end_and_is_soon_told_where_launch_alone_was(
    made: list[dict[str, Any]],
) -> None:
    """Axes slow down in that time, and a real network takes seconds to stop."""
    start("")
    for node in made:
        told, killed = float(node["sigterm_timeout"]), float(node["sigkill_timeout"])
        assert told <= 2.0
        assert told + killed > CLOSE_TIMEOUT + 2.0 * EXIT_TIMEOUT


@pytest.mark.parametrize(
    ("package", "executable", "ends"),
    [
        ("wmx_ros2_package", "wmx_io_node", True),
        ("wmx_ros2_package", "wmx_panel", False),
        ("another_package", "wmx_io_node", False),
    ],
)
def test_a_node_that_refuses_ends_all_and_a_panel_that_crashes_ends_nothing_else(
    package: str, executable: str, ends: bool
) -> None:
    """Both have the exit code 1."""
    entities = low_level_launch().entities
    [register] = [each for each in entities if isinstance(each, RegisterEventHandler)]
    action = Node(package=package, executable=executable)
    gone = ProcessExited(
        returncode=1, action=action, name=executable, cmd=[], cwd=None, env=None, pid=1
    )
    assert register.event_handler.matches(gone)
    expected: Any = pytest.raises(RuntimeError, match="refused to start") if ends else nullcontext()
    with expected:
        register.event_handler.handle(gone, LaunchContext())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *product(SWITCHES, ["ja", "2", "None", "truee"]),
        *((name, "") for name in SWITCHES if name not in AS_FILES_HAVE_IT),
    ],
)
def test_a_wrong_switch_is_refused_before_anything_starts(
    made: list[dict[str, Any]], name: str, value: str
) -> None:
    with pytest.raises(RuntimeError, match=f"{name} is {value!r}: must be true, 1, yes or on"):
        start("arm", **{name: value})
    assert made == []


def test_the_switches_are_all_that_there_are(made: list[dict[str, Any]]) -> None:
    found = {
        argument.name
        for argument in robot_launch("arm").get_launch_arguments()
        if "".join(part.describe() for part in argument.default_value)
        in ("'true'", "'false'", "''")
        and argument.name not in ("absolute_names", "device_path", "namespace", "params_file")
    }
    assert found == set(SWITCHES)


@pytest.mark.parametrize("value", [word.upper() for word in (*TRUE, *FALSE)])
def test_a_switch_is_on_in_four_words_and_off_in_four(
    made: list[dict[str, Any]], value: str
) -> None:
    start("arm", panel=value, recorder=value, use_gripper=value, use_sim_time=value)
    started = {each["executable"] for each in made}
    on = value.lower() in TRUE
    for program in "wmx_panel", "wmx_recorder_node", "gripper_controller":
        assert (program in started) is on, program
    assert made[0]["parameters"][-1]["use_sim_time"] is on


def test_a_switch_that_is_left_out_is_as_the_file_says(
    made: list[dict[str, Any]], tmp_path: Path
) -> None:
    """A node that is to wait for a lifecycle manager would switch servos on by itself."""
    file = tmp_path / "parameters.yaml"
    switches = "{autostart: false, strict_parameters: false, use_sim_time: true}"
    file.write_text(f"/**: {{ros__parameters: {switches}}}\n/nonsense: {{ros__parameters: {{}}}}\n")
    start("", params_file=str(file))
    assert [each["parameters"] for each in made] == [
        [str(file), {"driver": each["parameters"][-1]["driver"]}] for each in made
    ]
    made.clear()
    start("", params_file=str(file), autostart="true", use_sim_time="false")
    assert made
    for each in made:
        own = each["parameters"][-1]
        assert (own["autostart"], own["use_sim_time"]) == (True, False)
    made.clear()
    with pytest.raises(RuntimeError, match="section /nonsense: configures no node here"):
        start("", params_file=str(file), strict_parameters="true")
    assert made == []


def test_arguments_win_over_what_a_file_has_for_all_nodes(
    made: list[dict[str, Any]], tmp_path: Path
) -> None:
    """ROS puts the arguments, which are for one node, where it has read of that node first.

    So of all nodes something has to be read before that, and of one nothing before the file.
    """
    file = tmp_path / "config.yaml"
    file.write_text("/joint_trajectory_controller: {ros__parameters: {joint_number: 6}}\n")
    launch = newer_launch("joint_trajectory_controller")
    visit(launch, LaunchContext(), config_file=str(file))
    for node in made:
        first, own = node["parameters"]
        assert (first, type(own)) == (str(file), dict)
        option, before = node["ros_arguments"][:2]
        assert option == "-p"
        assert ":" not in before.partition(":=")[0], "it is for all nodes"
    assert made[-1]["executable"] == "joint_trajectory_controller"
    assert "joint_trajectory_topic:=joint_trajectory" in made[-1]["ros_arguments"]
    assert not [each for each in made[:-1] if "trajectory" in str(each["ros_arguments"])]


def test_the_lifecycle_manager_that_the_others_wait_for_starts_by_itself(
    made: list[dict[str, Any]],
) -> None:
    visit(newer_launch(), LaunchContext(), autostart="false")
    found = {each["executable"]: each["parameters"][-1].get("autostart") for each in made}
    manager = {"wmx_lifecycle_manager_node": True}  # also where the file says otherwise for all
    assert found == dict.fromkeys(LOW_LEVEL, False) | manager


@pytest.mark.parametrize(
    "first",
    [
        lambda context: visit(low_level_launch(), context),
        lambda context: visit(robot_launch("arm"), context, use_gripper="true"),
        lambda context: visit(robot_launch(), context, robot="arm", wmx_param_file_path="none"),
        lambda context: visit(newer_launch("joint_state_broadcaster", robot="gantry"), context),
    ],
    ids=["low level", "arm", "any robot", "newer"],
)
@pytest.mark.parametrize("named", [True, False])
def test_the_second_launch_file_of_a_launch_has_files_of_its_own(
    made: list[dict[str, Any]], first: Callable[[LaunchContext], None], named: bool
) -> None:
    """The base would move the joints of the arm, which are on the same axes of the engine."""
    start("base", use_gripper="", wmx_param_file_path="that of the robot")
    alone = [described(each) for each in made]
    context = LaunchContext()
    first(context)
    made.clear()
    again = {"use_gripper": "", "wmx_param_file_path": "that of the robot"}
    if named:
        visit(robot_launch(), context, robot="base", **again)
    else:
        visit(robot_launch("base"), context, **again)
    assert [described(each) for each in made] == alone


@pytest.mark.parametrize(
    ("file", "robot"),
    [
        ("wmx_ros2_cr3a_manipulator", "cr3a"),
        ("wmx_ros2_manipulator_dobot_cr3a", "cr3a"),
        ("wmx_ros2_cr5a_manipulator", "cr5a"),
        ("wmx_ros2_diff_drive_controller", "diffbot"),
    ],
)
def test_a_launch_file_by_the_vendors_name_is_that_of_a_robot(
    made: list[dict[str, Any]], file: str, robot: str
) -> None:
    start(robot)
    ours = [described(each) for each in made]
    made.clear()
    launch = run_path(str(LAUNCH / f"{file}.launch.py"))["generate_launch_description"]()
    visit(launch, LaunchContext())
    assert [described(each) for each in made] == ours


@pytest.mark.parametrize("driver", ["fake", "wmx3"])
def test_the_list_of_arguments_is_readable(monkeypatch: pytest.MonkeyPatch, driver: str) -> None:
    """What `ros2 launch --show-args` prints of their defaults."""
    monkeypatch.setenv("WMX_DRIVER", driver)
    defaults = {
        argument.name: "".join(part.describe() for part in argument.default_value)
        for argument in low_level_launch().get_launch_arguments()
    }
    assert defaults["driver"] == f"'{driver}'"
    assert not [text for text in defaults.values() if "EnvVar" in text]


def described(node: dict[str, Any]) -> tuple[str, list[str], dict[str, Any]]:
    """A node, its files of parameters, and the parameters that win over them."""
    *paths, own = node["parameters"]
    values = {name: getattr(value, "value", value) for name, value in own.items()}
    return node["executable"], paths, values


@pytest.mark.parametrize("robot", ROBOTS)
def test_a_robot_is_shown_in_rviz(made: list[dict[str, Any]], robot: str) -> None:
    start(robot, rviz="true", namespace="left", absolute_names="move", use_sim_time="true")
    *_, publisher, rviz = made
    assert publisher["executable"] == "robot_state_publisher"
    assert rviz["package"] == rviz["executable"] == "rviz2"
    [option, file] = rviz["arguments"]
    assert option == "-d"
    displays = yaml.safe_load(Path(file).read_text())["Visualization Manager"]["Displays"]
    topics = [
        each["Description Topic"]["Value"] for each in displays if "Description Topic" in each
    ]
    assert topics == ["robot_description"], "in the namespace, as that of the publisher"
    assert publisher["parameters"][-1]["use_sim_time"] is True
    assert rviz["parameters"] == [publisher["parameters"][0], {"use_sim_time": True}]


def test_what_shows_a_robot_has_the_time_of_the_file(
    made: list[dict[str, Any]], tmp_path: Path
) -> None:
    """Time that is not that of its joints is of no use to it."""
    file = tmp_path / "parameters.yaml"
    file.write_text("/**: {ros__parameters: {use_sim_time: true}}")
    start("arm", rviz="true", params_file=str(file))
    *_, publisher, rviz = made
    assert publisher["parameters"][0] == str(file)
    assert "use_sim_time" not in publisher["parameters"][1]
    assert rviz["parameters"] == [str(file)]


@pytest.mark.usefixtures("other_package")
def test_a_driver_of_another_package(made: list[dict[str, Any]]) -> None:
    start("", driver="mine")
    assert {each["parameters"][-1]["driver"].value for each in made} == {"mine"}


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("driver", "nonsense", "unknown driver, choose 'fake' or 'wmx3'"),
        ("driver", "it's", "unknown driver"),
        ("namespace", "a b", "Invalid namespace"),
        ("namespace", "1", "Invalid namespace"),
        ("params_file", "/no/such.yaml", "must be the path of a file, or none"),
        ("wmx_param_file_path", "/tmp", "must be the path of a file, or none"),
        ("device_path", "/no/such.yml", "must be the path of a file"),
    ],
)
def test_any_other_wrong_argument_is_refused_too(
    made: list[dict[str, Any]], name: str, value: str, reason: str
) -> None:
    with pytest.raises(RuntimeError, match=f"{name} is .*: {reason}"):
        start("arm", **{name: value})
    assert made == []


def test_all_that_is_wrong_is_told_at_once(made: list[dict[str, Any]]) -> None:
    with pytest.raises(RuntimeError, match=r"panel is 'x': .*recorder is 'y': "):
        start("arm", panel="x", recorder="y")


def test_no_file_can_be_typed(made: list[dict[str, Any]]) -> None:
    start("arm", wmx_param_file_path="none")
    state = next(each for each in made if each["executable"] == "manipulator_state")
    assert state["parameters"][-1]["wmx_param_file_path"].value == ""
    made.clear()
    start("", params_file="None")
    assert [len(each["parameters"]) for each in made] == [1] * len(made)


def test_some_node_loads_the_wmx_parameters_of_every_robot(
    made: list[dict[str, Any]], tmp_path: Path
) -> None:
    """Without them a move of half a unit is half an encoder count."""
    (tmp_path / "robot.yaml").write_text("nodes: []")
    (tmp_path / "parameters.yaml").touch()
    xml = tmp_path / "wmx_parameters.xml"
    shutil.copy(CONFIG / "wmx_parameters_6_axes.xml", xml)
    start("any", robot=str(tmp_path))
    loaded = {each["executable"]: loads(each) for each in made}
    assert loaded == dict.fromkeys(LOW_LEVEL) | {"wmx_engine_node": str(xml)}
    made.clear()
    start("any", robot=str(tmp_path), wmx_param_file_path="none")
    assert [loads(each) for each in made] == ["", None, None, None, None]
    made.clear()
    xml.unlink()
    start("any", robot=str(tmp_path))
    assert [loads(each) for each in made] == [None] * len(LOW_LEVEL), "as the file says"


def loads(node: dict[str, Any]) -> str | None:
    """The WMX parameter file that a node is given; None leaves that of the file of parameters."""
    given = node["parameters"][-1].get("wmx_param_file_path")
    return None if given is None else str(given.value)


def test_servos_that_no_node_switches_on_are_refused(
    made: list[dict[str, Any]], tmp_path: Path
) -> None:
    (tmp_path / "robot.yaml").write_text("nodes: []")
    (tmp_path / "parameters.yaml").touch()
    with pytest.raises(RuntimeError, match="auto_servo_on is 'true': no node is started that"):
        start("any", robot=str(tmp_path), auto_servo_on="on")
    assert made == []
    start("any", robot=str(tmp_path), auto_servo_on="off")


def test_a_node_whose_messages_are_missing_is_named(
    made: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Lacking(Kinds):
        def __getitem__(self, name: str) -> AnyKind:
            if name == "follow_joint_trajectory_server":
                raise ModuleNotFoundError("No module named control_msgs", name="control_msgs")
            return super().__getitem__(name)

    monkeypatch.setattr(files, "Kinds", Lacking)
    with pytest.raises(RuntimeError, match="follow_joint_trajectory_server: control_msgs is miss"):
        start("arm")
    assert made == []
    start("base")


def test_a_program_that_is_not_installed_starts_nothing(
    made: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nodes, "is_installed", lambda package, program: program != "wmx_panel")
    with pytest.raises(RuntimeError, match=r"wmx_panel of wmx_ros2_package .* is not installed"):
        start("", panel="true")


@pytest.mark.parametrize(
    ("driver", "in_file", "nodes_get", "environment"),
    [
        ("wmx3", "/opt/lmx", None, "/opt/lmx"),
        ("wmx3", "", "/opt/wmx3", "/opt/wmx3"),
        ("wmx3", "{machine}", "/opt/wmx3", "/opt/wmx3"),  # of the simulated engine
        ("mine", "/dev/mine", None, "/dev/mine"),
        ("mine", "{machine}", "/opt/wmx3", "/opt/wmx3"),
        ("fake", "{machine}", "{robot}", "{robot}"),
        ("fake", "", "{robot}", "{robot}"),
    ],
    ids=[
        "that of the file",
        "wmx3",
        "no machine file for wmx3",
        "another package's",
        "no machine file for it",
        "the robot's own",
        "fake",
    ],
)
@pytest.mark.usefixtures("other_package")
def test_a_robot_is_on_the_engine_of_its_file_or_else_on_its_own(
    made: list[dict[str, Any]],
    environment_of: Callable[..., dict[str, str]],
    tmp_path: Path,
    driver: str,
    in_file: str,
    nodes_get: str | None,
    environment: str,
) -> None:
    machine = tmp_path / "machine.yaml"
    machine.touch()
    arm = find_robot("arm")
    places = {"machine": machine, "robot": arm.machine}
    parameters = tmp_path / "parameters.yaml"
    own = {"/**": {"ros__parameters": {"device_path": in_file.format(**places)}}}
    shipped = yaml.safe_load(arm.parameters.read_text())
    parameters.write_text(yaml.safe_dump(shipped | (own if in_file else {})))
    found = environment_of("arm", driver=driver, params_file=str(parameters))
    assert found == {"WMX_DRIVER": driver, "WMX_DEVICE_PATH": environment.format(**places)}
    for each in made:
        given = each["parameters"][-1].get("device_path")
        assert (given and given.value) == (nodes_get and nodes_get.format(**places))


@pytest.mark.parametrize(
    ("namespace", "path"),
    [("left", "/opt/left"), ("right", "/opt/right"), ("hall/right", "/opt/all"), ("", "/opt/all")],
)
def test_the_engine_of_a_file_is_that_of_the_namespace(
    made: list[dict[str, Any]],
    environment_of: Callable[..., dict[str, str]],
    tmp_path: Path,
    namespace: str,
    path: str,
) -> None:
    """Programs after the launch file of one robot would move the machine of the other one."""
    parameters = tmp_path / "parameters.yaml"
    sections = {
        "/**/wmx_io_node": {},
        "/**": {"device_path": "/opt/all"},
        "/left/**": {"device_path": "/opt/left"},
        "/right/*": {"device_path": "/opt/right"},
    }
    content = {name: {"ros__parameters": own} for name, own in sections.items()}
    parameters.write_text(yaml.safe_dump(content, sort_keys=False))
    found = environment_of("", driver="wmx3", namespace=namespace, params_file=str(parameters))
    assert found["WMX_DEVICE_PATH"] == path
