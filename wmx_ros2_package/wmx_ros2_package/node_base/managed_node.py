"""A ROS 2 managed node that is composed: the one subclass of rclpy's nodes.

What it does is a behaviour, see `NodeKind`. Its transitions run in its worker, one after the other,
since attaching to an engine or bringing axes to rest takes a while and other nodes may share the
thread that spins. Entities come and go in the thread that spins.
"""

import traceback
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, TypeVar

from lifecycle_msgs.msg import Transition
from rcl_interfaces.msg import SetParametersResult
from rclpy.exceptions import ParameterException
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.parameter import Parameter

from wmx_core.errors import WmxError

from ..validation import BadRequest
from . import rclpy_compat
from .absolute_names import in_namespace
from .attachment import EngineAttachment, ReadyWhileActive
from .clock import ROS, NodeClock
from .common_parameters import CommonParameters
from .context import NodeContext
from .hooks import call_all
from .kind import AnyKind
from .parameters import Parameters
from .rclpy_compat import Respond
from .threads import MOST_QUEUED, Ended, Worker, settle
from .traits import EngineRole

T = TypeVar("T")
Watch = Callable[[NodeContext[Any]], None]
"""Gets a node when it is configured, each time, in the thread that spins."""

REFUSALS = WmxError, BadRequest, ParameterException
"""Errors that refuse a transition and are no bugs."""
FINALIZED = "finalized"
ANSWER_TIMEOUT = 2.0
"""How long coroutines may take to end when their entities are destroyed, s."""
CLOCK_TIMEOUT = 5.0
"""How long /clock may be missing at the start before it is logged, and how often it is, s."""
CONFIGURE, CLEANUP, ACTIVATE, DEACTIVATE, SHUTDOWN = (
    "configure",
    "cleanup",
    "activate",
    "deactivate",
    "shutdown",
)
_LABELS = {
    Transition.TRANSITION_CONFIGURE: CONFIGURE,
    Transition.TRANSITION_CLEANUP: CLEANUP,
    Transition.TRANSITION_ACTIVATE: ACTIVATE,
    Transition.TRANSITION_DEACTIVATE: DEACTIVATE,
    Transition.TRANSITION_UNCONFIGURED_SHUTDOWN: SHUTDOWN,
    Transition.TRANSITION_INACTIVE_SHUTDOWN: SHUTDOWN,
    Transition.TRANSITION_ACTIVE_SHUTDOWN: SHUTDOWN,
}


def unwatched(_node: NodeContext[Any]) -> None:
    """Watch nothing."""


