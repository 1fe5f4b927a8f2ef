"""The verbs of the worst day: stop, emergency stop, jog, one owner per axis, explain."""

import threading
from collections.abc import Iterator

import pytest
from recording import Recording
from ros import JOG, READY_QOS, Client
from std_msgs.msg import Bool
from system import System
from wmx_ros2_message.msg import AxisState

ABSOLUTE = "wmx/axis/position"
EVERY = list(range(6))
FAR = 1e6


@pytest.fixture(autouse=True)
def ready(client: Client) -> Iterator[None]:
    """Every axis is on, at rest, in position mode."""
    client.must("wmx/axis/set_on", index=EVERY, data=[0] * 6)
    client.states.next(lambda s: not any(s.velocity_cmd) and not any(s.actual_velocity))
    client.must("wmx/axis/set_mode", index=EVERY, data=[0] * 6)
    client.must("wmx/axis/set_on", index=EVERY, data=[1] * 6)
    client.clock.sleep(0.3)  # a stream of the test before has to pause
    yield
    client.must("wmx/engine/estop", data=False)


@pytest.fixture(scope="module")
def active(client: Client) -> Recording:
    """What `wmx/engine/estop_active` says."""
    return client.listen("wmx/engine/estop_active", Bool, READY_QOS)


def go(client: Client, *axes: int, velocity: float = 1.0) -> None:
    """Send axes on a long way."""
    n = len(axes)
    client.move(ABSOLUTE, axes, [FAR] * n, [velocity] * n, [50.0] * n, [10.0] * n)
    client.states.next(lambda s: all(runs(s, axis, velocity) for axis in axes))


def runs(state: AxisState, axis: int, velocity: float = 1.0) -> bool:
    """Whether `axis` keeps `velocity`, but for what planning in whole cycles costs."""
    return bool(abs(state.velocity_cmd[axis] - velocity) < 1e-6)


class Stick:
    """A joystick that jogs `axis`, 40 times a second, until it is let go."""

    def __init__(self, client: Client, axis: int, velocity: float = 1.0) -> None:
        self._client = client
        self._axis = axis
        self._move = ([axis], [velocity], [50.0], [10.0])
        self._let_go = client.clock.event()
        self._thread = threading.Thread(target=self._hold)

    def __enter__(self) -> "Stick":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._let_go.set()
        self._thread.join()

    def moves_its_axis(self) -> None:
        self._client.states.next(lambda s: runs(s, self._axis), timeout=2.0)

    def _hold(self) -> None:
        while not self._let_go.wait(0.025):
            self._client.move(JOG, *self._move)


# Stop


def test_an_empty_stop_stops_every_axis(client: Client) -> None:
    go(client, *EVERY)
    answer = client.must("wmx/axis/stop")
    assert answer.message == "".join(f"Stopping axis {axis}; " for axis in EVERY)
    client.states.next(lambda s: not any(s.velocity_cmd))


def test_a_stop_uses_the_deceleration_of_the_motion_and_a_quick_one_its_own(client: Client) -> None:
    def way(data: list[int]) -> float:
        """From the last state at full speed to rest."""
        start = client.clock.now()
        go(client, 0, velocity=5.0)
        client.must("wmx/axis/stop", index=[0], data=data)
        client.states.next(lambda s: s.velocity_cmd[0] == 0.0)
        states = client.states.since(start)
        full = [state.pos_cmd[0] for state in states if runs(state, 0, 5.0)]
        return float(states[-1].pos_cmd[0] - full[-1])

    assert way([0]) > 1.2, "5 u/s at 10 u/s^2 is 1.25 u"
    assert way([1]) <= 1.25 - 0.3


def test_axes_that_there_are_not_do_not_save_the_others(client: Client) -> None:
    go(client, 0)
    message = client.refused("wmx/axis/stop", index=[0, 77])
    assert message.startswith("Stopping axis 0; Failed to stop axis 77. Error=1547")
    client.states.next(lambda s: s.velocity_cmd[0] == 0.0)


