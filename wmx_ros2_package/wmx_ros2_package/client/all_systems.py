"""A request to every system that there is, repeated until each has answered.

A request reaches the nodes that the middleware has connected to this client by then. One that is
counted already may be connected a moment later, so the request is sent again until it has answered.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from wmx_core.clock import STEADY, ProcessClock

from .errors import NoSystem, NotAnswered
from .link import DISARM, DISARM_RESEND, RESEND_PERIOD, Link, successful

OTHERS_TIMEOUT = 3.0
"""How long the answers of the other systems are waited for once one has answered, s."""


class Answers:
    """The answers to one request, each time that it is sent; any thread may call.

    Each node answers it once each time: so the answers to one time are of as many nodes.
    """

    def __init__(self, clock: ProcessClock = STEADY) -> None:
        self._came = clock.condition()
        self._by_time: dict[int, list[Any]] = defaultdict(list)
        """By the number of the time that it was sent."""

    def take(self, sent: int, response: Any) -> None:
        """Take an answer to the request that was sent as number `sent`."""
        with self._came:
            self._by_time[sent].append(response)
            self._came.notify_all()

    @property
    def best(self) -> list[Any]:
        """The answers to that time which most have answered."""
        with self._came:
            return list(max(self._by_time.values(), key=len, default=()))

    def wait(self, count: int, timeout: float) -> bool:
        """Wait for answers of `count` nodes; whether they are there within `timeout` (s)."""
        with self._came:
            return self._came.wait_for(
                lambda: any(len(each) >= count for each in self._by_time.values()), timeout
            )


def ask_all(
    link: Link,
    kind: Any,
    service: str,
    request: Any,
    count: Callable[[], int],
    others: Callable[[], bool],
    timeout: float | None = None,
) -> list[Any]:
    """The answers of all systems to a request that does no more when it comes again.

    Once one has answered, `count` returns how many are found, each time that it is called, and
    `others` whether there are others than one. NotAnswered where none answers in time, or where one
    of several has not; Refused where all have answered, and one refuses; NoSystem where nothing
    offers the service in time.
    """
    answers = Answers(link.clock)
    seconds = link.timeout if timeout is None else timeout
    deadline = link.clock.now() + seconds
    pause = DISARM_RESEND if service == DISARM else RESEND_PERIOD
    sent = 0

    def send_and_wait(systems: int) -> bool:
        nonlocal sent
        number, sent = sent, sent + 1
        try:
            link.send_to_all(
                kind,
                service,
                request,
                lambda each: answers.take(number, each),
                0.0 if number else seconds,
            )
        except NoSystem:  # it has gone since, and may have carried the request out
            if not number:
                raise
        left = deadline - link.clock.now()
        return answers.wait(systems, max(0.0, min(left, pause)))

    while not send_and_wait(1):
        if link.clock.now() >= deadline:
            raise NotAnswered(f"{service} does not answer within {seconds:g} s")
    systems = count()
    if systems < 2 and others():
        systems = 2
    if timeout is None:
        deadline = link.clock.now() + OTHERS_TIMEOUT
    while not answers.wait(systems, 0.0) and link.clock.now() < deadline:
        send_and_wait(systems)
        systems = max(systems, count())
    best = answers.best
    if (silent := systems - len(best)) > 0:
        has = "has" if silent == 1 else "have"
        raise NotAnswered(
            f"{silent} of {systems} systems {has} not answered {service}, which was sent "
            f"{sent} times: axes may move there (one that was killed is counted for 20 s)",
            remedy="wmx doctor    # which systems run",
        )
    return [successful(each, service) for each in best]
