"""The services of stop inputs: one door, several nodes."""

from collections.abc import Iterator

import pytest
from actuator_client import Actuators, later
from ros import Client
from system import System
from wmx_ros2_message.msg import ActuatorCommand, EndMotion

PLACE = {"byte": [0], "bit": [3], "value": [1], "data": [0]}
ROW = {"index": [0], **PLACE}
INPUT = "0.3"


@pytest.fixture(autouse=True)
def _as_at_first(client: Client) -> Iterator[None]:
    client.must("wmx/axis/set_on", index=[0, 1], data=[1, 1])
    yield
    client.play("release_input: {input: '0.3'}")
    client.must("wmx/engine/set_stop_inputs", index=[0, 1])
    client.must("wmx/engine/estop", data=False)
    client.must("wmx/axis/stop")
    client.states.next(lambda s: all(s.motion_complete[:2]))


def comes_on(client: Client) -> None:
    client.play(f"force_input: {{input: '{INPUT}', value: true}}")


def run(client: Client, *axes: int) -> None:
    n = len(axes)
    client.move("wmx/axis/position", axes, [1e6] * n, [1.0] * n, [50.0] * n, [10.0] * n)
    client.states.next(lambda s: all(abs(s.velocity_cmd[axis] - 1.0) < 1e-6 for axis in axes))


def rests(client: Client, axis: int) -> None:
    client.states.next(lambda s: s.velocity_cmd[axis] == 0.0 and s.motion_complete[axis])


def test_an_input_that_no_slave_has_is_warned_of(client: Client) -> None:
    done = client.must("wmx/engine/set_stop_inputs", **{**ROW, "byte": [4000]})
    assert "4000.3 = 1 stops axis 0; no slave has the input 4000.3: the networks" in done.message
    client.must("wmx/engine/set_stop_inputs", index=[0])


def test_an_input_stops_its_axis_and_motion_is_refused_until_it_is_off(
    client: Client, system: System
) -> None:
    done = client.must("wmx/engine/set_stop_inputs", **ROW)
    assert done.message == "0.3 = 1 stops axis 0"
    run(client, 0, 1)
    comes_on(client)
    rests(client, 0)
    assert client.state().velocity_cmd[1] == pytest.approx(1.0)
    found = client.must("wmx/engine/get_stop_inputs")
    assert (list(found.index), list(found.byte), list(found.bit)) == ([0], [0], [3])
    assert (list(found.value), list(found.data), list(found.on)) == ([1], [0], [True])
    client.move("wmx/axis/position", [0], [1e6], [1.0], [50.0], [10.0])
    client.eventually(
        lambda: "axis 0: its stop input 0.3 is on (1)" in system.output, "the refusal is logged"
    )
    assert client.state().velocity_cmd[0] == 0.0
    (text,) = client.must("wmx/axis/explain", index=[0]).explanations
    assert "its stop input 0.3 is on" in text
    assert "stop-input 0 none" in text
    client.play(f"release_input: {{input: '{INPUT}'}}")
    assert client.state().velocity_cmd[0] == 0.0
    run(client, 0)


def test_a_dry_run_refuses_what_the_gate_would(client: Client) -> None:
    client.must("wmx/engine/set_stop_inputs", **ROW)
    comes_on(client)
    actuators = Actuators(client)
    command = ActuatorCommand(name="axis_0", type=ActuatorCommand.POSITION, value=0.1)
    client.eventually(
        lambda: "its stop input 0.3 is on" in actuators.plan(command).message,
        "the plan is refused",
    )
    command.type = ActuatorCommand.HOLD
    assert actuators.plan(command).accepted


def test_what_waits_to_begin_is_refused_once_an_input_has_come_on(client: Client) -> None:
    client.must("wmx/engine/set_stop_inputs", **ROW)
    actuators = Actuators(client)
    client.clock.sleep(0.2)  # what is asked for before it is seen to be off again is refused, too
    waits = actuators.wait(later(client, 3.0))
    client.clock.sleep(0.2)
    ended = [end.command_id for end in actuators.ends.since(0.0)]
    assert waits not in ended, "while it is off, it waits"
    comes_on(client)
    client.eventually(lambda: client.must("wmx/engine/get_stop_inputs").on[0], "it is on")
    client.clock.sleep(0.2)
    client.play(f"release_input: {{input: '{INPUT}'}}")
    end = actuators.end_of(waits)
    assert (end.reason, "it was stopped" in end.message) == (EndMotion.REFUSED, True)
    assert client.state().velocity_cmd[0] == 0.0


def test_an_emergency_stop_of_all_axes(client: Client) -> None:
    client.must("wmx/engine/set_stop_inputs", **{**ROW, "data": [2]})
    run(client, 0, 1)
    comes_on(client)
    rests(client, 0)
    rests(client, 1)
    (text,) = client.must("wmx/axis/explain", index=[1]).explanations
    assert "an emergency stop (level 1) is active" in text


def test_it_is_kept_when_the_engine_is_lost(client: Client, system: System) -> None:
    client.must("wmx/engine/set_stop_inputs", **ROW)
    client.must("wmx/engine/set_comm", data=False)
    client.must("wmx/engine/set_device", data=False)
    client.must("wmx/engine/set_device", data=True)
    client.must("wmx/engine/set_comm", data=True)
    system.ready()
    client.must("wmx/axis/set_on", index=[0], data=[1])
    assert list(client.must("wmx/engine/get_stop_inputs").index) == [0]
    run(client, 0)
    comes_on(client)
    rests(client, 0)


REFUSED = {
    "a level": ({**ROW, "value": [2]}, "value of axis 0 is 2: must be 0 or 1"),
    "a kind": ({**ROW, "data": [3]}, "Invalid data 3 for axis 0: must be 0 (stop)"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_breaks_a_rule_changes_nothing(client: Client, name: str) -> None:
    client.must("wmx/engine/set_stop_inputs", **ROW)
    request, rule = REFUSED[name]
    assert rule in client.refused("wmx/engine/set_stop_inputs", **request)
    found = client.must("wmx/engine/get_stop_inputs")
    assert (list(found.index), list(found.bit)) == ([0], [3])
