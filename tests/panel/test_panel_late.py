"""What is clicked while the connection or the panel stalls: orders are refused, stops obeyed."""

import json
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import pytest
from acts import AGAIN, bring, given_up, holds, keep_control, new_page, take_control, told, until
from cable import CableProxy
from panels import LATE, Served, moving, shows
from waits import eventually

from wmx_ros2_package.client import EndReason, Machine, Motion
from wmx_ros2_package.panel.safety.heartbeat import ORDER_VALIDITY

STALL = 1e3 * ORDER_VALIDITY + 500.0
"""ms: an order is too old by then, and control is not lost yet."""
LATER = "const now = performance.now.bind(performance); performance.now = () => now() + 1e4"
"""Lets so long pass that a stop without an answer is not sent again any more."""
TOO_LATE = re.compile("move axis 0 by 0.1 rad.*: it came too late")


def click(page: Any) -> None:
    """Click where the mouse is."""
    page.mouse.down()
    page.mouse.up()


@pytest.fixture
def page(chromium: Any) -> Iterator[Any]:
    """A page whose connections the test has in its hands, from before it is loaded."""
    page = new_page(chromium)
    yield page
    page.close()


def open_page(page: Any, served: Served) -> None:
    page.goto(served.url)
    page.wait_for_selector("body:not(.no-link)")


def is_stopped(motion: Motion, page: Any) -> bool:
    """Whether the motion is stopped; not where the page was loaded again, or the test stalled."""
    with suppress(AssertionError):
        eventually(lambda: page.evaluate("1") and motion.done, "the motion ends", timeout=AGAIN)
    if not motion.done or given_up(motion):
        return False
    assert motion.result.reason is EndReason.STOPPED
    return True


def test_an_order_that_a_panel_takes_late_is_refused(
    browse: Any, machine: Machine, served: Served
) -> None:
    page = browse("/axes?axis=0")
    take_control(page)
    sent = page.evaluate("wmx.click({ timeStamp: performance.now() - 2500 })")
    assert sent["delay"] >= 2.5, "a browser says how long a click has waited in it"
    assert sent["heartbeat"] > 0
    step = page.get_by_role("button", name="+ Step")
    too_late = page.locator(".q-notification").filter(has_text=TOO_LATE)

    def is_refused() -> bool:
        """Click while the panel hangs; whether the page says afterwards that this was too late.

        Where the computer is busy, control or the connection is lost before.
        """
        keep_control(page)
        step.hover()  # once it lies still; while it hangs a click cannot wait for that
        served.panel.send_signal(signal.SIGSTOP)
        try:
            click(page)
            page.wait_for_timeout(STALL)
        finally:
            served.panel.send_signal(signal.SIGCONT)
        with suppress(AssertionError):
            eventually(too_late.count, "it says so", timeout=STALL / 1e3)
        return bool(too_late.count())

    eventually(partial(holds, is_refused), "the page says that the order came too late")
    assert machine.status().command[0] == 0.0, "nothing has moved"

    def click_again() -> None:
        bring(machine)
        step.click()

    until(page, click_again, lambda: abs(machine.axes[0].position - 0.1) < 1e-3, "it moves")


