"""A ROS 2 managed node that is composed: the one subclass of rclpy's nodes.

What it does is a behaviour, see `NodeKind`. Its transitions run in a worker thread, one after the
other, since attaching to an engine or bringing axes to rest takes a while and other nodes may
share the thread that spins. Entities come and go in the thread that spins.
"""

import traceback
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from rcl_interfaces.msg import SetParametersResult
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.exceptions import ParameterException
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.parameter import Parameter

from ..drivers.errors import WmxError
from ..validation import BadRequest
from . import waiting
from .common_parameters import CommonParameters
from .context import NodeContext
from .engine_attachment import EngineAttachment
from .hooks import call_all
from .kind import AnyKind, EngineRole
from .late_log import LateLog
from .parameters import Parameters, warn_of_misspellings
from .ros_time import complain_without_clock

T = TypeVar("T")

REFUSALS = WmxError, BadRequest, ParameterException
"""What keeps a transition from happening without being a bug."""
FINALIZED = "finalized"


class ManagedNode(LifecycleNode):
    """A node of the kind `kind`; `in_process` has a simulated engine start in this process."""

    def __init__(self, kind: AnyKind, *, in_process: bool = False, **options: Any) -> None:
        super().__init__(kind.name, **options)
        self.kind = kind
        self.problem: Exception | None = None
        """What the last transition failed with."""
        self.late_log = LateLog()
        self._in_process = in_process
        self._ending = False
        self._composed: NodeContext[Any] | None = None
        self._worker = ThreadPoolExecutor(1, thread_name_prefix=f"{kind.name}-worker")
        self._common = Parameters(self, CommonParameters)
        self._own: Parameters[Any] = Parameters(self, kind.parameters)
        warn_of_misspellings(self)
        self.add_on_set_parameters_callback(self._change_parameters)
        # rclpy's own callback would keep the thread that spins until the transition is over, and
        # its group, where the executor looks at groups, whatever else is in it.
        self._service_change_state.callback = self._change_state
        self._service_change_state.callback_group = ReentrantCallbackGroup()
        self._service_change_state.callback_group.add_entity(self._service_change_state)

    @property
    def state(self) -> str:
        """The label of the state of its life."""
        return str(self._state_machine.current_state[1])

    @property
    def autostart(self) -> bool:
        """Whether the node is to configure and activate itself."""
        return bool(self.get_parameter("autostart").value)

    # Transitions, asked for

    def configure(self) -> None:
        """Go through configure, and wait for it; raises what keeps it from happening."""
        self._submit(self.trigger_configure).result()
        if self.problem is not None:
            raise self.problem

    def activate(self) -> None:
        """Go through activate, in a moment."""
        self._submit(self.trigger_activate)

    def close(self) -> None:
        """Shut down before the process ends, and wait for it; raises what went wrong.

        Entities are left to `destroy_node`: others may be asking them still. Once is enough.
        """
        if self._ending:
            return
        self._ending = True
        self._hurry()
        self._submit(self._shut_down).result()
        self._worker.shutdown(wait=True)
        if self.problem is not None:
            raise self.problem

    def run_serially(self, work: Callable[[], None]) -> None:
        """Do `work` in the worker thread, after what was given before; errors are logged."""

        def do() -> None:
            try:
                work()
            except Exception:
                self.get_logger().error(traceback.format_exc())

        with suppress(RuntimeError):  # the node is closed
            self._worker.submit(do)

    def destroy_node(self) -> None:
        """Nothing that was said is lost."""
        self.late_log.close()
        super().destroy_node()

    async def _change_state(
        self, request: ChangeState.Request, response: ChangeState.Response
    ) -> ChangeState.Response:
        label, number = request.transition.label, request.transition.id
        triggers = {
            Transition.TRANSITION_CONFIGURE: ("configure", self.trigger_configure),
            Transition.TRANSITION_CLEANUP: ("cleanup", self.trigger_cleanup),
            Transition.TRANSITION_ACTIVATE: ("activate", self.trigger_activate),
            Transition.TRANSITION_DEACTIVATE: ("deactivate", self.trigger_deactivate),
            Transition.TRANSITION_UNCONFIGURED_SHUTDOWN: ("shutdown", self._shut_down),
            Transition.TRANSITION_INACTIVE_SHUTDOWN: ("shutdown", self._shut_down),
            Transition.TRANSITION_ACTIVE_SHUTDOWN: ("shutdown", self._shut_down),
        }
        by_label = dict(triggers.values())
        wanted = label or triggers.get(number, ("", None))[0]
        if wanted not in by_label:
            self.get_logger().error(f"There is no transition {label or number!r}")
            response.success = False
            return response
        if wanted in ("deactivate", "shutdown"):
            self._hurry()
        done = self._submit(by_label[wanted])
        await waiting.until(self, done.done)
        response.success = done.result()
        return response

    def _hurry(self) -> None:
        """What runs in the worker thread now may end."""
        if self._composed is not None and self.state == "active":
            self._composed.stopping.set()

    def _submit(self, trigger: Callable[[], TransitionCallbackReturn]) -> "Future[bool]":
        def carry_out() -> bool:
            try:
                return trigger() == TransitionCallbackReturn.SUCCESS
            except RuntimeError as error:  # an RCLError, of which Kilted's rclpy says itself
                self.get_logger().error(str(error))
                return False

        try:
            return self._worker.submit(carry_out)
        except RuntimeError:  # the node is closed, and is still asked for something
            refused: Future[bool] = Future()
            refused.set_result(False)
            return refused

    def _shut_down(self) -> TransitionCallbackReturn:
        self.problem = None
        if self.state == FINALIZED:
            return TransitionCallbackReturn.SUCCESS
        return self.trigger_shutdown()

    # Transitions, carried out in the worker thread

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Read the parameters and make what the node is made of."""
        return self._step("configure", self._configure)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Let the node speak, and follow the engine."""
        return self._step("activate", lambda: self._activate(state))

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Let go of the engine, and be silent."""
        return self._step("deactivate", lambda: self._deactivate(state))

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Let go of what was made at configure."""
        return self._step("cleanup", self._clean_up)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Deactivate and clean up as far as that is due."""
        return self._step("shutdown", lambda: self._end(state))

    def on_error(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Let go of everything, so that the node can be configured again."""
        problem = self.problem
        with suppress(Exception):
            self._end(state)
        self.problem = problem
        return TransitionCallbackReturn.SUCCESS

    def _step(self, name: str, work: Callable[[], None]) -> TransitionCallbackReturn:
        self.problem = None
        try:
            work()
        except REFUSALS as error:
            self.problem = error
            self.get_logger().error(f"Failed to {name}: {error}")
            return TransitionCallbackReturn.FAILURE
        except Exception as error:
            self.problem = error
            self.get_logger().error(f"Failed to {name}: {traceback.format_exc()}")
            return TransitionCallbackReturn.ERROR
        return TransitionCallbackReturn.SUCCESS

    def _configure(self) -> None:
        composed: NodeContext[Any] = NodeContext(
            self, self._common.read(), self._own.read(), in_process=self._in_process
        )

        def compose() -> None:
            if self.kind.role is EngineRole.FOLLOWER:
                composed.readiness = EngineAttachment(composed)
            if self.kind.moves:
                composed.tell_motions()
            if self.get_parameter("use_sim_time").value:
                complain_without_clock(composed)
            self.kind.behaviour(composed)

        self._composed = composed
        try:
            self._in_executor(compose)
        except BaseException:
            self._clean_up()
            raise

    def _activate(self, state: LifecycleState) -> None:
        composed = self._require_composed()
        composed.stopping.clear()
        composed.active = True
        super().on_activate(state)
        try:
            composed.hooks.activate()
        except Exception:
            self._deactivate(state)
            raise

    def _deactivate(self, state: LifecycleState) -> None:
        composed = self._require_composed()
        composed.stopping.set()
        try:
            call_all([composed.readiness.end, composed.hooks.deactivate])
        finally:
            composed.active = False
            super().on_deactivate(state)

    def _clean_up(self) -> None:
        composed, self._composed = self._require_composed(), None
        ends = [composed.hooks.cleanup, composed.threads.end]
        if not self._ending:
            ends.append(lambda: self._in_executor(composed.destroy_entities))
        call_all(ends)

    def _end(self, state: LifecycleState) -> None:
        composed = self._composed
        if composed is None:
            return
        ends: list[Callable[[], None]] = [self._clean_up]
        if composed.active:
            ends.insert(0, lambda: self._deactivate(state))
        call_all(ends)

    def _require_composed(self) -> NodeContext[Any]:
        assert self._composed is not None, "the node is not configured"
        return self._composed

    def _in_executor(self, work: Callable[[], T]) -> T:
        """Do `work` in the thread that spins, which never meets half an entity."""
        executor = self.executor
        if executor is None:
            return work()
        done: Future[T] = Future()

        def do() -> None:
            try:
                done.set_result(work())
            except BaseException as error:
                done.set_exception(error)

        executor.create_task(do)
        return done.result()

    # Parameters

    def _change_parameters(self, changes: "list[Parameter[Any]]") -> SetParametersResult:
        composed = self._composed
        given = {change.name: change.value for change in changes}
        own = {name: value for name, value in given.items() if name in self._own}
        common = {name: value for name, value in given.items() if name in self._common}
        try:
            self._common.changed(None if composed is None else composed.common, common)
            changed = self._own.changed(None if composed is None else composed.parameters, own)
            if composed is not None and own:
                composed.change(changed)
        except BadRequest as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)
