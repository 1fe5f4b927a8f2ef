"""A gripper on a digital output: opened and closed by a service and by an action."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from control_msgs import action as control_actions
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool

from wmx_core.errors import CommandRefused, ErrorCode

from ..node_base.actions import ActionGoal, ActionServer
from ..node_base.context import NodeContext
from ..node_base.domain.sole_server import sole_action, sole_service
from ..node_base.kind import NodeKind
from ..node_base.parameters import parameter
from ..robots.gripper import POWER_INPUT, POWER_OUTPUT, Gripper, Jaws, jaws, require_address
from ..validation import BadRequest

_PARALLEL = getattr(control_actions, "ParallelGripperCommand", None)
"""The action of Jazzy and newer; Humble has GripperCommand alone."""
ACTION: Any = _PARALLEL or control_actions.GripperCommand
POWER_PERIOD = 0.02
"""How often the input of the power is read at the start, s."""
_WORDS = {True: "closed", False: "open"}
_NOT_TAKEN = ErrorCode.CommNotStarted, ErrorCode.DeviceIsNull
"""Refusals of what has certainly set no output."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GripperParameters:
    """The parameters of `gripper_controller`."""

    gripper_address: tuple[int, ...] = parameter(
        (0, 0), "byte and bit of the output that closes the gripper"
    )
    confirm_address: tuple[int, ...] = parameter(
        (), "byte and bit of the input that is on while it is closed; empty: nothing confirms"
    )
    confirm_timeout: float = parameter(
        2.0, "how long the gripper may take, s", (0.0, 60.0), changeable=True
    )
    allow_stalling: bool = parameter(
        False,
        "a goal whose gripper stalls, as on an object, has succeeded; its result is stalled",
        changeable=True,
    )
    goal_tolerance: float = parameter(
        0.01,
        "how far from its command the gripper may be that has reached its goal, m or rad",
        (0.0, 1e3),
        changeable=True,
    )
    travel_time: float = parameter(
        0.0, "how long it takes where nothing confirms, s", (0.0, 60.0), changeable=True
    )
    gripper_open_value: float = parameter(0.0, "position of its joints while it is open")
    gripper_close_value: float = parameter(0.045, "position of its joints while it is closed")
    gripper_joint_name: tuple[str, ...] = parameter(
        ("picker_1_joint", "picker_2_joint"), "its joints, in the order of commands without names"
    )
    wmx_gripper_topic: str = parameter("wmx/set_gripper", "the service; true closes")
    gripper_action: str = parameter("~/gripper_cmd", "the action")
    pre_setup_io: bool = parameter(False, "switch the power of the gripper on at the start")
    pre_setup_output: tuple[int, ...] = parameter(POWER_OUTPUT, "byte for that, and its value")
    pre_setup_input: tuple[int, ...] = parameter(
        POWER_INPUT, "byte and bit of the input that is on while it has power"
    )

    def __post_init__(self) -> None:
        self.gripper()
        require_address("gripper_address", self.gripper_address)
        if self.confirm_address:
            require_address("confirm_address", self.confirm_address)
        require_address("pre_setup_input", self.pre_setup_input)
        if len(self.pre_setup_output) != 2 or not 0 <= self.pre_setup_output[1] <= 255:
            rule = "must be [byte, value], the value 0 to 255"
            raise BadRequest([f"pre_setup_output is {list(self.pre_setup_output)}: {rule}"])
        names = self.gripper_joint_name
        if not names or "" in names or len(set(names)) < len(names):
            raise BadRequest([f"gripper_joint_name is {list(names)}: must name each joint once"])

    def gripper(self) -> Gripper:
        """The gripper with these positions."""
        return Gripper(opened=self.gripper_open_value, closed=self.gripper_close_value)


