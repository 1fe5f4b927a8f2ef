"""wmx_actuator_node: named actuators over topic, service and action."""

from collections.abc import Iterator
from typing import Any
from unittest.mock import Mock
from uuid import UUID, uuid4

import pytest
from action_msgs.msg import GoalStatus
from actuator_client import QUICK, Actuators, later, position
from builtin_interfaces.msg import Duration
from motion_events import near
from recording import stamp_of
from ros import Client
from system import System
from trajectory_msgs.msg import JointTrajectoryPoint
from unique_identifier_msgs.msg import UUID as UuidMessage  # noqa: N811
from wmx_ros2_message.action import MoveActuators
from wmx_ros2_message.msg import ActuatorCommand, ActuatorCommands, EndMotion
from wmx_ros2_message.srv import CommandActuator

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.interface import Driver
from wmx_ros2_package.control.disarming import disarm
from wmx_ros2_package.control.gate import Gate
from wmx_ros2_package.messages.times import seconds
from wmx_ros2_package.nodes.actuators import node


@pytest.fixture(autouse=True)
def _servos_on(client: Client, actuators: Actuators) -> Iterator[None]:
    axes = list(range(6))
    client.must("wmx/axis/set_mode", index=axes, data=[0] * 6)
    client.must("wmx/axis/set_on", index=axes, data=[1] * 6)
    client.must("wmx/axis/homing", index=axes)
    yield
    client.call("wmx/axis/set_on", index=axes, data=[0] * 6)
    client.states.next(lambda s: not any(s.velocity_cmd))


def test_a_position_is_acknowledged_and_arrives_when_expected(actuators: Actuators) -> None:
    answer = actuators.execute("axis_1", ActuatorCommand.POSITION, 0.5, **QUICK)
    assert answer.accepted, answer.message
    end = actuators.end_of(answer.command_id)
    assert (end.reason, list(end.names), list(end.final_position)) == (
        EndMotion.ARRIVED,
        ["axis_1"],
        [near(0.5)],
    )
    expected = answer.expected_arrival.sec + answer.expected_arrival.nanosec / 1e9
    ended = end.header.stamp.sec + end.header.stamp.nanosec / 1e9
    assert expected <= ended + 0.01


def test_the_id_is_that_of_the_client(actuators: Actuators) -> None:
    id = UuidMessage(uuid=list(uuid4().bytes))
    answer = actuators.execute("axis_0", ActuatorCommand.POSITION, 0.1, command_id=id, **QUICK)
    assert list(answer.command_id.uuid) == list(id.uuid)
    assert actuators.end_of(id).reason == EndMotion.ARRIVED
    again = actuators.execute("axis_0", ActuatorCommand.POSITION, 0.2, command_id=id, **QUICK)
    assert not again.accepted
    assert f"command_id {UUID(bytes=bytes(bytearray(id.uuid)))} was used before" in again.message


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"duration": Duration(nanosec=1000)}, "is too short: the move takes"),
        ({"type": ActuatorCommand.TRAJECTORY}, "points of 'axis_0' is empty"),
    ],
)
def test_a_refusal_says_why_and_is_an_end_alone(
    actuators: Actuators, fields: dict[str, Any], reason: str
) -> None:
    start = actuators.client.clock.now()
    command = {"name": "axis_0", "type": ActuatorCommand.POSITION, "value": 1.0, **fields}
    answer = actuators.execute(**command)
    assert not answer.accepted
    assert reason in answer.message
    end = actuators.ends.first(start, lambda e: e.reason == EndMotion.REFUSED)
    assert reason in end.message


def test_a_message_starts_all_or_none(actuators: Actuators, client: Client) -> None:
    start = client.clock.now()
    bad = ActuatorCommands(commands=[position("axis_0", 1.0), position("nose", 1.0)])
    actuators.topic.publish(bad)
    actuators.ends.first(start, lambda e: e.reason == EndMotion.REFUSED)
    assert client.states.next().velocity_cmd[0] == 0.0
    good = ActuatorCommands(commands=[position("axis_0", 0.3), position("axis_2", -0.3)])
    actuators.topic.publish(good)
    client.states.next(lambda s: s.pos_cmd[0] == 0.3 and s.pos_cmd[2] == -0.3)


def test_a_request_starts_all_or_none(actuators: Actuators, client: Client) -> None:
    ways = {"axis_0": 0.3, "axis_2": -0.6}
    first, other = (position(name, way) for name, way in ways.items())
    request = CommandActuator.Request(command=first, others=[position("nose", 1.0)])
    answer = actuators.call(actuators.executes, request)
    assert (answer.accepted, "'nose'" in answer.message) == (False, True)
    assert not any(client.states.next().velocity_cmd)
    request = CommandActuator.Request(command=first, others=[other])
    answer = actuators.call(actuators.executes, request)
    assert answer.accepted, answer.message
    ids = answer.command_id, *answer.other_ids
    ends = [actuators.end_of(id) for id in ids]
    assert [list(end.final_position) for end in ends] == [[near(way)] for way in ways.values()]
    begins = [begin for begin in actuators.begins.since(0.0) if begin.command_id in ids]
    assert abs(stamp_of(begins[0]) - stamp_of(begins[1])) < 100_000  # ns: clocks are converted
    last = seconds(begins[1].expected_arrival)
    assert seconds(answer.expected_arrival) == pytest.approx(last, abs=1e-4)


