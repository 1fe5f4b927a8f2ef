"""wmx_core_motion_node: the topics that move axes, with good messages and bad ones."""

import re
from collections.abc import Iterator
from math import inf, nan
from typing import Any

import pytest
from ros import COMMANDS, Client
from system import System

ABSOLUTE, RELATIVE, VELOCITY = COMMANDS


@pytest.fixture(autouse=True)
def _on_and_at_rest(client: Client) -> Iterator[None]:
    """The axes 0 to 4 are on, at zero and in position mode, 3 and 4 in velocity mode."""
    axes = list(range(6))
    client.must("wmx/axis/set_on", index=axes, data=[0] * 6)
    client.states.next(lambda s: not any(s.velocity_cmd))
    client.must("wmx/axis/set_mode", index=axes, data=[0] * 6)
    client.must("wmx/axis/set_on", index=axes, data=[1, 1, 1, 1, 1, 0])
    client.must("wmx/axis/homing", index=axes[:5])
    client.must("wmx/axis/set_mode", index=axes, data=[0, 0, 0, 1, 1, 0])
    yield
    client.call("wmx/axis/set_on", index=axes, data=[0] * 6)


# Good messages


def test_a_position_is_reached(client: Client) -> None:
    client.move(ABSOLUTE, [1], [0.5], [5.0], [50.0], [50.0])
    client.states.next(lambda s: not s.motion_complete[1])
    state = client.at_rest(1, 0.5)
    assert state.pos_cmd[1] == pytest.approx(0.5)
    assert (state.pos_cmd[0], state.pos_cmd[2]) == (0.0, 0.0)


def test_a_relative_position_is_counted_from_where_the_axis_is(client: Client) -> None:
    for target in 0.2, 0.4, 0.6:
        client.move(RELATIVE, [0], [0.2], [5.0], [50.0], [50.0])
        client.at_rest(0, target)
    client.move(RELATIVE, [0], [-0.6], [5.0], [50.0], [50.0])
    client.at_rest(0, 0.0)


def test_axes_of_one_message_start_in_the_same_cycle(client: Client) -> None:
    client.move(ABSOLUTE, [2, 0, 1], [0.5] * 3, [1.0] * 3, [5.0] * 3, [5.0] * 3)
    moving = client.states.next(lambda s: s.velocity_cmd[0] > 0.0)
    assert list(moving.pos_cmd[:3]) == pytest.approx([moving.pos_cmd[0]] * 3, abs=1e-12)
    client.at_rest(1, 0.5)


def test_another_mode_may_be_commanded_as_soon_as_it_is_set(client: Client) -> None:
    client.move(ABSOLUTE, [0], [0.5], [5.0], [10.0], [10.0])
    client.states.next(lambda s: s.pos_cmd[0] == pytest.approx(0.5, abs=1e-6))
    client.must("wmx/axis/set_mode", index=[0], data=[1])
    client.move(VELOCITY, [0], [1.0], [50.0], [50.0])
    client.states.next(lambda s: s.velocity_cmd[0] == 1.0, timeout=1.0)


# Bad messages

GOOD = {
    "index": [0, 1],
    "target": [1.0, 1.0],
    "velocity": [1.0, 1.0],
    "acc": [1.0, 1.0],
    "dec": [1.0, 1.0],
}


def axes_of(topic: str) -> list[int]:
    """Axes that are in its mode."""
    return [3, 4] if topic == VELOCITY else [0, 1]


WRONG = {"target": [1.0, inf], "velocity": [1.0, nan], "acc": [1.0, 0.0], "dec": [1.0, -1.0]}
RULES = (
    "index[1] is 6: must be 0 to 5",
    "target of axis 6 is inf: must be finite",
    "velocity of axis 6 is nan: must be finite",
    "acc of axis 6 is 0.0: must be finite and greater than 0",
    "dec of axis 6 is -1.0: must be finite and greater than 0",
)


@pytest.mark.parametrize("topic", COMMANDS)
def test_the_log_names_topic_field_and_rule(system: System, client: Client, topic: str) -> None:
    first, _ = axes_of(topic)
    rules = [rule for rule in RULES if rule.split()[0] in ("index[1]", *fields_of(topic))]
    for fields, reasons in (
        ({"index": [first, 6], **WRONG}, rules),
        ({"index": [first, 5]}, ["Error=1567 (ServoOff)"]),
    ):
        words = ".*".join(map(re.escape, reasons))
        line = rf"\[ERROR\].*{re.escape(topic)}: .*{words}.*\(message ignored.*\)"
        client.clock.sleep(1.1)  # the log tells one error a second of each topic
        client.send(topic, message(topic, fields))
        client.eventually(lambda line=line: re.search(line, system.output), f"{words} is logged")


def fields_of(topic: str) -> list[str]:
    return list(COMMANDS[topic].get_fields_and_field_types())[1:]


def message(topic: str, fields: dict[str, Any]) -> Any:
    kind = COMMANDS[topic]
    known = kind.get_fields_and_field_types()
    return kind(**{name: fields.get(name, GOOD[name]) for name in known})


def test_a_refused_message_leaves_a_moving_axis_alone(client: Client) -> None:
    client.move(ABSOLUTE, [0], [1000.0], [1.0], [50.0], [50.0])
    client.states.next(lambda s: s.velocity_cmd[0] == 1.0)
    client.move(ABSOLUTE, [0, 1], [0.0, nan], [9.0, 9.0], [50.0] * 2, [50.0] * 2)
    client.move(ABSOLUTE, [0, 5], [0.0, 0.0], [9.0, 9.0], [50.0] * 2, [50.0] * 2)
    client.move(ABSOLUTE, [2], [0.1], [5.0], [50.0], [50.0])
    state = client.at_rest(2, 0.1)
    assert (state.velocity_cmd[0], state.velocity_cmd[1]) == (1.0, 0.0)
