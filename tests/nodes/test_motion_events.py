"""Every motion is told to everybody: one begin, and exactly one end that says why."""

from collections.abc import Iterator

import pytest
from motion_events import EVENTS_QOS, identity, near
from recording import Recording
from ros import COMMANDS, Client
from waits import eventually
from wmx_ros2_message.msg import BeginMotion, EndMotion

ABSOLUTE, RELATIVE, *_ = COMMANDS
SOURCE = "/wmx_core_motion_node"
CYCLES = 0.002
"""Two of the engine, s."""


class Events:
    """The begins and ends that a client hears."""

    def __init__(self, client: Client) -> None:
        self.begins: Recording = client.listen("wmx/motion/begin", BeginMotion, EVENTS_QOS)
        self.ends: Recording = client.listen("wmx/motion/end", EndMotion, EVENTS_QOS)

    def end_of(self, begin: BeginMotion) -> EndMotion:
        return self.ends.first(0.0, lambda end: identity(end) == identity(begin))

    def require_pairs(self) -> None:
        """Fail unless every begin has one end, and every other end is a refusal."""

        def all_ended() -> bool:
            ended = [identity(end) for end in self.ends.since(0.0)]
            return all(ended.count(identity(begin)) == 1 for begin in self.begins.since(0.0))

        eventually(all_ended, "each begin has one end")
        begun = [identity(begin) for begin in self.begins.since(0.0)]
        assert len({*begun}) == len(begun)
        alone = [end for end in self.ends.since(0.0) if identity(end) not in begun]
        assert all(end.reason == EndMotion.REFUSED for end in alone)


@pytest.fixture(scope="module")
def events(client: Client) -> Events:
    return Events(client)


@pytest.fixture(autouse=True)
def _servos_on(client: Client, events: Events) -> Iterator[None]:
    axes = list(range(6))
    client.must("wmx/axis/set_mode", index=axes, data=[0] * 6)
    client.must("wmx/axis/set_on", index=axes, data=[1] * 6)
    start = client.clock.now()
    client.must("wmx/axis/homing", index=axes)
    for axis in axes:  # one of them that came later would be taken for one of the test
        begin = events.begins.first(
            start, lambda b, axis=axis: (b.type, list(b.axes)) == (BeginMotion.HOMING, [axis])
        )
        events.end_of(begin)
    yield
    client.call("wmx/axis/set_on", index=axes, data=[0] * 6)
    client.states.next(lambda s: not any(s.velocity_cmd))
    events.require_pairs()


def test_a_move_begins_with_its_target_and_arrives(client: Client, events: Events) -> None:
    start = client.clock.now()
    client.move(ABSOLUTE, [1], [0.5], [1.0], [10.0], [10.0])
    begin = events.begins.first(start, lambda b: b.type == BeginMotion.POSITION)
    assert (begin.source, list(begin.axes), list(begin.target_position)) == (SOURCE, [1], [0.5])
    end = events.end_of(begin)
    assert (end.reason, list(end.final_position)) == (EndMotion.ARRIVED, [near(0.5)])
    begun, expected, ended = (
        t.sec + t.nanosec / 1e9
        for t in (begin.header.stamp, begin.expected_arrival, end.header.stamp)
    )
    assert begun < expected <= ended + CYCLES, "an arrival is told right within two cycles"


def test_each_axis_is_a_motion_of_its_own(client: Client, events: Events) -> None:
    start = client.clock.now()
    client.move(RELATIVE, [0, 2], [0.1, 0.2], [1.0] * 2, [10.0] * 2, [10.0] * 2)
    first, second = (
        events.begins.first(start, lambda b, axis=axis: list(b.axes) == [axis]) for axis in (0, 2)
    )
    assert list(second.target_position) == pytest.approx([0.2])
    assert {events.end_of(b).reason for b in (first, second)} == {EndMotion.ARRIVED}


def test_a_refused_command_is_an_end_alone(client: Client, events: Events) -> None:
    client.must("wmx/axis/set_on", index=[3], data=[0])
    start = client.clock.now()
    client.move(ABSOLUTE, [3], [1.0], [1.0], [1.0], [1.0])
    end = events.ends.first(start, lambda e: e.reason == EndMotion.REFUSED)
    assert list(end.axes) == [3]
    assert (end.error_code, "ServoOff" in end.message) == (1567, True)


def test_a_command_that_breaks_a_rule_is_refused(client: Client, events: Events) -> None:
    start = client.clock.now()
    client.move(ABSOLUTE, [0], [float("nan")], [1.0], [1.0], [1.0])
    end = events.ends.first(start, lambda e: e.reason == EndMotion.REFUSED)
    assert "target of axis 0 is nan: must be finite" in end.message


def test_an_engine_that_dies_ends_what_runs_where_it_was(client: Client, events: Events) -> None:
    start = client.clock.now()
    client.must("wmx/axis/set_on", index=[1], data=[1])
    client.move(ABSOLUTE, [1], [50.0], [1.0], [10.0], [10.0])
    begin = events.begins.first(start, lambda b: list(b.axes) == [1])
    here = client.states.next(lambda s: s.velocity_cmd[1] == 1.0).actual_pos[1]
    client.play("crash_engine: {}")
    end = events.end_of(begin)
    assert end.reason == EndMotion.ENGINE_LOST
    assert end.final_position[0] >= here
    client.eventually(
        lambda: client.call("wmx/axis/set_on", index=[1], data=[0]).success, "it is back"
    )
    client.attached()


def test_an_axis_that_follows_is_a_motion(client: Client, events: Events) -> None:
    start = client.clock.now()
    client.must("wmx/axis/set_gearing", index=[3], master=[2], ratio=[-1.0])
    begin = events.begins.first(start, lambda b: b.type == BeginMotion.GEARING)
    assert list(begin.axes) == [3]
    assert begin.expected_arrival.sec == 0
    client.move(RELATIVE, [2], [0.2], [1.0], [10.0], [10.0])
    client.states.next(lambda s: s.pos_cmd[3] < -0.1)
    client.must("wmx/axis/stop", index=[3], data=[0])
    assert events.end_of(begin).reason == EndMotion.STOPPED