def test_hold_stays_until_something_else_is_commanded(actuators: Actuators, client: Client) -> None:
    move = actuators.execute("axis_5", ActuatorCommand.VELOCITY, 1.0, acceleration=20.0)
    client.states.next(lambda s: s.velocity_cmd[5] > 0.9)
    hold = actuators.execute("axis_5", ActuatorCommand.HOLD)
    assert hold.accepted, hold.message
    assert actuators.end_of(move.command_id).replaced_by == hold.command_id
    client.states.next(lambda s: s.velocity_cmd[5] == 0.0)
    client.clock.sleep(0.2)
    again = actuators.execute("axis_5", ActuatorCommand.POSITION, 0.0, **QUICK)
    end = actuators.end_of(hold.command_id)
    assert (end.reason, end.replaced_by) == (EndMotion.REPLACED, again.command_id)
    actuators.end_of(again.command_id)


def points(*rows: tuple[float, float]) -> list[JointTrajectoryPoint]:
    return [
        JointTrajectoryPoint(
            positions=[p], time_from_start=Duration(sec=int(t), nanosec=int(t % 1 * 1e9))
        )
        for t, p in rows
    ]


def test_a_trajectory_is_one_motion_that_stands_and_repeats(actuators: Actuators) -> None:
    answer = actuators.execute(
        "axis_1",
        ActuatorCommand.TRAJECTORY,
        points=points((0.2, 0.2), (0.5, 0.2), (0.7, -0.2), (0.9, 0.0)),
        repeat=2,
    )
    assert answer.accepted, answer.message
    end = actuators.end_of(answer.command_id)
    assert (end.reason, list(end.final_position)) == (EndMotion.ARRIVED, [near(0.0)])


@pytest.mark.long
def test_a_trajectory_for_ever_is_seamless(actuators: Actuators, client: Client) -> None:
    """A node that starves would let the axis stand."""
    rows = points(*((0.01 * i, 0.05 * (i % 10) / 10) for i in range(1, 21)))
    answer = actuators.execute(
        "axis_2", ActuatorCommand.TRAJECTORY, points=rows, repeat=ActuatorCommand.REPEAT_FOREVER
    )
    assert answer.accepted, answer.message
    assert answer.expected_arrival.sec == 0
    start, begun = client.clock.now(), client.clock.time_ns()
    client.clock.sleep(5.0)
    states = [s for s in client.states.since(start) if stamp_of(s) > begun]
    assert actuators.execute("axis_2", ActuatorCommand.STOP, decelerate=True).accepted
    assert actuators.end_of(answer.command_id).reason == EndMotion.STOPPED
    assert sum(s.velocity_cmd[2] == 0.0 for s in states) / len(states) <= 0.02


def test_a_goal_begins_when_its_stamp_says(actuators: Actuators, client: Client) -> None:
    command = later(client, 1.0)
    begins = stamp_of(command)
    start = client.clock.now()
    answer = actuators.result(actuators.send_goal(command))
    assert answer.status == GoalStatus.STATUS_SUCCEEDED
    early = [s for s in client.states.since(start) if stamp_of(s) < begins]
    assert early
    assert not any(s.velocity_cmd[0] for s in early)
    [begin] = [b for b in actuators.begins.since(start) if 0 in b.axes]
    assert 0 <= stamp_of(begin) - begins < 50_000_000, "ns"


def test_a_start_that_is_too_far_ahead_is_refused(actuators: Actuators, client: Client) -> None:
    far = later(client, 3600.0)
    answer = actuators.call(actuators.executes, CommandActuator.Request(command=far))
    assert not answer.accepted
    assert "s in the future: must be 60 s at most" in answer.message


def test_the_action_moves_tells_and_arrives(actuators: Actuators) -> None:
    heard: list[Any] = []
    handle = actuators.send_goal(
        position("axis_0", 1.0), position("axis_3", -1.0), feedback=heard.append
    )
    assert handle.accepted
    answer = actuators.result(handle)
    assert answer.status == GoalStatus.STATUS_SUCCEEDED
    assert [list(end.final_position) for end in answer.result.ends] == [[near(1.0)], [near(-1.0)]]
    feedback = actuators.client.eventually(lambda: heard, "feedback")[0].feedback
    assert list(feedback.names) == ["axis_0", "axis_3"]
    assert feedback.remaining.nanosec or feedback.remaining.sec


def test_the_action_is_canceled(actuators: Actuators, client: Client) -> None:
    handle = actuators.send_goal(position("axis_0", 100.0))
    client.states.next(lambda s: s.velocity_cmd[0] > 1.9)
    actuators.client.in_thread(handle.cancel_goal_async)
    answer = actuators.result(handle)
    assert answer.status == GoalStatus.STATUS_CANCELED
    assert [end.reason for end in answer.result.ends] == [EndMotion.CANCELED]
    assert client.states.next().velocity_cmd[0] == 0.0


