"""Takes in requests, and commands, which it reads in the worker; each is answered or refused.

A service is answered in one of these ways:

| way        | where                                 | for                             |
|------------|---------------------------------------|---------------------------------|
| `NOW`      | the thread that spins                 | what is quick, and every stop   |
| coroutine  | the thread that spins, with pauses    | what waits for the engine       |
| `IN_WORKER` | the node's worker, after earlier ones | what moves axes or changes them |
| `ASIDE`    | one of a few threads of their own     | what takes long                 |

Messages that command motion are read and carried out by the worker, so that a flood of them, or a
large one, holds up no stop. A message that stops is carried out before those that wait there.
"""

from __future__ import annotations

import inspect
import struct
import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Protocol

from rclpy.serialization import deserialize_message

from wmx_core.errors import CommandRefused

from ..control.leases import StreamLeases
from ..validation import BadRequest
from .clock import NodeClock
from .rclpy_compat import Respond
from .refusals import REPORTED, NotReady, Refusal, Refusing, published
from .threads import Threads, Worker
from .waiting import Waiting

ERROR_PERIOD = 1.0
"""Errors of one kind and topic are logged at most this often, s: it may be wrong at 1000 Hz."""
MOST_BYTES = 65_536
"""The greatest size of a message that commands motion; 128 axes take a tenth of it."""
MOST_BYTES_OF_STOPS = 16_384
"""The greatest size of a message that is read to find out whether it stops; a stop of 128 actuators
takes two thirds of it."""


class AnswerMode(Enum):
    """How a service is answered."""

    NOW = auto()
    IN_WORKER = auto()
    ASIDE = auto()


class Answering(Protocol):
    """A node that answers requests."""

    worker: Worker
    threads: Threads
    waiting: Waiting
    clock: NodeClock

    def require_engine(self) -> None:
        """NotReady unless there is an engine to ask."""

    def require_prompt(self, sent: float) -> None:
        """CommandRefused for a request that has waited too long in a process that was suspended."""

    def refused(self, error: Exception, failed: str = "") -> Refusal:
        """Return the answer to a request that ended in `error`."""

    def log_info(self, text: str) -> None:
        """Log `text` after the answer that is being given."""

    def log_error(self, text: str) -> None:
        """Log an error after the answer that is being given."""


class Commanded(Answering, Refusing, Protocol):
    """A node that takes commands, which have no answer."""

    leases: StreamLeases


@dataclass(kw_only=True)
class ServiceHandler:
    """One service of `node`: `answer` fills the response, and whatever goes wrong becomes one.

    What `answer` returns is the message to a client whose request was carried out; one that returns
    nothing has filled in the flag and the message.
    """

    node: Answering
    name: str
    answer: Callable[..., Any]
    failed: Callable[[Any], str]
    """Words a request that was refused, before an error of the engine."""
    run: AnswerMode
    dated: bool
    """Whether `answer` gets as well when the request was sent, s of the steady clock."""
    quiet: bool
    """Whether it logs failures only, as what only reads."""
    logged: bool
    """Whether it logs more than bugs."""
    always: bool
    """Whether it needs no engine."""
    late: bool
    """Whether it judges by itself what has waited while the process was suspended, as a stop does,
    which is carried out however late it comes."""
    fields: Collection[str]
    """The fields of the response. `success` or `accepted` is whether a request was carried out;
    `code` gets that of a refusal."""

    def __post_init__(self) -> None:
        self._flag = "success" if "success" in self.fields else "accepted"
        self._waits = inspect.iscoroutinefunction(self.answer)
        self._said: list[tuple[Any, set[str]]] = []
        """The requests that wait, and what was logged of equal ones meanwhile: a client sends again
        what is not answered soon."""

    def take(self, request: Any, response: Any, system: int, respond: Respond) -> None:
        """Answer one request, sent at `system` (ns); in the thread that spins."""
        sent = self.node.clock.sent_at(system)
        given = (request, response, sent) if self.dated else (request, response)
        try:
            self._require_due(sent)
            if self._waits:
                self.node.waiting.run(self._wait(given, respond))
            elif self.run is AnswerMode.NOW:
                self._carry_out(given, respond, sent)
            elif self.run is AnswerMode.IN_WORKER:
                self.node.worker.do(lambda: self._carry_out(given, respond, sent))
            else:
                self.node.threads.aside(lambda: self._carry_out(given, respond, sent))
        except Exception as error:  # nothing was begun
            self._refuse(given, respond, error)

    def _require_due(self, sent: float) -> None:
        """Refuse where there is no engine, or the client has given up: on arrival, and in turn."""
        if not self.always:
            self.node.require_engine()
        if not (self.late or self.quiet):
            self.node.require_prompt(sent)

    def _carry_out(self, given: tuple[Any, ...], respond: Respond, sent: float) -> None:
        try:
            self._require_due(sent)
            message = self.answer(*given)
        except Exception as error:
            self._refuse(given, respond, error)
        else:
            self._accept(given, respond, message)

    async def _wait(self, given: tuple[Any, ...], respond: Respond) -> None:
        self._said.append((given[0], set()))
        try:
            message = await self.answer(*given)
        except Exception as error:
            self._refuse(given, respond, error)
        else:
            self._accept(given, respond, message)

    def _accept(self, given: tuple[Any, ...], respond: Respond, message: str | None) -> None:
        if message is not None:
            setattr(given[1], self._flag, True)
            given[1].message = message
        self._respond(given, respond)

    def _refuse(self, given: tuple[Any, ...], respond: Respond, error: Exception) -> None:
        request, response = given[:2]
        refused = self.node.refused(error, self.failed(request))
        setattr(response, self._flag, False)
        response.message = refused.message
        if "code" in self.fields:
            response.code = refused.code
        if refused.bug:
            self.node.log_error(refused.bug)
        self._respond(given, respond, logged=not refused.expected)

    def _respond(self, given: tuple[Any, ...], respond: Respond, *, logged: bool = True) -> None:
        response = given[1]
        said = self._is_said(given[0], response.message)
        respond(response)
        if said or not (logged and self.logged):
            return
        if not getattr(response, self._flag):
            self.node.log_error(f"{self.name}: {response.message}")
        elif not self.quiet:
            self.node.log_info(response.message)

    def _is_said(self, request: Any, message: str) -> bool:
        """Whether `message` was logged of an equal request while this one waited."""
        mine = [said for each, said in self._said if each is request]
        self._said = [entry for entry in self._said if entry[0] is not request]
        for each, said in self._said:
            if each == request:
                said.add(message)
        return any(message in said for said in mine)


