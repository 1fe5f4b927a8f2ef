"""A gripper on an output bit, and the input that confirms it, over ROS."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import system as systems
from held_system import held_system
from lifecycle import Managed
from ros import WAIT_TIMEOUT
from std_srvs.srv import SetBool
from system import System

control_actions = pytest.importorskip("control_msgs.action")
ParallelGripperCommand = control_actions.ParallelGripperCommand

SUCCEEDED, ABORTED = 4, 6
DELAY = 0.15
CONFIRM = 2.0
"""Far longer than the wire takes, s."""
WIRES = f"""
wiring:
  - {{output: "0.3", input: "1.2", delay: {DELAY}}}
"""
PARAMETERS = (
    "gripper_address:=[0, 3]",
    "confirm_address:=[1, 2]",
    f"confirm_timeout:={CONFIRM}",
)


@pytest.fixture(scope="module")
def system() -> Iterator[System]:
    with systems.place() as place:
        machine = place.machine()
        machine.write_text(machine.read_text() + WIRES)
        parameters = f"device_path:={machine}", *PARAMETERS
        executables = "bringup", "gripper_controller"
        with held_system(place, *parameters, executables=executables) as system:
            system.ready()
            yield system


class Gripper:
    """A client of the gripper's service and action."""

    def __init__(self, system: System) -> None:
        self.client = system.client
        node = self.client.node
        self._set: Any = node.create_client(SetBool, "wmx/set_gripper")
        self.managed = Managed(self.client, "gripper_controller")
        self.action: Any = self.client.action(
            ParallelGripperCommand, "gripper_controller/gripper_cmd"
        )

    def call(self, *, closed: bool) -> SetBool.Response:
        assert self._set.wait_for_service(WAIT_TIMEOUT)
        asked = self._set.call_async(SetBool.Request(data=closed))
        return self.client.answer(asked).result()

    def send(self, *positions: float, names: tuple[str, ...] = ()) -> Any:
        """The handle of a goal."""
        assert self.action.wait_for_server(WAIT_TIMEOUT)
        goal = ParallelGripperCommand.Goal()
        goal.command.position = list(positions)
        goal.command.name = list(names)
        sent = self.client.in_thread(lambda: self.action.send_goal_async(goal))
        return self.client.answer(sent).result()

    def result(self, handle: Any) -> Any:
        assert handle.accepted
        return self.client.answer(self.client.in_thread(handle.get_result_async)).result()

    @property
    def output(self) -> int:
        return self.client.must("wmx/io/get_output_bit", byte=0, bit=3).value


@pytest.fixture(scope="module")
def gripper(system: System) -> Gripper:
    gripper = Gripper(system)
    system.client.eventually(lambda: gripper.call(closed=False).success, "the gripper answers")
    return gripper


def test_the_service_closes_and_opens_and_answers_when_it_has(gripper: Gripper) -> None:
    for closed, word in ((True, "closed"), (False, "open")):
        start = gripper.client.clock.now()
        answer = gripper.call(closed=closed)
        assert (answer.success, answer.message) == (True, f"The gripper is {word}")
        assert gripper.client.clock.now() - start >= DELAY
        assert gripper.output == closed


def test_the_action_closes_and_opens(gripper: Gripper) -> None:
    for position in (0.045, 0.0):
        answer = gripper.result(gripper.send(position))
        assert answer.status == SUCCEEDED
        assert answer.result.reached_goal
        assert not answer.result.stalled
        assert list(answer.result.state.name) == ["picker_1_joint", "picker_2_joint"]
        assert list(answer.result.state.position) == [position] * 2
        assert gripper.output == (position > 0.0)


