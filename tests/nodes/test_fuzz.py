"""Whatever clients send, the nodes go on, and nothing moves unless the message is right.

Which message is right is a second opinion here, written from the contract.
"""

from math import inf, isfinite, nan
from typing import Any

import pytest
from cases import cases
from hypothesis import HealthCheck, Phase, assume, given, seed, settings
from hypothesis import strategies as st
from ros import COMMANDS, JOG, OFFERED, TOPICS, Client
from system import CONFIG
from wmx_ros2_message.srv import SetSpeed

AXES = 6
WITNESS = 5
"""Moved by a good message after each other one: once it moves, the other one is dealt with."""
WITHIN = 5.0
"""How long the witness may take to do as told, s."""
VELOCITY = "wmx/axis/velocity"
RELATIVE = "wmx/axis/position/relative"

# Shrinking would send hundreds of messages more; what failed is shown as it was sent.
bounded = settings(
    deadline=None,
    database=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)

SPECIAL = 0.5, 5.0, 0.0, -0.0, -1.0, nan, inf, -inf, 1e16, -1e16, 1e300, 5e-324, 1e-10
# Text that DDS carries as it is: without zeros and with an UTF-8 form.
TEXT = st.text(max_size=50).map(lambda text: text.replace("\0", ""))
VALUES = {
    "boolean": st.booleans(),
    "uint8": st.integers(0, 255),
    "int32": st.one_of(st.integers(-2, 9), st.integers(-(2**31), 2**31 - 1)),
    "double": st.one_of(st.sampled_from(SPECIAL), st.floats(-100.0, 100.0)),
    "string": TEXT,
}


def content(kind: str) -> st.SearchStrategy[Any]:
    """What a field of an interface may hold."""
    if kind.startswith("sequence<"):
        return st.lists(VALUES[kind.removeprefix("sequence<").rstrip(">")], max_size=8)
    return VALUES[kind]


