"""The services of touch probes."""

from math import isnan

import pytest
from ros import Client

ROW = {"index": [0, 1], "byte": [0, 0], "bit": [4, 4], "value": [1, 1]}


def force(client: Client, value: str) -> None:
    script = f"[{{force_input: {{input: '0.4', value: {value}}}}}]"
    client.must("wmx/simulation/inject_faults", script=script)


def test_where_axes_were_when_an_input_changed(client: Client) -> None:
    force(client, "false")
    client.must("wmx/axis/set_on", index=[0, 1], data=[1, 1])
    done = client.must("wmx/axis/set_touch_probes", **ROW)
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


REFUSED = {
    "an axis that is not there": ({**ROW, "index": [0, 99]}, "1547 (AxisOutOfRange)"),
    "a level": ({**ROW, "value": [1, 2]}, "value of axis 1 is 2: must be 0 or 1"),
    "a bit": ({**ROW, "bit": [4, 8]}, "bit 8 must be 0 to 7"),
    "ragged": ({**ROW, "byte": [0]}, "byte has 1 elements but index has 2"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_breaks_a_rule_changes_nothing(client: Client, name: str) -> None:
    client.must("wmx/axis/set_touch_probes", **ROW)
    request, rule = REFUSED[name]
    assert rule in client.refused("wmx/axis/set_touch_probes", **request)
    assert client.must("wmx/axis/get_touch_probes", index=[0, 1]).success
