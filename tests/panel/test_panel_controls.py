"""What people click: it does what it says, keeps its place, and never hides a stop."""

from contextlib import suppress
from functools import partial
from typing import Any

import pytest
from acts import (
    bring,
    click_for,
    escape,
    follow,
    hold,
    jog_button,
    new_page,
    order,
    release,
    take_control,
    until,
)
from panels import LATE, Served, moving, settled, shows
from playwright.sync_api import Error
from waits import eventually

from wmx_ros2_package.client import EndReason, Machine, MachineError

SIZES = [(1280, 720), (390, 844)]


def test_clicks_on_the_emergency_stop_never_release_it(browse: Any, machine: Machine) -> None:
    page = browse()
    take_control(page)
    stop, button, problem = page.locator("#estop"), page.locator("#release"), "#problem"
    for size in SIZES:
        page.set_viewport_size({"width": size[0], "height": size[1]})
        place = stop.bounding_box()
        page.mouse.move(place["x"] + place["width"] * 0.8, place["y"] + place["height"] / 2)
        for _ in range(3):
            page.mouse.down()
            page.mouse.up()
            page.wait_for_timeout(100)
            assert stop.bounding_box() == place
        shows(page, "#estop", "IS ACTIVE")
        shows(page, problem, "EMERGENCY STOP by tester (127.0.0.1), since ")
        shown = button.bounding_box()
        below, above = shown["y"] - place["y"] - place["height"], place["y"] - shown["y"]
        assert below >= 0 or above >= shown["height"], "it is elsewhere"
    until(page, lambda: None, page.locator("#release:not(.dead)").count, "it may be released")
    until(page, stop.click, page.locator("#release.dead").count, "a click is another stop")
    dead = page.locator(problem).filter(has_text="let go, wait, and hold the button again")

    def hold_it_at_once() -> None:
        page.mouse.up()
        escape(page)
        page.keyboard.press("Escape")  # right before
        button.hover()
        page.mouse.down()

    until(page, hold_it_at_once, dead.is_visible, "it is dead")
    page.mouse.up()
    for _ in range(5):
        page.click("#release")
    page.wait_for_timeout(LATE)
    assert machine.axes[0].explain()[0].emergency_stop is not None
    release(page)
    assert stop.bounding_box() == place


def test_a_press_on_a_stop_that_slides_off_it_is_one(browse: Any, machine: Machine) -> None:
    page = browse("/axes?axis=0")

    def press_and_slide(stop: Any) -> None:
        stop.scroll_into_view_if_needed()
        place = stop.bounding_box()
        page.mouse.move(place["x"] + 5, place["y"] + 5)
        page.mouse.down()
        page.mouse.move(place["x"] - 40, place["y"] + 120)
        page.mouse.up()

    ended: list[EndReason] = []

    def stop(button: Any) -> None:
        bring(machine)
        motion = machine.axes[0].move(6.0, velocity=0.1)
        eventually(lambda: moving(machine), "it moves")
        press_and_slide(button)
        eventually(lambda: motion.done, "it ends")
        ended.append(motion.result.reason)

    # Without control: a viewer stops, too.
    for name in "Stop axis 0", "Stop it":
        ended.clear()
        button = page.get_by_role("button", name=name).first
        until(page, partial(stop, button), lambda: ended == [EndReason.STOPPED], f"{name} stops it")
    page.locator("#estop").hover()
    page.mouse.down(button="right")
    page.mouse.down()
    page.mouse.up()
    eventually(lambda: machine.explain([0])[0].emergency_stop is not None, "the left one counts")
    page.mouse.up(button="right")
    machine.release()
    press_and_slide(page.locator("#estop"))
    eventually(lambda: machine.explain([0])[0].emergency_stop is not None, "the emergency stop")
    machine.release()


def test_a_finger_that_slides_off_the_emergency_stop_has_pressed_it(
    chromium: Any, machine: Machine, served: Served
) -> None:
    context = chromium.new_context(has_touch=True, viewport={"width": 390, "height": 844})
    page = new_page(context)
    page.goto(f"{served.url}/io")
    page.wait_for_selector("body:not(.no-link)")
    place = page.locator("#estop").bounding_box()
    touch = context.new_cdp_session(page)
    at = {"x": place["x"] + place["width"] / 2, "y": place["y"] + place["height"] / 2}
    for kind, points in (
        ("touchStart", [at]),
        ("touchMove", [at | {"y": at["y"] - 100}]),
        ("touchMove", [at | {"y": at["y"] - 200}]),
        ("touchEnd", []),
    ):
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    eventually(lambda: machine.explain([0])[0].emergency_stop is not None, "the emergency stop")
    context.close()
    machine.release()