def test_a_stop_that_was_held_up_is_obeyed(browse: Any, machine: Machine, line: CableProxy) -> None:
    page = browse("/axes?axis=0", base=line.url)
    stop = page.get_by_role("button", name="Stop axis 0")
    was_stopped = was_told = False

    def stop_late() -> None:
        nonlocal was_stopped
        bring(machine)
        motion = machine.axes[0].move(6.0, velocity=0.1)
        shows(page, ".flag-moving", "moving")
        stop.hover()
        line.cut()
        try:
            click(page)  # wherever it is by now
            page.wait_for_timeout(STALL)
            unanswered = page.get_by_text("The stop is NOT answered yet: axes may still move")
            went_on = unanswered.is_visible() and moving(machine)
        finally:
            line.mend()
        was_stopped = went_on and is_stopped(motion, page)

    until(page, stop_late, lambda: was_stopped and told(page, "stop axis 0: done"))
    late = page.locator("#problem").filter(has_text="The emergency stop is NOT answered yet")

    def stop_all_late() -> None:
        nonlocal was_told
        machine.release()
        line.cut()
        try:
            page.keyboard.press("Escape")
            late.wait_for()
            was_told = True
        finally:
            line.mend()

    active = page.locator("#estop.active")
    until(page, stop_all_late, lambda: was_told and active.count(), "it is told, and obeyed")
    shows(page, "#problem", "EMERGENCY STOP by")
    line.cut()
    try:  # whether it still is active nobody knows
        page.wait_for_selector("#estop:not(.active)")
        assert "Esc" in page.locator("#estop").inner_text()
    finally:
        line.mend()
    shows(page, "#estop", "IS ACTIVE")
    machine.release()


def test_an_emergency_stop_that_reached_nothing_is_told_when_it_is_carried_out_after_all(
    page: Any, machine: Machine, served: Served
) -> None:
    sockets: list[Any] = []
    away = False

    def serve(socket: Any) -> None:
        if away:
            socket.close(code=4404)  # as a panel that was restarted and does not know the page
        else:
            sockets.append(socket)
            socket.connect_to_server()

    page.route_web_socket(re.compile("/(stop|live)"), serve)
    page.route("**/estop", lambda route: route.abort() if away else route.continue_())
    open_page(page, served)
    page.wait_for_function("Date.now() - wmxLoaded > 3000")

    def press_in_vain() -> None:
        nonlocal away
        away = True
        for socket in sockets:
            if socket.url.endswith("/stop"):
                socket.close()
        page.keyboard.press("Escape")
        shows(page, "#problem", "The emergency stop was NOT sent")

    press_in_vain()
    for socket in sockets:
        if not socket.url.endswith("/stop"):
            socket.close(code=4404)  # which loads the page again, but not before it is sent
    away = False
    shows(page, "#problem", "s after it was pressed")
    shows(page, "#estop", "IS ACTIVE")
    page.reload()  # at any time, as after a restart
    shows(page, "#problem", "s after it was pressed")
    machine.release()

    press_in_vain()
    away = False
    page.reload()
    shows(page, "#problem", "was NOT answered. Look at the machine")
    page.wait_for_selector("body:not(.no-link)")  # else it is loaded again, as above

    press_in_vain()
    page.evaluate(LATER)
    away = False
    shows(page, "#problem", "s ago was NOT answered: it may not have arrived")
    assert not page.locator("#estop.active").count()


def test_one_press_is_one_stop_by_whichever_ways_it_comes(
    page: Any, machine: Machine, served: Served
) -> None:
    held_up: list[Callable[[], None]] = []

    def serve_stops(socket: Any) -> None:
        server = socket.connect_to_server()
        socket.on_message(lambda message: held_up.append(lambda: server.send(message)))

    def send() -> bool:
        """Let what is held up arrive; whether that was anything."""
        page.evaluate("1")
        if held_up:
            held_up.pop(0)()
            return True
        return False

    page.route_web_socket("**/stop", serve_stops)
    open_page(page, served)
    before = len(served.panel.output)
    page.keyboard.press("Escape")
    shows(page, "#estop", "IS ACTIVE")  # it has come as a request
    eventually(send, "it comes on the connection of the stops as well")
    page.get_by_role("button", name="Stop all").click()
    eventually(send, "what comes after it")
    eventually(lambda: "stop all axes: done" in served.panel.output[before:], "is carried out")
    assert served.panel.output[before:].count("EMERGENCY STOP: done") == 1
    machine.release()


