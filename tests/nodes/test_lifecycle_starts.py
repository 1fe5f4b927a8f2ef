"""Managed nodes that nobody has activated, or whose engine never starts."""

import pytest
from held_system import held_system
from lifecycle import ACTIVATE, CLEANUP, CONFIGURE, DEACTIVATE, SHUTDOWN, Managed
from motion_events import EVENTS_QOS
from rclpy.time import Time
from ros import CORE_MOTION_SERVICES
from system import NODES, Place
from wmx_ros2_message.msg import EndMotion

ATTEMPT = "Attempt 1/1000"


@pytest.mark.long
def test_without_autostart_somebody_else_brings_the_nodes_up(place: Place) -> None:
    """As Nav2's lifecycle manager does: start-up, pause, resume, reset, and all of it again."""
    goals = {CONFIGURE: "inactive", ACTIVATE: "active", DEACTIVATE: "inactive"}
    goals |= {CLEANUP: "unconfigured", SHUTDOWN: "finalized"}
    with held_system(place, "autostart:=false") as system:
        client = system.client
        nodes = [Managed(client, name) for name in NODES]
        assert [node.state() for node in nodes] == ["unconfigured"] * 4
        assert client.node.count_services("wmx/axis/set_on") == 0

        def all_through(*transitions: int) -> None:
            for transition in transitions:
                forward = transition in (CONFIGURE, ACTIVATE)
                for node in nodes if forward else reversed(nodes):
                    assert node.change(transition)
                    assert node.state() == goals[transition]

        all_through(CONFIGURE, ACTIVATE, DEACTIVATE, ACTIVATE, DEACTIVATE, CLEANUP)
        all_through(CONFIGURE, ACTIVATE)
        client.meet(CORE_MOTION_SERVICES)
        assert client.ready["wmx/core_motion/ready"].latest(lambda m: m.data)
        all_through(SHUTDOWN)
        client.eventually(
            lambda: client.node.count_services("wmx/axis/set_on") == 0, "nothing is served"
        )


def test_an_engine_that_cannot_start_is_given_up_at_once(place: Place) -> None:
    place.engines.touch()  # a file in the way
    parameters = f"device_path:={place.machine()}", "retry_count:=1000"
    with held_system(place, *parameters, executables=["wmx_engine_node"]) as system:
        engine = Managed(system.client, "wmx_engine_node")
        for rounds in (1, 2):
            system.client.eventually(
                lambda n=rounds: system.output.count(ATTEMPT) == n, "it tries to start"
            )
            start = system.client.clock.now()
            assert engine.change(DEACTIVATE)
            assert engine.change(CLEANUP)
            assert system.client.clock.now() - start < 2.0
            assert engine.change(CONFIGURE)
            assert engine.change(ACTIVATE)


def test_a_call_that_one_node_waits_for_at_the_end_keeps_no_axis_of_another_moving(
    place: Place,
) -> None:
    with held_system(place) as system:
        system.ready()
        client = system.client
        ends = client.listen("wmx/motion/end", EndMotion, EVENTS_QOS)
        client.spin_up(0, 5.0, 0.5)
        client.play("slow_calls: {seconds: 15, method: read_sdo}")
        client.ask("wmx/ecat/sdo_upload", index=0x6041, size=2)
        client.clock.sleep(0.1)
        asked = client.clock.time_ns()
    [end] = ends.since(0.0)
    assert end.reason == EndMotion.NODE_ENDED
    assert Time.from_msg(end.header.stamp).nanoseconds - asked < 1e9