@pytest.mark.parametrize(
    ("positions", "names", "reason"),
    [
        ((0.0,), ("elbow",), "joints ['elbow'] are unknown"),
        ((0.0,), ("picker_1_joint", "picker_2_joint"), "position has 1 elements: must have 2"),
    ],
)
def test_what_a_gripper_cannot_do_is_rejected(
    system: System,
    gripper: Gripper,
    positions: tuple[float, ...],
    names: tuple[str, ...],
    reason: str,
) -> None:
    assert not gripper.send(*positions, names=names).accepted
    system.says(reason)


@contextmanager
def holding(gripper: Gripper) -> Iterator[None]:
    """An object between the jaws: they close, and never get to their end."""
    gripper.client.play('force_input: {input: "1.2", value: false}')
    try:
        yield
    finally:
        gripper.client.play('release_input: {input: "1.2"}')


@pytest.fixture
def object_held(gripper: Gripper) -> Iterator[None]:
    with holding(gripper):
        yield
    assert gripper.call(closed=False).success


@pytest.mark.long
@pytest.mark.usefixtures("object_held")
def test_a_gripper_that_does_not_confirm_in_time_is_an_error(gripper: Gripper) -> None:
    answer = gripper.call(closed=True)
    assert not answer.success
    assert answer.message.startswith("The gripper is not closed. Error=")
    assert answer.message.endswith(f"input 1.2 does not say closed within {CONFIRM:g} s")
    told = gripper.result(gripper.send(0.045))
    assert told.status == ABORTED
    assert told.result.stalled
    assert not told.result.reached_goal
    assert list(told.result.state.position) == [0.0225, 0.0225], "neither open nor closed"


@pytest.mark.long
@pytest.mark.usefixtures("object_held")
def test_an_object_that_is_held_may_be_a_success(gripper: Gripper) -> None:
    assert gripper.managed.set(allow_stalling=True) == ""
    try:
        held = gripper.result(gripper.send(0.045))
        assert (held.status, held.result.stalled) == (SUCCEEDED, True)
        assert not held.result.reached_goal
        answer = gripper.call(closed=True)
        assert (answer.success, "it holds an object" in answer.message) == (True, True)
    finally:
        assert gripper.managed.set(allow_stalling=False) == ""


def test_an_object_that_was_missed_is_no_stall(gripper: Gripper) -> None:
    missed = gripper.result(gripper.send(0.04))
    assert (missed.status, missed.result.stalled) == (SUCCEEDED, False)
    assert missed.result.reached_goal
    assert list(missed.result.state.position) == [0.045, 0.045]
    assert gripper.call(closed=False).success


def test_a_place_that_is_not_reached_is_not_told_as_reached(gripper: Gripper) -> None:
    told = gripper.result(gripper.send(0.02))
    assert (told.status, told.result.stalled) == (ABORTED, True)
    assert not told.result.reached_goal
    assert list(told.result.state.position) == [0.0, 0.0]


def test_a_later_command_takes_over(gripper: Gripper) -> None:
    with holding(gripper):  # so that it does not close before
        first = gripper.send(0.045)
        assert gripper.call(closed=False).success
    told = gripper.result(first)
    assert told.status == ABORTED
    assert not told.result.reached_goal
    assert not told.result.stalled
    assert gripper.output == 0


def test_a_later_command_the_same_way_does_not_take_over(gripper: Gripper) -> None:
    with holding(gripper):  # so that it does not close before
        first = gripper.send(0.045)
        second = gripper.send(0.045)
    for handle in (first, second):
        told = gripper.result(handle)
        assert told.status == SUCCEEDED
        assert told.result.reached_goal
    assert gripper.output == 1


def test_without_an_engine_it_says_so(system: System, gripper: Gripper) -> None:
    system.client.must("wmx/engine/set_comm", data=False)
    try:
        answer = gripper.call(closed=True)
        assert not answer.success
        assert answer.message == "GripperController not initialized. Engine not ready."
    finally:
        system.client.must("wmx/engine/set_comm", data=True)
        system.ready()
    assert system.client.eventually(lambda: gripper.call(closed=False).success, "it answers again")
