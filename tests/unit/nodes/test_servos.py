"""Switching servos: a request that is answered as failed is not carried out later."""

from collections.abc import Callable, Coroutine, Generator
from contextlib import ExitStack
from math import inf
from types import SimpleNamespace
from typing import Any

import pytest
from held_engine import HeldEngine, velocity_move
from held_node import HeldNode
from wmx_ros2_message.srv import SetAxis

from wmx_core.errors import CommandRefused, EngineLost, ErrorCode
from wmx_core.values import MotionStatus
from wmx_ros2_package.control.request import MotionKind
from wmx_ros2_package.node_base.refusals import NotReady
from wmx_ros2_package.nodes.core_motion.servos import Servos


class SlowDrives:
    """Motion of drives that follow the newest request a moment later."""

    def __init__(self, held: HeldEngine) -> None:
        self._held = held
        self.delay = 0.02
        """How long after a request a drive follows it, s."""
        self.slow: dict[int, float] = {}
        """As `delay`, of drives that have one of their own."""
        self.refusals = 0
        """How many of the next statuses are refused."""
        self.losses = 0
        """How many of the next requests seem to lose the engine."""
        self._asked: dict[int, tuple[float, bool]] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._held.motion, name)

    def set_servo(self, axis: int, *, on: bool) -> None:
        if self.losses > 0:
            self.losses -= 1
            raise EngineLost(ErrorCode.StatusChannelError)
        self._asked[axis] = self._held.clock.now() + self.slow.get(axis, self.delay), on

    def status(self) -> MotionStatus:
        self.follow()
        if self.refusals > 0:
            self.refusals -= 1
            raise CommandRefused(ErrorCode.StartingPreviousCommand)
        return self._held.motion.status()

    def follow(self) -> None:
        """Do what was requested long enough ago."""
        for axis, (due, on) in list(self._asked.items()):
            if self._held.clock.now() >= due:
                del self._asked[axis]
                self._held.motion.set_servo(axis, on=on)


class Pause:
    def __await__(self) -> Generator[None, None, None]:
        yield


class Switched:
    """The servos of `node`, and the requests that are under way."""

    def __init__(self, node: HeldNode, drives: SlowDrives) -> None:
        self._node: Any = node
        self.drives = drives
        node.parameters = SimpleNamespace(servo_timeout=1.0)
        self._node.until = self._until
        self._node.require_engine = self._require_engine
        self.attached = True
        self._servos = Servos(self._node)
        self._running: list[Coroutine[Any, Any, None]] = []

    async def _until(self, condition: Callable[[], bool], timeout: float) -> bool:
        deadline = self._node.now() + timeout
        while True:
            self._require_engine()
            if condition():
                return True
            if self._node.now() >= deadline:
                return False
            await Pause()

    def ask(self, data: int, *axes: int, sent: float = inf) -> SetAxis.Response:
        return self.ask_each(dict.fromkeys(axes, data), sent)

    def ask_each(self, data: dict[int, int], sent: float = inf) -> SetAxis.Response:
        request, response = (
            SetAxis.Request(index=[*data], data=[*data.values()]),
            SetAxis.Response(),
        )
        self._running.append(self._servos.set_on(request, response, sent))
        self.after(0.005)
        return response

    def _require_engine(self) -> None:
        if not self.attached:
            raise NotReady

    def let_go(self) -> None:
        """Have the node let go of its axes."""
        self.attached = False
        for hook in self._node.on_let_go:
            hook()

    def after(self, seconds: float) -> list[bool]:
        """Which servos are on after `seconds`."""
        for _ in range(round(seconds / 0.005)):
            self._node.after(0.005)
            self.drives.follow()
            self._running = [each for each in self._running if not self._ended(each)]
        return [bool(on) for on in self._node.gate.status().servo_on[:2]]

    def _ended(self, coroutine: Coroutine[Any, Any, None]) -> bool:
        try:
            coroutine.send(None)
        except (StopIteration, NotReady):
            return True
        return False


@pytest.fixture
def servos(held: HeldEngine, nodes: Callable[..., HeldNode]) -> Switched:
    """All are on."""
    drives = SlowDrives(held)
    return Switched(nodes(held, motion=drives), drives)


def test_what_is_off_too_late_does_not_undo_a_newer_request(servos: Switched) -> None:
    off = servos.ask(0, 0)
    on = servos.ask(1, 0)
    assert servos.after(2.0) == [True, True]
    assert (on.success, off.success) == (True, False)


def test_what_is_on_too_late_is_taken_back(servos: Switched) -> None:
    servos.ask(0, 0)
    assert servos.after(0.1) == [False, True]
    servos.drives.delay = 1.5
    on = servos.ask(1, 0)
    assert servos.after(4.0) == [False, True]
    assert not on.success


@pytest.mark.parametrize(("delay", "in_time"), [(0.02, True), (1.5, False)])
def test_a_status_that_is_refused_leaves_a_request_as_it_is(
    servos: Switched, delay: float, in_time: bool
) -> None:
    """It is answered as done where it is done, and taken back where it is late."""
    servos.ask(0, 0)
    assert servos.after(0.1) == [False, True]
    servos.drives.delay, servos.drives.refusals = delay, 1
    on = servos.ask(1, 0)
    assert servos.after(4.0) == [in_time, True]
    assert servos.drives.refusals == 0
    assert on.success is in_time


