"""Requests and messages that come in: each is answered or refused, whatever goes wrong."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from rclpy.serialization import serialize_message
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import SetBool

from wmx_core.clock import STEADY, SteadyClock
from wmx_core.errors import CommandRefused, EngineLost, ErrorCode
from wmx_ros2_package.control.gate import GateClosed
from wmx_ros2_package.node_base.clock import ROS
from wmx_ros2_package.node_base.handlers import (
    ERROR_PERIOD,
    AnswerMode,
    CommandHandler,
    ServiceHandler,
    first_count,
)
from wmx_ros2_package.node_base.refusals import NotReady, ReportedRefusal, refusal
from wmx_ros2_package.node_base.threads import Ended
from wmx_ros2_package.validation import BadRequest, rows

NOT_READY = "Node not initialized. Engine not ready."


class Node:
    """The parts of a node that handlers use."""

    def __init__(self) -> None:
        self.ready = True
        self.clock = ROS
        self.errors: list[str] = []
        self.infos: list[str] = []
        self.refusals: list[str] = []
        self.fresh = True
        self.waiting_work: list[Any] = []
        self.log_error, self.log_info = self.errors.append, self.infos.append
        self.worker = SimpleNamespace(do=self.waiting_work.append)
        self.threads = SimpleNamespace(aside=self.waiting_work.append)
        self.tracker = SimpleNamespace(refuse=self._refuse)
        self.leases = SimpleNamespace(
            unserved_at=0.0, require_sent_after_suspension=self._require_fresh
        )

    def _refuse(self, message: str, **_: Any) -> None:
        self.refusals.append(message)

    def require_engine(self) -> None:
        if not self.ready:
            raise NotReady(NOT_READY)

    def require_prompt(self, sent: float) -> None:
        self._require_fresh(sent)

    def _require_fresh(self, _: float) -> None:
        if not self.fresh:
            raise CommandRefused(ErrorCode.NotIdleState, "it has waited")

    def refused(self, error: Exception, failed: str = "") -> Any:
        return refusal(error, not_ready=NOT_READY, failed=failed)

    def work(self) -> None:
        """Do what was given to a thread."""
        while self.waiting_work:
            self.waiting_work.pop(0)()


@pytest.fixture
def node() -> Node:
    return Node()


# Words


@pytest.mark.parametrize(
    "error", [EngineLost(ErrorCode.IMLibIsNotRunning), GateClosed(), Ended(), NotReady(NOT_READY)]
)
def test_what_needs_an_engine_is_answered_so_and_not_logged(error: Exception) -> None:
    answer = refusal(error, not_ready=NOT_READY, failed="Failed.")
    assert (answer.message, answer.expected, answer.bug) == (NOT_READY, True, "")


def test_a_broken_rule_is_answered_as_it_is() -> None:
    answer = refusal(BadRequest(["x is 3: must be 4"]), not_ready=NOT_READY, failed="Failed.")
    assert (answer.message, answer.expected, answer.bug) == ("x is 3: must be 4", False, "")


def test_an_error_of_the_engine_follows_what_failed() -> None:
    error = CommandRefused(ErrorCode.ServoOff, "axis 1")
    answer = refusal(error, not_ready=NOT_READY, failed="Failed to move.")
    assert answer.message == "Failed to move. Error=1567 (ServoOff): axis 1"
    assert refusal(error, not_ready=NOT_READY).message == "Error=1567 (ServoOff): axis 1"


def test_an_error_that_is_not_foreseen_has_a_traceback_for_the_log() -> None:
    answer = refusal(ValueError("a bug"), not_ready=NOT_READY)
    assert answer.message == "Internal error: ValueError('a bug')"
    assert not answer.expected
    assert "ValueError: a bug" in answer.bug


# Services


def ask(
    node: Node, answer: Any, requests: Sequence[Any] = (SetBool.Request(),), **options: Any
) -> list[SetBool.Response]:
    """The answers to `requests`; work for threads is done after they were taken."""
    answers: list[SetBool.Response] = []
    given: dict[str, Any] = {"run": AnswerMode.NOW, "quiet": False, "logged": True}
    given |= {"always": False, "dated": False, "late": False, "fields": ("success", "message")}
    topic = ServiceHandler(  # type: ignore[arg-type, misc]
        node=node, name="wmx/it", answer=answer, failed=lambda _: "Failed.", **{**given, **options}
    )
    for request in requests:
        topic.take(request, SetBool.Response(), STEADY.time_ns(), answers.append)
    return answers


def accept(_: Any, response: Any) -> None:
    response.success, response.message = True, "done"


@pytest.mark.parametrize(
    ("options", "done"),
    [({}, False), ({"dated": True}, False), ({"late": True}, True), ({"quiet": True}, True)],
)
def test_what_has_waited_in_a_suspended_process(
    node: Node, options: dict[str, bool], *, done: bool
) -> None:
    node.fresh = False
    carried_out: list[Any] = []
    [answer] = ask(node, lambda *given: carried_out.append(given) or "done", **options)
    assert (answer.success, bool(carried_out)) == (done, done)
    assert answer.message.endswith("done" if done else "it has waited")


@pytest.mark.parametrize("run", [AnswerMode.IN_WORKER, AnswerMode.ASIDE])
def test_what_waits_for_its_turn_as_the_process_is_suspended(node: Node, run: AnswerMode) -> None:
    carried_out: list[Any] = []
    answers = ask(node, lambda *given: carried_out.append(given) or "done", run=run)
    node.fresh = False
    node.work()
    [answer] = answers
    assert (answer.success, carried_out) == (False, [])
    assert answer.message.endswith("it has waited")


def test_what_is_not_logged_logs_neither_answer_nor_refusal_but_bugs(node: Node) -> None:
    def refuse(_: Any, response: Any) -> None:
        raise BadRequest(["no"])

    def fail(_: Any, response: Any) -> None:
        raise ValueError("a bug")

    assert [ask(node, act, logged=False)[0].success for act in (accept, refuse)] == [True, False]
    assert (node.infos, node.errors) == ([], [])
    ask(node, fail, logged=False)
    [error] = node.errors
    assert "ValueError: a bug" in error


@pytest.mark.parametrize("run", AnswerMode)
def test_a_request_has_one_answer(node: Node, run: AnswerMode) -> None:
    answers = ask(node, accept, run=run)
    assert len(answers) == (run is AnswerMode.NOW)
    node.work()
    assert [(answer.success, answer.message) for answer in answers] == [(True, "done")]
    assert (node.infos, node.errors) == (["done"], [])


@pytest.mark.parametrize("run", AnswerMode)
@pytest.mark.parametrize("late", [False, True])
def test_without_an_engine_a_request_is_refused_and_not_carried_out(
    node: Node, run: AnswerMode, *, late: bool
) -> None:
    """Also where the engine is lost while the request waits for its turn."""
    called: list[bool] = []
    node.ready = late and run is not AnswerMode.NOW
    answers = ask(node, lambda *_: called.append(True), run=run)
    node.ready = False
    node.work()
    assert [(answer.success, answer.message) for answer in answers] == [(False, NOT_READY)]
    assert (called, node.errors, node.infos) == ([], [], [])


@pytest.mark.parametrize("run", AnswerMode)
def test_what_needs_no_engine_is_answered_always(node: Node, run: AnswerMode) -> None:
    node.ready = False
    answers = ask(node, accept, run=run, always=True)
    node.work()
    assert answers[0].success


def test_a_refusal_takes_back_what_the_answer_said_and_is_logged(node: Node) -> None:
    def fail(_: Any, response: Any) -> None:
        response.success = True
        raise CommandRefused(ErrorCode.ServoOff)

    [answer] = ask(node, fail)
    assert (answer.success, answer.message) == (False, "Failed. Error=1567 (ServoOff)")
    assert node.errors == [f"wmx/it: {answer.message}"]


@pytest.mark.parametrize(("ready", "fails"), [(True, False), (True, True), (False, False)])
def test_an_answer_that_waits_is_given_once_too(node: Node, *, ready: bool, fails: bool) -> None:
    async def answer(_: Any, response: Any) -> None:
        response.success = True
        if fails:
            raise CommandRefused(ErrorCode.WaitTimeout)

    def run(coroutine: Any) -> None:
        with pytest.raises(StopIteration):
            coroutine.send(None)

    node.ready, node.waiting = ready, SimpleNamespace(run=run)  # type: ignore[attr-defined]
    answers = ask(node, answer)
    assert [answer.success for answer in answers] == [ready and not fails]


@pytest.mark.parametrize("fails", [False, True])
def test_what_a_client_sends_again_while_it_waits_is_logged_once(
    node: Node, *, fails: bool
) -> None:
    results: dict[int, str] = {}
    waiting: list[Any] = []

    class Turn:
        def __await__(self) -> Any:
            yield

    async def answer(request: Any, _: Any) -> str:
        await Turn()
        said = f"{results.get(id(request), 'done')} {request.data}"
        if fails:
            raise BadRequest([said])
        return said

    def run(coroutine: Any) -> None:
        coroutine.send(None)
        waiting.append(coroutine)

    node.waiting = SimpleNamespace(run=run)  # type: ignore[attr-defined]
    requests = [SetBool.Request(data=data) for data in (True, False, True, True)]
    results[id(requests[3])] = "otherwise"
    answers = ask(node, answer, requests=requests)
    for coroutine in waiting:
        with pytest.raises(StopIteration):
            coroutine.send(None)
    ask(node, accept)
    assert len(answers) == 4
    logged = [text.removeprefix("wmx/it: ") for text in node.errors + node.infos]
    assert logged == ["done True", "done False", "otherwise True", "done"]


def test_a_quiet_service_logs_failures_only(node: Node) -> None:
    ask(node, accept, quiet=True)
    ask(node, lambda *_: None, quiet=True)
    assert (node.infos, node.errors) == ([], ["wmx/it: "])


@pytest.mark.parametrize(("index", "errors"), [([], 0), ([0, 0], 1)])
def test_a_request_that_asks_for_nothing_is_refused_and_not_logged(
    node: Node, index: list[int], errors: int
) -> None:
    [answer] = ask(node, lambda *_: rows(index))
    assert (answer.success, answer.message[:6]) == (False, "index ")
    assert len(node.errors) == errors


def full(_: Any) -> None:
    raise BadRequest(["100 messages wait already"])


def test_an_answer_may_want_to_know_when_it_was_asked(node: Node) -> None:
    sent: list[float] = []

    def dated(_: Any, response: Any, at: float) -> None:
        sent.append(at)

    before = STEADY.now()
    ask(node, dated, dated=True)
    assert sent[0] == pytest.approx(before, abs=5.0)


# Messages that command motion


class Topic:
    """The messages of one topic, of which the newest was sent just now."""

    def __init__(self, node: Node, **options: Any) -> None:
        self.node = node
        self.seen: list[list[float]] = []
        self.error: Exception | None = None
        self.handler = CommandHandler(  # type: ignore[arg-type]
            node=node, kind=Float64MultiArray, topic="wmx/topic", act=self._act, **options
        )

    def _act(self, message: Any, _: float) -> None:
        if self.error is not None:
            raise self.error
        self.seen.append(list(message.data))

    def take(self, *data: float) -> None:
        self.handler.take(serialize_message(Float64MultiArray(data=data)), STEADY.time_ns())


@pytest.fixture
def topic(node: Node) -> Topic:
    return Topic(node)


def test_a_message_is_read_and_carried_out_by_the_worker(node: Node, topic: Topic) -> None:
    topic.take(1.0, 2.0)
    assert topic.seen == []
    node.work()
    assert topic.seen == [[1.0, 2.0]]
    assert (node.errors, node.refusals) == ([], [])


def test_where_messages_wait_the_newest_may_take_their_place(node: Node) -> None:
    topic = Topic(node, newest=True)
    for number in (1.0, 2.0, 3.0):
        topic.take(number)
    assert len(node.waiting_work) == 1
    node.work()
    topic.take(4.0)
    node.work()
    assert topic.seen == [[3.0], [4.0]]


def test_a_newest_message_that_the_worker_did_not_take_keeps_no_later_one_out(node: Node) -> None:
    topic, do = Topic(node, newest=True), node.worker.do
    node.worker.do = full
    topic.take(1.0)
    assert node.refusals == ["100 messages wait already"]
    node.worker.do = do
    topic.take(2.0)
    node.work()
    assert topic.seen == [[2.0]]


def test_without_an_engine_a_message_is_refused_and_remembered(node: Node, topic: Topic) -> None:
    """So that the stream that it belongs to has to pause once there is one."""
    node.ready = False
    before = STEADY.now()
    topic.take(1.0)
    assert node.waiting_work == []
    assert node.leases.unserved_at == pytest.approx(before, abs=5.0)
    assert node.refusals == [NOT_READY]


@pytest.mark.parametrize("what", ["ready", "fresh"])
def test_what_has_waited_too_long_is_refused_in_its_turn(
    node: Node, topic: Topic, what: str
) -> None:
    topic.take(1.0)
    setattr(node, what, False)
    node.work()
    assert topic.seen == []
    assert len(node.errors) == 1


def test_a_stop_is_carried_out_however_late_it_comes(node: Node) -> None:
    topic = Topic(node, stops=lambda message: not message.data)
    node.fresh = node.worker.is_busy = False
    for data in (), (1.0,):
        topic.take(*data)
    node.work()
    assert topic.seen == [[]]


def test_a_message_that_is_too_large_is_refused_unread(node: Node) -> None:
    size = len(serialize_message(Float64MultiArray(data=[1.0] * 4)))
    topic = Topic(node, most_bytes=size)
    topic.take(*[1.0] * 5)
    assert f"must be {size} at most" in node.refusals[0]
    topic.take(*[1.0] * 4)
    node.work()
    assert len(topic.seen) == 1


@pytest.mark.parametrize("busy", [False, True])
def test_what_stops_may_be_carried_out_otherwise_where_others_wait(
    node: Node, *, busy: bool
) -> None:
    overtaking: list[list[float]] = []
    topic = Topic(
        node,
        stops=lambda message: message.data[0] == 0.0,
        overtake=lambda message, _: overtaking.append(list(message.data)),
    )
    node.worker.is_busy = busy
    for number in (1.0, 0.0):
        topic.take(number)
    assert overtaking == ([[0.0]] if busy else [])
    node.work()
    assert topic.seen == ([[1.0]] if busy else [[1.0], [0.0]])


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (b"\x00\x01\x00\x00\x03\x00\x00\x00", 3),
        (b"\x00\x00\x00\x00\x00\x00\x01\x02", 258),
        (b"\x00\x01\x00\x00\x02\x01\x00\x00rest", 258),
    ],
)
def test_the_first_count_of_a_message_is_read_in_its_byte_order(
    message: bytes, expected: int
) -> None:
    assert first_count(message) == expected


def test_a_message_that_asks_for_nothing_is_logged_for_it_has_no_answer(
    node: Node, topic: Topic
) -> None:
    rule = "index has 0 elements: must have 1 to 128"
    with pytest.raises(BadRequest) as refused:
        rows([])
    topic.error = refused.value
    topic.take(1.0)
    node.work()
    assert node.refusals == [rule]
    assert node.errors == [f"wmx/topic: {rule} (message ignored)"]


def test_too_many_elements_are_refused_unread(node: Node) -> None:
    topic = Topic(node, most_elements=2)
    for count, refused in ((2, False), (3, True)):
        message = b"\x00\x01\x00\x00" + bytes([count, 0, 0, 0])
        topic.handler.take(message, STEADY.time_ns())
        assert bool(node.refusals) is refused


def test_an_error_of_another_kind_is_logged_at_once(node: Node, topic: Topic) -> None:
    errors = BadRequest(["wrong"]), CommandRefused(ErrorCode.ServoOff)
    for topic.error in (*errors, *errors, CommandRefused(ErrorCode.FileOperationFailed)):
        topic.take(1.0)
        node.work()
    assert len(node.errors) == 3


def test_errors_are_logged_once_a_second_and_each_is_published(
    node: Node, topic: Topic, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr(SteadyClock, "now", lambda _: now)
    topic.error = BadRequest(["wrong"])
    for _ in range(5):
        topic.take(1.0)
        node.work()
    assert len(node.errors) == 1
    now += ERROR_PERIOD
    topic.take(1.0)
    node.work()
    first, second = node.errors
    assert first == "wmx/topic: wrong (message ignored)"
    assert second == "wmx/topic: wrong (message ignored, like 4 before it)"
    assert node.refusals == ["wrong"] * 6


@pytest.mark.parametrize(
    "error", [CommandRefused(ErrorCode.ServoOff), ReportedRefusal(["its end is published"])]
)
def test_what_was_published_where_it_was_raised_is_not_published_again(
    node: Node, topic: Topic, error: Exception
) -> None:
    topic.error = error
    topic.take(1.0)
    node.work()
    assert node.refusals == []
    assert len(node.errors) == 1
