"""Programs with a client as processes, in real time: they die, hang, and come before the system."""

import signal
import sys
from contextlib import redirect_stderr
from io import StringIO

import pytest
import rclpy
import system as systems
from motion_events import all_rest
from std_srvs.srv import Trigger
from system import Place, System
from until import until
from wmx_ros2_message.msg import ActuatorCommand, ActuatorCommands
from wmx_ros2_message.srv import PlanMotion

from wmx_ros2_package.client import EndReason, Machine, MotionBegin, MotionEnd, move


@pytest.fixture(scope="module")
def system(program: System) -> System:
    """As its users start it."""
    return program


MOVER = """
import sys, time
from wmx_ros2_package.client import Machine

with Machine(timeout=30.0) as machine:
    machine.axes.on()
    motions = [
        machine.axes[0].move(1000.0, velocity=1.0),
        machine.axes[1].jog(1.0),
        machine.move_together({2: 1000.0, 3: -1000.0}, velocity=1.0),
    ]
    print("moving", flush=True)
    motions[0].wait()
"""


def mover(place: Place) -> systems.Process:
    """A program that moves four axes until it ends."""
    path = place.folder / "mover.py"
    path.write_text(MOVER)
    process = place.run([sys.executable, str(path)])
    process.says("moving")
    return process


def test_what_a_hanging_client_moves_stops_and_stays_so(system: System, machine: Machine) -> None:
    with machine.events() as events:
        process = mover(system.place)
        process.send_signal(signal.SIGSTOP)
        try:
            ends: list[MotionEnd] = []
            while len(ends) < 4:
                event = events.get()
                ends += [event] if isinstance(event, MotionEnd) else []
            system.client.eventually(lambda: all_rest(machine), "all axes rest")
            process.send_signal(signal.SIGCONT)
            assert process.wait() != 0  # its wait raises MotionFailed
        finally:
            process.kill()
            system.place.processes.remove(process)
        assert all_rest(machine)
    assert {event.reason for event in ends} == {EndReason.LEASE_EXPIRED}
    assert "MotionFailed" in process.output
    assert not [event for event in events if isinstance(event, MotionBegin)]


def test_what_a_client_moves_stops_at_ctrl_c(system: System, machine: Machine) -> None:
    process = mover(system.place)
    process.send_signal(signal.SIGINT)
    assert process.wait() != 0
    system.place.processes.remove(process)
    system.client.eventually(lambda: all_rest(machine), "all axes rest")


def test_inside_a_node_of_rclpy(system: System) -> None:
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=system.place.domain)
    node = rclpy.create_node("program", context=context)
    try:
        with Machine(node=node, timeout=30.0) as machine:
            assert machine.domain == system.place.domain
            assert len(machine.status()) == 6
        assert context.ok()
    finally:
        node.destroy_node()
        rclpy.shutdown(context=context)


def test_a_program_whose_stderr_is_no_file(system: System) -> None:
    with redirect_stderr(StringIO()), Machine(domain=system.place.domain, timeout=30.0) as machine:
        assert len(machine.axes) == 6


@pytest.mark.process
def test_a_system_that_has_just_been_started_is_waited_for() -> None:
    with systems.place() as place:
        process = place.start("bringup")
        with Machine(domain=place.domain, timeout=30.0) as machine:
            machine.axes.on()
            assert machine.move_together({0: 0.1, 1: 0.1}).wait().arrived
        process.stop()


def test_a_stop_is_never_behind_dry_runs_and_few_of_them_wait(machine: Machine) -> None:
    """Held time would wait for the dry runs."""
    link = machine.ros
    machine.plan(move({0: 0.0}))  # so that the service is known
    step = ActuatorCommands(
        commands=[
            ActuatorCommand(name=f"axis_{axis}", type=ActuatorCommand.VELOCITY, value=0.001)
            for axis in range(6)
        ]
    )
    request = PlanMotion.Request(steps=[step], longest=1800.0)
    answers = [link.ask(PlanMotion, "wmx/motion/plan", request) for _ in range(8)]
    axis = machine.axes[0]
    motion = axis.move(50.0, velocity=1.0)
    until(machine, lambda: axis.velocity > 0.1, "it moves")
    axis.stop()
    link.call(Trigger, "wmx/actuator/disarm")
    until(machine, lambda: motion.done, "it ends")
    assert not all(answer.done() for answer in answers), "the dry runs go on"
    messages = [until(machine, lambda a=a: a.done() and a.result(), "an answer") for a in answers]
    assert any("messages wait already: at most 4" in each.message for each in messages)
    assert any(
        "s to compute: try a part of it" in each.message or each.accepted for each in messages
    )