def dead_line_of_stops(page: Any) -> list[Any]:
    """The lines by which stops go; nothing comes through the first, which no browser knows."""
    sockets: list[Any] = []

    def serve_stops(socket: Any) -> None:
        socket.connect_to_server()
        if not sockets:
            socket.on_message(lambda _: None)
        sockets.append(socket)

    page.route_web_socket("**/stop", serve_stops)
    return sockets


def test_an_emergency_stop_that_came_as_a_request_is_not_called_lost_when_its_line_is_back(
    page: Any, machine: Machine, served: Served
) -> None:
    sockets = dead_line_of_stops(page)
    open_page(page, served)
    page.keyboard.press("Escape")
    shows(page, "#estop", "IS ACTIVE")
    page.wait_for_selector("#estop:not(.sent)")
    page.evaluate(LATER)
    sockets[0].close()
    eventually(lambda: page.evaluate("1") and len(sockets) > 1, "the line is back")
    before = len(served.panel.output)
    page.get_by_role("button", name="Stop all").click()  # the first that comes on it
    eventually(lambda: "stop all axes: done" in served.panel.output[before:], "is carried out")
    assert "NOT answered" not in page.locator("#problem").inner_text()
    machine.release()


def test_a_stop_that_went_into_a_dead_line_is_sent_by_another(
    page: Any, machine: Machine, served: Served
) -> None:
    sockets = dead_line_of_stops(page)
    open_page(page, served)
    before = len(served.panel.output)
    page.get_by_role("button", name="Stop all").click()
    eventually(
        lambda: page.evaluate("1") and "stop all axes: done" in served.panel.output[before:],
        "it is carried out",
    )
    assert len(sockets) > 1
    assert served.panel.output[before:].count("stop all axes: done") == 1


def test_a_stop_without_an_answer_is_told_by_the_page_that_is_loaded_next(
    page: Any, machine: Machine, served: Served
) -> None:
    """As by who presses and then loads the page again, for nothing seems to happen."""
    dead_line_of_stops(page)
    open_page(page, served)
    page.get_by_role("button", name="Stop all").click()
    page.reload()
    shows(page, "#problem", "NOT answered: axes may still move. Press again.")


def test_a_page_whose_frames_come_no_more_gets_another_line(
    page: Any, machine: Machine, served: Served
) -> None:
    """A network may lose a connection without a word to either end."""
    lines: list[Any] = []
    is_dead = False

    def serve(socket: Any) -> None:
        server, at = socket.connect_to_server(), len(lines)
        lines.append(socket)
        server.on_message(lambda frame: None if is_dead and not at else socket.send(frame))

    page.route_web_socket("**/live*", serve)
    open_page(page, served)
    is_dead = True
    eventually(lambda: page.evaluate("1") and len(lines) > 1, "there is another line")
    page.wait_for_selector("body:not(.no-link)")


HOLD_ESC = """
let times = 0;
const repeat = setInterval(() => {
  const held = {key: "Escape", repeat: true, bubbles: true};
  document.body.dispatchEvent(new KeyboardEvent("keydown", held));
  if (++times === 40) clearInterval(repeat);
}, 50);
"""
"""What a page sees of an Esc that is held for 2 s, whose first press the list of a browser took."""


def test_esc_that_is_held_over_the_list_of_a_browser_stops_once(
    page: Any, machine: Machine, served: Served
) -> None:
    open_page(page, served)
    before = len(served.panel.output)
    page.evaluate(HOLD_ESC)
    shows(page, "#estop", "IS ACTIVE")
    page.wait_for_timeout(2000)
    assert served.panel.output[before:].count("EMERGENCY STOP: done") == 1
    machine.release()


def test_an_emergency_stop_that_failed_as_a_request_is_sent_again_when_its_line_is_back(
    page: Any, machine: Machine, served: Served
) -> None:
    sockets = dead_line_of_stops(page)
    failed = {"done": False, "what": "EMERGENCY STOP", "answer": "no system is found"}
    page.route("**/estop", lambda route: route.fulfill(json=failed))
    open_page(page, served)
    page.keyboard.press("Escape")
    shows(page, "#problem", "NOT carried out: no system is found")
    sockets[0].close()
    shows(page, "#estop", "IS ACTIVE")
    shows(page, "#problem", "The emergency stop was carried out")
    machine.release()


