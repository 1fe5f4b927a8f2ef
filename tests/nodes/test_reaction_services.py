"""The services of touch probes and position outputs."""

from math import isnan

import pytest
from ros import Client

PROBES = {"index": [0, 1], "byte": [0, 0], "bit": [4, 4], "value": [1, 1]}
OUTPUT = {"index": [2], "byte": [1], "bit": [2], "position": [0.2], "value": [1]}


def force(client: Client, value: str) -> None:
    client.play(f"force_input: {{input: '0.4', value: {value}}}")


def test_where_axes_were_when_an_input_changed(client: Client) -> None:
    force(client, "false")
    client.must("wmx/axis/set_on", index=[0, 1], data=[1, 1])
    done = client.must("wmx/axis/set_touch_probes", **PROBES)
    assert done.message == "0.4 = 1 latches axis 0; 0.4 = 1 latches axis 1"
    client.move("wmx/axis/position", [0], [5.0], [1.0], [50.0], [10.0])
    before = client.states.next(lambda s: s.actual_pos[0] > 0.2)
    waiting = client.must("wmx/axis/get_touch_probes", index=[0, 1])
    assert list(waiting.touched) == [False, False]
    assert all(map(isnan, waiting.position))
    force(client, "true")
    client.eventually(
        lambda: all(client.call("wmx/axis/get_touch_probes", index=[0, 1]).touched), "both latch"
    )
    position = client.must("wmx/axis/get_touch_probes", index=[0]).position[0]
    assert before.actual_pos[0] <= position <= 5.0
    client.must("wmx/axis/stop")
    client.states.next(lambda s: s.motion_complete[0])
    assert client.must("wmx/axis/get_touch_probes", index=[0]).position[0] == position
    client.must("wmx/axis/set_touch_probes", index=[0, 1])
    message = client.refused("wmx/axis/get_touch_probes", index=[0])
    assert "axis 0 has no touch probe" in message


def test_a_wrong_probe_changes_nothing(client: Client) -> None:
    client.must("wmx/axis/set_touch_probes", **PROBES)
    wrong = client.refused("wmx/axis/set_touch_probes", **{**PROBES, "value": [1, 2]})
    assert "value of axis 1 is 2: must be 0 or 1" in wrong
    assert client.must("wmx/axis/get_touch_probes", index=[0, 1]).success


def output(client: Client) -> int:
    return int(client.must("wmx/io/get_output_bit", byte=1, bit=2).value)


def test_an_axis_switches_an_output(client: Client) -> None:
    client.must("wmx/axis/set_on", index=[2], data=[1])
    client.must("wmx/io/set_output_bit", byte=1, bit=2, value=1)
    done = client.must("wmx/axis/set_position_outputs", **OUTPUT)
    assert done.message == "output 1.2 = 1 while axis 2 is beyond 0.2 u"
    client.eventually(lambda: output(client) == 0, "it is what the axis says")
    client.move("wmx/axis/position", [2], [0.4], [1.0], [50.0], [10.0])
    client.eventually(lambda: output(client) == 1, "the axis has passed")
    client.states.next(lambda s: s.motion_complete[2])
    client.must("wmx/axis/set_position_outputs", index=[2])
    client.move("wmx/axis/position", [2], [0.0], [1.0], [50.0], [10.0])
    client.states.next(lambda s: s.motion_complete[2] and abs(s.pos_cmd[2]) < 1e-6)
    assert output(client) == 1


WRONG_OUTPUTS = {
    "a value": ({**OUTPUT, "value": [2]}, "value of axis 2 is 2: must be 0 or 1"),
    "one output of two axes": (
        {"index": [2, 3], "byte": [1, 1], "bit": [2, 2], "position": [0.0] * 2, "value": [1] * 2},
        "each must be switched by one axis",
    ),
}


@pytest.mark.parametrize("name", WRONG_OUTPUTS)
def test_a_wrong_output_changes_nothing(client: Client, name: str) -> None:
    client.must("wmx/axis/set_position_outputs", index=[2])
    client.must("wmx/io/set_output_bit", byte=1, bit=2, value=1)
    request, rule = WRONG_OUTPUTS[name]
    assert rule in client.refused("wmx/axis/set_position_outputs", **request)
    assert output(client) == 1