class ManagedNode(LifecycleNode):
    """The node `name`; with `hosts_engine` a simulated engine starts in this process."""

    def __init__(
        self,
        name: str,
        kind: AnyKind,
        *,
        hosts_engine: bool = False,
        watch: Watch = unwatched,
        clock: NodeClock = ROS,
        **options: Any,
    ) -> None:
        super().__init__(name, **options)
        self.kind = kind
        self.problem: Exception | None = None
        """The error of the last transition; None where it succeeded."""
        self.worker = Worker(f"{name}-worker", MOST_QUEUED, clock)
        self.log_thread = Worker(f"{name}-log", MOST_QUEUED, clock)
        """Writes log lines that belong to answers, a moment after these."""
        self._hosts_engine = hosts_engine
        self._watch = watch
        self._its_clock = clock  # rclpy has a `_clock` of its own
        self._ending = False
        self._closing: Future[bool] = Future()
        """Of the end of the node, once that has begun."""
        self._composed: NodeContext[Any] | None = None
        self._common = Parameters(self, CommonParameters)
        self._own: Parameters[Any] = Parameters(self, kind.parameters)
        self._read: Any = None
        """The node's own parameters as they are set; the behaviour has them with names moved."""
        self.add_on_set_parameters_callback(self._change_parameters)
        rclpy_compat.serve_transitions(self, self._change_state)

    @property
    def state(self) -> str:
        """The label of the state of its life."""
        return rclpy_compat.lifecycle_state(self)

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

    def activate(self) -> "Future[bool]":
        """Go through activate, in a moment; the future tells whether it did."""
        return self._submit(self.trigger_activate)

    def begin_to_close(self) -> None:
        """Shut down in the worker before the process ends; once is enough.

        Entities are left to `destroy_node`: clients may be asking them still.
        """
        if not self._ending:
            self._ending = True
            self._closing = self._submit(self._shut_down)
            self._request_stop()

    def close(self, timeout: float | None = None) -> None:
        """Begin to close, and wait for it; raises what went wrong, or a TimeoutError of futures."""
        self.begin_to_close()
        self._its_clock.result(self._closing, timeout)
        self.worker.end()
        if self.problem is not None:
            raise self.problem

    def destroy_node(self) -> None:
        """Leave DDS; every log line is written before."""
        self.log_thread.end()
        self._its_clock.forget(self)
        super().destroy_node()

    def _change_state(self, request: Any, response: Any, _: int, respond: Respond) -> None:
        """Answer a request for a transition when that is over; in the thread that spins."""
        label, number = request.transition.label, request.transition.id
        triggers = {
            CONFIGURE: self.trigger_configure,
            CLEANUP: self.trigger_cleanup,
            ACTIVATE: self.trigger_activate,
            DEACTIVATE: self.trigger_deactivate,
            SHUTDOWN: self._shut_down,
        }
        wanted = label or _LABELS.get(number, "")
        if wanted not in triggers:
            self.get_logger().error(f"There is no transition {label or number!r}")
            response.success = False
            respond(response)
            return

        def answer(done: "Future[bool]") -> None:
            response.success = done.result()
            respond(response)

        done = self._submit(triggers[wanted])
        if wanted in (DEACTIVATE, SHUTDOWN):
            self._request_stop()
        done.add_done_callback(answer)

    def _request_stop(self) -> None:
        """Let work that is queued before this stop end soon, also where the node is activating."""
        if (composed := self._composed) is not None:
            composed.deactivating.set()

    def _submit(self, trigger: Callable[[], TransitionCallbackReturn]) -> "Future[bool]":
        def carry_out() -> bool:
            try:
                return trigger() == TransitionCallbackReturn.SUCCESS
            except RuntimeError as error:  # an RCLError: not a transition of this state
                self.get_logger().error(str(error))
                return False

        try:
            return self.worker.submit(carry_out, bounded=False)
        except Ended:  # the node is closed, and is still asked for something
            refused: Future[bool] = Future()
            refused.set_result(False)
            return refused

    def _shut_down(self) -> TransitionCallbackReturn:
        self.problem = None
        if self.state == FINALIZED:
            return TransitionCallbackReturn.SUCCESS
        return self.trigger_shutdown()

    # Transitions, carried out in the worker

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Read the parameters and make what the node is made of."""
        return self._step("configure", self._configure)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Let the node publish, and follow the engine."""
        return self._step("activate", lambda: self._activate(state))

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Let go of the engine, and publish no more."""
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
        common, self._read = self._common.read(), self._own.read()
        own = self._named(common)

        def compose() -> None:
            threads = self.worker, self.log_thread
            composed = self._composed = NodeContext(
                self,
                self.kind,
                threads,
                common,
                own,
                hosts_engine=self._hosts_engine,
                clock=self._its_clock,
            )
            if self.kind.role is EngineRole.FOLLOWER:
                composed.readiness = EngineAttachment(composed)
            else:
                composed.readiness = ReadyWhileActive(composed)
            composed.create_timer(CLOCK_TIMEOUT, self._warn_without_clock)
            self.kind.behaviour(composed)
            self._watch(composed)

        try:
            self._in_executor(compose)
        except BaseException:
            if self._composed is not None:
                self._clean_up()
            raise

    def _named(self, common: CommonParameters) -> Any:
        """The node's own parameters, with the names that it uses in its namespace."""
        return in_namespace(self._read, self.get_namespace(), common.absolute_names)

    def _warn_without_clock(self) -> None:
        if rclpy_compat.simulated_time(self) == 0:
            self.get_logger().warning(
                "use_sim_time is true but /clock is not published: messages are stamped 0",
                throttle_duration_sec=60.0,
            )

    def _activate(self, state: LifecycleState) -> None:
        composed = self._require_composed()
        composed.deactivating.clear()
        composed.active = True
        super().on_activate(state)
        try:
            for hook in composed.on_activate:
                hook()
        except Exception:
            self._deactivate(state)
            raise

    def _deactivate(self, state: LifecycleState) -> None:
        composed = self._require_composed()
        composed.deactivating.set()
        try:
            call_all([composed.readiness.end, *reversed(composed.on_deactivate)])
        except WmxError as error:  # the node has let go all the same: that cannot be refused
            self.get_logger().error(f"Deactivating: {error}")
        finally:
            composed.active = False
            super().on_deactivate(state)

    def _clean_up(self) -> None:
        composed, self._composed = self._require_composed(), None
        ends = [composed.threads.end, lambda: self._wait_for_answers(composed)]
        if not self._ending:
            ends.append(lambda: self._in_executor(composed.destroy_entities))
        call_all(ends)

    def _wait_for_answers(self, composed: NodeContext[Any]) -> None:
        """Let coroutines answer their clients before their entities go."""
        deadline = self._its_clock.now() + ANSWER_TIMEOUT
        while composed.waiting.running and self._its_clock.now() < deadline:
            self._its_clock.sleep(0.01)

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
        done: Future[T] = Future()
        rclpy_compat.call_soon(self.executor, lambda: settle(done, work))
        return done.result()

    # Parameters

    def _change_parameters(self, changes: "list[Parameter[Any]]") -> SetParametersResult:
        composed = self._composed
        given = {change.name: change.value for change in changes}
        common, own = (composed.common, self._read) if composed else (None, None)
        try:
            self._common.changed(common, given)
            changed = self._own.changed(own, given)
            if composed is not None and changed is not own:
                for check in composed.on_change:
                    check(changed)
                self._read = changed
                composed.parameters = self._named(composed.common)
        except BadRequest as error:
            return SetParametersResult(successful=False, reason=str(error))
        if composed is not None and "use_sim_time" in given:
            composed.ros_time.is_simulated = given["use_sim_time"] is True
        return SetParametersResult(successful=True)
