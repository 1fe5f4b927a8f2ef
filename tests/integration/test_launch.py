"""The launch file of the low-level system: its arguments, and the nodes that it starts."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import pytest
import system as systems
from launches import interrupt, launched, needs_launch
from lifecycle import ACTIVATE, CONFIGURE, Managed
from ros import SERVICES, Client
from system import System
from waits import eventually

pytestmark = needs_launch

FILE = "wmx_ros2_general_package"
LOW_LEVEL = (*systems.NODES, "wmx_actuator_node")
PANEL_PORT = 8642
NODES = (*LOW_LEVEL, "wmx_recorder_node")


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
            "/**/wmx_recorder_node:\n"
            "  ros__parameters:\n"
            f"    folder: {place.folder / 'recordings'}\n"
        )
        arguments = (
            "driver:=fake",
            "namespace:=cell1",
            f"params_file:={parameters}",
            "use_sim_time:=true",
            "recorder:=true",
            "panel:=true",
        )
        with ExitStack() as stack:
            with suppress(OSError):  # where another program has it already
                stack.enter_context(socket.create_server(("127.0.0.1", PANEL_PORT)))
            launch = stack.enter_context(launched(place, FILE, *arguments))
            client = Client(place.domain, "/cell1")
            try:
                client.meet(SERVICES)
                system = System(place, client, launch)
                system.ready()
                yield system
                interrupt(launch)
                assert "Traceback" not in launch.output
                assert launch.output.count("process has finished cleanly") == len(NODES)
                assert place.is_empty()
            finally:
                client.close()


def test_its_nodes_run_in_the_namespace(system: System) -> None:
    wanted, node = {(name, "/cell1") for name in NODES}, system.client.node
    eventually(lambda: wanted <= {*node.get_node_names_and_namespaces()}, "all are discovered")


def test_the_parameters_are_those_of_the_arguments(system: System) -> None:
    state = system.client.state()
    assert len(state.pos_cmd) == 3
    assert state.header.stamp.sec == 0, "nobody publishes /clock"
    network = system.client.must("wmx/ecat/get_network_state")
    assert network.total_axes == 3
    assert "SIMULATED engine" in system.output


def test_a_panel_that_cannot_start_ends_nothing_else(system: System) -> None:
    """Its port is taken, so that the test serves nothing."""
    pytest.importorskip("nicegui", reason="NiceGUI is not installed")
    system.main.says(f"wmx_panel: port {PANEL_PORT} of 127.0.0.1 is taken")
    system.client.must("wmx/axis/explain")


def test_a_launched_axis_moves(system: System) -> None:
    system.client.must("wmx/axis/set_on", index=[2], data=[1])
    client = system.client
    client.move("wmx/axis/position", [2], [0.3], [3.0], [30.0], [30.0])
    client.at_rest(2, 0.3)


def test_one_node_that_refuses_ends_the_others() -> None:
    with systems.place() as place:
        parameters = place.folder / "params.yaml"
        parameters.write_text(
            "/**/wmx_core_motion_node:\n  ros__parameters:\n    profile_type: [jerk_limited]\n"
        )
        with launched(place, FILE, f"params_file:={parameters}") as launch:
            assert launch.wait(30.0) == 1
            assert f"{parameters}: section /**/wmx_core_motion_node: profile_type" in launch.output
            assert "process started" not in launch.output
        arguments = f"params_file:={parameters}", "strict_parameters:=false"
        with launched(place, FILE, *arguments) as launch:
            assert launch.wait(30.0) == 1
            assert "wmx_core_motion_node-2 refused to start" in launch.output
            assert launch.output.count("process has died") == 1
            assert place.is_empty()


def test_without_autostart_nodes_wait_for_a_manager() -> None:
    with systems.place() as place, launched(place, FILE, "autostart:=false") as launch:
        client = Client(place.domain)
        try:
            nodes = [Managed(client, name) for name in LOW_LEVEL]
            assert [node.state() for node in nodes] == ["unconfigured"] * len(LOW_LEVEL)
            for transition in (CONFIGURE, ACTIVATE):
                assert all(node.change(transition) for node in nodes)
            client.meet(SERVICES)
            System(place, client, launch).ready()
            interrupt(launch)
        finally:
            client.close()