def test_what_was_sent_before_its_servo_was_switched_off_is_refused_for_that_axis(
    servos: Switched, node: HeldNode
) -> None:
    """Also where another process has switched it off."""
    servos.ask(0, 0, 1)
    assert servos.after(0.1) == [False, False]
    sent = node.now()
    servos.after(0.1)
    node.gate.set_servo(1, on=False)
    servos.after(0.1)
    answer = servos.ask(1, 0, 1, sent=sent)
    assert servos.after(0.1) == [True, False]
    assert not answer.success
    assert answer.message == (
        "Set axis 0 on; Failed to set axis 1 on. Error=1546 (NotIdleState): "
        "axis 1: its servo was switched off after the command was sent; "
    )


@pytest.mark.parametrize("refusals", [0, 1])
def test_a_node_that_lets_go_takes_back_what_it_is_switching_on(
    servos: Switched, refusals: int
) -> None:
    """Not what was on before, also where no status is answered."""
    servos.ask(0, 0)
    assert servos.after(0.1) == [False, True]
    servos.ask(1, 0, 1)
    servos.drives.refusals = refusals
    servos.let_go()
    assert servos.after(1.0) == [False, True]


@pytest.mark.parametrize(
    ("other", "left"), [("", [False, False]), ("moves", [True, False]), ("keeps", [True, False])]
)
def test_a_node_that_lets_go_takes_back_what_has_come_on_by_then(
    servos: Switched,
    held: HeldEngine,
    nodes: Callable[..., HeldNode],
    other: str,
    left: list[bool],
) -> None:
    """The drive of axis 1 is slow: the request waits for it.

    What another client moves stays on, and what it keeps, as of a trajectory that is paused.
    """
    servos.ask(0, 0, 1)
    assert servos.after(0.1) == [False, False]
    servos.drives.slow[1] = 0.5
    servos.ask(1, 0, 1)
    assert servos.after(0.1) == [True, False]
    client = nodes(held, "/other")
    with ExitStack() as held_axes:
        if other == "moves":
            jog = client.request(0, kind=MotionKind.VELOCITY)
            client.gate.issue([jog], lambda motion: motion.jog([velocity_move(0)]))
        elif other == "keeps":
            held_axes.enter_context(client.ownership.claim([0]))
        servos.after(0.1)
        servos.let_go()
        assert servos.after(1.0) == left


def test_what_was_answered_as_on_stays_on_as_the_node_lets_go(servos: Switched) -> None:
    servos.ask(0, 0)
    assert servos.after(0.1) == [False, True]
    on = servos.ask(1, 0)
    servos.after(0.1)
    assert on.success
    servos.let_go()
    assert servos.after(1.0) == [True, True]


def test_no_servo_is_left_on_that_no_status_has_shown_on_before(servos: Switched) -> None:
    servos.ask(0, 0)
    assert servos.after(0.1) == [False, True]
    servos.drives.refusals = 1
    servos.ask(1, 0)
    servos.let_go()
    assert servos.after(1.0) == [False, True]


def test_a_node_that_has_let_go_switches_off_what_the_request_names_after_what_is_to_come_on(
    servos: Switched,
) -> None:
    servos.ask(0, 1)
    assert servos.after(0.1) == [True, False]
    servos.attached = False
    servos.ask_each({1: 1, 0: 0})
    assert servos.after(1.0) == [False, False]


@pytest.mark.parametrize("took", [0.0, 0.1])
@pytest.mark.parametrize("meanwhile", [0, 1])
def test_what_is_switched_on_as_the_node_lets_go_is_taken_back(
    servos: Switched,
    held: HeldEngine,
    monkeypatch: pytest.MonkeyPatch,
    meanwhile: int,
    took: float,
) -> None:
    """The worker lets go while the engine takes the request for the axis `meanwhile`.

    That has taken so long by then that the servo of the axis before it is on.
    """
    servos.ask(0, 0, 1)
    assert servos.after(0.1) == [False, False]
    set_servo, asked = servos.drives.set_servo, []

    def set_and_let_go(axis: int, *, on: bool) -> None:
        if on and axis == meanwhile:
            held.sleep(took)
            servos.drives.follow()
            held.sleep(took)
            servos.let_go()
        set_servo(axis, on=on)
        asked.append((axis, on))

    monkeypatch.setattr(servos.drives, "set_servo", set_and_let_go)
    servos.ask(1, 0, 1)
    assert servos.after(1.0) == [False, False]
    assert ((1, True) in asked) is bool(meanwhile), "what comes after is not switched"


def test_an_engine_that_seems_lost_once_keeps_no_other_servo_from_being_taken_back(
    servos: Switched,
) -> None:
    servos.ask(0, 0, 1)
    assert servos.after(0.1) == [False, False]
    servos.ask(1, 0, 1)
    servos.drives.losses = 1
    servos.let_go()
    assert servos.after(1.0) == [True, False]
