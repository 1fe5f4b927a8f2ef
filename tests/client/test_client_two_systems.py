"""Two systems in one domain: an order reaches one of them, or none."""

from typing import Any

import pytest
import system as systems
from rclpy.node import Node
from ros import eventually
from stand_in import stand_in
from system import System
from until import until
from wmx_ros2_message.msg import ActuatorCommand
from wmx_ros2_message.srv import CommandActuator

from wmx_core.errors import RefusalCode
from wmx_ros2_package.client import Machine, MotionEnd, SeveralSystems, SystemLost
from wmx_ros2_package.client.link import Link
from wmx_ros2_package.messages.motions import uuid

pytestmark = pytest.mark.process

EXECUTE = "wmx/actuator/execute"


@pytest.fixture(scope="module")
def system(program: System) -> System:
    """As its users start it."""
    return program


def test_an_order_reaches_one_of_two_systems_or_none() -> None:
    with systems.place() as place, systems.system(place) as system:
        system.ready()
        with Machine(domain=place.domain, timeout=30.0) as machine, machine.events() as events:
            machine.axes[0].on()
            second = place.start("bringup", f"device_path:={place.machine('second.yaml')}")
            second.says("wmx_core_motion_node is ready")
            for each in system.main, second:
                each.says("Another engine node runs in this ROS domain")

            def refused() -> str:
                try:
                    machine.axes[0].move(0.1)
                except SeveralSystems as error:
                    return error.remedy
                return ""

            assert "ROS_DOMAIN_ID" in system.client.eventually(refused, "a move is refused")

            def heard() -> bool:
                try:
                    machine.status()
                except SeveralSystems:
                    return True
                return False

            # A move asks how many nodes there are for it, which may be discovered before the first
            # heartbeat of their system is heard; that is what the others go by.
            system.client.eventually(heard, "its heartbeat is heard")
            for order in (
                machine.axes.on,
                machine.axes.clear,
                machine.status,
                lambda: machine.io.inputs[0, 0],
            ):
                with pytest.raises(SeveralSystems):
                    order()
            machine.stop()
            machine.estop()
        ends = [event.id for event in events if isinstance(event, MotionEnd)]
        assert len(ends) == len(set(ends))  # the servos of the second one are off: it would refuse
        machine = Machine(domain=place.domain, timeout=30.0)

        def opened() -> None:
            while True:  # until the second one is discovered
                machine.open()
                machine.close()

        with pytest.raises(SeveralSystems):
            opened()
        with machine.open(to_stop=True):
            machine.estop()
            with pytest.raises(SeveralSystems):
                machine.release()


def knows_client(node: Node) -> bool:
    """Whether a node has discovered the client of a program; before, it takes no order of it."""
    nodes = [each for each in node.get_node_names_and_namespaces() if "wmx_client" in each[0]]
    services = [node.get_client_names_and_types_by_node(*each) for each in nodes]
    return any(f"/{EXECUTE}" in dict(each) for each in services)


def test_an_order_is_for_one_system_whatever_is_discovered_meanwhile(
    system: System, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It reaches a second one between the count of systems and the order, and is none for it.

    That one refuses it as a node does, and before the first one has answered.
    """
    assert machine.axes[0:2].move([0.1, 0.1]).wait().arrived  # the client has met the service
    own = uuid(system.client.call("wmx/axis/explain").system_id)
    monkeypatch.setattr(Link, "require_one_server", lambda *_: None)
    reached: list[ActuatorCommand] = []

    def execute(request: Any, response: Any) -> object:
        reached.extend([request.command, *request.others])
        response.message, response.code = "for another system", RefusalCode.OTHER_SYSTEM
        return response

    def offer(node: Node) -> None:
        node.create_service(CommandActuator, EXECUTE, execute)

    with stand_in(system.place.domain, "wmx_actuator_node", offer) as second:
        # Between participants: it takes real time, in which nothing else goes on.
        eventually(
            lambda: machine.ros.servers(EXECUTE) == 2 and knows_client(second), "each is discovered"
        )
        for target in 0.2, 0.0:
            assert machine.axes[0:2].move([target] * 2).wait().arrived
        eventually(lambda: len(reached) == 4, "every order is seen")
    assert {uuid(command.system_id) for command in reached} == {own}


def test_a_system_in_place_of_the_own_one_is_not_commanded() -> None:
    """A program that has connected to a machine moves no other one that takes its place."""
    with systems.place() as place:
        first = place.start("bringup")
        for node in "wmx_actuator_node", "wmx_core_motion_node":
            first.says(f"{node} is ready")
        with Machine(domain=place.domain, timeout=30.0) as machine:
            machine.axes[0].on()
            first.stop()
            place.processes.remove(first)
            second = place.start("bringup", f"device_path:={place.machine('second.yaml')}")
            for node in "wmx_actuator_node", "wmx_core_motion_node":
                second.says(f"{node} is ready")
            with pytest.raises((SystemLost, SeveralSystems)):
                until(machine, lambda: machine.axes[0].move(0.1), "it is found")
            with pytest.raises((SystemLost, SeveralSystems)):
                machine.require_own_system()
            for order in (machine.axes.on, machine.axes[0:2].hold, machine.axes.clear):
                with pytest.raises((SystemLost, SeveralSystems)):
                    order()
            machine.stop()
            machine.close()
            machine.open()
            assert not machine.status().servo_on.any()
            machine.axes[0].on()
            assert machine.axes[0].move(0.1).wait().arrived