def test_a_stop_that_works_hides_no_emergency_stop_that_does_not(
    page: Any, machine: Machine, served: Served
) -> None:
    def serve_stops(socket: Any) -> None:
        def answer(message: str) -> None:
            sent = json.loads(message)
            failed = sent["stop"] == "emergency"
            answer = "no engine" if failed else ""
            socket.send(
                json.dumps({"n": sent["n"], "done": not failed, "what": "stop", "answer": answer})
            )

        socket.on_message(answer)

    page.route_web_socket("**/stop", serve_stops)
    open_page(page, served)
    page.keyboard.press("Escape")
    shows(page, "#problem", "NOT carried out: no engine")
    page.get_by_role("button", name="Stop all").click()
    page.wait_for_timeout(LATE)
    shows(page, "#problem", "NOT carried out: no engine")


def test_what_was_clicked_on_a_dead_line_moves_nothing_later(
    browse: Any, machine: Machine, served: Served, line: CableProxy
) -> None:
    page = browse("/axes?axis=0", base=line.url)
    take_control(page)
    step = page.get_by_role("button", name="+ Step")
    step.hover()
    before = len(served.panel.output)
    line.cut()
    click(page)
    shows(page, "#problem", "No connection to the panel")
    step.evaluate("button => button.click()")
    lost = "control: lost: its browser does not answer"
    eventually(lambda: lost in served.panel.output[before:], "control is lost")
    line.mend()
    page.wait_for_selector("body:not(.no-link)")
    page.wait_for_timeout(LATE)
    assert machine.axes[0].position == pytest.approx(0.0, abs=1e-6)


def test_a_phone_shows_that_it_is_not_live_wherever_it_is_scrolled_to(
    browse: Any, machine: Machine, line: CableProxy
) -> None:
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
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    line.mend()
    page.wait_for_selector("body:not(.no-link)")
    page.locator("#problem").wait_for(state="hidden")


def test_the_emergency_stop_is_there_before_the_rest_of_the_page(
    page: Any, machine: Machine, served: Served
) -> None:
    held: dict[str, Any] = {}

    def hold_back(file: str) -> None:
        page.route(f"**/{file}", lambda route: held.update({file: route}))

    def stops_by(press: Callable[[], object]) -> None:
        press()
        eventually(lambda: machine.explain([0])[0].emergency_stop, "the machine is stopped")
        machine.release()

    hold_back("panel.js")
    hold_back("panel.css")
    page.goto(served.url, wait_until="commit")  # nothing of it is drawn
    eventually(lambda: page.evaluate("typeof stopEarly == 'function'"), "its first script is there")
    stops_by(lambda: page.keyboard.press("Escape"))
    stops_by(lambda: page.mouse.click(1280 - 120, 30))
    held["panel.css"].continue_()
    stops_by(lambda: page.click("#estop"))
    shows(page, "#estop", "STOPPED")
    page.route("**/estop", lambda route: route.abort())
    page.click("#estop")
    shows(page, "#estop", "NOT STOPPED")
    held["panel.js"].continue_()
    shows(page, "#problem", "The emergency stop was NOT carried out: the panel does not answer")
    stop, wide = page.locator("#estop").bounding_box(), page.viewport_size["width"]
    for x, y in (stop["x"], stop["y"]), (stop["x"] + stop["width"], stop["y"] + stop["height"]):
        assert page.evaluate(f"isOnStop({{ clientX: {x}, clientY: {y} }})"), "where it was before"
    assert not page.evaluate(f"isOnStop({{ clientX: {wide / 2}, clientY: {y} }})")