def test_a_hold_that_is_canceled_is_answered_at_once(actuators: Actuators, client: Client) -> None:
    handle = actuators.send_goal(ActuatorCommand(name="axis_2", type=ActuatorCommand.HOLD))
    actuators.client.in_thread(handle.cancel_goal_async)
    answer = actuators.result(handle)
    assert answer.status == GoalStatus.STATUS_CANCELED
    assert [end.reason for end in answer.result.ends] == [EndMotion.CANCELED]
    assert client.states.next().servo_on[2]


def test_a_goal_that_breaks_a_rule_is_rejected(actuators: Actuators) -> None:
    start = actuators.client.clock.now()
    assert not actuators.send_goal(position("nose", 1.0)).accepted
    end = actuators.ends.first(start, lambda e: e.reason == EndMotion.REFUSED)
    assert "nose" in end.message
    stop = ActuatorCommand(name="axis_0", type=ActuatorCommand.STOP)
    handle = actuators.send_goal(stop)
    assert not handle.accepted
    assert "STOP is no move" in actuators.end_of(handle.goal_id).message
    assert not actuators.send_goal(later(actuators.client, 3600.0)).accepted
    leased = position("axis_0", 0.4)
    leased.leased = True
    assert not actuators.send_goal(leased).accepted, "it has no id"


def test_a_goal_with_the_id_of_another_one_is_rejected(
    actuators: Actuators, client: Client
) -> None:
    """Also while the other one is planned still, which ends as it would alone."""
    command = ActuatorCommand(
        name="axis_0", type=ActuatorCommand.TRAJECTORY, points=points((0.5, 0.2))
    )
    command.command_id.uuid = list(uuid4().bytes)
    goal = MoveActuators.Goal(commands=[command])
    both = [client.in_thread(lambda: actuators.action.send_goal_async(goal)) for _ in "ab"]
    first, second = (client.answer(sent).result() for sent in both)
    assert (first.accepted, second.accepted) == (True, False)
    assert actuators.result(first).status == GoalStatus.STATUS_SUCCEEDED


def test_a_group_commands_and_shows_several_properties(
    actuators: Actuators, client: Client
) -> None:
    actuators.group("axis_1", POSITION=0.5, SPEED=1.0, ACCELERATION=20.0)
    moving = client.states.next(lambda s: s.velocity_cmd[1] > 0.98)
    assert moving.velocity_cmd[1] == pytest.approx(1.0, rel=0.02)
    client.states.next(lambda s: s.pos_cmd[1] == 0.5)
    state = actuators.state.next()
    assert list(state.names) == [f"axis_{i}" for i in range(6)]
    assert [v.semantics for v in state.actuators[1].values] == [0, 1, 2, 3]


def test_disarm_makes_everything_safe(actuators: Actuators, client: Client) -> None:
    move = actuators.execute("axis_0", ActuatorCommand.POSITION, 100.0, **QUICK)
    client.states.next(lambda s: s.velocity_cmd[0] > 1.9)
    answer = actuators.disarm()
    assert answer.success, answer.message
    state = client.states.next()
    assert not any(state.servo_on)
    assert actuators.end_of(move.command_id).reason in (EndMotion.STOPPED, EndMotion.SERVO_OFF)


def test_disarm_that_was_carried_out_does_not_depend_on_what_is_asked_after_it(
    actuators: Actuators, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:

        def disarm_then_refuse(driver: Driver, gate: Gate, *_: object) -> list[str]:
            failures = disarm(driver, gate)
            refused = Mock(side_effect=CommandRefused(ErrorCode.WaitTimeout))
            patch.setattr(gate, "status", refused)
            return failures

        patch.setattr(node, "disarm", disarm_then_refuse)
        answer = actuators.disarm()
    assert answer.success, answer.message


def test_a_safe_output_that_no_slave_has_fails_a_disarm_and_is_logged_before(
    actuators: Actuators, client: Client, system: System
) -> None:
    actuators.set(safe_outputs=["7999.7=1", "0.1=1"])
    answer = actuators.disarm()
    assert (answer.success, answer.message) == (False, "output 7999.7: no slave has it")
    assert client.must("wmx/io/get_output_bit", byte=0, bit=1).value == 1
    assert not any(client.states.next().servo_on)
    client.must("wmx/engine/set_comm", data=False)
    system.says("wmx_actuator_node detached from the engine")
    client.must("wmx/engine/set_comm", data=True)
    client.attached()
    system.says("safe_outputs: output 7999.7: no slave has it, a disarm fails by that")
    actuators.set(safe_outputs=["0.1=0"])
    assert actuators.disarm().success


def test_disarm_fails_where_the_engine_does_not_communicate(
    actuators: Actuators, client: Client, system: System
) -> None:
    """Also before its node lets go of it."""
    with system.place.driver() as driver:
        driver.engine.stop_communication()
        answer = actuators.disarm()
        driver.engine.start_communication()
    assert not answer.success, answer.message
    client.attached()
    client.must("wmx/axis/set_on", index=[0], data=[1])
    assert actuators.disarm().success
