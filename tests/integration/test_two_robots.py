"""Two robots on one computer, in namespaces: each command moves one of them, or none."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest
import system as systems
from arms import ACTION, Arm, trajectory
from ros import SERVICES, Client, eventually
from system import CONFIG, Place, System

SIDES = "left", "right"
FOLDER = CONFIG / "robots/arm"


@contextmanager
def two_arms(policy: str) -> Iterator[list[Arm]]:
    """The shipped arm twice, each in a namespace and on a machine of its own."""
    with systems.place() as place, ExitStack() as stack:
        for side in SIDES:
            start(place, side, f"absolute_names:={policy}")
        arms = []
        for side, process in zip(SIDES, place.processes, strict=True):
            client = Client(place.domain, f"/{side}")
            stack.callback(client.close)
            client.meet(SERVICES)
            system = System(place, client, process)
            system.ready()
            client.states.next(lambda s: all(s.servo_on))
            arms.append(Arm(system, ACTION.lstrip("/") if policy == "move" else ACTION))
        for arm in arms:
            arm.meet()
        yield arms
        stack.close()  # first, as in `system`
        for process in place.processes:
            process.stop()


def start(place: Place, side: str, *parameters: str) -> None:
    machine = place.folder / f"{side}.yaml"
    text = (FOLDER / "machine.yaml").read_text()
    machine.write_text(text.replace("wmx_parameters.xml", str(FOLDER / "wmx_parameters.xml")))
    place.start(
        "bringup",
        f"device_path:={machine}",
        *parameters,
        options=["--robot", "arm"],
        ros=["-r", f"__ns:=/{side}"],
    )


GOAL = trajectory((0.0, 1.0), ([0.0] * 6, [0.1] * 6))


def test_a_name_with_a_leading_slash_is_refused_in_a_namespace() -> None:
    with systems.place() as place:
        start(place, "left")
        [process] = place.processes
        assert process.wait() == 1
        for name in "joint_trajectory_action", "wmx_gripper_topic", "joint_trajectory_topic":
            assert f"{name} is '/" in process.output
        assert "so the namespace /left does not move it" in process.output
        assert place.is_empty()


def test_a_goal_moves_one_of_two_robots_whose_names_are_moved() -> None:
    with two_arms("move") as (left, right):
        left.send(GOAL).succeeded()
        assert left.position() == pytest.approx([0.1] * 6)
        assert right.position() == [0.0] * 6
        eventually(left.topic.get_subscription_count, "the topic is served")
        assert left.system.client.must("wmx/axis/explain").message == "OK"


def test_a_name_that_two_robots_serve_moves_none() -> None:
    with two_arms("keep") as (left, right):
        status, node = f"{ACTION}/_action/status", left.client.node
        eventually(
            lambda: len(node.get_publishers_info_by_topic(status)) == 2, "both servers are known"
        )
        sent = left.send(GOAL)
        assert not sent.accepted()
        left.system.says("/right/follow_joint_trajectory_server, too")
        left.system.says("/left/follow_joint_trajectory_server, too")
        assert left.position() == right.position() == [0.0] * 6
        answer = left.client.must("wmx/axis/explain", index=[0])
        assert {each.code for each in answer.blockers} == {"SHARED_NAME"}
        [goals] = [each for each in answer.blockers if f"{ACTION}/_action/send_goal" in each.reason]
        assert (goals.axis, goals.node) == (-1, "/left/follow_joint_trajectory_server")
