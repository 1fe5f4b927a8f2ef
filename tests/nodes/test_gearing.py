"""The service of gearing: one axis follows another, and nothing follows in secret."""

from collections.abc import Iterator

import pytest
from ros import Client
from system import System

GEAR = {"index": [1], "master": [0], "ratio": [2.0]}


@pytest.fixture(autouse=True)
def _at_rest(client: Client) -> Iterator[None]:
    client.must("wmx/axis/set_on", index=[0, 1, 2], data=[1, 1, 1])
    yield
    client.must("wmx/axis/stop")
    client.must("wmx/axis/clear_alarm", index=[0, 1, 2])
    client.states.next(lambda s: not any(s.velocity_cmd))


def move(client: Client, axis: int, target: float, velocity: float = 1.0) -> None:
    client.move("wmx/axis/position/relative", [axis], [target], [velocity], [50.0], [10.0])


def follows_no_more(client: Client) -> None:
    """What moves the master moves the slave no more."""
    client.must("wmx/axis/set_on", index=[0, 1], data=[1, 1])
    client.states.next(lambda s: all(s.motion_complete[:2]))
    before = client.state()
    move(client, 0, 0.1)
    after = client.states.next(
        lambda s: abs(s.pos_cmd[0] - before.pos_cmd[0] - 0.1) < 1e-6 and s.motion_complete[0]
    )
    assert after.pos_cmd[1] == pytest.approx(before.pos_cmd[1], abs=1e-4)


def test_a_slave_follows_until_it_is_stopped(client: Client) -> None:
    before = client.state()
    done = client.must("wmx/axis/set_gearing", **GEAR)
    assert done.message == "axis 1 follows axis 0 by 2"
    move(client, 0, 0.5)
    after = client.states.next(lambda s: s.motion_complete[0] and s.pos_cmd[0] > 0.4)
    assert after.pos_cmd[1] - before.pos_cmd[1] == pytest.approx(1.0, abs=1e-6)
    (text,) = client.must("wmx/axis/explain", index=[1]).explanations
    assert "it is owned by /wmx_core_motion_node (gearing)" in text
    client.must("wmx/axis/stop", index=[1], data=[0])
    follows_no_more(client)


@pytest.mark.parametrize("axis", [0, 1])
def test_a_servo_that_goes_off_ends_it(client: Client, axis: int) -> None:
    """That of the slave, and that of the master."""
    client.must("wmx/axis/set_gearing", **GEAR)
    move(client, 0, 5.0)
    client.states.next(lambda s: s.velocity_cmd[1] > 1.0)
    client.must("wmx/axis/set_on", index=[axis], data=[0])
    client.must("wmx/axis/stop", index=[0], data=[0])
    follows_no_more(client)


def test_what_the_slave_is_commanded_is_refused(client: Client, system: System) -> None:
    client.must("wmx/axis/set_gearing", **GEAR)
    before = client.state().pos_cmd[1]

    def is_refused() -> bool:
        """Errors of a topic are logged once a second."""
        move(client, 1, 0.5)
        return "axis 1 is owned by /wmx_core_motion_node (gearing)" in system.output

    client.eventually(is_refused, "the refusal is logged")
    assert client.state().pos_cmd[1] == before
    client.must("wmx/axis/stop", index=[1], data=[0])


REFUSED = {
    "nan": ({**GEAR, "ratio": [float("nan")]}, "ratio of axis 1 is nan"),
    "no master": ({**GEAR, "master": [99]}, "master 99 of axis 1: must be 0 to 5"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_breaks_a_rule_gears_nothing(client: Client, name: str) -> None:
    request, rule = REFUSED[name]
    assert rule in client.refused("wmx/axis/set_gearing", **request)
    follows_no_more(client)
