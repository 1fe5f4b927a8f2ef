"""The lifecycle manager: takes nodes up and down in order, follows the engine, and says so."""

from collections.abc import Iterator

import pytest
import system as systems
from held_system import HeldSystem, held_system
from lifecycle import ACTIVATE, DEACTIVATE, Managed
from lifecycle_manager import ANSWER, Manager
from system import NODES, System

pytestmark = pytest.mark.usefixtures("all_active")


@pytest.fixture(scope="module")
def system() -> Iterator[HeldSystem]:
    """A system that does not start by itself, and the manager that starts it."""
    executables = "bringup", "wmx_lifecycle_manager_node"
    parameters = [f"{name}:autostart:=false" for name in NODES]
    answer = f"answer_timeout:={ANSWER}"
    with (
        systems.place() as place,
        held_system(place, *parameters, answer, executables=executables) as system,
    ):
        yield system


def test_the_manager_brings_the_nodes_up_in_order(system: System, manager: Manager) -> None:
    assert list(manager.states()) == list(NODES)
    engine, motion = (Managed(system.client, name) for name in NODES[:2])
    assert engine.state() == motion.state() == "active"
    system.ready()


@pytest.mark.long
def test_taking_down_and_up(system: System, manager: Manager) -> None:
    down = manager.set("bringdown")
    assert down.success
    assert down.message == "".join(f"{name} is unconfigured; " for name in reversed(NODES))
    assert set(manager.states().values()) == {"unconfigured"}
    for transition, state in (
        ("configure", "inactive"),
        ("activate", "active"),
        ("deactivate", "inactive"),
        ("cleanup", "unconfigured"),
        ("bringup", "active"),
        ("bringup", "active"),
    ):
        done = manager.set(transition)
        assert done.success, done.message
        assert set(manager.states().values()) == {state}


def test_one_node_alone(system: System, manager: Manager) -> None:
    done = manager.set("deactivate", "wmx_io_node")
    assert (done.success, done.message) == (True, "wmx_io_node is inactive; ")
    assert manager.states()["wmx_io_node"] == "inactive"
    assert manager.states()["wmx_core_motion_node"] == "active"
    assert manager.set("activate", "wmx_io_node").success


def test_a_node_that_a_client_takes_down_by_its_own_service_stays_down(
    system: System, manager: Manager
) -> None:
    """The manager takes nodes down and up by the same service, and publishes nothing of it."""
    client, io = system.client, Managed(system.client, "wmx_io_node")
    client.meet(["wmx/engine/set_comm"])

    def engine_goes_and_comes() -> None:
        client.must("wmx/engine/set_comm", data=False)
        client.eventually(
            lambda: {manager.states()[name] for name in NODES[1:]} == {"inactive"}, "all rest"
        )
        client.must("wmx/engine/set_comm", data=True)
        client.eventually(lambda: manager.states()[NODES[-1]] == "active", "the last one is back")

    engine_goes_and_comes()
    assert io.state() == "active", "it was the manager that took it down"
    assert io.change(DEACTIVATE)
    engine_goes_and_comes()
    assert manager.states() == dict.fromkeys(NODES, "active") | {io.name: "inactive"}
    assert io.change(ACTIVATE)
    client.must("wmx/engine/set_comm", data=False)
    client.eventually(lambda: io.state() == "inactive", "it follows the engine again")
    client.must("wmx/engine/set_comm", data=True)
    manager.become("active")


def test_what_cannot_be_done(manager: Manager) -> None:
    for transition, node, message in (
        ("cleanup", "somebody", f"node_name is 'somebody': must be one of {', '.join(NODES)}, or "),
        (
            "cleanup",
            "wmx_io_node",
            "Failed to make wmx_io_node unconfigured. Error=1546 (NotIdleState): it is active; ",
        ),
    ):
        refused = manager.set(transition, node)
        assert not refused.success
        assert refused.message.startswith(message)
        assert manager.states()["wmx_io_node"] == "active"
