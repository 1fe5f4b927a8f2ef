"""Dry runs by the client library, and by the service that it asks: nothing moves."""

from math import inf

import numpy as np
import pytest
from motion_events import near
from until import until
from wmx_ros2_message.msg import ActuatorCommand, ActuatorCommands
from wmx_ros2_message.srv import PlanMotion

from wmx_ros2_package.client import EndReason, Machine, exert, follow, jog, move

QUICK = {"velocity": 2.0, "acceleration": 20.0}


def test_a_plan_says_what_then_happens_and_moves_nothing(machine: Machine) -> None:
    before = machine.status().command
    plan = machine.plan(move({"axis_0": 0.4, 1: -0.2}, **QUICK), move({0: 0.0}, **QUICK))
    assert plan.accepted, plan.message
    assert plan.arrives
    assert plan.exact
    assert plan.message == f"Would be at rest after {plan.duration:.3f} s"
    assert [motion.step for motion in plan.motions] == [0, 0, 1]
    assert [motion.final for motion in plan.motions] == [(near(0.4),), (near(-0.2),), (near(0.0),)]
    assert plan.axes["axis_0"].high == 0.4
    assert plan.axes["axis_0"].velocity == pytest.approx(2.0, rel=0.01)
    assert plan.axes["axis_0"].jerk == inf, "it is a trapezoid"
    assert (machine.status().command == before).all()
    with machine.events() as events:
        result = machine.move_together({"axis_0": 0.4, 1: -0.2}, **QUICK).wait()
        begin = next(event for event in events if event.axes == (0,))
    assert result.positions == {0: near(0.4), 1: near(-0.2)}
    ended = next(end for end in result.ends if end.axes == (0,))
    assert ended.time - begin.time == pytest.approx(plan.motions[0].end, abs=0.1)
    machine.move_together({0: 0.0, 1: 0.0}, **QUICK).wait()


def test_a_trajectory_may_be_given_as_arrays() -> None:
    positions, velocities = [[0.1, 0.2], [0.3, 0.4]], [[0.5, 0.6], [0.0, 0.0]]
    assert follow(
        [0, 1], np.array([1.0, 2.0]), np.array(positions), velocities=np.array(velocities)
    ) == follow([0, 1], [1.0, 2.0], positions, velocities=velocities)
    assert follow([0, 1], [1.0, 2.0], positions, velocities=[]) == follow(
        [0, 1], [1.0, 2.0], positions
    )


@pytest.mark.parametrize(
    "fields",
    [
        {"value": float("inf")},
        {"value": 1.0, "velocity": -1.0},
        {"type": ActuatorCommand.VELOCITY, "value": 1e20},
        {"type": ActuatorCommand.TRAJECTORY},
    ],
)
def test_a_refusal_has_the_words_of_the_real_one(
    machine: Machine, fields: dict[str, object]
) -> None:
    link = machine.ros
    command = ActuatorCommand(name="axis_3", **{"type": ActuatorCommand.POSITION, **fields})
    steps = [ActuatorCommands(commands=[command])]
    said = link.call(PlanMotion, "wmx/motion/plan", PlanMotion.Request(steps=steps))
    assert not said.accepted
    assert said.refused_step == 0
    from wmx_ros2_message.srv import CommandActuator

    really = link.call(
        CommandActuator, "wmx/actuator/execute", CommandActuator.Request(command=command)
    )
    assert not really.accepted
    assert said.message == really.message


def test_a_later_step_is_named_and_judged_from_the_end_of_the_one_before(machine: Machine) -> None:
    plan = machine.plan(move({2: 1.0}, **QUICK), follow([2], [1.0, 2.0], [[1.1], [float("nan")]]))
    assert (plan.accepted, plan.refused_step) == (False, 1)
    plan = machine.plan(move({2: 1.0}, **QUICK), follow([2], [1.0, 2.0], [[1.1], [1.2]]))
    assert plan.accepted, plan.message
    assert plan.motions[1].final == (near(1.2),)


def test_all_kinds_of_steps(machine: Machine) -> None:
    plan = machine.plan(jog(0, 0.5, duration=0.4), exert(1, 5.0, duration=0.1), samples=50)
    assert plan.accepted, plan.message
    assert [motion.reason for motion in plan.motions] == [EndReason.ARRIVED] * 2
    assert plan.axes["axis_1"].torque >= 5.0
    assert 2 <= len(plan.times) <= 50
    assert plan.axes["axis_0"].path[-1] == near(plan.motions[0].final[0])
    assert np.all(np.diff(plan.times) > 0.0)
    endless = machine.plan(jog(0, 0.5), longest=1.0)
    assert endless.duration == inf
    assert endless.motions[0].reason is None
    line = machine.plan(move({0: 0.3, 1: 0.4}, velocity=0.5), line=True, samples=20)
    assert len(line.motions) == 1
    assert line.motions[0].axes == (0, 1)


def test_an_axis_of_somebody_else_is_refused(machine: Machine) -> None:
    link = machine.ros
    from wmx_ros2_message.msg import AxisVelocity

    topic = link.publisher(AxisVelocity, "wmx/axis/velocity")
    machine.axes[5].set_mode("velocity")
    topic.publish(AxisVelocity(index=[5], velocity=[0.2], acc=[1.0], dec=[1.0]))
    until(machine, lambda: machine.axes[5].velocity > 0.1, "the axis turns")
    plan = machine.plan(move({5: 1.0}))
    assert "axis 5 is owned by /wmx_core_motion_node (velocity)" in plan.message
    machine.stop()
    until(machine, lambda: machine.status().command_velocity[5] == 0.0, "it rests")
    machine.axes[5].set_mode("position")
