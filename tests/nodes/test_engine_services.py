"""wmx_engine_node: its services."""

import pytest
from lifecycle import Managed
from ros import Client
from system import System


def test_the_network_is_scanned(client: Client) -> None:
    assert client.must("wmx/engine/scan_network").message == "Scan network operation done!"


@pytest.mark.parametrize("path", ["", "/opt/wmx3", "/opt/wmx3/", "/where/an/sdk/may/stand"])
def test_the_device_that_is_there_need_not_be_created(client: Client, path: str) -> None:
    """As the documented first step of a client does, which does not know that it runs."""
    done = client.must("wmx/engine/set_device", data=True, path=path, name="second")
    assert done.message == "Device was created already with name: wmx_engine_node"
    assert client.must("wmx/engine/get_status").message == "Communicating"


@pytest.mark.parametrize(
    "path", ["/another/machine.yaml", "a.yaml", "opt", pytest.param("x" * 300_000, id="huge")]
)
def test_a_second_device_is_refused(client: Client, path: str) -> None:
    """The other nodes would be on another engine than the engine node."""
    message = client.refused("wmx/engine/set_device", data=True, path=path, name="second")
    assert message.startswith("Failed to create device. Error=1558 (ParamOutOfRange): path is '")
    assert message.endswith("must be '/opt/wmx3', the device_path of this system")
    assert len(message) < 1000
    assert client.must("wmx/engine/get_status").message == "Communicating"


def test_starting_a_communication_that_runs_changes_nothing(system: System) -> None:
    done = system.client.must("wmx/engine/set_comm", data=True)
    assert done.message == "Communication started"
    system.ready()


def test_the_log_says_that_nothing_moves(system: System) -> None:
    system.says("driver 'fake': SIMULATED engine, no hardware moves")


def test_the_names_of_the_newest_packages_do_the_same(system: System) -> None:
    """Their documentation calls these first, and their types need no package."""
    client = system.client
    assert client.must("wmx/engine/get_engine_status").message == "Communicating"
    assert client.must("wmx/engine/set_communication", data=False).message == (
        "Communication stopped"
    )
    client.eventually(
        lambda: client.call("wmx/engine/get_engine_status").message == "Running", "it has stopped"
    )
    client.must("wmx/engine/set_communication", data=True)
    system.ready()
    assert client.must("wmx/engine/set_engine", data=False).message == "Engine stopped"
    assert client.refused("wmx/axis/set_on", index=[0], data=[1]) == (
        "CoreMotion not initialized. Engine not ready."
    )
    assert client.must("wmx/engine/set_engine", data=True).message == "Communication started"
    system.ready()
    client.must("wmx/engine/set_engine", data=True)  # as it is
    assert client.must("wmx/engine/get_engine_status").message == "Communicating"


def test_a_clock_is_missed_that_a_node_is_to_follow_from_now_on(system: System) -> None:
    node = Managed(system.client, "wmx_io_node")
    assert node.set(use_sim_time=True) == ""
    system.says("[wmx_io_node]: use_sim_time is true but /clock is not published")
    assert node.set(use_sim_time=False) == ""
