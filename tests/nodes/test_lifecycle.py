"""Managed nodes: what each transition does, and that nothing of it is for ever."""

from collections.abc import Iterator

import pytest
import system as systems
from lifecycle import ACTIVATE, CLEANUP, CONFIGURE, DEACTIVATE, Managed
from motion_events import EVENTS_QOS
from ros import CORE_MOTION_SERVICES, READY, Client
from system import NODES, System
from wmx_ros2_message.msg import BeginMotion

NOT_READY = "CoreMotion not initialized. Engine not ready."
SILENCE = 0.5
"""s."""


@pytest.fixture(scope="module")
def core(system: System) -> Managed:
    return Managed(system.client, "wmx_core_motion_node")


@pytest.fixture(scope="module")
def engine(system: System) -> Managed:
    return Managed(system.client, "wmx_engine_node")


@pytest.fixture(autouse=True)
def all_active(system: System, core: Managed, engine: Managed) -> Iterator[None]:
    """Every test begins with a system that runs."""
    yield
    for node in engine, core:
        if node.state() == "unconfigured":
            assert node.change(CONFIGURE)
        if node.state() == "inactive":
            assert node.change(ACTIVATE)
    system.client.meet(CORE_MOTION_SERVICES)
    system.ready()


def silent(client: Client) -> bool:
    return client.states.silent_for(SILENCE)


def test_nodes_start_by_themselves(system: System) -> None:
    assert {Managed(system.client, name).state() for name in NODES} == {"active"}


def test_an_inactive_node_is_silent_and_answers_as_before_the_engine_is_ready(
    client: Client, core: Managed
) -> None:
    assert core.change(DEACTIVATE)
    assert core.state() == "inactive"
    assert client.ready["wmx/core_motion/ready"].latest(lambda m: not m.data)
    assert silent(client)
    assert client.refused("wmx/axis/set_on", index=[0], data=[1]) == NOT_READY
    assert client.refused("wmx/params/load", file_path="x") == NOT_READY

    # It stays so, whatever the engine does.
    client.must("wmx/engine/set_comm", data=False)
    client.must("wmx/engine/set_comm", data=True)
    assert silent(client)
    assert client.refused("wmx/axis/set_on", index=[0], data=[1]) == NOT_READY

    assert core.change(ACTIVATE)
    assert client.ready["wmx/core_motion/ready"].latest(lambda m: m.data)
    client.must("wmx/axis/set_on", index=[0], data=[1])


def test_an_unconfigured_node_serves_nothing(client: Client, core: Managed) -> None:
    assert core.change(DEACTIVATE)
    assert core.change(CLEANUP)
    assert core.state() == "unconfigured"
    client.eventually(lambda: client.node.count_services("wmx/axis/set_on") == 0, "its services go")
    client.eventually(lambda: client.node.count_publishers("wmx/axis/state") == 0, "its topics go")
    assert client.must("wmx/engine/get_status").message == "Communicating"
    assert core.change(CONFIGURE)
    client.eventually(
        lambda: client.node.count_services("wmx/axis/set_on") == 1, "its services come"
    )
    client.meet(CORE_MOTION_SERVICES)
    assert client.refused("wmx/axis/set_on", index=[0], data=[1]) == NOT_READY


def test_moving_axes_slow_down_before_the_node_is_inactive(client: Client, core: Managed) -> None:
    client.spin_up(0, dec=4.0)
    start = client.clock.now()
    assert core.change(DEACTIVATE)
    assert 0.3 < client.clock.now() - start < 5.0
    last = client.states.since(start)[-1]
    assert core.change(ACTIVATE)
    rest = client.state()
    assert rest.velocity_cmd[0] == 0.0
    slowing_down = last.velocity_cmd[0] ** 2 / (2.0 * 4.0)
    assert rest.pos_cmd[0] == pytest.approx(last.pos_cmd[0] + slowing_down, abs=0.01)


