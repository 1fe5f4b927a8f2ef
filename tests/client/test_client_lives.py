"""How a client and a system come and go: nothing goes on moving, and nothing waits for ever."""

import asyncio
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from io import StringIO
from types import SimpleNamespace

import pytest
import rclpy
import system as systems
from rclpy.node import Node
from ros import READY_QOS, eventually
from stand_in import stand_in
from std_msgs.msg import Bool
from system import NODES, Place, System
from wmx_ros2_message.msg import ActuatorCommands
from wmx_ros2_message.srv import CommandActuator

from wmx_ros2_package.client import (
    EndReason,
    Machine,
    MachineError,
    MotionBegin,
    MotionEnd,
    MotionFailed,
    NoPart,
    NoSystem,
    NotReady,
    SeveralSystems,
    SystemLost,
    WrongNamespace,
)

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


def at_rest(machine: Machine) -> bool:
    status = machine.status()
    return bool(status.at_rest.all() and (status.command_velocity == 0.0).all())


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_what_a_client_moves_stops_with_its_process(
    system: System, machine: Machine, number: int
) -> None:
    with machine.events() as events:
        process = mover(system.place)
        process.send_signal(number)
        try:
            eventually(lambda: at_rest(machine), "all axes rest")
            ends: list[MotionEnd] = []
            while len(ends) < 4:
                event = events.get()
                ends += [event] if isinstance(event, MotionEnd) else []
        finally:
            process.kill()
            system.place.processes.remove(process)
    assert {event.reason for event in ends} == {EndReason.LEASE_EXPIRED}


def test_what_a_hanging_client_moves_stops_and_stays_so(system: System, machine: Machine) -> None:
    with machine.events() as events:
        process = mover(system.place)
        process.send_signal(signal.SIGSTOP)
        try:
            ends: list[MotionEnd] = []
            while len(ends) < 4:
                event = events.get()
                ends += [event] if isinstance(event, MotionEnd) else []
            eventually(lambda: at_rest(machine), "all axes rest")
            process.send_signal(signal.SIGCONT)
            assert process.wait() != 0  # its wait raises MotionFailed
        finally:
            process.kill()
            system.place.processes.remove(process)
        assert at_rest(machine)
    assert {event.reason for event in ends} == {EndReason.LEASE_EXPIRED}
    assert "MotionFailed" in process.output
    assert not [event for event in events if isinstance(event, MotionBegin)]


def test_what_a_client_moves_stops_at_ctrl_c(system: System, machine: Machine) -> None:
    process = mover(system.place)
    process.send_signal(signal.SIGINT)
    assert process.wait() != 0
    system.place.processes.remove(process)
    eventually(lambda: at_rest(machine), "all axes rest")


def test_a_motion_of_a_client_that_lives_is_not_stopped(machine: Machine) -> None:
    motion = machine.axes[0].move_by(3.0, velocity=1.0)  # longer than leases hold
    assert motion.wait().arrived


def test_an_error_in_the_block_stops_what_it_moves(system: System, machine: Machine) -> None:
    def program() -> None:
        with Machine(domain=system.place.domain, timeout=30.0) as other:
            other.axes[0].move(1000.0, velocity=1.0)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        program()
    eventually(lambda: at_rest(machine), "the axis rests")


def test_leaving_the_block_early_stops_the_motion_and_warns(
    system: System, machine: Machine
) -> None:
    other = Machine(domain=system.place.domain, timeout=30.0)
    with pytest.warns(UserWarning, match="still moved"), other:
        other.axes[0].move(1000.0, velocity=1.0)
    eventually(lambda: at_rest(machine), "the axis rests")


def test_a_closed_machine_says_so(system: System) -> None:
    machine = Machine(domain=system.place.domain)
    assert repr(machine) == "<Machine: closed>"
    for use in (machine.status, lambda: machine.axes, machine.stop, lambda: machine.io):
        with pytest.raises(MachineError):
            use()
    machine.close()


def test_it_opens_again(system: System) -> None:
    machine = Machine(domain=system.place.domain, timeout=30.0)
    for _ in range(2):
        with machine:
            assert len(machine.axes) == len(machine.status()) == 6


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


@pytest.mark.parametrize("timeout", [0.0, -1.0, float("nan"), float("inf")])
def test_a_time_out_that_is_none(timeout: float) -> None:
    with pytest.raises(ValueError, match="timeout"):
        Machine(timeout=timeout)


@pytest.mark.parametrize("domain", [-1, 233, 10**6])
def test_a_domain_that_is_none(domain: int) -> None:
    with pytest.raises(ValueError, match="domain"):
        Machine(domain=domain)


@pytest.mark.parametrize("namespace", ["a b", "1cell", "cell//1", "~", "é"])
def test_a_namespace_that_cannot_be(namespace: str) -> None:
    with pytest.raises(WrongNamespace, match=f"namespace '/{namespace}' cannot be: .* must not"):
        Machine(namespace).open()


def test_a_namespace_may_end_with_a_slash() -> None:
    with pytest.raises(NoSystem, match="namespace /cell:"):
        Machine("/cell/", timeout=0.3).open()