def test_one_kind_is_for_every_axis(client: Client) -> None:
    answer = client.must("wmx/axis/stop", data=[1])
    assert answer.message == "".join(f"Quickly stopping axis {axis}; " for axis in EVERY)


@pytest.mark.parametrize(
    ("request_", "rule"),
    [
        ({"index": [0, 1], "data": [1]}, "data has 1 elements but index has 2"),
        ({"data": [1, 1]}, "data has 2 elements but index has 6"),
        ({"index": [0], "data": [2]}, "Invalid data 2 for axis 0: must be 0 (stop) or 1"),
    ],
)
def test_a_wrong_request_names_its_rule(
    client: Client, request_: dict[str, list[int]], rule: str
) -> None:
    assert rule in client.refused("wmx/axis/stop", **request_)


def test_a_stop_is_served_while_everything_else_runs(client: Client) -> None:
    go(client, 0)
    homing = client.ask("wmx/axis/homing", index=[1, 2, 3])
    switching = [client.ask("wmx/axis/set_on", index=[5], data=[1]) for _ in range(5)]
    start = client.clock.now()
    client.must("wmx/axis/stop", index=[0])
    assert client.clock.now() - start <= 0.5
    for answer in (homing, *switching):
        answer.result(15.0)
    client.states.next(lambda s: s.velocity_cmd[0] == 0.0)


# Emergency stop


def test_an_emergency_stop_is_for_all_until_its_release(client: Client, active: Recording) -> None:
    go(client, 0, 3)
    start = client.clock.now()
    answer = client.must("wmx/engine/estop", data=True)
    assert "level1" in answer.message
    active.first(start, lambda message: message.data)
    at_rest = client.states.next(lambda s: not any(s.velocity_cmd))
    client.move(ABSOLUTE, [0], [0.0], [1.0], [1.0], [1.0])
    client.move(JOG, [1], [1.0], [1.0], [1.0])
    assert "EmergencyStopSignalOn" in client.refused("wmx/axis/homing", index=[2])
    client.clock.sleep(0.3)
    assert not any(client.state().velocity_cmd)
    start = client.clock.now()
    client.must("wmx/engine/estop", data=False)
    active.first(start, lambda message: not message.data)
    client.clock.sleep(0.5)
    after = client.state()
    assert not any(after.velocity_cmd), "nothing moves before it is commanded anew"
    assert after.pos_cmd == pytest.approx(at_rest.pos_cmd)
    assert after.pos_cmd == pytest.approx(after.actual_pos, abs=1e-3)
    client.must("wmx/axis/set_on", index=EVERY, data=[1] * 6)
    go(client, 0)


# Jog


def test_a_jog_lasts_as_long_as_it_is_held(client: Client) -> None:
    with Stick(client, 0) as stick:
        stick.moves_its_axis()
        client.clock.sleep(1.0)
        assert runs(client.state(), 0)
    let_go = client.clock.now()
    client.states.next(lambda s: s.velocity_cmd[0] == 0.0)
    assert client.clock.now() - let_go <= 1.0


def test_a_jog_lasts_no_longer_than_its_run_time(client: Client) -> None:
    with Stick(client, 0) as stick:
        stick.moves_its_axis()
        began = client.clock.now()
        client.states.next(lambda s: s.velocity_cmd[0] == 0.0)
        assert 1.5 < client.clock.now() - began < 4.0
        client.clock.sleep(0.5)
        assert client.state().velocity_cmd[0] == 0.0, "although it is still held"


