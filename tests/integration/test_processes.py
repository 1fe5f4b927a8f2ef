"""The four executables as processes of their own, on one engine that is a process too."""

import os
import signal
import time
from collections.abc import Iterator

import pytest
import system as systems
from ros import WAIT_TIMEOUT, Client, eventually
from system import EXECUTABLES, NODES, System, pause
from wmx_ros2_message.srv import SetSpeed

from wmx_core.errors import ErrorCode
from wmx_ros2_package.control.leases import PATIENCE


@pytest.fixture(scope="module")
def system() -> Iterator[System]:
    with (
        systems.place() as place,
        systems.system(
            place, f"device_path:={place.machine()}", "retry_delay:=0.1", executables=NODES
        ) as system,
    ):
        system.ready()
        yield system


@pytest.fixture
def client(system: System) -> Iterator[Client]:
    yield system.client
    system.client.must("wmx/axis/set_on", index=list(range(6)), data=[0] * 6)


def test_what_has_waited_in_a_suspended_process_is_refused_but_stops(
    system: System, client: Client
) -> None:
    processes = list(system.place.processes)
    for process in processes:
        process.send_signal(signal.SIGSTOP)
    asked = [
        client.ask("wmx/axis/set_on", index=[0], data=[1]),
        client.ask("wmx/io/set_output_bit", byte=3, bit=0, value=1),
        client.ask("wmx/engine/set_speed", action=SetSpeed.Request.OVERRIDE, percent=50),
    ]
    stop = client.ask("wmx/axis/stop", index=[0], data=[0])
    pause(PATIENCE + 0.2)
    for process in processes:
        process.send_signal(signal.SIGCONT)
    answers = [each.result(WAIT_TIMEOUT) for each in asked]
    assert [answer.success for answer in answers] == [False] * 3
    assert all("it has waited while this process was suspended" in a.message for a in answers)
    assert stop.result(WAIT_TIMEOUT).success
    assert not client.state().servo_on[0]
    assert client.must("wmx/io/get_output_bit", byte=3, bit=0).value == 0


def test_a_servo_stays_off_that_was_asked_for_before_a_disarm(
    system: System, client: Client
) -> None:
    client.must("wmx/axis/set_on", index=[0], data=[1])
    [node] = [each for each in system.place.processes if each.name == NODES[1]]
    node.send_signal(signal.SIGSTOP)
    asked = client.ask("wmx/axis/set_on", index=[0, 1], data=[1, 1])
    machine = f"{system.place.folder}/machine.yaml"
    disarmed = system.place.run([str(EXECUTABLES / "wmx_disarm"), "--device-path", machine])
    assert disarmed.wait() == 0, disarmed.output
    node.send_signal(signal.SIGCONT)
    answer = asked.result(WAIT_TIMEOUT)
    assert not answer.success, answer.message
    assert not any(client.state().servo_on)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_second_system_that_ends_leaves_an_endless_velocity_alone(
    system: System, client: Client, number: signal.Signals
) -> None:
    place = system.place
    client.must("wmx/axis/set_mode", index=[2], data=[1])
    client.must("wmx/axis/set_on", index=[2], data=[1])
    client.move("wmx/axis/velocity", [2], [1.0], [10.0], [10.0])
    client.states.next(lambda s: s.velocity_cmd[2] > 0.99)
    second = [
        place.start(each, f"device_path:={place.folder}/machine.yaml", ros=["-r", "__ns:=/second"])
        for each in NODES[:2]
    ]
    second[0].says(f"The engine of {place.folder}/machine.yaml is led by /{NODES[0]}, process ")
    for node in second:
        node.says("Communication started" if node.name == NODES[0] else f"{NODES[1]} is ready")
    start = time.monotonic()
    for node in reversed(second):
        if number == signal.SIGKILL:
            node.kill()
        else:
            node.stop(number)
        place.processes.remove(node)
    for _ in range(100):
        client.state()
    seen = client.states.since(start)
    assert min(state.velocity_cmd[2] for state in seen) > 0.99
    client.must("wmx/axis/stop", index=[2])
    client.states.next(lambda s: not s.velocity_cmd[2])
    client.must("wmx/axis/set_mode", index=[2], data=[0])


def test_a_bringup_on_the_same_path_ends_at_once(system: System, client: Client) -> None:
    machine = f"device_path:={system.place.folder}/machine.yaml"
    client.must("wmx/axis/set_on", index=[0], data=[1])
    [engine] = system.place.engine_pids()
    second = system.place.start("bringup", machine, ros=["-r", "__ns:=/second"])
    assert second.wait() == 1
    system.place.processes.remove(second)
    assert f"Error={ErrorCode.ResourceInUse} (ResourceInUse)" in second.output
    assert f"process {engine} (" in second.output
    assert client.must("wmx/engine/get_status").message == "Communicating"
    assert client.state().servo_on[0]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_an_engine_that_dies_comes_back(system: System, client: Client, number: int) -> None:
    """Every node notices, says so, and works again when the engine does."""
    client.must("wmx/axis/set_on", index=[0], data=[1])
    client.move("wmx/axis/position", [0], [1000.0], [1.0], [10.0], [10.0])
    client.states.next(lambda s: s.velocity_cmd[0] > 0.99)
    [engine] = system.place.engine_pids()
    start = time.monotonic()
    os.kill(engine, number)
    for ready in client.ready.values():
        ready.first(start, lambda m: not m.data)
        ready.latest(lambda m: m.data)
    eventually(
        lambda: engine not in system.place.engine_pids() and system.place.engine_pids(),
        "there is a new engine",
    )
    system.ready()
    system.says("[wmx_engine_node]: Engine lost: ")
    system.says("[wmx_core_motion_node]: wmx_core_motion_node detached from the engine")
    assert len(system.place.engine_pids()) == 1
    state = client.state()
    assert not any(state.servo_on)
    assert not any(state.velocity_cmd)
    client.must("wmx/axis/set_on", index=[0], data=[1])
    client.move("wmx/axis/position", [0], [0.2], [3.0], [30.0], [30.0])
    client.at_rest(0, 0.2)