CONTROLS = """[...document.querySelectorAll(`#estop, .strip button:not(#keep), .strip select,
    .control button, .page button:not(.clear), .page .clear[data-emit=home], .page input`)]
  .map((each, i) => {
    const { x, y, width, height } = each.getBoundingClientRect();
    const scrolled = each.closest(".page") ? scrollY : 0;
    const box = [x, y + scrolled, width, height].map(Math.round).join(" ");
    return [each.id || `${i} ${each.textContent}`, box, width];
  }).filter(([name, box, width]) => width)"""
"""The name and the place of each control that is shown; those beside words that block an axis move
with these."""
STILL = f"""() => {{
  const now = JSON.stringify({CONTROLS});
  window.still = now === window.before ? window.still + 1 : 0;
  window.before = now;
  return window.still > 15;
}}"""
"""Whether nothing has moved for some pictures: plots and tables are drawn."""
BOXES = f"""() => {{
  window.boxes = {{}};
  window.looking = true;
  (function look() {{
    for (const [name, box] of {CONTROLS}) (window.boxes[name] ??= new Set()).add(box);
    if (window.looking) requestAnimationFrame(look);
  }})();
}}"""
"""Notes in every picture that the browser makes where each control is."""
MOVED = """() => {
  window.looking = false;
  const all = Object.entries(window.boxes ?? {});
  return all.length < 4 ? ["the page was loaded again"] : all
    .filter(([_, boxes]) => boxes.size > 1).map(([name, boxes]) => [name, ...boxes].join(" | "));
}"""
PATHS = "/", "/axes?axis=0", "/robot", "/trajectory", "/io", "/homing"


def break_down(machine: Machine) -> None:
    """Let an axis move, reach a limit switch and have an alarm."""
    bring(machine, 0.3)
    machine.simulation.fault("stick_switch", axis=0, switch="positive", state=True)
    machine.simulation.fault("raise_alarm", axis=0, code=0x7121)
    machine.pause()


def mend(machine: Machine) -> None:
    """Take all of that back."""
    machine.simulation.fault("free_switch", axis=0, switch="positive")
    machine.release()
    machine.axes.clear()
    machine.axes.on()
    if machine.speed.paused:
        machine.resume()
    bring(machine)


def moved_controls(page: Any, machine: Machine, path: str, *, breaks: bool) -> list[str]:
    """Which controls of a page have moved while the machine broke down, or was mended."""
    if machine.status().alarm[0] == breaks:
        mend(machine) if breaks else break_down(machine)
    if not breaks:
        machine.estop()
    if page.url.endswith(path):  # it is tried again
        follow(page, "/events")
    follow(page, path)
    settled(page)
    page.wait_for_function(STILL)
    page.evaluate(BOXES)
    if breaks:
        break_down(machine)
        escape(page)
    else:
        mend(machine)
        shows(page, "#estop:not(.active)", "EMERGENCY STOP")
    if path in PATHS[:2]:
        shows(page, "[data-live='blocks:0']", "an emergency stop" if breaks else "ready")
    moved: list[str] = page.evaluate(MOVED)
    return moved


HOME_PLACES = """() => {
  const cell = document.querySelector(".page [data-live='home:0']");
  const button = document.querySelector(".page [data-emit=home]");
  return ["homed", "not homed", "reference lost", "is being homed"].map(words => {
    cell.textContent = words;
    return JSON.stringify(button.getBoundingClientRect());
  });
}"""
"""Where a button of the homing page is beside each of the words for what is homed."""


def test_no_control_moves_whatever_is_shown(browse: Any, machine: Machine) -> None:
    page = browse("/events", webgl=False)
    take_control(page)
    for breaks, (width, height) in enumerate(SIZES):  # the other way round at the other size
        page.set_viewport_size({"width": width, "height": height})
        for path in PATHS:
            breaks = not breaks
            for _ in range(3):  # where the computer stalls, a page is drawn later, or loaded again
                moved = ["it was not shown"]
                with suppress(Error, MachineError):
                    moved = moved_controls(page, machine, path, breaks=breaks)
                if not moved:
                    break
            assert moved == [], path
        assert len({*page.evaluate(HOME_PLACES)}) == 1  # of PATHS the last one is shown
    mend(machine)


