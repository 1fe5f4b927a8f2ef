"""The motions that this client has begun, until each has ended.

A motion is known by the id that the client gives to its command. So it does not matter what comes
first, the answer of a service or the events of the motion, and an answer that is lost costs
nothing. While a motion is open its id is published as a lease, so that the machine stops it when
this process dies.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import replace
from math import isnan, nan
from threading import Lock
from typing import Any
from uuid import UUID, uuid4

from unique_identifier_msgs.msg import UUID as UuidMessage  # noqa: N811
from wmx_ros2_message.msg import ActuatorCommand, BeginMotion, EndMotion
from wmx_ros2_message.srv import CommandActuator

from wmx_core.errors import RefusalCode

from ..control.request import EndReason, MotionKind
from ..messages.motions import uuid, uuid_message
from .checked import made
from .discovery import SEVERAL_REMEDY
from .errors import (
    MachineError,
    NotAnswered,
    Refused,
    SeveralSystems,
    SystemLost,
    coded_refusal,
)
from .events import Event, MotionBegin, MotionEnd, Result, begin_of, end_of, result_of
from .link import Link, nothing

EVENTS_DEPTH = 100
"""So many the nodes keep for clients that come later."""
EXECUTE = "wmx/actuator/execute"
ELSEWHERE = RefusalCode.NOT_READY, RefusalCode.OTHER_SYSTEM
"""Why a node of another system refuses a command, which that of this client may have begun."""
REASON_TIMEOUT = 2.0
"""How long the reason may take for which a goal was rejected, s: the answer has none."""
LEASE_TOPIC = "wmx/motion/lease"
LEASE_PERIOD = 0.2
"""How often an open motion is published as a lease, s: five times in the time that it holds."""
MOST_UNWANTED = 100
"""So many commands that were given up are remembered: each is for seconds, until its lease would
have ended what it begins."""


class OpenMotion:
    """One motion from its command to its end."""

    def __init__(
        self,
        axes: Sequence[int],
        *,
        leased: bool = True,
        named: bool = False,
        id: UUID | None = None,
    ) -> None:
        self.axes = tuple(axes)
        """Those that are meant, then those that have begun: what ends it must reach these."""
        self.id = id or uuid4()
        self.leased = leased
        """Whether it ends with its client."""
        self.named = named
        """Whether it is commanded by the names of its axes, which may be those of others by now."""
        self.astray = ""
        """That it has begun on others: then its whole command is stopped."""
        self.together: Sequence[OpenMotion] = [self]
        """All that its command begins."""
        self.sent = False
        """Whether a node may have been asked for it that has not said no."""
        self.begin: MotionBegin | None = None
        self.begun: Future[None] = Future()
        """Done when it is accepted; with an exception when it is refused."""
        self.ended: Future[MotionEnd] = Future()
        self.taken_over: set[int] = set()
        """Axes that a later command of this client has. That this one ended may be heard later."""
        self.stopping = False
        """Whether it was asked to stop, and that is not answered."""

    @property
    def moving(self) -> list[int]:
        """The axes that it has still, as far as this client knows."""
        return [axis for axis in self.axes if axis not in self.taken_over and not self.ended.done()]

    @property
    def stopped_for(self) -> str:
        """Why this client stops its command: a motion of it is astray; empty where none is."""
        return next((each.astray for each in self.together if each.astray), "")

    @property
    def may_begin(self) -> bool:
        """Whether it was sent, and no refusal of it is known."""
        error = self.begun.exception() if self.begun.done() else None
        return self.sent and not isinstance(error, (Refused, SystemLost))

    def send(self) -> None:
        """It is sent next: from here on Ctrl-C may come after that."""
        self.sent = True

    def accept(self) -> None:
        """The motion has begun, by an answer or an event."""
        if not self.begun.done():
            self.begun.set_result(None)

    def refuse(self, error: MachineError) -> None:
        """It will not begin, or has not begun as it was meant."""
        if not self.begun.done():
            self.begun.set_exception(error)

    def see(self, event: Event) -> None:
        """Follow its begin or its end."""
        if isinstance(event, MotionBegin):
            if self.named and {*event.axes} != {*self.axes}:
                by_now = f"axes {[*event.axes]} have the names that axes {[*self.axes]} had"
                self.astray = f"{by_now}, and began to move"
                remedy = "machine.describe()    # reads the names again"
                self.refuse(MachineError(f"{self.astray}: they are being stopped", remedy=remedy))
            self.begin, self.axes = event, event.axes
            self.accept()
            return
        if self.astray and event.reason is EndReason.ARRIVED:  # what was meant has not
            event = replace(event, reason=EndReason.STOPPED)
        if self.stopped_for and event.reason is not EndReason.ARRIVED:
            why = [self.stopped_for, event.message, "machine.describe() reads the names again"]
            event = replace(event, message="; ".join(filter(None, why)))
        if event.reason is EndReason.REFUSED:
            self.refuse(coded_refusal(event.message, event.code))
        self.accept()
        if not self.ended.done():
            self.ended.set_result(event)


class Expected:
    """Motions of `axes` that a node is about to begin for this client, under ids of its own."""

    def __init__(self, kind: MotionKind, axes: Sequence[int], since: float) -> None:
        self._kind = kind
        self._axes = frozenset(axes)
        self._since = since
        self.first: Future[OpenMotion] = Future()
        self.begun: list[OpenMotion] = []
        self.on_end: Callable[[], object] = lambda: None
        """Called when one of them has ended, in the thread of the link."""

    def enter(self, motion: OpenMotion) -> None:
        """One of them has begun."""
        self.begun.append(motion)
        if not self.first.done():
            self.first.set_result(motion)
        motion.ended.add_done_callback(lambda _: self.on_end())

    @property
    def ends(self) -> tuple[MotionEnd, ...]:
        """The ends of those that have ended."""
        return tuple(motion.ended.result() for motion in self.begun if motion.ended.done())

    def fits(self, begin: MotionBegin) -> bool:
        """Whether a motion that has begun is one of them, and none of the past.

        Each axis begins once: what it begins after that is of another request.
        """
        begun = {axis for motion in self.begun for axis in motion.axes}
        return (
            begin.kind is self._kind
            and (self._axes - begun).issuperset(begin.axes)
            and begin.time >= self._since
        )


class Motions:
    """The motions of one client, and what all nodes publish of theirs."""

    def __init__(self, link: Link, stop: Callable[[Sequence[int]], None]) -> None:
        """`stop` slows axes down to rest."""
        self._link = link
        self._stop = stop
        self._open: dict[UUID, OpenMotion] = {}
        self._unwanted = deque[tuple[set[UUID], set[int]]](maxlen=MOST_UNWANTED)
        """What was given up, and may begin all the same; and the axes that were stopped for it."""
        self.awaited: list[Expected] = []
        """Motions that this client has asked for, and whose begins it does not know yet."""
        self._early: dict[UUID, MotionEnd] = {}
        """Ends that have come meanwhile without their begins: DDS keeps no order of two topics."""
        self._lock = Lock()
        self._leases: Any = None
        self.subscribe(self.see, history=True)
        link.create_timer(LEASE_PERIOD, self._renew_all)

    def subscribe(self, act: Callable[[Event], None], *, history: bool) -> Callable[[], object]:
        """Call `act` with each event, in the thread of the link; the result ends that.

        With `history` the last hundred of each kind and node come before.
        """

        def events_of(kind: Any, topic: str, convert: Callable[[Any], Event]) -> Callable[[], Any]:
            return self._link.subscribe(
                kind,
                topic,
                lambda message: act(convert(message)),
                depth=EVENTS_DEPTH,
                keeps=history,
            )

        ends = [
            events_of(BeginMotion, "wmx/motion/begin", begin_of),
            events_of(EndMotion, "wmx/motion/end", end_of),
        ]
        return lambda: [end() for end in ends]

    @property
    def axes(self) -> list[int]:
        """The axes of the motions that have been commanded and have not ended."""
        with self._lock:
            leased = [motion for motion in self._open.values() if motion.leased]
        return sorted({axis for motion in leased for axis in motion.axes})

    def begin(
        self,
        commands: Mapping[int, Mapping[str, Any]],
        system: UUID,
        before: Callable[[], object] = nothing,
    ) -> list[OpenMotion]:
        """Begin what the actuators on these axes shall do, all in the same cycle or none of it.

        No other system than `system` does it, whatever is discovered meanwhile. The commands have
        fields of ActuatorCommand. Refused where they are not accepted. Each is a motion, but for
        trajectories, which are one. It ends with its client, but for a hold. `before` is called
        just before they are sent, see `Link.ask`, and again and again until they are known to have
        begun: what it raises is raised, and they are stopped.
        """
        types = {command["type"] for command in commands.values()}
        leased = types != {ActuatorCommand.HOLD}
        as_one = types == {ActuatorCommand.TRAJECTORY}
        groups = [list(commands)] if as_one else [[axis] for axis in commands]
        earlier = self._begun_on(commands)
        motions = [self.enter(OpenMotion(axes, leased=leased, named=True)) for axes in groups]
        for motion in motions:
            motion.together = motions
        try:
            messages = [
                made(ActuatorCommand, system_id=uuid_message(system), **command)
                for command in commands.values()
            ]
            for message, motion in zip(messages, motions, strict=False):
                message.command_id = uuid_message(motion.id)
                message.leased = leased
            self._execute(messages, motions, before)
        except BaseException as error:
            failed = self._abandon(motions)
            if failed is not None and not isinstance(error, (MachineError, KeyboardInterrupt)):
                raise failed from error  # what `before` has raised does not say that they may move
            raise
        for motion in earlier:
            motion.taken_over.update(commands)
        return motions

    def _begun_on(self, axes: Iterable[int]) -> list[OpenMotion]:
        """The motions of these axes that are open, and begun: what is sent now comes after them."""
        with self._lock:
            opened = [*self._open.values()]
        return [each for each in opened if each.begun.done() and not {*axes}.isdisjoint(each.axes)]

    def send_goal(
        self,
        kind: Any,
        action: str,
        goal: Any,
        axes: Sequence[int],
        feedback: Callable[[Any], None] | None = None,
        ended: Callable[[Result], object] = lambda _: None,
    ) -> Any:
        """The handle of a goal that moves `axes`, which its server has accepted.

        The motion has the id of the goal, and ends with its client; `ended` gets how. Refused with
        the reason, which comes as the end of that motion. A goal does not say that it is leased, so
        its lease goes before it.
        """
        motion = self.enter(OpenMotion(axes))
        result_when_ended([motion]).add_done_callback(lambda done: ended(done.result()))
        try:
            id = uuid_message(motion.id)

            def send() -> None:  # its server is discovered by now: before, it gets no lease
                self._renew([motion.id])
                motion.send()

            sent = self._link.ask_goal(kind, action, goal, id=id, feedback=feedback, before=send)
            handle = self._link.wait(sent, f"{action} does not answer")
            if not handle.accepted:
                motion.sent = False
                with suppress(NotAnswered):
                    self._link.wait(motion.begun, "no reason came", REASON_TIMEOUT)
                raise Refused(f"{action} does not accept the goal: its log says why")
        except BaseException:
            self._abandon([motion])
            raise
        return handle

    @contextmanager
    def stopping(self, motions: Iterable[OpenMotion]) -> Iterator[None]:
        """Renew no lease of `motions` inside, nor after that where what stops them has raised.

        So the machine ends them by itself where no stop reaches it.
        """
        motions = [*motions]
        for motion in motions:
            motion.stopping = True
        yield
        for motion in motions:
            motion.stopping = False

    def cancel_goal(self, handle: Any) -> None:
        """Have its server end a goal of `send_goal`."""
        with self._lock:
            known = self._open.get(uuid(handle.goal_id))
        with self.stopping(filter(None, [known])):
            self._link.cancel_goal(handle)

    def _execute(
        self,
        messages: Sequence[ActuatorCommand],
        motions: Sequence[OpenMotion],
        before: Callable[[], object],
    ) -> None:
        request = CommandActuator.Request(command=messages[0], others=messages[1:])

        def send() -> None:
            before()
            for motion in motions:
                motion.send()

        answer = self._link.ask(CommandActuator, EXECUTE, request, before=send)
        answer.add_done_callback(lambda done: self._see_answer(motions, done))
        for motion in motions:
            self._await_begin(motion, before)

    def _see_answer(self, motions: Sequence[OpenMotion], answer: Future[Any]) -> None:
        """Follow the answer; of several nodes one has answered, and another one may have begun it.

        Then their events come, by the ids of the commands.
        """
        if (error := answer.exception()) is not None:
            refused: MachineError = NotAnswered(f"{EXECUTE}: {error!r}")
        elif (said := answer.result()).accepted:
            for motion in motions:
                motion.accept()
            return
        elif said.code in ELSEWHERE and self._link.servers(EXECUTE) > 1:
            return
        else:
            refused = coded_refusal(said.message, said.code)
        for motion in motions:
            motion.refuse(refused)

    def _await_begin(self, motion: OpenMotion, check: Callable[[], object]) -> None:
        try:
            self._link.wait(motion.begun, f"{EXECUTE} does not answer", check=check)
        except NotAnswered as error:
            if self._link.servers(EXECUTE) > 1:
                raise SeveralSystems(error.text, remedy=SEVERAL_REMEDY) from error
            raise

    def forget(self, motions: Iterable[OpenMotion]) -> None:
        """Follow motions no longer. The lease of one that has begun all the same expires."""
        with self._lock:
            for motion in motions:
                self._open.pop(motion.id, None)

    def _abandon(self, motions: Sequence[OpenMotion]) -> MachineError | None:
        """Follow motions that nobody gets a handle of no longer, and stop them if they may begin.

        Why that stop is not known to have worked is returned.

        Their answer has not come, or Ctrl-C has come before it. They begin together or not at all:
        each is refused by an event of its own, and the first one that comes is of all of them. What
        begins later is refused after this stop, unless it has other axes: then `see` stops it.
        """
        may_begin = all(motion.may_begin for motion in motions)
        with self._lock:
            axes = [axis for motion in motions for axis in motion.axes]
            if may_begin:
                self._unwanted.append(({motion.id for motion in motions}, {*axes}))
        self.forget(motions)  # last: what has just begun has its axes here, or is found unwanted
        if axes and may_begin:  # a stop of none is one of all
            try:
                self._stop(axes)
            except MachineError as error:
                return error
        return None

    @contextmanager
    def expected(self, kind: MotionKind, axes: Sequence[int], since: float) -> Iterator[Expected]:
        """Take motions of this kind that begin on `axes` inside for motions of this client.

        Begins of the past may come late: those before `since`, s by the clock of the system, are of
        others.
        """
        self._lease_topic()
        expected = Expected(kind, axes, since)
        self.awaited.append(expected)
        try:
            yield expected
        finally:
            self.awaited.remove(expected)
            if not self.awaited:
                self._early.clear()

    def enter(self, motion: OpenMotion) -> OpenMotion:
        """Follow a motion, whose lease is renewed from now on, before it is commanded."""
        if motion.leased:
            self._lease_topic()
        with self._lock:
            self._open[motion.id] = motion
        return motion

    def _lease_topic(self) -> Any:
        """Made with the first motion: a program that only reads needs none."""
        if self._leases is None:
            self._leases = self._link.publisher(UuidMessage, LEASE_TOPIC)
        return self._leases

    def see(self, event: Event) -> None:
        early: MotionEnd | None = None
        if isinstance(event, MotionBegin):
            early = self._early.pop(event.id, None)  # first: `expected` may be left at once
            self._adopt(event)
        with self._lock:
            known = self._open.get(event.id)
            if isinstance(event, MotionEnd):
                self._open.pop(event.id, None)
        if known is not None:
            known.see(event)
            if early is not None:
                self.see(early)
        elif isinstance(event, MotionEnd) and self.awaited:
            self._early[event.id] = event
        if isinstance(event, MotionBegin):
            unwanted = self._is_unwanted(event)
            astray = known.together if known is not None and known.astray else []
            if unwanted or astray:
                axes = {*event.axes}.union(*(motion.moving for motion in astray))
                with suppress(MachineError):
                    self._stop(sorted(axes))

    def _is_unwanted(self, begin: MotionBegin) -> bool:
        """Whether it was given up, and begins on axes that were not stopped for that.

        A begin that comes again, from a node that is discovered anew, is one of the past.
        """
        with self._lock:
            for ids, stopped in self._unwanted:
                if begin.id in ids:
                    ids.remove(begin.id)
                    return not stopped.issuperset(begin.axes)
        return False

    def _adopt(self, begin: MotionBegin) -> None:
        """Follow a motion that is expected, by the first request that expects it."""
        for expected in list(self.awaited):
            if expected.fits(begin):
                expected.enter(self.enter(OpenMotion(begin.axes, id=begin.id)))
                self._renew([begin.id])  # its request does not say that it is leased
                return

    def _renew_all(self) -> None:
        """Renew the leases, but of what is being stopped: it ends though no stop may reach it."""
        with self._lock:
            opened = [*self._open.values()]
        self._renew(
            each.id for each in opened if each.leased and not (each.stopping or each.stopped_for)
        )

    def _renew(self, ids: Iterable[UUID]) -> None:
        for id in ids:
            self._leases.publish(uuid_message(id))


def result_when_ended(motions: Sequence[OpenMotion]) -> Future[Result]:
    """The result of motions that began together, once all of them have ended."""
    ended: Future[Result] = Future()
    ended.set_running_or_notify_cancel()  # so that nothing that waits for it can cancel it
    lock = Lock()

    def on_motion_end(_: Future[MotionEnd]) -> None:
        with lock:
            if not ended.done() and all(motion.ended.done() for motion in motions):
                ended.set_result(result_of(tuple(motion.ended.result() for motion in motions)))

    for motion in motions:
        motion.ended.add_done_callback(on_motion_end)
    return ended


def way(motion: OpenMotion, command: Callable[[int], float]) -> float:
    """How much of its way the motion is commanded to have gone, 0 to 1; NaN without a target.

    `command` gives the commanded position of an axis, NaN where it is not known yet: nothing of the
    way is known to be gone then. Once the motion has ended, it is the way to where its motors were
    in the end, for its axes may have moved since.
    """
    final: dict[int, float] | None = None
    if motion.ended.done():
        end = motion.ended.result()
        if end.reason is EndReason.ARRIVED:
            return 1.0
        # Of one that never began there are no places.
        final = dict(zip(end.axes, end.final, strict=False))
    if motion.begin is None:
        return 0.0
    begin = motion.begin
    shares = []
    for axis, start, target in zip(begin.axes, begin.initial, begin.targets, strict=True):
        if isnan(target):
            return nan
        whole = target - start
        gone = (command(axis) if final is None else final.get(axis, nan)) - start
        known = 0.0 if isnan(gone) else gone
        shares.append(min(max(0.0, known / whole), 1.0) if whole else 1.0)
    return min(shares)
