"""wmx/axis/state: what it holds, and that nothing keeps it from coming 100 times a second.

The rate is counted by the stamps, which are the engine's sample times, over the span of what is
going on; a busy machine may cost some messages but never a pause.
"""

import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from statistics import median

import pytest
import system as systems
from rclpy.qos import DurabilityPolicy, ReliabilityPolicy
from ros import Client
from system import System
from wmx_ros2_message.msg import AxisState

from wmx_ros2_package.drivers.parameters.parameter_set import ParameterSet

PERIOD = 0.01
HOME_TIME = 5.0
SERVO_TIMEOUT = 1.0
SERVO_ON_TIME = 1.5

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


def assert_steady(states: list[AxisState], span: float) -> None:
    """The states came at 100 Hz for `span` seconds, without a gap that something here would make.

    A machine that runs other tests beside this one loses some; benchmarks count them.
    """
    times = stamps(states)
    gaps = [after - before for before, after in pairwise(times)]
    assert len(times) > 0.5 * span / PERIOD
    assert min(gaps) > 0.0, "sample times only grow"
    assert max(gaps) < 0.25
    assert median(gaps) == pytest.approx(PERIOD, abs=0.003)


def test_the_state_holds_an_element_for_each_axis(client: Client) -> None:
    state = client.state()
    assert state.header.frame_id == "base_link"
    assert {name: len(getattr(state, name)) for name in (*FLAGS, *NUMBERS)} == dict.fromkeys(
        (*FLAGS, *NUMBERS), 128
    )
    assert all(state.motion_complete)
    assert not any(state.servo_on)


def test_the_stamp_is_the_present(client: Client) -> None:
    [stamp] = stamps([client.state()])
    assert 0.0 < time.time() - stamp < 1.0


def test_samples_are_a_period_apart(client: Client) -> None:
    """To a millisecond, which is the engine's cycle, where the machine lets the node have it."""
    start = time.monotonic()
    systems.pause(1.0)
    states = client.states.since(start)
    assert_steady(states, 1.0)
    assert median(b - a for a, b in pairwise(stamps(states))) == pytest.approx(PERIOD, abs=5e-4)


def test_the_quality_of_service_is_the_default(client: Client) -> None:
    [info] = client.node.get_publishers_info_by_topic("/wmx/axis/state")
    assert info.qos_profile.reliability == ReliabilityPolicy.RELIABLE
    assert info.qos_profile.durability == DurabilityPolicy.VOLATILE
    assert info.node_name == "wmx_core_motion_node"


def test_homing_for_five_seconds_keeps_nobody_waiting(client: Client) -> None:
    """Two axes home; meanwhile state, other services and other axes go on."""
    client.must("wmx/axis/set_on", index=[0, 1, 2], data=[1, 1, 1])
    start = time.monotonic()
    homing = client.ask("wmx/axis/homing", index=[0, 1])
    while not homing.done():
        asked = time.monotonic()
        client.must("wmx/axis/clear_alarm", index=[127])
        client.must("wmx/params/get", index=[5])
        client.must("wmx/io/get_input_bytes", byte=0, length=8000)
        client.must("wmx/ecat/get_network_state", master_id=0)
        client.must("wmx/engine/get_status")
        assert time.monotonic() - asked < 2.0, "services are served while homing"
        time.sleep(0.05)
        assert time.monotonic() - start < 30.0
    span = time.monotonic() - start
    assert span > HOME_TIME
    assert homing.result().message == "Homed axis 0; Homed axis 1; "
    states = client.states.since(start)
    assert_steady(states, span)
    assert not any(state.home_done[0] for state in states[: len(states) // 2])
    assert client.state().home_done[1]


def test_a_servo_that_does_not_come_on_in_time(client: Client) -> None:
    start = time.monotonic()
    message = client.refused("wmx/axis/set_on", index=[10, 11], data=[1, 0])
    span = time.monotonic() - start
    assert message == ("Failed to set axis 10 on. Error=65616 (WaitTimeout); Set axis 11 off; ")
    assert SERVO_TIMEOUT <= span < 5.0
    assert_steady(client.states.since(start), span)
    # What was answered as failed does not happen later, either.
    later = client.states.next(lambda s: time.monotonic() - start > SERVO_ON_TIME + 0.5)
    assert not later.servo_on[10]


def test_a_parameter_file_of_24000_lines(client: Client, tmp_path: Path) -> None:
    client.must("wmx/axis/set_on", index=[0, 1, 2], data=[0, 0, 0])
    client.states.next(lambda s: all(s.motion_complete))
    path = tmp_path / "128.xml"
    path.write_text(ParameterSet.defaults(128).to_xml())
    assert len(path.read_text().splitlines()) > 20_000
    start = time.monotonic()
    while time.monotonic() - start < 1.0:
        client.must("wmx/params/load", file_path=str(path))
    assert_steady(client.states.since(start), time.monotonic() - start)


def test_services_that_are_called_without_end(client: Client) -> None:
    requests = (
        ("wmx/io/get_input_bytes", {"byte": 0, "length": 8000}),
        ("wmx/ecat/get_network_state", {"master_id": 0}),
        ("wmx/params/get", {"index": [0, 127]}),
        ("wmx/axis/clear_alarm", {"index": [0, 1]}),
        ("wmx/engine/get_status", {}),
    )
    start = time.monotonic()
    calls = 0
    while time.monotonic() - start < 2.0:
        for answer in [client.ask(service, **fields) for service, fields in requests]:
            assert answer.result(systems.PATIENCE).success
            calls += 1
    assert calls > 50
    assert_steady(client.states.since(start), time.monotonic() - start)
