"""Parameters of the nodes: good ones work, bad ones end the process with a clear message."""

import os
import time
from collections.abc import Iterator

import pytest
import system as systems
from patience import at_best, eventually
from recording import stamp_of
from ros import OFFERED, READY, TOPICS, Client
from system import Place, Process, System

REFUSED = {
    "unknown driver": ("wmx_io_node", "driver:=nonsense", "unknown driver 'nonsense'"),
    "driver without its SDK": ("wmx_engine_node", "driver:=wmx3", "WMX3ApiPython"),
    "driver of another type": ("wmx_ethercat_node", "driver:=3", "driver"),
    "no axes": ("wmx_core_motion_node", "axis_count:=0", "axis_count"),
    "too many axes": ("wmx_core_motion_node", "axis_count:=129", "axis_count"),
    "axes in words": ("wmx_core_motion_node", "axis_count:=abc", "axis_count"),
    "no rate": ("wmx_core_motion_node", "rate:=0", "rate"),
    "negative rate": ("wmx_core_motion_node", "rate:=-100", "rate"),
    "no time": ("wmx_io_node", "device_timeout:=0.0", "device_timeout"),
    "hasty watchdog": ("wmx_io_node", "device_watchdog:=0.5", "device_watchdog is 0.5: must be 0"),
    "hasty dead man": ("wmx_io_node", "dead_man_timeout:=0.1", "dead_man_timeout is 0.1: must be"),
    "no such core": ("wmx_io_node", "device_core:=-2", "device_core"),
    "no such cores": ("wmx_io_node", "device_affinity:=-1", "device_affinity"),
    "no attempts": ("wmx_engine_node", "retry_count:=0", "retry_count"),
    "all nodes in one": ("bringup", "axis_count:=0", "axis_count"),
}
AT_A_TIME = 4


@pytest.fixture(scope="module")
def refused() -> Iterator[dict[str, Process]]:
    """A few of them at a time, for a start takes a second of CPU time."""
    with systems.place() as place:
        started: dict[str, Process] = {}
        for name, (executable, parameter, _) in REFUSED.items():
            started[name] = place.start(executable, parameter)
            while sum(process.running() for process in started.values()) >= AT_A_TIME:
                time.sleep(0.02)
        yield started


@pytest.mark.parametrize("name", REFUSED)
def test_a_bad_parameter_ends_the_process(refused: dict[str, Process], name: str) -> None:
    process = refused[name]
    _, parameter, reason = REFUSED[name]
    assert process.wait() == 1, f"with {parameter} it said:\n{process.output}"
    said = [line for line in process.output.splitlines() if line.startswith(f"{process.name}: ")]
    assert len(said) == 1
    assert reason in said[0]
    assert "Traceback" not in process.output


@pytest.mark.parametrize(
    "arguments", [["--params-file", "/no/such.yaml"], ["-r", "__ns:=not a namespace"]]
)
def test_bad_ros_arguments_end_the_process(place: Place, arguments: list[str]) -> None:
    process = place.start("wmx_io_node", ros=arguments)
    assert process.wait() == 1
    assert arguments[1] in process.output
    assert "Traceback" not in process.output


def test_a_pipe_as_a_file_of_parameters_ends_the_process(place: Place) -> None:
    """Which would be read for ever."""
    pipe = place.folder / "params.yaml"
    os.mkfifo(pipe)
    process = place.start("wmx_io_node", ros=["--params-file", str(pipe)])
    assert process.wait() == 1
    assert process.output.splitlines()[-1] == f"wmx_io_node: {pipe} must be a regular file"


@pytest.mark.parametrize(
    ("argument", "code"), [("--help", 0), ("-h", 0), ("axis_count:=2", 2), ("--real", 2)]
)
def test_what_is_no_argument_of_ros_starts_nothing(place: Place, argument: str, code: int) -> None:
    process = place.start("bringup", ros=["--", argument])
    assert process.wait() == code
    assert "usage: bringup [--ros-args" in process.output
    assert (f"bringup: '{argument}' is no argument of ROS" in process.output) is (code != 0)
    assert "driver" not in process.output


