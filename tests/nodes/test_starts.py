"""What a program is started with: bad parameters start nothing, with a clear message."""

import os
import sys

import pytest
import system as systems
from held_system import held_system, refusal
from ros import Client
from system import Place

from wmx_ros2_package.cli import bringup
from wmx_ros2_package.node_base.runner import run

REFUSED = {
    "unknown driver": ("wmx_io_node", "driver:=nonsense", "unknown driver 'nonsense'"),
    "driver without its SDK": ("wmx_engine_node", "driver:=wmx3", "WMX3ApiPython"),
    "driver of another type": ("wmx_ethercat_node", "driver:=3", "driver"),
    "no axes": ("wmx_core_motion_node", "axis_count:=0", "axis_count"),
    "axes in words": ("wmx_core_motion_node", "axis_count:=abc", "axis_count"),
    "hasty watchdog": ("wmx_io_node", "device_watchdog:=0.5", "device_watchdog is 0.5: must be 0"),
    "hasty dead man": ("wmx_io_node", "dead_man_timeout:=0.1", "dead_man_timeout is 0.1: must be"),
    "no such core": ("wmx_io_node", "device_core:=-2", "device_core"),
    "no such cores": ("wmx_io_node", "device_affinity:=-1", "device_affinity"),
}


@pytest.mark.parametrize(("executable", "parameter", "reason"), REFUSED.values(), ids=REFUSED)
def test_a_bad_parameter_starts_nothing(
    place: Place, executable: str, parameter: str, reason: str
) -> None:
    assert reason in refusal(place, executable, parameter)


@pytest.mark.process
@pytest.mark.parametrize("executable", ["wmx_core_motion_node", "bringup"])
def test_what_starts_nothing_ends_the_process(place: Place, executable: str) -> None:
    process = place.start(executable, "axis_count:=0")
    assert process.wait() == 1
    said = [line for line in process.output.splitlines() if line.startswith(f"{process.name}: ")]
    assert len(said) == 1
    assert "axis_count" in said[0]
    assert "Traceback" not in process.output


@pytest.mark.parametrize(
    "arguments", [["--params-file", "/no/such.yaml"], ["-r", "__ns:=not a namespace"]]
)
def test_bad_ros_arguments_start_nothing(place: Place, arguments: list[str]) -> None:
    assert arguments[1] in refusal(place, "wmx_io_node", ros=arguments)


@pytest.mark.process
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
def test_what_is_no_argument_of_ros_starts_nothing(
    argument: str, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["bringup", argument])
    assert run({}) == code
    said = "".join(capsys.readouterr())
    assert "usage: bringup [--ros-args" in said
    assert (f"bringup: '{argument}' is no argument of ROS" in said) is (code != 0)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("--robto arm", "unrecognized arguments: --robto arm: did you mean --robot?"),
        ("--event --ros-args -p rate:=50", "unrecognized arguments: --event: did you mean --event"),
        ("axis_count:=2", "unrecognized arguments: axis_count:=2\n"),
    ],
)
def test_what_bringup_does_not_know_starts_nothing(
    typed: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        bringup.parse(typed.split())
    assert ended.value.code == 2
    printed = capsys.readouterr().err
    assert said in printed
    assert all(option in printed for option in ("--robot", "--events", "--recorder", "--ros-args"))


@pytest.mark.parametrize("typed", ["--ros-args -p rate:=50", "--ros-args -p"])
def test_bringup_leaves_arguments_of_ros_to_ros(typed: str) -> None:
    assert bringup.parse(["--robot", "arm", *typed.split()])[1] == typed.split()


@pytest.mark.process
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


@pytest.mark.parametrize("program", ["wmx_core_motion_node", "bringup"])
def test_a_misspelt_parameter_starts_nothing(place: Place, program: str) -> None:
    """What another node has may be meant for that."""
    wrong = "velocity_tiemout:=0.25", "wmx_param_file_path:=''"
    reason = refusal(place, program, *wrong[: 2 if program != "bringup" else 1])
    assert "there is no parameter 'velocity_tiemout': is 'velocity_timeout' meant?" in reason
    assert "wmx_param_file_path" not in reason


def test_a_misspelt_parameter_may_be_a_warning(place: Place) -> None:
    wrong = "divice_path:=x", "strict_parameters:=false"
    with held_system(place, *wrong, executables=["wmx_io_node"]) as system:
        system.says("[wmx_io_node]: -p divice_path:=x: there is no parameter 'divice_path'")


def test_a_newer_executable_is_configured_by_the_older_name(place: Place) -> None:
    path = place.folder / "params.yaml"
    path.write_text("manipulator_state:\n  ros__parameters:\n    joint_feedback_rate: 100000\n")
    reason = refusal(place, "joint_state_broadcaster", ros=["--params-file", str(path)])
    assert f"{path}: section /manipulator_state: joint_feedback_rate: " in reason


def test_a_device_path_that_can_name_no_machine_starts_nothing(place: Place) -> None:
    assert "device_path is 'machine.ymal'" in refusal(place, "bringup", "device_path:=machine.ymal")


@pytest.mark.process
@pytest.mark.parametrize("runtime", ["/no/such/folder", "/proc"])
def test_a_runtime_directory_that_cannot_be_used(place: Place, runtime: str) -> None:
    command = [str(systems.EXECUTABLES / "wmx_engine_node"), "--ros-args", "-p", "retry_count:=1"]
    node = place.run(command, XDG_RUNTIME_DIR=runtime)
    node.says("Attempt 1/1 to start the engine: Error=256 (StartProcessFailed)")
    node.says("Failed to start the engine after 1 attempts")
    node.stop()