@pytest.mark.parametrize("verb", ["stop", "estop"])
def test_a_stopped_jog_stays_stopped_while_it_is_held(client: Client, verb: str) -> None:
    with Stick(client, 0) as stick:
        stick.moves_its_axis()
        if verb == "stop":
            client.must("wmx/axis/stop")
        else:
            client.must("wmx/engine/estop", data=True)
            client.must("wmx/engine/estop", data=False)
        client.states.next(lambda s: s.velocity_cmd[0] == 0.0)
        client.clock.sleep(1.0)
        assert client.state().velocity_cmd[0] == 0.0


def test_a_jog_that_an_alarm_has_ended_does_not_go_on_though_no_message_met_the_alarm(
    client: Client,
) -> None:
    def jog() -> float:
        client.move(JOG, [0], [1.0], [50.0], [50.0])
        return client.clock.now()

    for _ in range(5):
        sent = jog()
        client.clock.sleep(0.1)
    assert runs(client.state(), 0)
    client.play("raise_alarm: {axis: 0, code: 0x7121}")
    client.states.next(lambda s: s.amp_alarm[0])
    client.must("wmx/axis/clear_alarm", index=[0])
    client.must("wmx/axis/set_on", index=[0], data=[1])
    assert client.clock.now() - sent < 0.2, "the stream has not paused"
    for _ in range(5):
        jog()
        client.clock.sleep(0.1)
        assert client.state().velocity_cmd[0] == 0.0


# One owner per axis


def test_a_jog_and_a_position_do_not_fight(system: System, client: Client) -> None:
    go(client, 0)
    with Stick(client, 0, velocity=-1.0):
        system.says("is owned by /wmx_core_motion_node (position), process")
        assert runs(client.state(), 0)
    with Stick(client, 1) as stick:
        stick.moves_its_axis()
        client.move(ABSOLUTE, [1], [-FAR], [1.0], [50.0], [10.0])
        client.clock.sleep(0.3)
        assert runs(client.state(), 1)
    system.says("axis 1 is owned by /wmx_core_motion_node (jog), process")


# Explain


def explained(client: Client, *axes: int) -> list[str]:
    return list(client.must("wmx/axis/explain", index=axes).explanations)


def test_nothing_blocks_what_is_ready(client: Client) -> None:
    assert explained(client) == [f"axis {axis}: nothing blocks motion" for axis in EVERY]


def test_each_block_with_its_command(client: Client) -> None:
    client.must("wmx/axis/set_on", index=[1], data=[0])
    client.must("wmx/axis/set_mode", index=[2], data=[1])
    go(client, 3)
    servo, mode, owner, none = explained(client, 1, 2, 3, 99)
    assert "    wmx on " in servo
    assert "it is in velocity mode" in mode
    assert "it is owned by /wmx_core_motion_node (position), process" in owner
    assert "the engine has no axis 99" in none


def test_an_axis_of_no_engine_is_a_wrong_request(client: Client) -> None:
    assert "must be 0 to 127" in client.refused("wmx/axis/explain", index=[128])
    assert "must be 0 to 127" in client.refused("wmx/axis/explain", index=[-1])


def test_the_log_tells_what_a_limit_or_alarm_does(system: System, client: Client) -> None:
    client.play("raise_alarm: {axis: 4, code: 0x8611}")
    system.says("axis 4: alarm 0x8611 (following error too large): its servo is off")
    client.must("wmx/axis/clear_alarm", index=[4])
    client.eventually(lambda: not client.state().amp_alarm[4], "the alarm is cleared")


# Overrides


def test_a_move_goes_on_at_another_velocity(client: Client) -> None:
    go(client, 0)
    answer = client.must("wmx/axis/set_override", index=[0], percent=[50.0])
    assert answer.message == "Axis 0 goes on at 50 %; "
    client.states.next(lambda s: runs(s, 0, 0.5))
    message = client.refused("wmx/axis/set_override", index=[0], percent=[201.0])
    assert message == "percent of axis 0 is 201.0: must be 0 to 200"
    assert "Failed to let axis 1" in client.refused(
        "wmx/axis/set_override", index=[1], percent=[50.0]
    )
