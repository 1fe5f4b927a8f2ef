"""A machine while it is connected: what it is, and how it is asked and commanded."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, ExitStack, suppress
from functools import cached_property
from math import nan
from typing import Any, TypeVar
from uuid import UUID

from wmx_ros2_message.msg import ActuatorCommand
from wmx_ros2_message.srv import ExplainAxes, SetAxis, SetGearing

from ..control.request import MotionKind
from ..diagnosis.blockers import BlockerCode
from ..messages.motions import uuid
from ..node_base.clock import ROS, NodeClock
from .all_systems import ask_all
from .checked import made
from .curves import MotionCurves
from .description import MOVER, Description
from .discovery import SEVERAL_REMEDY
from .errors import (
    MachineError,
    NotConnected,
    NotReady,
    Refused,
    SeveralSystems,
    SystemLost,
)
from .events import Result
from .explanation import Explanation, explanations_of
from .homing import EVENTS_TIMEOUT, Homing
from .link import Link, nothing
from .motion import Motion
from .motions import Expected, Motions, OpenMotion, result_when_ended, way
from .states import STATUS_TIMEOUT, States
from .status import Status
from .systems import GONE, Systems

EXPLAIN_TIMEOUT = 2.0
"""How long an explanation may take, s, where more goes on than the wait for it."""
PASSING = BlockerCode.SLOWING_DOWN, BlockerCode.OWNED, BlockerCode.BUSY
"""What blocks until the axes rest, a moment after the end of their motion."""
Part = TypeVar("Part")
Commands = Mapping[int, Mapping[str, Any]]
"""Fields of ActuatorCommand for each of the axes that begin together."""


class Session:
    """One connection to a system, from `Machine.open` to `Machine.close`."""

    def __init__(
        self,
        namespace: str,
        domain: int | None,
        timeout: float | None,
        node: Any | None,
        *,
        to_stop: bool = False,
        clock: NodeClock = ROS,
    ) -> None:
        """Join ROS; `connect` follows. `to_stop`: several systems will do, to stop all of them."""
        self._to_stop = to_stop
        self.connected = False
        self.release_time: Callable[[], None] | None = None
        """Lets the time of the simulated engine go on, where this client holds it."""
        self._parts: dict[Callable[[Session], Any], Any] = {}
        self.link = Link(namespace, domain, timeout, node, to_stop=to_stop, clock=clock)
        try:
            self.systems_heard = Systems(self.link)
            self.states = States(self.link, self.systems_heard)
            self.motions = Motions(self.link, self._give_up)
        except BaseException:
            self.link.close()
            raise

    def connect(self) -> None:
        """NoSystem or SeveralSystems where there is not just one system in time.

        To stop, nothing is asked before the stop is sent.
        """
        try:
            if not self._to_stop:
                _ = self.description
                self.require_one_system()
            self.connected = True
        except BaseException:
            self.link.close()
            raise

    def close(self) -> None:
        """Stop what this client still moves, and leave."""
        try:
            if axes := self.motions.axes:
                try:
                    self.require_not_replaced()  # that one moves what others have begun
                    self._give_up(axes)
                except MachineError as error:
                    what = f"axes {axes} may move for another second"
                    warnings.warn(f"{what}: {error.text}", stacklevel=3)
            if self.release_time is not None:
                try:
                    self.release_time()
                except MachineError as error:
                    warnings.warn(f"the engine's time is still held: {error.text}", stacklevel=3)
        finally:
            self.link.close()

    # What it is

    @property
    def systems(self) -> int:
        """How many systems have been found; one that was killed counts for 20 s."""
        return self.link.servers(f"{MOVER}/get_parameters")

    @cached_property
    def description(self) -> Description:
        """What the machine consists of, asked for when it is needed: no stop waits for it."""
        return Description(self.link, self.states, to_stop=self._to_stop)

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each axis, by its number."""
        _ = self.description
        return self.states.names

    @property
    def units(self) -> tuple[str, ...]:
        """The unit of the positions of each axis: "rad", "m" or "deg", "u" if not known."""
        _ = self.description
        return self.states.units

    def require_one_system(self, timeout: float | None = None) -> None:
        """SeveralSystems where this client has found several, or the system has found another.

        SystemLost where another one is there in place of that of this client. What has just been
        started has found one of two at first: so commands have the id of their system as well.
        """
        self.link.require_one(MOVER)
        if (answer := self._ask_to_explain([0], timeout)).other_systems:
            raise SeveralSystems(answer.message, remedy=SEVERAL_REMEDY)

    def system_id(self) -> UUID:
        """The id of the system, for what may reach no other one; errors as `require_one_system`.

        NotReady while it has none, for none of its nodes has an engine.
        """
        own = self.require_own()
        if own is None:
            self.require_one_system()
            own = self.systems_heard.own
        if own is None:
            raise NotReady("the system has no engine", remedy=self.remedy(()))
        return own

    def require_no_other(self) -> None:
        """SeveralSystems where another system is there as well, SystemLost where in its place.

        What is asked of its nodes without an engine, too, needs no more; nothing is asked here.
        """
        _ = self.systems_heard.own

    def require_not_replaced(self) -> None:
        """SystemLost where another system is there in place of that of this client.

        Beside it that goes on, and is waited for.
        """
        if self.systems_heard.is_lost():
            self.require_no_other()

    def part(self, kind: Callable[[Session], Part]) -> Part:
        """Its part of this `kind`, which is made when it is asked for first."""
        if kind not in self._parts:
            self._parts[kind] = kind(self)
        part: Part = self._parts[kind]
        return part

    # What it is asked

    def status(self) -> Status:
        """All axes as they are now; NotReady, with a remedy, while no engine communicates.

        Errors as `require_no_other`, for all systems publish under the same names; but for a
        session that is there to stop several.
        """
        _ = self.description  # which names the axes of a status
        if not self._to_stop:
            self.require_no_other()
        try:
            return self.states.newest()
        except NotReady as error:
            error.remedy = self.remedy(())
            raise

    def commanded(self, axes: Sequence[int]) -> list[float]:
        """Where `axes` are commanded to be, u, by a status of after this call; errors as `status`.

        One of before may be in another unit, or of before a motion of another client.
        """
        self.states.outdate()
        status = self.status()
        return [float(status.command[axis]) for axis in axes]

    def check(self) -> None:
        """As `status`, unless a fresh one of this system is there already."""
        self.link.require_other_thread()
        self.require_not_replaced()
        if not self.states.fresh:
            self.status()

    def require_alive(self) -> None:
        """SystemLost where neither a status nor a heartbeat comes any more."""
        self.link.require_open()
        if self.systems_heard.is_lost() and not self.states.fresh:
            raise SystemLost(GONE)

    def require_own(self) -> UUID | None:
        """The id of the system; SystemLost where it is gone, or another one is there in its place.

        SeveralSystems where another one is there as well.
        """
        own = self.systems_heard.own
        self.require_alive()
        return own

    def request(
        self, kind: Any, service: str, axes: Sequence[int], *, to_all: bool = False, **fields: Any
    ) -> Any:
        """The answer to a request for `axes`; a refusal has the remedy that the machine knows.

        One `to_all` systems, of a session that is there to stop, is repeated until each has
        answered; NotAnswered where one does not. In a callback of the link see there.
        """
        if not to_all:
            self.require_own()
        try:
            if to_all and self._to_stop and not self.link.in_own_thread:
                timeout = fields.pop("timeout", None)
                request = made(kind.Request, **fields)
                answer = ask_all(
                    self.link, kind, service, request, self._count, self._others_found, timeout
                )[0]
            else:
                answer = self.link.call(kind, service, to_all=to_all, **fields)
        except Refused as error:
            error.remedy = error.remedy or self.remedy(axes)
            raise
        self.states.outdate()
        return answer

    def call(self, kind: Any, service: str, **fields: Any) -> Any:
        """As that of the link; errors as `require_no_other`, and then nothing is sent."""
        self.require_no_other()
        return self.link.call(kind, service, **fields)

    def call_once(
        self, kind: Any, service: str, *, before: Callable[[], object] = nothing, **fields: Any
    ) -> Any:
        """As that of the link; errors as `require_no_other`, and then nothing is sent."""
        self.require_no_other()
        check = _in_turn(self.require_no_other, before)
        return self.link.call_once(kind, service, before=check, **fields)

    def call_after(
        self,
        first: tuple[Any, str],
        kind: Any,
        service: str,
        *,
        before: Callable[[], object] = nothing,
        **fields: Any,
    ) -> Any:
        """As that of the link; errors as `require_no_other`, and then nothing is sent."""
        self.require_no_other()
        check = _in_turn(self.require_no_other, before)
        return self.link.call_after(first, kind, service, before=check, **fields)

    def _count(self) -> int:
        """How many systems this client has found."""
        return max(self.systems, len(self.systems_heard.alive))

    def _others_found(self) -> bool:
        """Whether a system has found others, which this client may find a moment later."""
        try:
            self.require_one_system(EXPLAIN_TIMEOUT)
        except SeveralSystems:
            return True
        except MachineError:
            pass
        return False

    def explain(self, axes: Sequence[int], timeout: float | None = None) -> list[Explanation]:
        """What blocks `axes`, all without."""
        return explanations_of(self._ask_to_explain(axes, timeout), tuple(axes))

    def _ask_to_explain(self, axes: Sequence[int], timeout: float | None) -> Any:
        """The answer of the system of this client."""
        answer = self.link.call(ExplainAxes, "wmx/axis/explain", index=list(axes), timeout=timeout)
        self.systems_heard.require_own(uuid(answer.system_id))
        return answer

    def remedy(self, axes: Sequence[int], *, after_motion: bool = False) -> str:
        """What clears what blocks `axes`, as far as the machine can be asked.

        `after_motion`: of axes whose motion has just ended, and that may still slow down, which
        nobody has to stop.
        """
        try:
            explanations = self.explain([*dict.fromkeys(axes)], EXPLAIN_TIMEOUT)
        except MachineError:
            return ""
        lines = [
            line
            for each in explanations
            for blocker in each.blockers
            if not (after_motion and blocker.code in PASSING)
            for line in blocker.remedy.splitlines()
        ]
        return "\n".join(dict.fromkeys(lines))

    # What it is commanded

    def begin(
        self, commands: Commands, what: str, before: Callable[[], object] = nothing
    ) -> Motion:
        """Begin what the actuators on these axes shall do; Refused with a remedy.

        `before` is called just before that is sent, and again and again until it is known to have
        begun: what it raises is raised, and nothing begins, or it is stopped.
        """
        return self.handle(what, self._begin(commands, before), list(commands))

    def send_goal(
        self,
        kind: Any,
        action: str,
        goal: Any,
        axes: Sequence[int],
        feedback: Callable[[Any], None] | None,
        ended: Callable[[Result], object],
    ) -> Any:
        """The handle of a goal that moves axes, and was accepted; Refused with a remedy."""
        self.require_one_system()
        try:
            return self.motions.send_goal(kind, action, goal, axes, feedback, ended)
        except Refused as error:
            error.remedy = error.remedy or self.remedy(axes)
            raise

    def hold(self, axes: Sequence[int]) -> None:
        """Bring axes to rest and hold them, also when this client has gone."""
        hold = {"type": ActuatorCommand.HOLD}
        self.motions.forget(self._begin(dict.fromkeys(axes, hold)))

    def _begin(
        self, commands: Commands, before: Callable[[], object] = nothing
    ) -> Sequence[OpenMotion]:
        name = self.description.actuator
        named = {axis: {"name": name(axis), **command} for axis, command in commands.items()}
        try:
            return self.motions.begin(named, self.system_id(), before)
        except Refused as error:
            error.remedy = error.remedy or self.remedy(list(commands))
            raise

    def handle(self, what: str, motions: Sequence[OpenMotion], axes: Sequence[int]) -> Motion:
        """The handle of motions that began together."""
        ended = result_when_ended(motions)

        def cancel() -> None:
            """Stop the axes that they move: the others may do something newer."""
            if moving := [axis for each in motions for axis in each.moving]:
                with self.motions.stopping(motions):
                    self.stop(moving)  # a stop of none is one of all

        def progress() -> float:
            return min(way(motion, self.states.command) for motion in motions)

        return self._handle(what, ended, axes, cancel, progress)

    def _handle(
        self,
        what: str,
        ended: Future[Result],
        axes: Sequence[int],
        cancel: Callable[[], None],
        progress: Callable[[], float],
    ) -> Motion:
        names, units = self.names, self.units
        curves = MotionCurves(axes, [names[a] for a in axes], [units[a] for a in axes])
        end = self.states.subscribe(curves.add)
        shown: Future[Result] = Future()
        shown.set_running_or_notify_cancel()  # so that nothing that waits for it can cancel it

        def on_end(done: Future[Result]) -> None:
            end()
            self.states.outdate()  # before what waits for the end goes on, and reads a status
            shown.set_result(done.result())

        ended.add_done_callback(on_end)
        return Motion(
            what,
            shown,
            cancel=cancel,
            progress=progress,
            check=self.check,
            remedy=lambda: self.remedy(axes, after_motion=True),
            curves=curves,
            clock=self.link.clock,
        )

    def expected(self, kind: MotionKind, axes: Sequence[int]) -> AbstractContextManager[Expected]:
        """As that of its motions, from now on; NotReady while no engine communicates."""
        return self.motions.expected(kind, axes, since=self.status().time)

    def home(self, axes: Sequence[int]) -> Motion:
        """Home axes by the service, whose answer comes before the last ends or after them.

        Refused where it is answered and none of them has begun.
        """
        self.require_one_system()
        self.link.meet(SetAxis, "wmx/axis/homing")
        homing: Homing | None = None
        asked: list[int] = []
        with ExitStack() as asking:
            expected = asking.enter_context(self.expected(MotionKind.HOMING, axes))
            try:
                request = made(SetAxis.Request, index=list(axes))
                answer = self.link.ask(
                    SetAxis, "wmx/axis/homing", request, before=lambda: asked.extend(axes)
                )
                homing = Homing(axes, expected, answer)
                self.link.wait(homing.accepted, "wmx_core_motion_node begins no homing")
            except BaseException as error:
                self.motions.forget(expected.begun)
                if isinstance(error, Refused):
                    error.remedy = error.remedy or self.remedy(axes)
                elif left := asked if homing is None else homing.axes:  # they may be homed
                    with suppress(MachineError):
                        self._give_up(left)
                raise
            until_ended = asking.pop_all()

        def on_end(_: Future[Result]) -> None:
            until_ended.close()
            self.motions.forget(expected.begun)

        def await_events(_: Future[Any]) -> None:
            def give_up() -> None:
                end()
                homing.see(late=True)

            if not homing.ended.done():
                end = self.link.create_timer(EVENTS_TIMEOUT, give_up)

        def cancel() -> None:
            if moving := homing.axes:  # a stop of none is one of all
                with self.motions.stopping(expected.begun):
                    self.stop(moving)

        homing.ended.add_done_callback(on_end)
        answer.add_done_callback(await_events)
        return self._handle(f"homing of axes {[*axes]}", homing.ended, axes, cancel, lambda: nan)

    def gear(self, slave: int, master: int, ratio: float) -> Motion:
        """Let one axis follow another until the handle is canceled, or this process dies."""
        self.require_one_system()
        self.link.meet(SetGearing, "wmx/axis/set_gearing")
        with self.expected(MotionKind.GEARING, [slave]) as expected:
            try:
                self.request(
                    SetGearing,
                    "wmx/axis/set_gearing",
                    [slave, master],
                    index=[slave],
                    master=[master],
                    ratio=[ratio],
                )
                motion = self.link.wait(expected.first, "wmx_core_motion_node begins no motion")
            except BaseException as error:
                self.motions.forget(expected.begun)  # of another client, if this was refused
                if not isinstance(error, (Refused, NotConnected)):  # it may follow all the same
                    with suppress(MachineError):
                        self._give_up([slave])
                raise
        return self.handle(f"axis {slave} follows axis {master}", [motion], [slave])

    def _give_up(self, axes: Sequence[int]) -> None:
        """Stop axes that nobody holds any more; a silent machine is waited for 2 s at most."""
        self.stop(axes, None if self.states.fresh else STATUS_TIMEOUT)

    def stop(self, axes: Sequence[int], timeout: float | None = None) -> None:
        """Slow axes down to rest: each is named once, for a stop that names one twice is refused.

        Two motions may have the same axis, where it has the name by now that another one had.
        """
        index = [*dict.fromkeys(axes)]
        fields = {"index": index, "data": [0] * len(index)}
        self.link.call(SetAxis, "wmx/axis/stop", to_all=True, timeout=timeout, **fields)
        self.states.outdate()


def _in_turn(*acts: Callable[[], object]) -> Callable[[], None]:
    """What calls each of `acts`, just before a request is sent: its node is met until then."""

    def act() -> None:
        for each in acts:
            each()

    return act
