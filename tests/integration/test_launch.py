"""The launch file: its arguments, and the system that it starts."""

import sys
from collections.abc import Iterator
from importlib.util import find_spec

import pytest
import system as systems
from lifecycle import ACTIVATE, CONFIGURE, Managed
from ros import SERVICES, Client
from system import NODES, Place, Process, System

pytestmark = pytest.mark.skipif(
    not (find_spec("launch") and find_spec("launch_ros")),
    reason="launch and launch_ros are not installed, as on plain Python",
)

LAUNCH = """
import sys
from launch import LaunchService
from launch.actions import IncludeLaunchDescription
path, *arguments = sys.argv[1:]
service = LaunchService(argv=arguments)
given = [argument.split(":=") for argument in arguments]
service.include_launch_description(IncludeLaunchDescription(path, launch_arguments=given))
sys.exit(service.run())
"""
FILE = systems.CONFIG.parent / "launch/wmx_ros2_general_package.launch.py"


@pytest.fixture(scope="module")
def system() -> Iterator[System]:
    """Launched with every argument other than its default."""
    with systems.place() as place:
        parameters = place.folder / "params.yaml"
        parameters.write_text(
            "/**:\n"
            "  ros__parameters:\n"
            f"    device_path: {place.machine(axes=3)}\n"
            "/**/wmx_core_motion_node:\n"
            "  ros__parameters:\n"
            "    axis_count: 3\n"
        )
        arguments = (
            "driver:=fake",
            "namespace:=cell1",
            f"params_file:={parameters}",
            "use_sim_time:=true",
        )
        launch = place.run([sys.executable, "-c", LAUNCH, str(FILE), *arguments])
        client = Client(place.domain, "/cell1")
        try:
            client.meet(SERVICES)
            system = System(place, client, launch)
            system.ready()
            yield system
            launch.send_signal()
            assert launch.wait() == 0, launch.output
            assert "Traceback" not in launch.output
            assert launch.output.count("process has finished cleanly") == len(NODES)
            assert place.is_empty()
        finally:
            client.close()


def test_four_nodes_run_in_the_namespace(system: System) -> None:
    seen = set(system.client.node.get_node_names_and_namespaces())
    assert {(name, "/cell1") for name in NODES} <= seen


def test_the_parameters_are_those_of_the_arguments(system: System) -> None:
    state = system.client.state()
    assert len(state.pos_cmd) == 3
    assert state.header.stamp.sec == 0, "nobody publishes /clock"
    network = system.client.must("wmx/ecat/get_network_state")
    assert network.total_axes == 3
    assert "SIMULATED engine" in system.output


def test_a_launched_axis_moves(system: System) -> None:
    system.client.must("wmx/axis/set_on", index=[2], data=[1])
    client = system.client
    client.move("wmx/axis/position", [2], [0.3], [3.0], [30.0], [30.0])
    client.at_rest(2, 0.3)


def launched(place: Place, *arguments: str) -> Process:
    return place.run([sys.executable, "-c", LAUNCH, str(FILE), *arguments])


def test_an_unknown_driver_is_told() -> None:
    """And launch ends with an error."""
    with systems.place() as place:
        launch = launched(place, "driver:=nonsense")
        launch.says("unknown driver 'nonsense': choose 'fake' or 'wmx3'")
        assert launch.wait() == 1
        assert "refused to start, as it says above" in launch.output


def test_one_node_that_refuses_ends_the_others() -> None:
    with systems.place() as place:
        parameters = place.folder / "params.yaml"
        parameters.write_text(
            "/**/wmx_core_motion_node:\n  ros__parameters:\n    axis_count: 1000\n"
        )
        launch = launched(place, f"params_file:={parameters}")
        assert launch.wait(30.0) == 1
        assert "wmx_core_motion_node-2 refused to start" in launch.output
        assert launch.output.count("process has died") == 1
        assert place.is_empty()


def test_a_parameter_file_that_is_not_there_starts_nothing() -> None:
    with systems.place() as place:
        launch = launched(place, "params_file:=/no/such.yaml")
        assert launch.wait() == 1
        assert "params_file is '/no/such.yaml': there is no such file" in launch.output
        assert "process started" not in launch.output


def test_without_autostart_nodes_wait_for_a_manager() -> None:
    with systems.place() as place:
        launch = launched(place, "autostart:=false")
        client = Client(place.domain)
        try:
            nodes = [Managed(client, name) for name in NODES]
            assert [node.state() for node in nodes] == ["unconfigured"] * 4
            for transition in (CONFIGURE, ACTIVATE):
                assert all(node.change(transition) for node in nodes)
            client.meet(SERVICES)
            System(place, client, launch).ready()
            launch.send_signal()
            assert launch.wait() == 0, launch.output
        finally:
            client.close()
