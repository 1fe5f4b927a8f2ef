"""Two systems in one domain: an order reaches one of them, or none."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import system as systems
from rclpy.node import Node
from ros import eventually
from stand_in import stand_in
from system import System
from wmx_ros2_message.msg import ActuatorCommands
from wmx_ros2_message.srv import CommandActuator

from wmx_ros2_package.client import (
    Machine,
    MotionEnd,
    NoSystem,
    SeveralSystems,
)


@pytest.fixture(scope="module")
def system(program: System) -> System:
    """As its users start it."""
    return program


def at_rest(machine: Machine) -> bool:
    status = machine.status()
    return bool(status.at_rest.all() and (status.command_velocity == 0.0).all())


def test_a_namespace_of_its_own() -> None:
    with systems.place() as place, systems.system(place, namespace="/cell1") as system:
        system.ready()
        with Machine("/cell1", place.domain, timeout=30.0) as machine:
            machine.axes[0].on()
            assert machine.axes[0].move(0.1).wait().arrived
        with pytest.raises(NoSystem), Machine(domain=place.domain, timeout=1.0):
            pass


def test_an_order_reaches_one_of_two_systems_or_none() -> None:
    with systems.place() as place, systems.system(place) as system:
        system.ready()
        with Machine(domain=place.domain, timeout=30.0) as machine, machine.events() as events:
            machine.axes[0].on()
            second = place.start("bringup", f"device_path:={place.machine('second.yaml')}")
            second.says("wmx_core_motion_node is ready")

            def refused() -> str:
                try:
                    machine.axes[0].move(0.1)
                except SeveralSystems as error:
                    return error.remedy
                return ""

            assert "ROS_DOMAIN_ID" in eventually(refused, "a move is refused")
            for order in (machine.axes.on, machine.axes.clear, lambda: machine.io.inputs[0, 0]):
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


@contextmanager
def half_a_system(domain: int) -> Iterator[list[object]]:
    """A second system that has come no further than to take commands, and what it has taken."""
    taken: list[object] = []

    def execute(request: object, response: object) -> object:
        taken.append(request)
        return response

    def offer(node: Node) -> None:
        node.create_subscription(ActuatorCommands, "wmx/actuator/command", taken.append, 10)
        node.create_service(CommandActuator, "wmx/actuator/execute", execute)

    with stand_in(domain, "wmx_actuator_node", offer):
        yield taken


@pytest.mark.parametrize("axes", [[0], [0, 1]], ids=["service", "topic"])
def test_an_order_does_not_reach_a_system_that_is_being_started(
    system: System, machine: Machine, axes: list[int]
) -> None:
    def refused() -> bool:
        try:
            machine.axes[axes].move([0.1] * len(axes)).wait()
        except SeveralSystems:
            return True
        return False

    assert not refused()  # the client has met the service, and the topic
    with half_a_system(system.place.domain) as taken:
        eventually(refused, "a move is refused")
        machine.stop()  # still stops
        eventually(lambda: at_rest(machine), "the axes rest")
        assert taken == []
    eventually(lambda: not refused(), "it has gone")
