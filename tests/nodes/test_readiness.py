"""What every node answers and says before the engine is ready, after it, and when it comes back."""

from collections.abc import Callable, Iterator

import pytest
import system as systems
from held_system import held_system
from ros import (
    CORE_MOTION_SERVICES,
    ENGINE_SERVICES,
    ETHERCAT_SERVICES,
    IO_SERVICES,
    READY,
    READY_QOS,
    Client,
)
from system import System

NOT_READY = {
    **dict.fromkeys(ENGINE_SERVICES, "Engine startup in progress"),
    **dict.fromkeys(CORE_MOTION_SERVICES, "CoreMotion not initialized. Engine not ready."),
    **dict.fromkeys(IO_SERVICES, "IO not initialized. Engine not ready."),
    **dict.fromkeys(ETHERCAT_SERVICES, "EtherCAT node not initialized. Engine not ready."),
}
FOLLOWERS = {service: text for service, text in NOT_READY.items() if service not in ENGINE_SERVICES}
SILENCE = 0.5


@pytest.fixture(scope="module")
def system() -> Iterator[System]:
    """A system whose engine cannot start while a file is where its folder would be."""
    with systems.place() as place:
        place.engines.touch()
        parameters = f"device_path:={place.machine()}", "retry_count:=100000", "retry_delay:=0.2"
        with held_system(place, *parameters) as system:
            system.says("Attempt 2/100000 to start the engine: Error=")
            yield system


@pytest.fixture
def communicating(system: System) -> Iterator[System]:
    """The same system with its engine communicating, before the test and after it."""
    if system.place.engines.is_file():
        system.place.engines.unlink()
    system.ready()
    yield system
    assert system.client.call("wmx/engine/set_comm", data=True).success
    system.ready()


def refuse_all(client: Client, texts: dict[str, str]) -> None:
    """Every service answers its text, with or without content in the request."""
    assert {service: client.call(service).message for service in texts} == texts
    assert not any(client.call(service).success for service in texts)
    filled = client.call("wmx/axis/set_on", index=[0, 130], data=[1])
    assert filled.message == NOT_READY["wmx/axis/set_on"]


def detached(client: Client) -> Callable[[], bool]:
    """Whether every following node has let go of the engine."""
    return lambda: all(client.call(s).message == text for s, text in FOLLOWERS.items())


def test_before_the_engine_is_ready_every_service_and_topic_says_so(system: System) -> None:
    client = system.client
    refuse_all(client, NOT_READY)
    for topic in READY:
        assert client.ready[topic].next().data is False
    assert client.states.silent_for(SILENCE)


@pytest.mark.parametrize("topic", READY)
def test_readiness_is_kept_for_those_who_come_late(communicating: System, topic: str) -> None:
    [info] = communicating.client.node.get_publishers_info_by_topic(f"/{topic}")
    assert info.qos_profile.durability == READY_QOS.durability
    assert info.qos_profile.reliability == READY_QOS.reliability
    assert communicating.client.listen_ready(topic).latest(lambda _: True).data is True


def test_readiness_is_repeated_once_a_second(communicating: System) -> None:
    clock = communicating.client.clock
    for topic in READY:
        ready = communicating.client.ready[topic]
        ready.next()
        start = clock.now()
        for _ in range(3):
            assert ready.next().data
        assert clock.now() - start == pytest.approx(3.0, abs=0.01)


def test_the_nodes_let_go_when_the_communication_stops(communicating: System) -> None:
    client = communicating.client
    client.must("wmx/axis/set_on", index=[1], data=[1])
    stopped = client.must("wmx/engine/set_comm", data=False)
    assert stopped.message == "Communication stopped"
    assert client.must("wmx/engine/get_status").message == "Running"
    client.eventually(detached(client), "every node is detached")
    refuse_all(client, FOLLOWERS)
    for topic in READY:
        assert client.ready[topic].latest(lambda m: not m.data)
    assert client.states.silent_for(SILENCE)
    started = client.must("wmx/engine/set_comm", data=True)
    assert started.message == "Communication started"
    assert client.must("wmx/engine/get_status").message == "Communicating"
    communicating.ready()
    for topic in READY:
        assert client.ready[topic].latest(lambda m: m.data)
    assert not any(client.state().servo_on)
    client.must("wmx/axis/set_on", index=[0], data=[1])
    client.must("wmx/axis/set_on", index=[0], data=[0])


def test_somebody_else_stops_the_communication(communicating: System) -> None:
    client = communicating.client
    ready = client.ready["wmx/engine/ready"]
    with communicating.place.engine() as engine:
        engine.call("engine", "stop_communication")
        assert ready.latest(lambda m: not m.data)
        client.eventually(detached(client), "every node is detached")
        engine.call("engine", "start_communication")
    assert ready.latest(lambda m: m.data)
    communicating.ready()


def test_status_is_idle_without_a_device(communicating: System) -> None:
    client = communicating.client
    assert client.must("wmx/engine/set_device", data=False).message == "Device closed"
    assert client.must("wmx/engine/get_status").message == "Idle"
    client.eventually(detached(client), "every node is detached")
    client.eventually(communicating.place.is_empty, "nobody is left, so the engine ends")
    message = client.refused("wmx/engine/set_comm", data=True)
    assert message.startswith("Failed to start communication. Error=301 (DeviceIsNull)")
    message = client.refused("wmx/engine/scan_network")
    assert message.startswith("Failed to scan network. Error=301 (DeviceIsNull)")
    created = client.must("wmx/engine/set_device", data=True, path="", name="again")
    assert created.message == "Created device with name: again"
    assert client.must("wmx/engine/get_status").message == "Running"
