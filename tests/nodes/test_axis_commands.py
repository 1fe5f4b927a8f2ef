"""wmx_core_motion_node: the topics that move axes, with good messages and bad ones."""

import re
from collections.abc import Callable, Iterator
from itertools import zip_longest
from math import inf, nan
from typing import Any

import pytest
from ros import COMMANDS, WAIT_TIMEOUT, Client
from system import System

ABSOLUTE, RELATIVE, VELOCITY = COMMANDS
HUGE = 1_000_000


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


def test_a_new_target_takes_over_while_the_axis_moves(client: Client) -> None:
    client.move(ABSOLUTE, [0], [100.0], [2.0], [20.0], [20.0])
    client.states.next(lambda s: s.actual_velocity[0] > 1.5)
    client.move(ABSOLUTE, [0], [0.1], [20.0], [200.0], [200.0])
    client.at_rest(0, 0.1)


def test_another_mode_may_be_commanded_as_soon_as_it_is_set(client: Client) -> None:
    client.move(ABSOLUTE, [0], [0.5], [5.0], [10.0], [10.0])
    client.states.next(lambda s: s.pos_cmd[0] == pytest.approx(0.5, abs=1e-6))
    client.must("wmx/axis/set_mode", index=[0], data=[1])
    client.move(VELOCITY, [0], [1.0], [50.0], [50.0])
    client.states.next(lambda s: s.velocity_cmd[0] == 1.0, timeout=1.0)


def test_a_velocity_is_kept_and_changed(client: Client) -> None:
    client.move(VELOCITY, [3, 4], [2.0, -1.0], [50.0] * 2, [50.0] * 2)
    client.states.next(lambda s: list(s.velocity_cmd[3:5]) == [2.0, -1.0])
    client.move(VELOCITY, [3, 4], [0.0, 1.0], [50.0] * 2, [50.0] * 2)
    state = client.states.next(lambda s: list(s.velocity_cmd[3:5]) == [0.0, 1.0])
    assert state.pos_cmd[3] > 0.0
    client.move(VELOCITY, [4], [0.0], [50.0], [50.0])
    client.states.next(lambda s: s.motion_complete[4])


# Bad messages: (fields, what the log has to say about them)

GOOD = {
    "index": [0, 1],
    "target": [1.0, 1.0],
    "velocity": [1.0, 1.0],
    "acc": [1.0, 1.0],
    "dec": [1.0, 1.0],
}
Bad = tuple[dict[str, Any], str]


def broken_rules(topic: str) -> Iterator[Bad]:
    """A message for each rule that this project makes."""
    numbers = {name: [1.0] * HUGE for name in fields_of(topic)}
    yield {name: [] for name in ["index", *numbers]}, "index has 0 elements: must have 1 to 128"
    many = {name: [1.0] * 129 for name in fields_of(topic)}
    yield {"index": [0] * 129} | many, "index has 129 elements: must have 1 to 128"
    yield {"index": [0] * HUGE} | numbers, "bytes: must be 65536 at most"
    yield {"index": [0, 6]}, "index[1] is 6: must be 0 to 5"
    yield {"index": [1, 1]}, "index names axis 1 more than once: must name each axis once"
    yield {"dec": [1.0]}, "dec has 1 elements but index has 2: must be equal"
    yield {"velocity": [1.0, nan]}, "velocity of axis 1 is nan: must be finite"
    yield {"acc": [1.0, 0.0]}, "acc of axis 1 is 0.0: must be finite and greater than 0"


def refused_by_engine(topic: str) -> Iterator[Bad]:
    """A message for each reason that the engine has."""
    axes = {"index": [3, 4]} if topic == VELOCITY else {}
    if topic == VELOCITY:
        yield {"index": [3, 0]}, "Error=65572 (NotVelocityMode)"
    else:
        yield {"index": [0, 3]}, "Error=65571 (NotPosMode)"
        yield {"target": [1.0, 1e300]}, "Error=65580 (PositionArgumentOutOfRange)"
    yield {"index": [axes.get("index", [0])[0], 5]}, "Error=1567 (ServoOff)"
    yield axes | {"velocity": [1.0, 1e300]}, "Error=65581 (VelocityArgumentOutOfRange)"
    yield axes | {"acc": [1.0, 5e-324]}, "Error=65582 (AccArgumentOutOfRange)"
    yield axes | {"dec": [1.0, 1e300]}, "Error=65583 (DecArgumentOutOfRange)"