@dataclass(kw_only=True)
class CommandHandler:
    """The messages of one topic that command motion."""

    node: Commanded
    kind: Any
    topic: str
    act: Callable[[Any, float], None]
    """Gets each message and when it was sent, s of the steady clock; in the worker."""
    most_bytes: int = MOST_BYTES
    most_elements: int = 0
    """How many elements the array may have with which a message begins; 0 for any number."""
    newest: bool = False
    """Whether a message takes the place of one that still waits, so that no queue builds up."""
    stops: Callable[[Any], bool] | None = None
    """While others wait, one for which it is true is carried out at once, in the thread that
    spins, and however late it comes."""
    overtake: Callable[[Any, float], None] | None = None
    """Carries out in the place of `act` a message that does so while others wait."""

    def __post_init__(self) -> None:
        self._errors = ThrottledErrors(self.node, self.topic)
        self._waiting: tuple[bytes, float] | None = None
        """The newest message, until the worker takes it."""
        self._lock = threading.Lock()
        """Guards `_waiting`."""

    def take(self, message: bytes, system: int) -> None:
        """Take one message, published at `system` (ns); in the thread that spins."""
        sent = self.node.clock.sent_at(system)
        with self._errors:
            try:
                self.node.require_engine()
            except NotReady:
                self.node.leases.unserved_at = sent
                raise
            if len(message) > self.most_bytes:
                raise BadRequest([f"{len(message)} bytes: must be {self.most_bytes} at most"])
            if self.most_elements and (count := first_count(message)) > self.most_elements:
                raise BadRequest([f"{count} elements: must be {self.most_elements} at most"])
            if self.newest:
                self._replace(message, sent)
            elif self._overtakes(message):
                self._carry_out(message, sent, self.overtake or self.act)
            else:
                self.node.worker.do(lambda: self._carry_out(message, sent, self.act))

    def _overtakes(self, message: bytes) -> bool:
        return self.stops is not None and self.node.worker.is_busy and self._is_stop(message)

    def _is_stop(self, message: bytes) -> bool:
        return (
            self.stops is not None
            and len(message) <= MOST_BYTES_OF_STOPS
            and self.stops(deserialize_message(message, self.kind))
        )

    def _replace(self, message: bytes, sent: float) -> None:
        with self._lock:
            if self._waiting is None:
                self.node.worker.do(self._carry_out_newest)
            self._waiting = message, sent

    def _carry_out_newest(self) -> None:
        with self._lock:
            waiting, self._waiting = self._waiting, None
        if waiting is not None:
            self._carry_out(*waiting, self.act)

    def _carry_out(self, message: bytes, sent: float, act: Callable[[Any, float], None]) -> None:
        with self._errors:
            self.node.require_engine()
            try:
                self.node.leases.require_sent_after_suspension(sent)
            except CommandRefused:
                if not self._is_stop(message):
                    raise
            act(deserialize_message(message, self.kind), sent)


def first_count(message: bytes) -> int:
    """The length of the array that a serialized message begins with (CDR: 4 bytes, a count)."""
    order = "<" if message[1] & 1 else ">"
    return int(struct.unpack_from(f"{order}I", message, 4)[0])


class ThrottledErrors:
    """Words what is wrong with the messages of `topic`, which cannot be answered.

    As a context it refuses the message whose treatment raises inside. What is wrong in the same way
    is logged once in a while, else a stream of such messages would fill the log.
    """

    def __init__(self, node: Commanded, topic: str) -> None:
        self._node = node
        self._topic = topic
        self._logged: dict[tuple[type[Exception], int], tuple[float, int]] = {}
        """Until when a kind of error is not logged again, s of the clock, and how often it was not
        since; by the type of the error and its code."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: Any, error: BaseException | None, __: Any) -> bool:
        if not isinstance(error, Exception):
            return False
        self.report(error)
        return True

    def report(self, error: Exception) -> None:
        """Publish and log that a message was refused because of `error`."""
        node = self._node
        refused = published(node, error, unless=REPORTED)
        now, kind = node.clock.now(), (type(error), refused.code)
        quiet_until, left_out = self._logged.get(kind, (0.0, 0))
        if now < quiet_until:
            self._logged[kind] = quiet_until, left_out + 1
            return
        self._logged[kind] = now + ERROR_PERIOD, 0
        more = f", like {left_out} before it" if left_out else ""
        node.log_error(f"{self._topic}: {refused.bug or refused.message} (message ignored{more})")
