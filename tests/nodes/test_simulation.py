"""What the engine node offers of a simulated engine: faults, and its time on /clock."""

from collections.abc import Iterator
from typing import Any

import pytest
import system as systems
from actuator_client import Actuators
from builtin_interfaces.msg import Duration
from held_system import held_system
from ros import Client
from rosgraph_msgs.msg import Clock
from system import System
from wmx_ros2_message.msg import ActuatorCommand, EndMotion

SERVICE = "wmx/simulation/inject_faults"


@pytest.fixture(scope="module")
def system() -> Iterator[System]:
    """A system ten times as fast as real time, with a clock."""
    with systems.place() as place:
        machine = place.machine()
        with machine.open("a") as file:
            file.write("clock_rate: 10\n")
        parameters = f"device_path:={machine}", "publish_clock:=true", "retry_delay:=0.1"
        with held_system(place, *parameters) as system:
            system.ready()
            yield system


def play(client: Client, script: str) -> str:
    done = client.must(SERVICE, script=script)
    assert done.message == "Faults injected"
    return script


def test_faults_happen_at_their_times(client: Client) -> None:
    play(client, "[{raise_alarm: {axis: 1, code: 0x7121}}, {after: 300, drop_slave: {slave: 3}}]")
    client.states.next(lambda s: s.amp_alarm[1])
    network = client.eventually(
        lambda: (state := client.must("wmx/ecat/get_network_state")).slave_offline[3] and state,
        "slave 3 is offline",
    )
    assert list(network.slave_offline) == [i == 3 for i in range(7)]
    play(client, "[{return_slave: {slave: 3}}]")
    client.must("wmx/ecat/start_hotconnect")
    client.must("wmx/axis/clear_alarm", index=[1])
    assert not any(client.must("wmx/ecat/get_network_state").slave_offline)


def test_a_bad_script_is_refused_as_a_whole(client: Client) -> None:
    script = "[{raise_alarm: {axis: 0, code: 1}}, {drop_slave: {slave: 7}}]"
    reason = "script[1].drop_slave.slave = 7: must be 0 to 6"
    message = client.refused(SERVICE, script=script)
    failed = f"Failed to inject faults. Error=1555 (ArgumentOutOfRange): {reason}"
    assert message.startswith(failed)
    assert not any(client.state().amp_alarm)


def test_faults_can_be_injected_while_the_communication_is_stopped(system: System) -> None:
    client = system.client
    client.must("wmx/engine/set_comm", data=False)
    play(client, "[{raise_alarm: {axis: 2, code: 1}}]")
    client.must("wmx/engine/set_comm", data=True)
    system.ready()
    assert client.state().amp_alarm[2]
    client.must("wmx/axis/clear_alarm", index=[2])


def nanoseconds(message: Clock) -> int:
    return message.clock.sec * 1_000_000_000 + message.clock.nanosec


def test_the_clock_tells_the_time_of_the_engine(client: Client) -> None:
    clock = client.listen("/clock", Clock, 1000)
    clock.next()

    start, real = nanoseconds(clock.next()), client.clock.now()
    client.clock.sleep(2.0)
    last, elapsed = nanoseconds(clock.next()), client.clock.now() - real
    seen = [nanoseconds(message) for message in clock.since(real)]
    assert seen == sorted(seen)
    assert all(ns % 1_000_000 == 0 for ns in seen), "whole cycles"
    assert 190 < len(seen) < 220
    assert (last - start) / 1e9 == pytest.approx(10.0 * elapsed, rel=0.01)


@pytest.mark.parametrize(
    ("type", "value", "fields"),
    [
        (ActuatorCommand.POSITION, 0.6, {"velocity": 0.2}),
        (ActuatorCommand.VELOCITY, 0.1, {"duration": Duration(nanosec=500_000_000)}),
    ],
    ids=["position", "velocity"],
)
def test_what_watches_an_axis_is_not_faster_with_the_engine(
    client: Client, actuators: Actuators, type: int, value: float, fields: dict[str, Any]
) -> None:
    """Its node feeds the dead man by the steady clock, and judges its run time by that."""
    client.must("wmx/axis/set_on", index=[0], data=[1])
    client.states.next(lambda s: s.servo_on[0])
    motion = actuators.accepted("axis_0", type, value, **fields)
    assert actuators.end_of(motion).reason == EndMotion.ARRIVED
    client.must("wmx/axis/set_on", index=[0], data=[0])


def test_a_crashed_engine_is_brought_up_again(system: System) -> None:
    client = system.client
    ready = client.ready["wmx/engine/ready"]
    clock = client.listen("/clock", Clock, 1000)
    before = nanoseconds(clock.next())
    client.must("wmx/axis/set_on", index=[0], data=[1])
    start = client.clock.now()
    play(client, "[{after: 100, crash_engine: {}}]")
    assert ready.first(start, lambda m: not m.data)
    assert ready.latest(lambda m: m.data)
    system.ready()
    assert not any(client.state().servo_on)
    assert nanoseconds(clock.next()) < before, "a new engine, a new time"
    system.says("Engine lost: the simulated engine has crashed")
