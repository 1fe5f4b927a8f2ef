"""What came of a press is logged once, and shown for a while after the button is let go."""

from collections.abc import Callable
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest
from waits import eventually

from wmx_ros2_package.client import (
    EndReason,
    MachineError,
    NotAnswered,
    Refused,
    Result,
    SeveralSystems,
)
from wmx_ros2_package.panel import jogs
from wmx_ros2_package.panel.jogs import NOT_BEGUN, SHOWN
from wmx_ros2_package.panel.machine_link import MachineLink
from wmx_ros2_package.panel.motion_ends import END_UNKNOWN
from wmx_ros2_package.panel.orders import Orders
from wmx_ros2_package.panel.safety import held_buttons
from wmx_ros2_package.panel.safety.page_control import PageSession

REFUSAL = Refused("axis 0: its servo is off", remedy="wmx on 0")


class Axis:
    """What is jogged."""

    def __init__(self) -> None:
        self.motion: Any = SimpleNamespace(done=False, result=None, cancel=lambda: None)
        self.refusal: Exception | None = None
        self.is_met = True
        self.asked, self.go_on = Event(), Event()
        self.go_on.set()
        self.begun = 0

    def jog(self, velocity: float, before: Callable[[], object]) -> Any:
        self.asked.set()
        self.go_on.wait(10.0)
        if self.is_met:
            before()
        if self.refusal is not None:
            raise self.refusal
        self.begun += 1
        return self.motion


class Page:
    """A page with control, whose button is held."""

    def __init__(self) -> None:
        self.axis = Axis()
        link = MachineLink()
        link.machine = SimpleNamespace(axes=[self.axis])  # type: ignore[assignment]
        self.orders = Orders(link)
        self.session = PageSession("1", "10.0.0.1")
        self.orders.take(self.session, "Ann")
        self.presses = 0
        self.held: dict[str, Any] | None = None

    def press(self) -> None:
        self.presses += 1
        self.held = {"id": f"{self.presses}", "axis": 0, "directions": [1], "speeds": ["0.2"]}
        self.answer()

    def let_go(self) -> None:
        self.held = None
        self.answer()

    def answer(self) -> None:
        """Say what is held, as a browser does with each frame."""
        self.orders.hold(self.session, self.held)

    def is_logged(self, *rows: str) -> None:
        """Wait until these are the rows of its presses."""

        def logged() -> list[str]:
            self.answer()
            kept = [f"{each.what}: {each.outcome}" for each in self.orders.kept]
            return [each for each in kept if "jog" in each]

        eventually(lambda: logged() == [*rows], f"{rows}")

    def shows(self) -> str:
        return self.orders.jog_error(self.session)


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Page:
    """A page whose answers are never late, whatever the machine is busy with."""
    monkeypatch.setattr(held_buttons, "HOLD_LEASE", 600.0)
    monkeypatch.setattr(held_buttons, "READY_TIMEOUT", 600.0)
    return Page()


def begins(page: Page) -> Callable[[], bool]:
    def begun() -> bool:
        page.answer()
        return any(each.begun for each in page.orders.kept)

    return begun


def test_a_jog_has_begun_once_it_has(page: Page) -> None:
    page.axis.go_on.clear()
    page.press()
    assert not begins(page)()
    page.axis.go_on.set()
    eventually(begins(page), "it has begun")
    page.let_go()
    page.is_logged("jog axis 0 at 0.2: begun", "release: jog axis 0 at 0.2: done")
    assert page.shows() == ""


