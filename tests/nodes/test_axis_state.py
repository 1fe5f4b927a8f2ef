"""wmx/axis/state: what it holds, and that nothing keeps it from coming 100 times a second.

The rate is counted by the stamps, which are the engine's sample times, over the span of what is
going on.
"""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from statistics import median

import pytest
import system as systems
from rclpy.qos import DurabilityPolicy, ReliabilityPolicy
from ros import Client
from system import System
from waits import at_best
from wmx_ros2_message.msg import AxisState

from wmx_core.parameters.parameter_set import ParameterSet

pytestmark = pytest.mark.process

PERIOD = 0.01
HOME_TIME = 5.0
SERVO_TIMEOUT = 1.0
SERVO_ON_TIME = 3.0
"""So much longer than the node waits that one which stands still meanwhile does not see it on."""

FLAGS = (
    "amp_alarm",
    "servo_on",
    "home_done",
    "home_switch",
    "negative_ls",
    "positive_ls",
    "motion_complete",
)
NUMBERS = "pos_cmd", "velocity_cmd", "actual_pos", "actual_velocity", "actual_torque"


@pytest.fixture(scope="module")
def system() -> Iterator[System]:
    """128 axes; homing takes 5 s, and from axis 3 on a servo takes longer than set_on waits."""
    with systems.place() as place:
        machine = place.machine(axes=125, home_time=HOME_TIME, servo_on_time=SERVO_ON_TIME)
        quick = "      - {name: quick drive, axes: 3, axis_model: {servo_on_time: 0.01}}\n"
        text = machine.read_text().replace("slaves:\n", f"slaves:\n{quick}", 1)
        assert quick in text
        machine.write_text(text)
        parameters = f"device_path:={machine}", "axis_count:=128", "servo_timeout:=1.0"
        with systems.system(place, *parameters) as system:
            system.ready()
            yield system


def stamps(states: list[AxisState]) -> list[float]:
    return [s.header.stamp.sec + s.header.stamp.nanosec * 1e-9 for s in states]


def unsteadiness(client: Client, start: float, share: float = 0.8, jitter: float = 0.003) -> float:
    """How far the states since `start` are from 100 Hz without a gap; 1 or less is steady.

    At least a `share` of them has to be there, none 0.25 s after the one before, and half of them
    a period apart to `jitter` s.
    """
    span = client.clock.now() - start
    client.state()  # those that wait to be read have come
    times = stamps(client.states.since(start))
    gaps = [after - before for before, after in pairwise(times)]
    assert min(gaps) > 0.0, "sample times only grow"
    return max(
        share * span / PERIOD / len(times),
        max(gaps) / 0.25,
        abs(median(gaps) - PERIOD) / jitter,
    )


def test_the_state_holds_an_element_for_each_axis(client: Client) -> None:
    state = client.state()
    assert state.header.frame_id == "base_link"
    assert {name: len(getattr(state, name)) for name in (*FLAGS, *NUMBERS)} == dict.fromkeys(
        (*FLAGS, *NUMBERS), 128
    )
    assert all(state.motion_complete)
    assert not any(state.servo_on)
    [info] = client.node.get_publishers_info_by_topic("/wmx/axis/state")
    assert info.qos_profile.reliability == ReliabilityPolicy.RELIABLE
    assert info.qos_profile.durability == DurabilityPolicy.VOLATILE
    assert info.node_name == "wmx_core_motion_node"


def test_the_stamp_is_the_present(client: Client) -> None:
    def age() -> float:
        [stamp] = stamps([client.state()])
        assert client.clock.time_ns() * 1e-9 > stamp
        return client.clock.time_ns() * 1e-9 - stamp

    at_best(age, 0.1)


def test_samples_are_a_period_apart(client: Client) -> None:
    """To a millisecond, which is the engine's cycle, where the machine lets the node have it."""

    def attempt() -> float:
        start = client.clock.now()
        client.clock.sleep(1.0)
        return unsteadiness(client, start, jitter=5e-4)

    at_best(attempt, 1.0)


def test_homing_for_five_seconds_keeps_nobody_waiting(client: Client) -> None:
    """Two axes home; meanwhile state, other services and other axes go on."""
    client.must("wmx/axis/set_on", index=[0, 1, 2], data=[1, 1, 1])

    def attempt() -> float:
        start = client.clock.now()
        homing = client.ask("wmx/axis/homing", index=[0, 1])
        served = []
        while not homing.done():
            asked = client.clock.now()
            client.must("wmx/axis/clear_alarm", index=[127])
            client.must("wmx/params/get", index=[5])
            client.must("wmx/io/get_input_bytes", byte=0, length=8000)
            client.must("wmx/ecat/get_network_state", master_id=0)
            client.must("wmx/engine/get_status")
            served.append(client.clock.now() - asked)
            client.clock.sleep(0.05)
        assert client.clock.now() - start > HOME_TIME
        assert homing.result().message == "Homed axis 0; Homed axis 1; "
        unsteady = unsteadiness(client, start)
        states = client.states.since(start)
        homed = [state.home_done[0] for state in states[: len(states) // 2]]
        assert not any(homed[homed.index(False) :]), "once it has begun, not before it is over"
        assert client.state().home_done[1]
        return max(unsteady, max(served) / 2.0)

    at_best(attempt, 1.0)


def test_a_servo_that_does_not_come_on_in_time(client: Client) -> None:
    def attempt() -> float:
        start = client.clock.now()
        message = client.refused("wmx/axis/set_on", index=[10, 11], data=[1, 0])
        span = client.clock.now() - start
        assert message == "Failed to set axis 10 on. Error=65616 (WaitTimeout); Set axis 11 off; "
        assert span >= SERVO_TIMEOUT
        unsteady = unsteadiness(client, start)
        # What was answered as failed does not happen later, either.
        later = client.states.next(lambda s: client.clock.now() - start > SERVO_ON_TIME + 0.5)
        assert not later.servo_on[10]
        return max(unsteady, span / 5.0)

    at_best(attempt, 1.0)


def test_a_parameter_file_of_24000_lines(client: Client, tmp_path: Path) -> None:
    client.must("wmx/axis/set_on", index=[0, 1, 2], data=[0, 0, 0])
    client.states.next(lambda s: all(s.motion_complete))
    path = tmp_path / "128.xml"
    path.write_text(ParameterSet.defaults(128).to_xml())
    assert len(path.read_text().splitlines()) > 20_000

    def attempt() -> float:
        start = client.clock.now()
        while client.clock.now() - start < 1.0:
            client.must("wmx/params/load", file_path=str(path))
        return unsteadiness(client, start, share=0.5)

    at_best(attempt, 1.0)


def test_services_that_are_called_without_end(client: Client) -> None:
    requests = (
        ("wmx/io/get_input_bytes", {"byte": 0, "length": 8000}),
        ("wmx/ecat/get_network_state", {"master_id": 0}),
        ("wmx/params/get", {"index": [0, 127]}),
        ("wmx/axis/clear_alarm", {"index": [0, 1]}),
        ("wmx/engine/get_status", {}),
    )

    def attempt() -> float:
        start = client.clock.now()
        calls = 0
        while client.clock.now() - start < 2.0:
            for answer in [client.ask(service, **fields) for service, fields in requests]:
                assert answer.result(systems.WAIT_TIMEOUT).success
                calls += 1
        return max(unsteadiness(client, start), 50 / calls)

    at_best(attempt, 1.0)