class GripperController:
    """Serves the gripper action, and switches the gripper by its outputs."""

    def __init__(self, node: NodeContext[GripperParameters]) -> None:
        self._node = node
        parameters = node.parameters
        self._gripper = parameters.gripper()
        self._closed: bool | None = None
        """Whether it is to be closed, by the last command; None before the first."""
        self._turns = 0
        """How often that has changed."""
        self._powered = False
        """Whether its power was, or may have been, switched on since the node began."""
        if parameters.pre_setup_io:
            node.on_attached.append(self._switch_power_on)
        self._sole_service = sole_service(node.graph, parameters.wmx_gripper_topic, node.clock)
        self._sole_action = sole_action(node.graph, parameters.gripper_action, node.clock)
        node.create_service(
            SetBool,
            parameters.wmx_gripper_topic,
            self.set_gripper,
            failed=lambda request: f"The gripper is not {_WORDS[request.data]}.",
        )
        ActionServer(
            node, ACTION, parameters.gripper_action, judge=self.judge, execute=self.execute
        )

    def _switch_power_on(self) -> None:
        """Set the output of the gripper's power, and log whether its input confirms that.

        Once: a client may have set it otherwise since, and an engine that was lost comes back with
        its outputs off.
        """
        parameters, io = self._node.parameters, self._node.driver.io
        byte, value = parameters.pre_setup_output
        if self._powered:
            text = f"pre_setup_io: output byte {byte} is left as it is, for it was set, or refused,"
            how = f"wmx/io/set_output_bytes with {value} switches it on"
            self._node.log.warning(f"{text} before: {how}")
            return
        confirmed = ".".join(map(str, parameters.pre_setup_input))
        deadline = self._node.clock.now() + parameters.confirm_timeout
        try:
            io.set_output_bytes(byte, bytes([value]))
            self._powered = True
            while not io.input_bit(*parameters.pre_setup_input):
                if self._node.deactivating.wait(POWER_PERIOD):
                    return
                if self._node.clock.now() > deadline:
                    text = f"pre_setup_io: input {confirmed} is off, output byte {byte} is {value}"
                    self._node.log.warning(text)
                    return
        except CommandRefused as error:
            # What was refused for another reason the engine may have taken all the same.
            self._powered = self._powered or error.code not in _NOT_TAKEN
            self._node.log.error(f"pre_setup_io: output byte {byte}, input {confirmed}: {error}")
        else:
            self._node.log.info(f"pre_setup_io: the gripper has power, input {confirmed} is on")

    async def set_gripper(self, request: SetBool.Request, _: SetBool.Response) -> str:
        """Open or close it, and wait until it has."""
        self._sole_service.require()
        try:
            await self._move(closed=request.data)
        except CommandRefused as error:
            holds = error.code == ErrorCode.WaitTimeout and request.data
            if not (holds and self._node.parameters.allow_stalling):
                raise
            return "The gripper is stopped before it is closed: it holds an object"
        return f"The gripper is {_WORDS[request.data]}"

    def judge(self, goal: ActionGoal) -> None:
        """Refuse a goal that neither opens nor closes it."""
        self._sole_action.require()
        self._closes(goal.request)

    async def execute(self, goal: ActionGoal) -> Any:
        """Open or close it; a gripper that does not confirm, or cannot go on, has stalled.

        The result has where it is, by its input where it has one, and whether that is its goal.
        """
        closed, parameters = self._closes(goal.request), self._node.parameters
        goal.publish_feedback(self._fill(ACTION.Feedback(), self._jaws()))
        refusal: CommandRefused | None = None
        try:
            await self._move(closed=closed)
        except CommandRefused as error:
            refusal = error
        here = self._jaws()
        result = self._fill(ACTION.Result(), here)
        reached = self._gripper.has_reached(
            _positions(goal.request), here, parameters.goal_tolerance
        )
        result.reached_goal = refusal is None and reached
        result.stalled = refusal.code == ErrorCode.WaitTimeout if refusal else not reached
        if result.reached_goal or (result.stalled and parameters.allow_stalling):
            goal.succeed()
            return result
        if goal.is_cancel_requested:
            goal.canceled()
        else:
            goal.abort()
        wanted = ", ".join(f"{position:g}" for position in _positions(goal.request))
        reason = refusal or f"it is {here.value}, which is not {wanted}"
        self._node.log_error(f"Gripper: {reason}")
        return result

    def _jaws(self) -> Jaws:
        """Where the jaws are now; by the last command where the engine does not answer."""
        parameters, io = self._node.parameters, self._node.driver.io
        confirm = parameters.confirm_address
        try:
            output = io.output_bit(*parameters.gripper_address)
            return jaws(output=output, confirmed=io.input_bit(*confirm) if confirm else None)
        except CommandRefused:
            return jaws(output=bool(self._closed), confirmed=False if confirm else None)

    async def _move(self, *, closed: bool) -> None:
        """Set the output, and wait for the gripper; CommandRefused (WaitTimeout) if it does not.

        A later command the other way takes over once the engine has taken it: the earlier one ends,
        refused. One the same way does not: it may be the same command, which a client sends again
        for want of an answer.
        """
        parameters, io = self._node.parameters, self._node.driver.io
        io.set_output_bit(*parameters.gripper_address, value=closed)
        if closed is not self._closed:
            self._closed = closed
            self._turns += 1
        mine = self._turns
        unanswered: CommandRefused | None = None

        def there() -> bool:
            nonlocal unanswered
            if self._turns != mine:
                detail = "another command has taken over"
                raise CommandRefused(ErrorCode.NotIdleState, detail)
            if not (confirm := parameters.confirm_address):
                return False
            try:
                confirmed, unanswered = io.input_bit(*confirm), None
            except CommandRefused as error:  # perhaps the next one is answered
                unanswered = error
                return False
            return confirmed is closed

        if parameters.confirm_address:
            if await self._node.until(there, parameters.confirm_timeout):
                return
            if unanswered is not None:  # so it is not known whether it has stalled
                raise unanswered
            address = ".".join(map(str, parameters.confirm_address))
            detail = (
                f"input {address} does not say {_WORDS[closed]} within "
                f"{parameters.confirm_timeout:g} s"
            )
            raise CommandRefused(ErrorCode.WaitTimeout, detail)
        if parameters.travel_time:
            await self._node.until(there, parameters.travel_time)

    def _closes(self, goal: Any) -> bool:
        """Whether a goal closes the gripper, or BadRequest."""
        if _PARALLEL is None:
            return self._gripper.closes(_positions(goal))
        names = self._node.parameters.gripper_joint_name
        if unknown := [name for name in goal.command.name if name not in names]:
            raise BadRequest([f"joints {unknown} are unknown: must be of {list(names)}"])
        if goal.command.name and len(goal.command.name) != len(goal.command.position):
            rule = f"must have {len(goal.command.name)}, one for each name"
            raise BadRequest([f"position has {len(goal.command.position)} elements: {rule}"])
        return self._gripper.closes(goal.command.position)

    def _fill(self, message: Any, here: Jaws) -> Any:
        """`message`, a result or a feedback, with where the jaws are."""
        position = self._gripper.position(here)
        if _PARALLEL is None:
            message.position = position
        else:
            names = list(self._node.parameters.gripper_joint_name)
            message.state = JointState(name=names, position=[position] * len(names))
        return message


def _positions(goal: Any) -> list[float]:
    """Where a goal wants the joints, in the form of either action."""
    if _PARALLEL is None:
        return [goal.command.position]
    return list(goal.command.position)


KIND = NodeKind(
    GripperController,
    GripperParameters,
    not_ready="GripperController not initialized. Engine not ready.",
)
