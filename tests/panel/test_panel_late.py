"""What is clicked while the connection or the panel stalls: orders are refused, stops obeyed."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from cable import cable
from panels import Served, moving, picture, shows, take_control
from waits import eventually

from wmx_ros2_package.client import EndReason, Machine
from wmx_ros2_package.panel.heartbeat import ORDER_VALIDITY

STALL = 1e3 * ORDER_VALIDITY + 500.0
"""ms: an order is too old by then, and control is not lost yet."""


@contextmanager
def stalling(
    served: Served, by: str
) -> Iterator[tuple[str, Callable[[], None], Callable[[], None]]]:
    """The address of a panel, and what stalls it and has it continue: its line, or itself."""
    if by == "panel":
        stop, resume = signal.SIGSTOP, signal.SIGCONT
        yield (
            served.url,
            lambda: served.panel.send_signal(stop),
            lambda: served.panel.send_signal(resume),
        )
    else:
        with cable(served.port) as line:
            yield line.url, line.cut, line.mend


@pytest.mark.parametrize("by", ["line", "panel"])
def test_an_order_that_was_held_up_is_refused(
    browse: Any, machine: Machine, served: Served, by: str
) -> None:
    with stalling(served, by) as (url, stall, resume):
        page = browse("/axes?axis=0", base=url)
        step = page.get_by_role("button", name="+ Step")

        def told() -> bool:
            """Click while it stalls; whether the page says afterwards that this was too late.

            Where the computer is busy, control or the connection is lost before.
            """
            if page.locator("body.no-control").count():
                take_control(page)
            stall()
            step.click()
            page.wait_for_timeout(STALL)
            resume()
            page.wait_for_timeout(1000)
            picture(page, f"too_late_{by}")
            notices = " ".join(page.locator(".q-notification").all_inner_texts())
            return "move axis 0 by 0.1 rad: it came too late" in notices

        eventually(told, "the page says that the order came too late")
        assert machine.status().command[0] == 0.0, "nothing has moved"
        step.click()
        eventually(
            lambda: abs(machine.axes[0].position - 0.1) < 1e-3, "it moves when clicked again"
        )


@pytest.mark.parametrize("by", ["line", "panel"])
def test_a_stop_that_was_held_up_is_obeyed(
    browse: Any, machine: Machine, served: Served, by: str
) -> None:
    with stalling(served, by) as (url, stall, resume):
        page = browse("/axes?axis=0", base=url)
        motion = machine.axes[0].move(6.0, velocity=0.1)
        eventually(lambda: moving(machine), "the axis moves")
        stall()
        page.get_by_role("button", name="Stop", exact=True).click()
        page.wait_for_timeout(STALL)
        assert moving(machine)
        resume()
        eventually(lambda: motion.done, "the motion ends")
        assert motion.result.reason is EndReason.STOPPED
        shows(page, ".q-notification", "stop axis 0: done")
        stall()
        page.keyboard.press("Escape")
        shows(page, "#problem", "The emergency stop is NOT answered yet")
        resume()
        shows(page, "#estop", "ACTIVE")
        page.locator("#problem").wait_for(state="hidden")


def test_a_browser_says_how_long_a_click_has_waited_in_it(browse: Any, machine: Machine) -> None:
    page = browse()
    sent = page.evaluate("wmx.click({ timeStamp: performance.now() - 2500 })")
    assert sent["delay"] >= 2.5
    assert sent["heartbeat"] > 0


def test_what_was_clicked_on_a_dead_line_moves_nothing_later(
    browse: Any, machine: Machine, served: Served
) -> None:
    with cable(served.port) as line:
        page = browse("/axes?axis=0", base=line.url)
        take_control(page)
        line.cut()
        step = page.get_by_role("button", name="+ Step")
        step.click()
        shows(page, "#problem", "No connection to the panel")
        step.evaluate("button => button.click()")
        viewer = browse()
        shows(viewer, "#holder", "control is free")
        line.mend()
        page.wait_for_selector("body:not(.no-link)")
        page.wait_for_timeout(1500)
        assert machine.axes[0].position == pytest.approx(0.0, abs=1e-6)


def test_a_phone_shows_that_it_is_not_live_wherever_it_is_scrolled_to(
    browse: Any, machine: Machine, served: Served
) -> None:
    with cable(served.port) as line:
        page = browse(base=line.url, size=(390, 844))
        page.get_by_text("live", exact=True).wait_for()
        page.mouse.wheel(0, 3000)
        page.wait_for_function("window.scrollY > 500")
        line.cut()
        shows(page, "#link", "NOT LIVE")
        shows(page, "#problem", "It reconnects by itself")
        for part in ("#link", "#problem"):
            box = page.locator(part).bounding_box()
            for share in (0.1, 0.9):
                at = [box["x"] + box["width"] / 2, box["y"] + box["height"] * share]
                seen = "([x, y]) => document.elementFromPoint(x, y)?.id"
                assert page.evaluate(seen, at) == part.removeprefix("#")
        picture(page, "phone_not_live")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        line.mend()
        page.wait_for_selector("body:not(.no-link)")
        page.locator("#problem").wait_for(state="hidden")
