"""Three browsers at once click, type, hold, upload and lose their connections at random."""

import random
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from math import inf
from typing import Any

import numpy as np
import pytest
from acts import NO_WEBGL, new_page
from cable import cable
from hands import Hands
from panels import Served, return_slaves, serving
from std_msgs.msg import Bool
from waits import eventually

from wmx_core.values import EcState
from wmx_ros2_package.client import Machine, MotionBegin, NotAnswered, Refused
from wmx_ros2_package.control.request import MotionKind

ACTIONS = 10_000
PAGES = 3
ROUND = 60
"""After so many actions all hands are taken off."""
NOBODY = 10
"""After so many actions a page takes control, where none has it any more."""
STOPPED = 12
"""For so many actions an emergency stop stays; nothing may move then."""
ENDLESS = MotionKind.VELOCITY, MotionKind.JOG, MotionKind.EFFORT
UNHELD = 1.5
"""How long after its hand has gone a jog may last, s: its lease, the way there, and to slow down on
a machine that does other things, too."""
HANDS_OFF = 6.0
"""Within so long after all have given control back everything rests, s."""
SOON = 0.2
"""Within so long the panel answers a stop, s."""
LATE = 1.0
"""Within so long its page shows that, s; else it says that the stop is not answered. Three browsers
that draw without graphics share the processors of the panel here, which one that is used has for
itself."""


class Watch:
    """What the machine did, as another client sees it."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._events = machine.events()
        self._begins: dict[Any, MotionBegin] = {}
        self.jogs: list[tuple[float, float]] = []
        """When each jog began and ended, s since the epoch."""
        self.motions = 0
        self.stopped: list[list[float]] = []
        """When the emergency stop was active."""
        machine.ros.subscribe(Bool, "wmx/engine/estop_active", self._see, depth=1, keeps=True)

    def _see(self, message: Any) -> None:
        if message.data and not self.active:
            self.stopped.append([time.time(), inf])
        elif self.active and not message.data:
            self.stopped[-1][1] = time.time()

    @property
    def active(self) -> bool:
        """Whether there is an emergency stop."""
        return bool(self.stopped) and self.stopped[-1][1] == inf

    def still_open(self) -> list[MotionBegin]:
        """Take all events until now; the motions that have not ended."""
        with suppress(NotAnswered):
            while True:
                event = self._events.get(timeout=0.0)
                if isinstance(event, MotionBegin):
                    self._begins[event.id] = event
                    self.motions += 1
                elif (begin := self._begins.pop(event.id, None)) and begin.kind in ENDLESS:
                    self.jogs.append((begin.time, event.time))
        return list(self._begins.values())

    def at_rest(self) -> bool:
        return bool(self._machine.status().at_rest.all())

    def until_stopped(self, at: float) -> float:
        """How long after it was pressed at `at` the emergency stop came in force, s; inf: never."""
        return min((max(on - at, 0.0) for on, off in self.stopped if off > at), default=inf)

    def make_ready(self) -> None:
        """Release, bring slaves back and to OP, confirm, clear and switch on: something can move.

        Once more where a stop comes meanwhile: it was pressed while a cable was cut.
        """
        self._machine.release()
        try:
            return_slaves(self._machine)
            for slave in self._machine.network.state().slaves:
                self._machine.network.bring_to(slave.id, EcState.OP)
            self._machine.axes.confirm()
            self._machine.axes.clear()
            self._machine.axes.on()
        except Refused:
            if not self.active:
                raise
            self.make_ready()


@contextmanager
def hands_at(chromium: Any, served: Served, seed: int) -> Iterator[list[Hands]]:
    """Pages, each with a window and a cable of its own."""
    errors: list[str] = []
    with ExitStack() as running:
        all_hands = []
        for number in range(PAGES):
            page = new_page(chromium)
            running.callback(page.close)
            page.on("pageerror", lambda error: errors.append(str(error)))
            page.add_init_script(NO_WEBGL)
            line = running.enter_context(cable(served.port))
            hands = Hands(page, line, f"hand {number}", random.Random(seed + number))
            hands.open()
            all_hands.append(hands)
        yield all_hands
    assert errors == []


def unheld(jog: tuple[float, float], held: list[list[float]]) -> float:
    """How long a jog went on without a hand, s; it begins while something is held."""
    begin, end = jog
    own = [hand for hand in held if hand[0] - 0.05 <= begin <= hand[1] + UNHELD]
    return max(end - max((hand[1] for hand in own), default=-inf), 0.0)


@pytest.mark.slow
@pytest.mark.timeout(9000)
def test_no_motion_without_a_hand_and_no_stop_without_an_answer(chromium: Any) -> None:
    seed = int(time.time())
    chance = random.Random(seed)
    print(f"seed {seed}")
    with (
        serving() as served,
        Machine(domain=served.place.domain, timeout=30.0) as machine,
        hands_at(chromium, served, seed) as all_hands,
    ):
        watch = Watch(machine)
        watch.make_ready()
        stopped_for, first = 0, all_hands[0]
        for number in range(1, ACTIONS + 1):
            if number % NOBODY == 1:
                holders = [hands for hands in all_hands if hands.has_control()]
                first = chance.choice(holders or all_hands)
                if not holders:
                    first.begin()
            chance.choice([first, first, first, *all_hands]).act()
            stopped_for = stopped_for + 1 if watch.active else 0
            if stopped_for == STOPPED:
                eventually(
                    lambda: watch.at_rest() or not watch.active,  # a hand may have released it
                    "an emergency stop brings all to rest",
                    HANDS_OFF,
                )
            if stopped_for == STOPPED or number % ROUND == 0 or number == ACTIONS:
                for hands in all_hands:
                    hands.rest()
                eventually(
                    lambda: watch.at_rest() and not watch.still_open(),
                    f"all rest without hands: {watch.still_open()}",
                    HANDS_OFF,
                )
                watch.make_ready()
                for hands in all_hands:
                    hands.answers()
        held = [each for hands in all_hands for each in hands.held]
        stops = [each for hands in all_hands for each in hands.stops]
        answers = [each for hands in all_hands for each in hands.line.stop_waits]
        shown = [each for hands in all_hands for each in hands.waits]
        assert max(until for _, until in held) <= time.time(), "every hand has let go"
        longest = max((unheld(jog, held) for jog in watch.jogs), default=0.0)
        print(
            f"{ACTIONS} actions, {watch.motions} motions, {len(watch.jogs)} jogs, the longest "
            f"{longest:.2f} s without a hand; {len(stops)} emergency stops"
        )
        for what, waits in ("answered by the panel", answers), ("shown by the page", shown):
            half, most, all_ = np.quantile(waits, (0.5, 0.99, 1.0))
            print(f"{len(waits)} {what}: half {half:.3f} s, 99 % {most:.3f} s, all {all_:.3f} s")
        print(sum((hands.done for hands in all_hands), Counter()))
        print(sum((hands.failed for hands in all_hands), Counter()))
        late = {at: delay for at in stops if (delay := watch.until_stopped(at)) > SOON}
        print(f"in force after more than {SOON:g} s, by when they were pressed: {late}")
        assert max(late.values(), default=0.0) <= LATE
        assert longest <= UNHELD
        assert max(answers) <= SOON
        assert max(shown) <= LATE
        assert served.panel.running()
        assert watch.jogs