@pytest.fixture
def place() -> Iterator[Place]:
    with systems.place() as place:
        yield place


def test_a_program_without_streams_runs(place: Place) -> None:
    """As a service manager may start it: what it opens next has their numbers."""
    program = str(systems.EXECUTABLES / "bringup")
    closed = 'exec "$0" "$@" >&- 2>&-'
    process = place.run(["sh", "-c", closed, program, "--ros-args", "-p", "rate:=50"])
    client = Client(place.domain)
    try:
        client.ready["wmx/core_motion/ready"].latest(lambda message: message.data)
        client.meet(["wmx/axis/set_on"])
        client.must("wmx/axis/set_on", index=[0], data=[1])
        streams = [os.readlink(f"/proc/{process.pid}/fd/{number}") for number in (1, 2)]
        assert streams == ["/dev/null"] * 2
        process.stop()
    finally:
        client.close()


@pytest.mark.parametrize(
    ("parameter", "reason", "published"),
    [
        ("axis_count:=7", "parameter axis_count is 7: must be 1 to 6, the axes of the engine", 7),
        (
            "jerk_ratio:=[0.1,0.2,0.3,0.4,0.5,0.6,0.7]",
            "jerk_ratio has 7 elements: must be 6 at most, the axes of the engine",
            6,
        ),
    ],
)
def test_more_axes_than_the_engine_has_are_not_published(
    place: Place, parameter: str, reason: str, published: int
) -> None:
    machine = place.machine("machine.yaml", axes=6)
    with systems.system(place, f"device_path:={machine}", parameter) as system:
        system.says(
            f"Failed to attach to device, will try again. Error=1558 (ParamOutOfRange): {reason}"
        )
        message = system.client.refused("wmx/axis/set_on", index=[0], data=[1])
        assert message == "CoreMotion not initialized. Engine not ready."
        eventually(lambda: system.client.call("wmx/io/get_input_bit").success, "I/O answers")
        assert not system.client.ready["wmx/core_motion/ready"].next().data
        assert not system.client.states.since(0.0)
        place.machine("machine.yaml", axes=7)  # the node has not ended: the next engine has them
        system.client.must("wmx/engine/set_device", data=False)
        system.client.must("wmx/engine/set_device", data=True)
        system.client.must("wmx/engine/set_comm", data=True)
        system.ready()
        assert len(system.client.state().pos_cmd) == published


def test_fewer_axes_at_another_rate(place: Place) -> None:
    with systems.system(place, "axis_count:=2", "rate:=20") as system:
        system.ready()

        def off() -> float:
            """By how much two states are more or less than 0.05 s apart."""
            first, second = system.client.state(), system.client.state()
            assert len(first.pos_cmd) == len(second.servo_on) == 2
            return abs((stamp_of(second) - stamp_of(first)) / 1e9 - 0.05)

        at_best(off, 0.02)
        system.client.must("wmx/axis/set_on", index=[5], data=[1])


def test_a_parameter_file_of_ros(place: Place) -> None:
    path = place.folder / "params.yaml"
    shipped = (systems.CONFIG / "wmx_ros2.yaml").read_text()
    path.write_text(shipped.replace("axis_count: 6", "axis_count: 3"))
    with systems.system(place, ros=["--params-file", str(path)]) as system:
        system.ready()
        assert len(system.client.state().pos_cmd) == 3


@pytest.mark.parametrize("program", ["wmx_core_motion_node", "bringup"])
def test_a_misspelt_parameter_starts_nothing(place: Place, program: str) -> None:
    """What another node has may be meant for that."""
    wrong = "velocity_tiemout:=0.25", "wmx_param_file_path:=''"
    node = place.start(program, *wrong[: 2 if program != "bringup" else 1])
    node.says("there is no parameter 'velocity_tiemout': is 'velocity_timeout' meant?")
    assert node.wait() == 1
    assert "wmx_param_file_path" not in node.output