COVERED = """() => {
  window.covered = [];
  window.looking = true;
  (function look() {
    const { left, top, width, height } = document.getElementById("estop").getBoundingClientRect();
    for (const x of [0.1, 0.5, 0.9]) for (const y of [0.2, 0.5, 0.8]) {
      const above = document.elementFromPoint(left + x * width, top + y * height);
      if (!above?.closest("#estop")) window.covered.push(above?.outerHTML);
    }
    if (window.looking) requestAnimationFrame(look);
  })();
}"""
"""Looks in every picture that the browser makes for what is in front of the emergency stop."""
ORDER_ALL = """() => {
  for (const each of document.querySelectorAll(".page .q-btn.needs-control"))
    if (!each.textContent.includes("...")) each.click();
  for (const percent of [10, 20, 30, 50, 75]) emitEvent("speed", { percent });
}"""
"""Clicks each of the six buttons for an order, one of which finds no number, and gives five more:
all at once, for what is refused is shown for nine seconds."""
REFUSED = "document.querySelectorAll('.refusal').length >= 10"
"""Together they are as high as the window."""


@pytest.mark.parametrize("size", SIZES)
def test_nothing_covers_the_emergency_stop(
    browse: Any, machine: Machine, size: tuple[int, int]
) -> None:
    page = browse("/axes", size=size)
    settled(page)
    covered: list[Any] = []

    def cover() -> None:
        machine.release()
        page.evaluate(COVERED)
        page.evaluate(ORDER_ALL)
        page.wait_for_function(REFUSED)
        page.evaluate("document.getElementById('take').click()")  # which notices cover
        page.get_by_role("dialog").wait_for()
        machine.estop()
        page.locator("#release").wait_for()
        settled(page)
        covered.append(page.evaluate("window.looking = false, window.covered"))

    until(page, cover, lambda: covered and covered[-1] is not None, "it was looked at")
    assert covered[-1] == []
    page.click("#estop")
    page.get_by_role("button", name="Cancel").evaluate("button => button.click()")


def test_the_page_of_an_axis_keeps_its_axis(browse: Any, machine: Machine) -> None:
    page = browse("/axes?axis=1")

    def choose() -> None:
        page.get_by_label("Axis", exact=True).click()
        page.get_by_role("option", name="4 · joint5").click()

    until(page, choose, lambda: page.evaluate("location.search === '?axis=4'"))
    shows(page, ".page", "Jog 4 · joint5")
    shows(page, ".page", "Move 4 · joint5")
    page.click(".menu-overview")
    shows(page, ".page", "To move something")
    page.click(".menu-axes")
    shows(page, ".page", "Jog 4 · joint5")
    page.wait_for_function("location.search === '?axis=4'")
    page.reload()
    shows(page, ".page", "Jog 4 · joint5")


def test_escape_closes_a_list_first_and_stops_then(browse: Any, machine: Machine) -> None:
    page = browse("/faults")
    field, opened = page.get_by_label("Alarm", exact=True), page.locator(".q-menu")
    click_for(field, opened)
    page.keyboard.press("Escape")
    opened.wait_for(state="detached")
    page.wait_for_timeout(LATE)
    assert not page.locator("#estop.active").count()
    click_for(field, opened)
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")  # in haste, while the list fades
    shows(page, "#estop", "IS ACTIVE")
    machine.release()
    shows(page, "#estop:not(.active)", "EMERGENCY STOP")
    opened.wait_for(state="detached")
    click_for(field, opened)
    page.keyboard.down("Escape")  # and held, as one does who is afraid
    page.wait_for_timeout(LATE)
    assert not page.locator("#estop.active").count()
    page.keyboard.down("Escape")  # as a keyboard repeats it
    shows(page, "#estop", "IS ACTIVE")
    page.keyboard.up("Escape")
    machine.release()


def test_escape_that_is_pressed_again_stops_whatever_else_is_open(
    browse: Any, machine: Machine
) -> None:
    page = browse("/axes?axis=0", webgl=False)
    machine.release()

    page.evaluate("document.body.append(Object.assign(document.createElement('i'), {id: 'below'}))")

    def press_twice() -> None:
        page.evaluate("below.className = 'q-dialog'")  # which no Esc closes
        jog_button(page).evaluate(OVER)
        page.keyboard.press("Escape")
        page.wait_for_selector(".q-menu", state="detached")
        page.keyboard.press("Escape")
        page.evaluate("below.className = ''")

    until(page, press_twice, page.locator("#estop.active").is_visible)
    machine.release()


