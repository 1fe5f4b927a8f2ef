"""A client of an arm: sends trajectories, and keeps what it hears of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import numpy as np
import system as systems
from action_msgs.msg import GoalStatus
from builtin_interfaces.msg import Duration
from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointJog, JointTolerance, JointTrajectoryControllerState
from held_system import held_system
from motion_events import EVENTS_QOS
from rclpy.qos import QoSProfile
from recording import Recording
from ros import READY_QOS, WAIT_TIMEOUT, Answer, Client
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool
from system import System
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint
from wmx_ros2_message.msg import AxisState, EndMotion

ACTION = "/movensys_manipulator_arm_controller/follow_joint_trajectory"
SERVER = "follow_joint_trajectory_server"
NAMES = [f"joint{i}" for i in range(1, 7)]
AXES = list(range(6))
Result = FollowJointTrajectory.Result
SUCCEEDED = GoalStatus.STATUS_SUCCEEDED
ABORTED = GoalStatus.STATUS_ABORTED
CANCELED = GoalStatus.STATUS_CANCELED


Rows = Sequence[Sequence[float]] | np.ndarray


def duration(seconds: float) -> Duration:
    sec, nanosec = divmod(round(seconds * 1e9), 1_000_000_000)
    return Duration(sec=sec, nanosec=nanosec)


def trajectory(
    times: Sequence[float],
    positions: Rows,
    velocities: Rows = (),
    accelerations: Rows = (),
    names: Sequence[str] = NAMES,
) -> JointTrajectory:
    """A message with these points."""
    nothing: list[list[float]] = [[]] * len(times)
    points = [
        JointTrajectoryPoint(
            time_from_start=duration(t),
            positions=list(p),
            velocities=list(v),
            accelerations=list(a),
        )
        for t, p, v, a in zip(
            times,
            positions,
            velocities if len(velocities) else nothing,
            accelerations if len(accelerations) else nothing,
            strict=True,
        )
    ]
    return JointTrajectory(joint_names=list(names), points=points)


def tolerance(name: str = "joint1", **fields: float) -> JointTolerance:
    return JointTolerance(name=name, **fields)


class Sent:
    """A goal that was sent, and what came of it."""

    def __init__(self, client: Client, future: Any, feedback: list[Any]) -> None:
        self._client = client
        self.feedback = feedback
        self._accepted = Answer(client.clock)
        self._result = Answer(client.clock)
        self.ended_at = 0.0
        future.add_done_callback(lambda f: self._on_answer(f.result()))

    def _on_answer(self, handle: Any) -> None:
        if handle.accepted:
            handle.get_result_async().add_done_callback(lambda f: self._on_result(f.result()))
        self._accepted.set_result(handle)

    def _on_result(self, result: Any) -> None:
        self.ended_at = self._client.clock.now()
        self._result.set_result(result)

    def accepted(self, timeout: float = WAIT_TIMEOUT) -> bool:
        return bool(self._accepted.result(timeout).accepted)

    def id(self) -> list[int]:
        return list(self._accepted.result().goal_id.uuid)

    def ended(self, timeout: float = 30.0) -> tuple[int, Any]:
        """The status and the result."""
        assert self.accepted()
        answer = self._result.result(timeout)
        return answer.status, answer.result

    def aborted(self, code: int, text: str) -> None:
        """It has to end with this code, and with words that have this in them."""
        status, result = self.ended()
        assert (status, result.error_code) == (ABORTED, code), result
        assert text in result.error_string, result.error_string

    def succeeded(self) -> None:
        status, result = self.ended()
        assert (status, result.error_code) == (SUCCEEDED, Result.SUCCESSFUL), result

    def cancel(self) -> Any:
        handle = self._accepted.result()
        return self._client.answer(self._client.in_thread(handle.cancel_goal_async)).result()


class Arm:
    """The arm of `system`, as its clients see it."""

    def __init__(self, system: System, action: str = ACTION, names: Sequence[str] = NAMES) -> None:
        self.system = system
        self.names = names
        self.client: Client = system.client
        node = self.client.node
        self._actions: Any = self.client.action(FollowJointTrajectory, action)
        self.active = self.client.listen("/moveit2_trajectory/execution_active", Bool, READY_QOS)
        self.jogs = self.client.listen("/servo_node/delta_joint_cmds", JointJog, 100)
        self.ends = self.client.listen("wmx/motion/end", EndMotion, EVENTS_QOS)
        self.topic = node.create_publisher(JointTrajectory, f"{SERVER}/joint_trajectory", 10)
        self.stream = node.create_publisher(
            JointTrajectory, "/movensys_manipulator_arm_controller/joint_trajectory", 1
        )

    # What comes often is listened to from the first look on

    @cached_property
    def joints(self) -> Recording:
        """The joint states."""
        return self.client.listen("/joint_states", JointState, QoSProfile(depth=1))

    @cached_property
    def states(self) -> Recording:
        """Those of the server."""
        topic = f"{SERVER}/controller_state"
        return self.client.listen(topic, JointTrajectoryControllerState, 1000)

    def stop_axes(self, axes: Sequence[int]) -> Any:
        """Stop axes as any client may."""
        return self.client.call("wmx/axis/stop", index=list(axes), data=[0] * len(axes))

    def emergency_stop(self, on: bool) -> None:
        self.client.must("wmx/engine/estop", data=on)

    def forget(self) -> None:
        """Keep little of what was heard, so that a long test does not fill the memory."""
        for heard in (*vars(self).values(), self.client.states):
            if isinstance(heard, Recording):
                heard.forget()

    def ready(self) -> None:
        """Wait until goals are accepted and servos are on."""
        self.accepts()
        self.client.eventually(self.topic.get_subscription_count, "the topic is listened to")
        self.client.eventually(self.stream.get_subscription_count, "the stream is listened to")
        pause_until_rest(self)

    def accepts(self) -> None:
        """Wait until a goal is accepted."""
        assert self._actions.wait_for_server(WAIT_TIMEOUT)
        self.client.states.next(lambda s: all(s.servo_on))
        here = self.position()
        still = trajectory((0.0, 0.01), (here, here), names=self.names)

        def answered() -> bool:
            # The first answer to a client may be lost, see `Client.meet`.
            try:
                return self.send(still).accepted(1.0)
            except TimeoutError:
                return False

        self.client.eventually(answered, "a goal is accepted")
        self.at_rest()

    def meet(self) -> None:
        """Let the server refuse a goal without points: a first answer may be lost.

        See `Client.meet`.
        """
        assert self._actions.wait_for_server(WAIT_TIMEOUT)

        def answered() -> bool:
            try:
                return not self.send(trajectory((), (), names=self.names)).accepted(1.0)
            except TimeoutError:
                return False

        self.client.eventually(answered, "the server answers")

    def send(self, message: JointTrajectory, **fields: Any) -> Sent:
        """Send a goal."""
        feedback: list[Any] = []
        goal = FollowJointTrajectory.Goal(trajectory=message, **fields)
        future = self.client.in_thread(
            lambda: self._actions.send_goal_async(
                goal, feedback_callback=lambda m: feedback.append(m.feedback)
            )
        )
        return Sent(self.client, future, feedback)

    def rejected(self, message: JointTrajectory, text: str, **fields: Any) -> None:
        """The goal has to be rejected; the log and an end with its id have to say why."""
        sent = self.send(message, **fields)
        assert not sent.accepted()
        self.system.says(text)
        end = self.ends.first(0.0, lambda end: list(end.command_id.uuid) == sent.id())
        assert end.reason == EndMotion.REFUSED
        assert text in end.message, end.message

    def state(
        self, wanted: Callable[[AxisState], bool] = lambda _: True, timeout: float = WAIT_TIMEOUT
    ) -> AxisState:
        """The first state that was sampled from now on and is `wanted`."""
        return self.client.states.next(wanted, timeout)

    def position(self) -> list[float]:
        """Where the joints are commanded to be."""
        return list(self.state().pos_cmd)[: len(self.names)]

    def away(self, by: float = 0.5, seconds: float = 1.0, **more: Any) -> JointTrajectory:
        """A trajectory of two points, `by` from here."""
        here = self.position()
        there = [position + by for position in here]
        return trajectory((0.0, seconds), (here, there), **more)

    def moving(self, seconds: float = 3.0) -> Sent:
        """A long way, under way."""
        sent = self.send(self.away(2.0, seconds))
        assert sent.accepted()
        self.state(lambda s: s.velocity_cmd[0] > 0.3)
        return sent

    def at_rest(self, timeout: float = WAIT_TIMEOUT) -> None:
        """Wait until nothing moves."""
        self.state(
            lambda s: not any(s.velocity_cmd) and max(map(abs, s.actual_velocity)) < 1e-3, timeout
        )

    def at_rest_at(self, target: Sequence[float], timeout: float = WAIT_TIMEOUT) -> None:
        """Wait until the joints rest at `target`."""
        self.state(
            lambda s: (
                not any(s.velocity_cmd)
                and all(abs(p - t) < 1e-6 for p, t in zip(s.pos_cmd, target, strict=True))
            ),
            timeout,
        )

    def home(self) -> None:
        """Go back to zero, with servos on and nothing in force that keeps the arm from moving."""
        client = self.client
        client.must("wmx/axis/clear_alarm", index=AXES)
        client.must("wmx/axis/set_on", index=AXES, data=[1] * 6)
        pause_until_rest(self)
        here = self.position()
        if any(here):
            seconds = 0.2 + max(map(abs, here))
            self.send(trajectory((0.0, seconds), (here, [0.0] * 6))).succeeded()
        pause_until_rest(self)


@contextmanager
def robot_arm(*parameters: str, joint_feedback_rate: int = 20) -> Iterator[Arm]:
    """The arm that is shipped, in a system of its own with these parameters.

    Its joint states are few, Hz, where nobody looks at them: tests run beside others.
    """
    parameters = *parameters, f"joint_feedback_rate:={joint_feedback_rate}"
    with (
        systems.place() as place,
        held_system(place, *parameters, options=("--robot", "arm")) as system,
    ):
        arm = Arm(system)
        arm.ready()
        yield arm


def pause_until_rest(arm: Arm) -> None:
    """Wait until nothing moves and no trajectory runs."""
    arm.at_rest()
    arm.active.latest(lambda m: not m.data)
