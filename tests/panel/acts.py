"""What a person does at a page, and does again where nothing has come of it.

A machine that runs tests may stall at any moment. By design an order that comes late is refused
then, control is lost with the answers of the browser, a button that is held moves nothing, and a
page whose connection was lost loads itself again, without what was typed. So an act here is all
that leads to what it must cause, from what is typed on, and is done again until that is there.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from panels import WAIT_TIMEOUT, shows
from playwright.sync_api import Error
from waits import eventually

from wmx_ros2_package.client import EndReason, Machine, MachineError, Motion

READY = ":not(.disabled):not([data-changed])"
"""A button that can be clicked, and has not just changed what it does."""
AGAIN = 15.0
"""How long an act may take until what it causes is there, s; then it is done again."""
PRESS = 3.0
"""The same of a button that is held."""
NOTES = """if (location.protocol.startsWith("http")) {
  const told = window.told = JSON.parse(sessionStorage.told ?? "[]"), seen = new WeakSet();
  new MutationObserver((records) => {
    const before = told.length;
    for (const { addedNodes } of records) for (const node of addedNodes) {
      if (node.nodeType !== Node.ELEMENT_NODE) continue;
      const inside = node.querySelectorAll(".q-notification");
      for (const note of [node.closest(".q-notification"), ...inside])
        if (note && (!seen.has(note) || node.matches(".q-notification__badge"))) {
          seen.add(note);
          told.push(`${note.className} ${note.textContent}`);
        }
    }
    if (told.length > before) sessionStorage.told = JSON.stringify(told);
  }).observe(document, { childList: true, subtree: true });
}"""
"""Keeps what a page tells, also when it is loaded again: it is shown for a few seconds only."""
FORGET = """() => {
  window.told.length = 0;
  delete sessionStorage.told;
  const complain = window.wmx?.complain;
  if (!complain || complain.isKept) return;
  window.wmx.complain = text => {
    if (text.includes("was not there")) window.told.push(text);
    complain(text);
  };
  window.wmx.complain.isKept = true;
}"""
"""From the first act on it keeps, too, that a press came too soon."""
TOLD = "words => window.told.some(each => words.every(word => each.includes(word)))"
TOO_SOON = "was not there a moment ago", "has changed since it was clicked"
"""What is told of a click on what has just come or changed, which does nothing."""
LOOKS = 700.0
"""After so long, ms, it does what it shows (NEW in panel.js and aim.js)."""


WEBGL = """const context = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
  const none = kind.startsWith("webgl") && sessionStorage.noWebgl;
  return none ? null : context.call(this, kind, ...more);
};"""
NO_WEBGL = """if (location.protocol.startsWith("http")) sessionStorage.noWebgl = "yes";"""
"""Lets a page draw nothing in 3D from now on, which takes half a processor here."""


def new_page(browser: Any, **options: Any) -> Any:
    """A page in a window of its own, for one that is hidden is slow."""
    page = browser.new_page(**options)
    page.set_default_timeout(WAIT_TIMEOUT)
    page.add_init_script(NOTES)
    page.add_init_script(WEBGL)
    return page


@contextmanager
def attempt(page: Any) -> Iterator[None]:
    """What a page does not do in time is given up, for it is done again."""
    page.set_default_timeout(1000.0 * AGAIN)
    try:
        with suppress(Error):
            yield
    finally:
        page.set_default_timeout(WAIT_TIMEOUT)


FOLLOW = """path => {
  window.left = [...document.querySelector(".page").children];
  const link = document.createElement("a");
  link.href = path;
  document.body.append(link);
  link.click();
  link.remove();
}"""
FOLLOWED = """path => location.pathname + location.search === path
  && document.querySelector(".page").children.length
  && (window.left ?? []).every(each => !each.isConnected)"""
"""Also where it was loaded again."""


def follow(page: Any, path: str) -> None:
    """Follow a link to another page of the panel, for which nothing is loaded."""

    def followed() -> bool:
        with attempt(page):
            page.evaluate(FOLLOW, path)
            page.wait_for_function(FOLLOWED, arg=path)
            return True
        return False

    eventually(followed, f"{path} is shown", timeout=WAIT_TIMEOUT / 1000)


def holds(condition: Callable[[], object]) -> bool:
    """Whether it does; not while the page is loaded again, or the system does not answer."""
    with suppress(Error, MachineError):
        return bool(condition())
    return False


def until(page: Any, act: Callable[[], object], done: Callable[[], object], what: str = "") -> None:
    """Act until `done`, and keep control meanwhile where this page has taken it."""
    is_done = partial(holds, done)

    def in_vain() -> bool:
        return any(holds(partial(told, page, words)) for words in TOO_SOON)

    def is_done_by_act() -> bool:
        with attempt(page):
            keep_control(page)
            page.evaluate(FORGET)
            act()
        with suppress(AssertionError):
            eventually(lambda: is_done() or in_vain(), what, timeout=AGAIN)
        if not is_done() and in_vain():
            page.wait_for_timeout(LOOKS)
        return is_done()

    eventually(is_done_by_act, what or f"{act} comes about", timeout=WAIT_TIMEOUT / 1000)


def told(page: Any, *words: str) -> bool:
    """Whether the page has told something with all these words since the last act began."""
    return bool(page.evaluate(TOLD, words))


def tells(page: Any, *words: str) -> None:
    """Wait until it has."""
    page.wait_for_function(TOLD, arg=words)


def order(page: Any, act: Callable[[], object], *words: str) -> None:
    """Act until the page tells what comes of it."""
    until(page, act, lambda: told(page, *words), f"{words} is told")


def click_until(button: Any, done: Callable[[], object]) -> None:
    """Click until it is done."""
    until(button.page, button.click, done, f"a click on {button}")


def click_for(button: Any, opened: Any) -> None:
    """Click until `opened` is there."""
    click_until(button, opened.is_visible)


def has_control(page: Any) -> bool:
    return not page.locator("body.no-control").count()


def ask_for_control(page: Any, name: str) -> None:
    """Click, and give a name."""
    field = page.get_by_label("Your name")

    def is_asked() -> bool:
        with suppress(Error):  # a click just after another dialog has closed does nothing
            if not field.is_visible():
                page.click("#take", timeout=LOOKS)
            field.wait_for(timeout=LOOKS)
        return bool(field.is_visible())

    with suppress(AssertionError):
        eventually(is_asked, "the page asks for a name", timeout=AGAIN)
    field.fill(name)
    field.press("Enter")


def take_control(page: Any, name: str = "tester") -> None:
    """As a user does, once the page of the test before has lost it."""

    def take() -> bool:
        with attempt(page):
            shows(page, "#holder", "control is free")
            ask_for_control(page, name)
            page.wait_for_selector("body:not(.no-control)")
            page.evaluate("name => { sessionStorage.holder = name; }", name)
        return has_control(page)

    eventually(take, f"{name} has control", timeout=WAIT_TIMEOUT / 1000)


def keep_control(page: Any) -> None:
    """Take it again where this page has lost it."""
    page.wait_for_selector("body:not(.no-link)")
    name = page.evaluate("sessionStorage.holder ?? ''")
    if name and not has_control(page):
        take_control(page, name)


def give_back(page: Any) -> None:
    """Give control back, and do without from now on."""
    page.evaluate("delete sessionStorage.holder")
    until(page, page.locator("#give").click, lambda: not has_control(page))


def escape(page: Any) -> None:
    """Press the key of the emergency stop."""
    until(page, lambda: page.keyboard.press("Escape"), page.locator("#estop.active").count)


def release(page: Any) -> None:
    """Hold the button that releases the emergency stop, which takes no press right after a stop."""
    hold(page.locator("#release:not(.dead)"), page.locator("#estop:not(.active)").count)
    page.mouse.up()


def hold(button: Any, begun: Callable[[], object]) -> None:
    """Press until it has `begun`, and go on: a busy page drops a press."""
    page = button.page

    def press() -> None:
        button.scroll_into_view_if_needed()
        button.hover()
        page.mouse.down()

    _hold(page, press, page.mouse.up, begun)


def hold_key(page: Any, key: str, begun: Callable[[], object]) -> None:
    """The same by a key of the keyboard."""

    def press() -> None:
        page.locator(".jog-area").focus()
        page.keyboard.down(key)

    _hold(page, press, lambda: page.keyboard.up(key), begun)


def _hold(
    page: Any,
    press: Callable[[], object],
    let_go: Callable[[], object],
    begun: Callable[[], object],
) -> None:
    def held() -> bool:
        let_go()
        with attempt(page):
            keep_control(page)
            press()
        with suppress(AssertionError):
            eventually(partial(holds, begun), "it begins", timeout=PRESS)
        return holds(begun)

    eventually(held, "it begins while something is held", timeout=WAIT_TIMEOUT / 1000)


def move_to(page: Any, target: str, velocity: str) -> None:
    """Type where the axis of the page is to go, and how fast, and click."""
    page.get_by_label("Target, rad").fill(target)
    page.get_by_label("Velocity, rad/s").last.fill(velocity)
    page.get_by_role("button", name="Move to").click()


def jog_button(page: Any) -> Any:
    """That which jogs upwards."""
    return page.locator("[data-keys~='ArrowRight']")


def bring(machine: Machine, *positions: float) -> None:
    """Move the axes from 0 on to `positions`, the others to 0; again where something stops them."""
    targets = [*positions, *[0.0] * (6 - len(positions))]

    def there() -> bool:
        with suppress(MachineError):
            if abs(machine.status().command - targets).max() > 0.0:
                machine.axes.move(targets, velocity=3.0, acceleration=20.0).wait()
            return True
        return False

    eventually(there, f"the axes are at {targets}")


def arrives(begin: Callable[[], Motion]) -> None:
    """Begin a motion; again where the test stalls so long that it is given up."""
    eventually(lambda: holds(lambda: begin().wait()), "it arrives")


def given_up(motion: Motion) -> bool:
    """Whether a motion of a test has ended because the test itself stalled."""
    return bool(motion.done and motion.result.reason is EndReason.LEASE_EXPIRED)