def test_a_press_that_was_meant_for_a_dialog_moves_nothing_behind_it(
    browse: Any, machine: Machine
) -> None:
    machine.axes.on()
    page = browse("/axes?axis=0", webgl=False)
    jog, dialog, name = jog_button(page), page.locator(".q-dialog"), page.get_by_label("Your name")

    def press_as_it_closes() -> None:
        page.mouse.up()
        page.evaluate("document.getElementById('give').click()")
        page.locator("#take").press("Enter")
        name.fill("tester")
        jog.hover(force=True)  # the dialog lies over it
        name.press("Enter")
        page.wait_for_selector("body:not(.no-control)")
        dialog.wait_for(state="detached")
        page.mouse.down()

    ignored = page.locator("#problem").get_by_text("was not there a moment ago")
    until(page, press_as_it_closes, ignored.is_visible)
    assert not page.locator(".held").count()
    at = machine.status().command[0]
    page.wait_for_timeout(LATE)
    assert machine.status().command[0] == at
    page.mouse.up()
    hold(jog, lambda: moving(machine))  # where it has been for a while it is pressed as ever
    page.mouse.up()
    eventually(lambda: not moving(machine), "the axis rests")


OVER = """button => {
  const over = document.createElement("div"), { left, top } = button.getBoundingClientRect();
  over.className = "q-menu";
  over.style = `position: fixed; left: ${left}px; top: ${top}px; width: 200px; height: 100px`;
  document.body.append(over);
  setTimeout(() => { over.style.transform = "scale(0)"; }, 300);
  setTimeout(() => over.remove(), 500);
}"""
"""Has something lie over a button for a while, and shrink and go, as a list or a dialog does."""


def test_a_press_where_a_list_was_moves_nothing_wherever_the_pointer_comes_from(
    browse: Any, machine: Machine
) -> None:
    machine.axes.on()
    page = browse("/axes?axis=0", webgl=False)
    take_control(page)
    jog, at = jog_button(page), 0.0

    def press_as_it_closes() -> None:
        nonlocal at
        eventually(lambda: not moving(machine), "a press that came too late for this has ended")
        at = machine.status().command[0]
        page.mouse.move(2, 500)
        jog.evaluate(OVER)
        page.wait_for_selector(".q-menu", state="detached")
        jog.hover()
        page.mouse.down()
        page.mouse.up()

    ignored = page.locator("#problem").get_by_text("was not there a moment ago")
    until(page, press_as_it_closes, ignored.is_visible)
    page.wait_for_timeout(LATE)
    assert machine.status().command[0] == at


def test_a_double_click_asks_one_question(browse: Any, machine: Machine) -> None:
    """Two would lie one over the other, and the lower one take the Esc that is to stop."""
    page = browse("/homing", webgl=False)
    dialogs, twice = page.locator(".q-dialog"), "button => { button.click(); button.click(); }"

    def asks_one(button: Any) -> None:
        page.wait_for_selector("body:not(.no-link)")
        button.evaluate(twice)
        dialogs.first.wait_for()
        page.wait_for_timeout(LATE)
        assert dialogs.count() == 1
        dialogs.get_by_role("button", name="Cancel").click()
        dialogs.wait_for(state="detached")

    asks_one(page.locator("#take"))
    take_control(page)
    asks_one(page.locator(".page [data-emit=home]").first)


def test_what_was_asked_before_an_emergency_stop_is_not_done_after_it(
    browse: Any, machine: Machine
) -> None:
    page = browse("/homing", webgl=False)
    take_control(page)
    agree = page.locator(".confirm button:enabled").filter(has_text="Set the position here")

    def agree_after_a_stop() -> None:
        if not agree.is_visible():
            page.locator(".page [data-emit=home]").first.click()
            agree.wait_for()
        machine.estop()
        shows(page, "#estop", "IS ACTIVE")
        machine.release()
        shows(page, "#estop:not(.active)", "EMERGENCY STOP")
        agree.click()

    order(page, agree_after_a_stop, "the emergency stop was pressed meanwhile")


def test_axes_are_found_by_words(browse: Any, machine: Machine) -> None:
    page = browse("/")
    rows = page.locator(".page tbody tr:visible")

    def finds(words: str, *names: str) -> None:
        def found() -> bool:
            texts = rows.all_inner_texts()
            pairs = zip(names, texts, strict=False)
            return len(texts) == len(names) and all(name in text for name, text in pairs)

        until(page, lambda: page.fill("#row-filter", words), found, f"{words!r} is found")

    finds("joint3", "joint3")
    machine.axes[4].off()
    finds("servo off", "joint5")
    nothing = page.get_by_text("no row has these words")
    nothing.wait_for(state="hidden")
    finds("joint77")
    nothing.wait_for()
    finds("", *(f"joint{number}" for number in range(1, 7)))
    follow(page, "/homing")
    finds("joint2", "joint2")