def test_real_hardware_has_no_faults_to_play(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine()
    monkeypatch.setattr(
        machine, "_session_or_none", SimpleNamespace(description=SimpleNamespace(driver="wmx3"))
    )
    with pytest.raises(NoPart, match=r"real hardware.* no time be held"):
        machine.simulation.hold()


def test_a_program_whose_stderr_is_no_file(system: System) -> None:
    with redirect_stderr(StringIO()), Machine(domain=system.place.domain, timeout=30.0) as machine:
        assert len(machine.axes) == 6


def test_without_a_system() -> None:
    with systems.place() as place:
        began = time.monotonic()
        with pytest.raises(NoSystem) as failed, Machine(domain=place.domain, timeout=1.0):
            pass
        assert time.monotonic() - began < 20.0
        assert str(place.domain) in failed.value.text
        assert "make run" in failed.value.remedy

        async def program() -> None:
            async with Machine(domain=place.domain, timeout=0.5):
                pass

        with pytest.raises(NoSystem):
            asyncio.run(program())


def test_a_namespace_of_its_own() -> None:
    with systems.place() as place, systems.system(place, namespace="/cell1") as system:
        system.ready()
        with Machine("/cell1", place.domain, timeout=30.0) as machine:
            machine.axes[0].on()
            assert machine.axes[0].move(0.1).wait().arrived
        with pytest.raises(NoSystem), Machine(domain=place.domain, timeout=1.0):
            pass


@pytest.mark.parametrize("back", [False, True], ids=["not back yet", "back"])
def test_an_emergency_stop_is_answered_though_the_engine_node_was_killed(back: bool) -> None:
    with systems.place() as place, systems.system(place, executables=NODES) as system:
        system.ready()
        active = system.client.listen("wmx/engine/estop_active", Bool, READY_QOS)
        with Machine(domain=place.domain, timeout=30.0) as machine:
            machine.estop()  # the client has met the service, of the node that is gone then
            machine.release()
            [engine] = [p for p in place.processes if p.name == "wmx_engine_node"]
            engine.kill()
            place.processes.remove(engine)
            engine = place.start("wmx_engine_node")
            if back:
                engine.says("Communication started")
            start = time.monotonic()
            machine.estop()
            active.first(start, lambda message: message.data)


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


def test_a_system_that_dies_in_the_middle() -> None:
    with systems.place() as place:
        process = place.start("bringup")
        process.says("wmx_actuator_node is ready")
        with Machine(domain=place.domain, timeout=5.0) as machine:
            machine.axes[0].on()
            motion = machine.axes[0].move(1000.0, velocity=1.0)
            process.kill()
            with pytest.raises((SystemLost, NotReady)):
                motion.wait(60.0)
            with pytest.raises((SystemLost, NotReady)):
                machine.status()
            with pytest.raises(MachineError):
                machine.axes[0].on()
            with pytest.warns(UserWarning, match="may move"):
                machine.close()


def test_a_homing_ends_though_its_node_is_killed_before_it_answers() -> None:
    with systems.place() as place:
        device = f"device_path:={place.machine(home_time=60.0)}"
        with systems.system(place, device, executables=NODES) as system:
            system.ready()
            with (
                Machine(domain=place.domain, timeout=30.0) as machine,
                machine.events() as events,
            ):
                machine.axes.on()
                motion = machine.axes[0:2].home()
                assert {type(events.get(10.0)) for _ in range(2)} == {MotionBegin}
                [node] = [p for p in place.processes if p.name == "wmx_core_motion_node"]
                node.kill()
                place.processes.remove(node)
                eventually(lambda: motion.done, "it ends")
                with pytest.raises(MotionFailed) as failed:
                    motion.wait()
                assert failed.value.result.reason is EndReason.OWNER_LOST


def test_an_engine_that_dies_in_the_middle(system: System, machine: Machine) -> None:
    motion = machine.axes[0].move(1000.0, velocity=1.0)
    machine.simulation.fault("crash_engine")
    with pytest.raises(MotionFailed) as failed:
        motion.wait(60.0)
    assert failed.value.result.reason in (EndReason.ENGINE_LOST, EndReason.NODE_ENDED)
    system.ready()
    eventually(lambda: not machine.status().servo_on.any(), "servos are off")


def test_a_system_that_has_just_been_started_is_waited_for() -> None:
    with systems.place() as place:
        process = place.start("bringup")
        with Machine(domain=place.domain, timeout=30.0) as machine:
            machine.axes.on()
            assert machine.move_together({0: 0.1, 1: 0.1}).wait().arrived
        process.stop()


def test_a_machine_without_an_engine_is_explained_and_refuses(system: System) -> None:
    system.client.must("wmx/engine/set_comm", data=False)
    try:
        with Machine(domain=system.place.domain, timeout=30.0) as machine:
            with pytest.raises(NotReady) as failed:
                machine.status()
            assert all(each.blocked for each in machine.explain())
            with pytest.raises(NotReady):
                machine.axes[0].on()
            with pytest.raises(NotReady):
                machine.axes[0].move(1.0)
    finally:
        system.client.must("wmx/engine/set_comm", data=True)
        system.ready()
    assert failed.value.remedy


def test_names_that_come_later_are_read_anew() -> None:
    with systems.place() as place, systems.system(place, executables=NODES) as system:
        system.ready()
        with Machine(domain=place.domain, timeout=30.0) as machine:
            assert not machine.describe()
            assert machine.axes.names[0] == "0"
            place.start("wmx_actuator_node", "names:=[joint1]", "kinds:=[prismatic]")
            eventually(machine.describe, "it has names")
            assert machine.axes.names[:2] == ("joint1", "1")
            assert machine.axes.units[0] == "m"
            assert machine.status().names[0] == "joint1"