def anything(interface: Any, **chosen: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    kinds = interface.get_fields_and_field_types()
    return st.fixed_dictionaries({n: chosen.get(n, content(kind)) for n, kind in kinds.items()})


def almost_right(interface: Any) -> st.SearchStrategy[dict[str, Any]]:
    """Messages for axes that there are, mostly with arrays of the same length."""
    names = list(interface.get_fields_and_field_types())[1:]
    number = st.one_of(st.sampled_from([0.5, 1.0, 5.0]), VALUES["double"])

    def columns(index: list[int]) -> st.SearchStrategy[dict[str, Any]]:
        equal = st.lists(number, min_size=len(index), max_size=len(index))
        some = st.one_of(equal, equal, equal, equal, equal, st.lists(number, max_size=4))
        return st.fixed_dictionaries({"index": st.just(index)} | dict.fromkeys(names, some))

    axes = st.lists(st.integers(0, WITNESS - 1), unique=True, min_size=1, max_size=2)
    return axes.flatmap(columns)


def is_right(message: dict[str, Any], signed: str) -> bool:
    """Whether `message` may move axes that are on, at rest and in the mode it needs."""
    index = message["index"]
    columns = {name: numbers for name, numbers in message.items() if name != "index"}
    return (
        0 < len(index) == len(set(index))
        and all(0 <= axis < AXES for axis in index)
        and all(len(numbers) == len(index) for numbers in columns.values())
        and all(isfinite(n) and abs(n) <= 1e15 for numbers in columns.values() for n in numbers)
        and all(n >= 1e-9 for name in columns if name != signed for n in columns[name])
        and all(n == 0.0 or abs(n) >= 1e-9 for n in columns.get("velocity", []))
    )


def at_rest(client: Client, mode: int) -> None:
    """Every axis is on and at rest."""
    every = list(range(AXES))
    client.must("wmx/axis/set_on", index=every, data=[0] * AXES)
    client.states.next(lambda s: not any(s.velocity_cmd) and not any(s.actual_velocity))
    client.must("wmx/axis/set_mode", index=every, data=[mode] * AXES)
    client.must("wmx/axis/set_on", index=every, data=[1] * AXES)


@pytest.mark.long
@pytest.mark.parametrize("topic", [*COMMANDS, JOG])
def test_only_right_messages_move_axes(client: Client, topic: str) -> None:
    """The witness of jogs moves by positions, since a jog of its own would have to pause."""
    kind = TOPICS[topic]
    mode = 1 if topic == VELOCITY else 0
    signed = "velocity" if topic in (VELOCITY, JOG) else "target"
    right = moving = sent = 0
    at_rest(client, mode)

    @settings(bounded, max_examples=cases(150))
    @given(st.one_of(almost_right(kind), almost_right(kind), anything(kind)))
    def check(message: dict[str, Any]) -> None:
        nonlocal right, moving, sent
        assume(WITNESS not in message["index"])
        before = client.state().pos_cmd
        client.send(topic, kind(**message))
        sent += 1
        after = see_witness_move(client, RELATIVE if topic == JOG else topic, sent / 1000.0)
        if topic == JOG:
            after = [client.state() for _ in range(3)][-1]
        moved = {axis for axis in range(WITNESS) if after.pos_cmd[axis] != before[axis]}
        if is_right(message, signed):
            assert moved <= set(message["index"])
            right += 1
            moving += bool(moved)
            at_rest(client, mode)
        else:
            assert moved == set()

    check()
    assert 0 < moving <= right < sent
    at_rest(client, 0)


def see_witness_move(client: Client, topic: str, step: float) -> Any:
    """The state in which the witness has done as told."""
    if topic == VELOCITY:
        client.move(topic, [WITNESS], [step], [1000.0], [1000.0])
        return client.states.next(lambda s: s.velocity_cmd[WITNESS] == step, WITHIN)
    start = client.state().pos_cmd[WITNESS] if topic == RELATIVE else 0.0
    client.move(topic, [WITNESS], [step], [50.0], [5000.0], [5000.0])
    expected = pytest.approx(start + step)
    return client.states.next(lambda s: s.pos_cmd[WITNESS] == expected, WITHIN)


SERVICES = sorted(set(OFFERED) - {"wmx/engine/set_comm"})
DONE_IN_PART = "stands at", "Homed axis", "Set polarity on axis", "Set gear ratio on axis"
"""What a request that is refused for some axes says of those that it was carried out for."""


def ask_at_random(client: Client, service: str, requests: int, chance: int = 0) -> None:
    """Whatever is asked is answered, and a request that is refused moves nothing.

    The same `chance` makes the same requests.
    """
    chosen = {"data": st.just(True)} if service == "wmx/engine/set_device" else {}
    stood = list(client.state().pos_cmd)
    moving = False

    @seed(chance)
    @settings(bounded, max_examples=cases(requests))
    @given(anything(OFFERED[service].Request, **chosen))
    def check(fields: dict[str, Any]) -> None:
        nonlocal moving
        response = client.call(service, **fields)
        assert response.message
        assert "Internal error" not in response.message
        moving |= response.success or any(map(response.message.count, DONE_IN_PART))
        assert moving or list(client.states.latest().pos_cmd) == stood

    check()
    assert client.must("wmx/engine/get_status").message == "Communicating"
    client.must("wmx/engine/estop", data=False)
    client.must("wmx/engine/set_speed", action=SetSpeed.Request.OVERRIDE, percent=100)
    client.call("wmx/engine/set_speed", action=SetSpeed.Request.RESUME)
    rest = client.states.next(lambda s: all(s.motion_complete))
    assert not any(rest.velocity_cmd)
    assert moving or list(rest.pos_cmd) == stood
    client.must("wmx/axis/set_on", index=list(range(AXES)), data=[0] * AXES)
    shipped = CONFIG / "wmx_parameters_6_axes.xml"
    client.must("wmx/params/load", file_path=str(shipped))


@pytest.mark.parametrize("service", SERVICES)
def test_every_request_is_answered(client: Client, service: str) -> None:
    ask_at_random(client, service, 25)