def test_a_misspelt_parameter_may_be_a_warning(place: Place) -> None:
    node = place.start("wmx_io_node", "divice_path:=x", "strict_parameters:=false")
    node.says("[wmx_io_node]: -p divice_path:=x: there is no parameter 'divice_path'")
    node.stop()


def test_a_newer_executable_is_configured_by_the_older_name(place: Place) -> None:
    path = place.folder / "params.yaml"
    path.write_text("manipulator_state:\n  ros__parameters:\n    joint_feedback_rate: 100000\n")
    node = place.start("joint_state_broadcaster", ros=["--params-file", str(path)])
    assert node.wait() == 1
    node.says(f"{path}: section /manipulator_state: joint_feedback_rate: ")


@pytest.mark.parametrize("runtime", ["/no/such/folder", "/proc"])
def test_a_runtime_directory_that_cannot_be_used(place: Place, runtime: str) -> None:
    command = [str(systems.EXECUTABLES / "wmx_engine_node"), "--ros-args", "-p", "retry_count:=1"]
    node = place.run(command, XDG_RUNTIME_DIR=runtime)
    node.says("Attempt 1/1 to start the engine: Error=256 (StartProcessFailed)")
    node.says("Failed to start the engine after 1 attempts")
    node.stop()


@pytest.fixture(scope="module")
def cell() -> Iterator[System]:
    """A system in a namespace, whose ROS time stands still: nobody publishes /clock."""
    with (
        systems.place() as place,
        systems.system(place, "use_sim_time:=true", namespace="/cell1") as system,
    ):
        system.ready()
        yield system


@pytest.fixture(scope="module")
def stranger(cell: System) -> Iterator[Client]:
    """A client outside the namespace."""
    client = Client(cell.place.domain)
    yield client
    client.close()


def test_every_name_moves_with_the_namespace(cell: System, stranger: Client) -> None:
    graph = stranger.node
    eventually(lambda: len(graph.get_node_names_and_namespaces()) >= 6, "all nodes are seen")
    strangers_own = {f"/{topic}" for topic in TOPICS}

    def ours() -> set[str]:
        names = [*graph.get_topic_names_and_types(), *graph.get_service_names_and_types()]
        wmx = {name for name, _ in names if "wmx/" in name}
        offered = {n for n in wmx if graph.count_services(n) or graph.count_publishers(n)}
        return offered - strangers_own

    expected = {f"/cell1/{name}" for name in (*OFFERED, *READY, "wmx/axis/state")}
    eventually(lambda: expected <= ours(), "all names are seen")
    assert all(name.startswith("/cell1/wmx/") for name in ours())
    cell.client.must("wmx/axis/set_on", index=[0], data=[1])
    cell.client.move("wmx/axis/position", [0], [0.1], [5.0], [50.0], [50.0])
    cell.client.at_rest(0, 0.1)


def test_the_state_does_not_wait_for_the_clock(cell: System) -> None:
    ready = cell.client.ready["wmx/engine/ready"]
    states = [cell.client.state() for _ in range(100)]
    assert all(state.header.stamp.sec == 0 for state in states)
    ready.next()
    ready.next()


def test_a_clock_that_nobody_publishes_is_missed(cell: System) -> None:
    cell.says(
        "[cell1.wmx_core_motion_node]: use_sim_time is true but /clock is not published: "
        "messages are stamped 0"
    )


def test_timeouts_do_not_wait_for_the_clock(cell: System) -> None:
    client = cell.client
    client.must("wmx/axis/set_on", index=[1], data=[1])
    client.must("wmx/axis/homing", index=[1])
    client.must("wmx/engine/set_comm", data=False)
    client.must("wmx/engine/set_comm", data=True)
    cell.ready()


def test_a_device_path_that_can_name_no_machine_ends_the_process() -> None:
    with systems.place() as place:
        process = place.start("bringup", "device_path:=machine.ymal")
        assert process.wait() == 1
        assert "device_path is 'machine.ymal'" in process.output
