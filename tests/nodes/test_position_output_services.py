"""The service of position outputs."""

import pytest
from ros import Client

ROW = {"index": [2], "byte": [1], "bit": [2], "position": [0.2], "value": [1]}


def output(client: Client) -> int:
    return int(client.must("wmx/io/get_output_bit", byte=1, bit=2).value)


def test_an_axis_switches_an_output(client: Client) -> None:
    client.must("wmx/axis/set_on", index=[2], data=[1])
    client.must("wmx/io/set_output_bit", byte=1, bit=2, value=1)
    done = client.must("wmx/axis/set_position_outputs", **ROW)
    assert done.message == "output 1.2 = 1 while axis 2 is beyond 0.2 u"
    client.eventually(lambda: output(client) == 0, "it is what the axis says")
    client.move("wmx/axis/position", [2], [0.4], [1.0], [50.0], [10.0])
    client.eventually(lambda: output(client) == 1, "the axis has passed")
    client.states.next(lambda s: s.motion_complete[2])
    client.must("wmx/axis/set_position_outputs", index=[2])
    client.move("wmx/axis/position", [2], [0.0], [1.0], [50.0], [10.0])
    client.states.next(lambda s: s.motion_complete[2] and abs(s.pos_cmd[2]) < 1e-6)
    assert output(client) == 1


REFUSED = {
    "an axis that is not there": ({**ROW, "index": [99]}, "1547 (AxisOutOfRange)"),
    "nan": ({**ROW, "position": [float("nan")]}, "position of axis 2 is nan: must be finite"),
    "a value": ({**ROW, "value": [2]}, "value of axis 2 is 2: must be 0 or 1"),
    "a byte": ({**ROW, "byte": [8000]}, "byte 8000 must be 0 to 7999"),
    "one output of two axes": (
        {"index": [2, 3], "byte": [1, 1], "bit": [2, 2], "position": [0.0] * 2, "value": [1] * 2},
        "each must be switched by one axis",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_breaks_a_rule_changes_nothing(client: Client, name: str) -> None:
    client.must("wmx/axis/set_position_outputs", index=[2])
    client.must("wmx/io/set_output_bit", byte=1, bit=2, value=1)
    request, rule = REFUSED[name]
    assert rule in client.refused("wmx/axis/set_position_outputs", **request)
    assert output(client) == 1
