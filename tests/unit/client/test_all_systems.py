"""A stop is repeated until each of several systems has answered it."""

from functools import partial
from itertools import count
from threading import Condition
from types import SimpleNamespace
from typing import Any, cast

import pytest
from std_srvs.srv import SetBool

from wmx_ros2_package.client import NoSystem, NotAnswered, Refused, all_systems
from wmx_ros2_package.client.all_systems import Answers, ask_all
from wmx_ros2_package.client.link import DISARM, DISARM_RESEND

DONE = SimpleNamespace(success=True, message="")
GONE = object()
REFUSED = SimpleNamespace(success=False, message="not initialized", code=0)


class Systems:
    """Those that answer each time that a request is sent; more join from one time on."""

    timeout = 0.05

    def __init__(self, *times: list[Any]) -> None:
        """The answers to the first time, the second, and so on; the last one stays."""
        self.times = list(times)
        self.sent = 0
        # Each look takes a millisecond, however busy the computer is.
        self.clock = SimpleNamespace(now=partial(next, count(0.0, 1e-3)), condition=Condition)

    def send_to_all(self, _kind: Any, _service: str, _request: Any, take: Any, s: float) -> None:
        assert s == (0.0 if self.sent else self.timeout), "only the first time one is looked for"
        answers = self.times[min(self.sent, len(self.times) - 1)]
        self.sent += 1
        for each in answers:
            if each is GONE:
                raise NoSystem("it is not offered")
            take(each)


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(all_systems, "RESEND_PERIOD", 0.001)
    monkeypatch.setattr(all_systems, "OTHERS_TIMEOUT", 0.02)


def asked(systems: Systems, found: int = 1, others: bool = False) -> list[Any]:
    request = SetBool.Request(data=True)
    link = cast(Any, systems)
    return ask_all(link, SetBool, "wmx/engine/estop", request, lambda: found, lambda: others)


def test_one_system_is_asked_once() -> None:
    systems = Systems([DONE])
    assert asked(systems) == [DONE]
    assert systems.sent == 1


@pytest.mark.parametrize(("count", "others"), [(2, False), (1, True)])
def test_it_is_sent_until_the_second_one_is_reached(count: int, others: bool) -> None:
    systems = Systems([], [DONE], [DONE], [DONE, DONE])
    assert asked(systems, count, others) == [DONE, DONE]
    assert systems.sent == 4


@pytest.mark.parametrize(
    ("service", "pause"), [(DISARM, DISARM_RESEND), ("wmx/engine/estop", 0.001)]
)
def test_a_disarm_is_sent_again_later_than_a_stop(
    monkeypatch: pytest.MonkeyPatch, service: str, pause: float
) -> None:
    """A second one, carried out after an answer, would undo what is commanded then."""
    waited: list[float] = []

    def wait(_: Answers, _count: int, timeout: float) -> bool:
        waited.append(timeout)
        return True

    monkeypatch.setattr(Answers, "wait", wait)
    link: Any = Systems([DONE])
    link.timeout = 60.0
    ask_all(link, SetBool, service, SetBool.Request(), lambda: 1, lambda: False)
    assert waited[0] == pause


def test_answers_of_one_system_to_two_times_are_not_those_of_two() -> None:
    answers = Answers()
    answers.take(0, DONE)
    answers.take(1, DONE)
    assert not answers.wait(2, 0.0)
    answers.take(0, DONE)
    assert answers.wait(2, 0.0)


def test_one_that_is_silent_is_an_error_that_says_how_many() -> None:
    systems = Systems([DONE])
    with pytest.raises(NotAnswered, match="2 of 3 systems have not answered") as failed:
        asked(systems, 3)
    assert systems.sent > 2
    assert f"was sent {systems.sent} times" in failed.value.text


def test_a_refusal_of_one_is_told_when_all_have_been_asked() -> None:
    with pytest.raises(Refused, match="not initialized") as refused:
        asked(Systems([DONE], [DONE, REFUSED]), 2)
    assert refused.value.service == "wmx/engine/estop"


def test_none_that_answers() -> None:
    with pytest.raises(NotAnswered, match="does not answer within"):
        asked(Systems([]))


def test_what_was_sent_once_was_asked_though_it_has_gone_since() -> None:
    with pytest.raises(NoSystem):
        asked(Systems([GONE]))
    with pytest.raises(NotAnswered):
        asked(Systems([], [GONE]))
    with pytest.raises(NotAnswered, match="1 of 2 systems has not answered"):
        asked(Systems([DONE], [GONE]), 2)