def test_what_is_refused_has_not_begun_and_says_why_after_the_button_is_let_go(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.axis.refusal = REFUSAL
    page.press()
    page.is_logged("jog axis 0 at 0.2: refused: axis 0: its servo is off")
    assert "axis 0: its servo is off" in page.shows()
    now = jogs.monotonic()
    monkeypatch.setattr(jogs, "monotonic", lambda: now + SHOWN + 0.5)
    assert page.shows() == ""
    monkeypatch.undo()
    page.axis.refusal = None
    page.press()
    assert page.shows() == "", "it is another press"
    page.let_go()


@pytest.mark.parametrize("kind", [NotAnswered, SeveralSystems])
@pytest.mark.parametrize(("commanded", "outcome"), [(True, END_UNKNOWN), (False, "refused")])
def test_a_jog_that_is_not_answered_may_move_once_it_was_commanded(
    page: Page, kind: type[MachineError], commanded: bool, outcome: str
) -> None:
    page.axis.refusal, page.axis.is_met = kind("no answer"), commanded
    page.press()
    page.is_logged(f"jog axis 0 at 0.2: {outcome}: no answer")


@pytest.mark.parametrize(("commanded", "outcome"), [(True, END_UNKNOWN), (False, "refused")])
def test_a_jog_fails_by_an_error_that_nobody_has_foreseen(
    page: Page, commanded: bool, outcome: str
) -> None:
    page.axis.refusal, page.axis.is_met = RuntimeError("no client"), commanded
    page.press()
    page.is_logged(f"jog axis 0 at 0.2: {outcome}: RuntimeError('no client')")
    assert page.shows() == "RuntimeError('no client')"


def test_a_jog_that_runs_is_stopped_by_an_error_that_nobody_has_foreseen(page: Page) -> None:
    stops: list[str] = []

    class Broken:
        @property
        def done(self) -> bool:
            raise RuntimeError("no client")

        def cancel(self) -> None:
            stops.append("stop")

    page.axis.motion = Broken()
    page.press()
    error = "RuntimeError('no client')"
    page.is_logged("jog axis 0 at 0.2: begun", f"jog axis 0 at 0.2: {END_UNKNOWN}: {error}")
    assert stops == ["stop"]


def test_a_jog_whose_end_is_not_answered_has_not_ended(page: Page) -> None:
    def cancel() -> None:
        raise NotAnswered("no answer")

    page.axis.motion.cancel = cancel
    page.press()
    eventually(begins(page), "it has begun")
    page.let_go()
    page.is_logged("jog axis 0 at 0.2: begun", f"jog axis 0 at 0.2: {END_UNKNOWN}: no answer")


def test_a_press_that_has_ended_does_not_begin_again(page: Page) -> None:
    page.press()
    eventually(begins(page), "it has begun")
    held = page.held
    page.let_go()
    page.is_logged("jog axis 0 at 0.2: begun", "release: jog axis 0 at 0.2: done")
    page.orders.hold(page.session, held)  # late
    assert page.orders.jogged_axis is None
    assert page.axis.begun == 1


def test_a_page_of_another_machine_jogs_nothing_and_ends_what_it_jogs(page: Page) -> None:
    page.press()
    eventually(begins(page), "it has begun")
    page.session.generation += 1
    page.answer()
    assert page.orders.jogged_axis is None
    page.press()
    page.is_logged("jog axis 0 at 0.2: begun", "release: jog axis 0 at 0.2: done")
    assert page.axis.begun == 1


def test_a_press_that_is_let_go_before_anything_moves(page: Page) -> None:
    rests = Event()
    page.orders.tool.rests = lambda _: rests.is_set()  # type: ignore[method-assign]
    tool = {"link": "tool", "of_tool": False}
    held = {"id": "t", "axis": None, "directions": [1] + [0] * 5, "speeds": ["0.1"] * 6}
    page.orders.hold(page.session, held | {"tool": tool})
    page.is_logged(f"jog tool along x of the root at 0.1: refused: {NOT_BEGUN}")


def test_an_axis_that_is_let_go_before_it_is_commanded_does_not_move(page: Page) -> None:
    """The first motion of a client waits until what it needs is discovered."""
    page.axis.go_on.clear()
    page.press()
    assert page.axis.asked.wait(10.0)
    page.let_go()
    page.axis.go_on.set()
    page.is_logged(f"jog axis 0 at 0.2: refused: {NOT_BEGUN}")
    assert page.axis.begun == 0


def test_a_motion_that_ends_by_itself_says_how(page: Page) -> None:
    result = Result(reason=EndReason.LIMIT, message="axis 0 is at its limit", code=0)
    page.axis.motion = SimpleNamespace(done=True, result=result, cancel=lambda: None)
    page.press()
    why = "the motion has ended by itself: limit: axis 0 is at its limit"
    page.is_logged("jog axis 0 at 0.2: begun", f"jog axis 0 at 0.2: ended: {why}")
    assert page.shows() == why