def bad_in_every_field(topic: str) -> Iterator[dict[str, Any]]:
    """Messages for axes that would move but for one wrong array or number."""
    axes = {"index": [3, 4]} if topic == VELOCITY else {}
    for axis in -1, 6, 130, 2**31 - 1, -(2**31):
        yield {"index": [axes.get("index", [0])[0], axis]}
    for field in fields_of(topic):
        signed = field == "target" or (topic, field) == (VELOCITY, "velocity")
        for value in nan, inf, -inf, *(() if signed else (0.0, -1.0, -5e-324)):
            yield axes | {field: [1.0, value]}
        for count in 0, 1, 3, 1000:
            yield axes | {field: [1.0] * count}


@pytest.mark.long
@pytest.mark.parametrize("rules", [broken_rules, refused_by_engine])
def test_the_log_names_topic_field_and_rule(
    system: System, rules: Callable[[str], Iterator[Bad]]
) -> None:
    for cases in zip_longest(*(list(rules(topic)) for topic in COMMANDS)):
        waiting = {topic: case for topic, case in zip(COMMANDS, cases, strict=True) if case}
        deadline = system.client.clock.now() + WAIT_TIMEOUT
        while waiting:
            assert system.client.clock.now() < deadline, f"not logged: {waiting}"[:2000]
            for topic, (fields, _) in waiting.items():
                system.client.send(topic, message(topic, fields))
            system.client.clock.sleep(1.1)  # the log tells one error a second of each topic
            waiting = {t: case for t, case in waiting.items() if not logged(system, t, case[1])}
    state = system.client.state()
    assert not any(state.pos_cmd)
    assert not any(state.velocity_cmd)


def logged(system: System, topic: str, reason: str) -> bool:
    """Whether the log holds the error."""
    line = rf"\[ERROR\].*{re.escape(topic)}: .*{re.escape(reason)}.*\(message ignored.*\)"
    return re.search(line, system.output) is not None


@pytest.mark.long
@pytest.mark.parametrize("topic", COMMANDS)
def test_a_bad_message_moves_nothing_and_the_next_good_one_does(client: Client, topic: str) -> None:
    """Axis 2, or 4 by velocity, answers good messages; what it shows has been decided before."""
    bad = [
        *bad_in_every_field(topic),
        *(fields for fields, _ in [*broken_rules(topic), *refused_by_engine(topic)]),
    ]
    witness = 4 if topic == VELOCITY else 2
    for number, fields in enumerate(bad, start=1):
        client.send(topic, message(topic, fields))
        step = number / 1000.0
        if topic == VELOCITY:
            client.move(topic, [witness], [step], [1000.0], [1000.0])
            array = "velocity_cmd"
        else:
            way = 0.001 if topic == RELATIVE else step
            client.move(topic, [witness], [way], [10.0], [1000.0], [1000.0])
            array = "pos_cmd"
        expected = pytest.approx(step)
        state = client.states.next(lambda s, a=array, e=expected: getattr(s, a)[witness] == e)
        for axis in set(range(6)) - {witness}:
            assert (state.pos_cmd[axis], state.velocity_cmd[axis]) == (0.0, 0.0), fields


def fields_of(topic: str) -> list[str]:
    return list(COMMANDS[topic].get_fields_and_field_types())[1:]


def message(topic: str, fields: dict[str, Any]) -> Any:
    kind = COMMANDS[topic]
    known = kind.get_fields_and_field_types()
    return kind(**{name: fields.get(name, GOOD[name]) for name in known})


@pytest.mark.long
def test_a_flood_of_bad_messages_is_told_once_a_second(system: System, client: Client) -> None:
    reason = "index[1] is 77: must be 0 to 5"
    start = client.clock.now()
    while client.clock.now() < start + 1.5:  # something else may have been told just before
        client.send(ABSOLUTE, message(ABSOLUTE, {"index": [0, 77]}))
        client.clock.sleep(0.002)
    client.eventually(lambda: reason in system.output, "the flood is in the log")
    client.must("wmx/engine/get_status")
    told = system.output.count(reason)
    assert 1 <= told <= 2 + (client.clock.now() - start)


def test_a_refused_message_leaves_a_moving_axis_alone(client: Client) -> None:
    client.move(ABSOLUTE, [0], [1000.0], [1.0], [50.0], [50.0])
    client.states.next(lambda s: s.velocity_cmd[0] == 1.0)
    client.move(ABSOLUTE, [0, 1], [0.0, nan], [9.0, 9.0], [50.0] * 2, [50.0] * 2)
    client.move(ABSOLUTE, [0, 5], [0.0, 0.0], [9.0, 9.0], [50.0] * 2, [50.0] * 2)
    client.move(ABSOLUTE, [2], [0.1], [5.0], [50.0], [50.0])
    state = client.at_rest(2, 0.1)
    assert (state.velocity_cmd[0], state.velocity_cmd[1]) == (1.0, 0.0)