def test_a_transition_keeps_no_other_node_waiting(client: Client, core: Managed) -> None:
    """All nodes are spun by one thread here, and slowing down takes a second."""
    client.spin_up(0, dec=2.0)
    changing = core.begin(DEACTIVATE)
    taken = []
    while not changing.done():
        asked = client.clock.now()
        client.must("wmx/io/get_input_bit")
        assert core.state() in ("active", "deactivating", "inactive")
        taken.append(client.clock.now() - asked)
        client.clock.sleep(0.01)
    assert changing.result().success
    assert core.change(ACTIVATE)
    assert client.ready["wmx/core_motion/ready"].latest(lambda m: m.data)
    assert len(taken) > 3, "one that waits is answered when the second is over"
    assert max(taken) < 0.5


def test_commands_that_wait_do_not_begin_once_the_node_is_to_be_inactive(
    client: Client, core: Managed
) -> None:
    axes = [3, 4, 5]
    client.must("wmx/axis/set_on", index=axes, data=[1] * 3)
    begins = client.listen("wmx/motion/begin", BeginMotion, EVENTS_QOS)
    client.play("slow_calls: {seconds: 1, count: 3, method: move_absolute}")
    for axis in axes:
        client.move("wmx/axis/position", [axis], [50.0], [1.0], [5.0], [5.0])
    client.clock.sleep(0.5)
    assert core.change(DEACTIVATE)
    assert [axis for begin in begins.since(0.0) for axis in begin.axes if axis in axes] == [3]


def test_who_waits_for_a_servo_is_answered(client: Client, core: Managed) -> None:
    client.must("wmx/axis/set_on", index=[1], data=[1])
    switching = client.ask("wmx/axis/set_on", index=[1], data=[0])
    assert core.change(DEACTIVATE)
    assert switching.result(systems.WAIT_TIMEOUT) is not None


def test_transitions_out_of_turn_are_refused(core: Managed) -> None:
    for transition in (CONFIGURE, ACTIVATE, CLEANUP, 99, "nonsense", "destroy"):
        assert not core.change(transition), transition
        assert core.state() == "active"


def test_transitions_by_label_and_their_events(client: Client, core: Managed) -> None:
    start = client.clock.now()
    assert core.change("deactivate")
    assert core.change("activate")
    client.eventually(lambda: len(core.events.since(start)) >= 4, "four events")
    assert [event.goal_state.label for event in core.events.since(start)] == [
        "deactivating",
        "inactive",
        "activating",
        "active",
    ]


def test_parameters_are_read_at_configure(client: Client, core: Managed) -> None:
    reason = core.set(axis_count=3)
    assert reason == "axis_count is read at configure: deactivate and cleanup first"
    assert core.change(DEACTIVATE)
    assert core.set(axis_count=3) == reason
    assert core.change(CLEANUP)
    assert core.set(axis_count=0) != ""
    assert core.set(axis_count=3) == ""
    assert core.change(CONFIGURE)
    assert core.change(ACTIVATE)
    assert len(client.state().pos_cmd) == 3
    for transition in (DEACTIVATE, CLEANUP):
        assert core.change(transition)
    assert core.set(axis_count=6) == ""


def test_a_refused_configure_says_why_and_can_be_tried_again(system: System, core: Managed) -> None:
    assert core.change(DEACTIVATE)
    assert core.change(CLEANUP)
    assert core.set(driver="nonsense") == ""
    assert not core.change(CONFIGURE)
    system.says("Failed to configure: Error=304 (NoSupportedFunction): unknown driver 'nonsense'")
    assert core.state() == "unconfigured"
    assert core.set(driver="fake") == ""
    assert core.change(CONFIGURE)


def test_the_engine_is_taken_down_and_brought_up(client: Client, engine: Managed) -> None:
    client.spin_up(0, dec=20.0)
    assert engine.change(DEACTIVATE)
    for topic in READY:
        assert client.ready[topic].latest(lambda m: not m.data)
    message = "Engine not initialized. wmx_engine_node is not active."
    assert client.refused("wmx/engine/get_status") == message
    assert client.refused("wmx/engine/set_comm", data=True) == message
    client.eventually(
        lambda: client.call("wmx/axis/set_on", index=[0], data=[1]).message == NOT_READY,
        "the others let go",
    )
    assert engine.change(ACTIVATE)
    for topic in READY:
        assert client.ready[topic].latest(lambda m: m.data)
    assert client.must("wmx/engine/get_status").message == "Communicating"
