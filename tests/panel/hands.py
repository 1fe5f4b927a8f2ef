"""Hands at a browser that click, type, hold, upload and cut at random, and what they have held."""

import random
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Timer
from typing import Any

from cable import CableProxy
from playwright.sync_api import Error

PATHS = (
    *("overview", "axes", "robot", "axes", "trajectory"),
    *("io", "network", "events", "recordings"),
)
"""Pages that are visited: all but the one of faults, after which nothing could move."""
FAULTS = "/faults"
TEXTS = (
    "0,5",
    "0.5",
    "-0.3",
    "5",
    "05",
    "1e3",
    "",
    "99",
    "1,000",
    "x",
    "0.05",
    "0,2",
    "<b>",
    "1.5",
)
KEYS = ("Tab", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Enter", " ", "a", "Backspace")
FILES = {
    "points.csv": b"time_s,joint1,joint2,joint3,joint4,joint5,joint6\n"
    b"0,0,0,0,0,0,0\n2,.3,0,0,0,0,0\n",
    "broken.csv": b"time_s,joint1\n0,x\n",
    "points.yaml": b"{joint_names: [joint1], points: [{time: 0, positions: [0]}]}",
    "deep.yaml": b"[" * 3000,
    "many.yaml": b"a: [1, 2, 3, 4, 5, 6, 7, 8, 9]\n" * 10_000,
    "large.csv": b"0,1,2,3,4,5,6\n" * 400_000,
}
BUTTONS = ".page button:not([data-hold]), .q-dialog button, .q-item:not(.menu-faults), #release"
"""What is clicked: what gives control back is clicked at the end of each round."""
GO = "path => document.querySelector(`.menu-${path}`).click()"
TIDY = """() => {
  document.getElementById("give").click();
  document.querySelectorAll(".q-notification button").forEach(each => each.click());
  for (const each of document.querySelectorAll(".q-dialog button"))
    if (each.textContent === "Cancel") each.click();
  sessionStorage.clear();
}"""
"""Gives control back, closes what is open, and forgets what was typed: most of it is no number."""
PLACES = """([selector, number]) => {
  const open = [...document.querySelectorAll(".q-dialog, .q-menu")].pop();
  const all = [...(open ?? document).querySelectorAll(selector)].filter(each => {
    const { left, top, width, height } = each.getBoundingClientRect();
    return width && height && top >= 0 && top < innerHeight && left >= 0 && left < innerWidth;
  });
  if (!all.length) return null;
  const { left, top, width, height } = all[Math.floor(number * all.length)].getBoundingClientRect();
  return [left + width / 2, top + height / 2];
}"""
"""Where one of the elements is that can be seen; of an open dialog or list, where there is one."""
ANSWERS = """() => {
  window.stopAnswers = [];
  let sent = 0;
  new MutationObserver(() => {
    const waits = document.getElementById("estop").classList.contains("sent");
    if (waits && !sent) sent = performance.now();
    if (!waits && sent) {
      const time = performance.now() - sent;
      window.stopAnswers.push([Date.now() - time, time]);
      sent = 0;
    }
  }).observe(document.getElementById("estop"), { attributes: true, attributeFilter: ["class"] });
}"""
"""Notes when each emergency stop was pressed, and how long it waited for its answer, ms."""


CONNECTED = 2.0
"""How long after a cut a page may take to be connected again, s."""


@dataclass
class Hands:
    """One page, its cable, and what was done there."""

    page: Any
    line: CableProxy
    name: str
    random: random.Random
    held: list[list[float]] = field(default_factory=list)
    """When something was pressed, and let go; s since the epoch. Infinite while it is held."""
    stops: list[float] = field(default_factory=list)
    """When the emergency stop was pressed while the cable was whole."""
    waits: list[float] = field(default_factory=list)
    """How long each emergency stop has waited for its answer, s."""
    done: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    """How often each act was tried, and came to nothing."""
    mended_at: float = 0.0
    """When its cable is whole again after the newest cut, s since the epoch."""
    cuts: list[tuple[float, float]] = field(default_factory=list)
    """When its cable was cut, and mended again."""
    down: str = ""
    """What is held down: "mouse", a key, or nothing."""
    down_since: list[float] = field(default_factory=list)
    """Which of `held` that is."""

    def open(self) -> None:
        self.page.goto(self.line.url)
        self.page.wait_for_selector("body:not(.no-link)")
        self.page.evaluate(ANSWERS)

    def begin(self) -> None:
        """Take control, on a page where something can be moved; a page may be loaded again."""
        self.rest()
        with suppress(Error):
            self.page.evaluate(GO, self.random.choice(("axes", "axes", "robot", "trajectory")))
            self.take()
            self.page.wait_for_selector("body:not(.no-control)", timeout=3000)

    def has_control(self) -> bool:
        return not self.page.locator("body.no-control").count()

    def act(self) -> None:
        """Do one thing at random."""
        acts = {
            self.click: 26,
            self.hold: 22,
            self.let_go: 14,
            self.type: 12,
            self.press: 10,
            self.go: 8,
            self.take: 6,
            self.stop: 3,
            self.cut: 3,
            self.upload: 3,
            self.reload: 1,
            self.resize: 1,
        }
        [act] = self.random.choices(list(acts), list(acts.values()))
        self.done[act.__name__] += 1
        try:
            if self.page.url.endswith(FAULTS):  # keys have followed the link to it
                self.go()
            act()
        except Error:  # what was meant has gone, or the cable of the page is cut
            self.failed[act.__name__] += 1

    def click(self) -> None:
        if self.down != "mouse" and self._at(BUTTONS):
            self.page.mouse.down()
            self.page.mouse.up()

    def hold(self) -> None:
        if self.down:
            return
        if self.page.locator("[data-hold]").count() < 2:  # but for the one of the release
            self.page.evaluate(GO, "axes")
            self.page.locator(".page [data-hold]").first.wait_for(timeout=2000)
        if self.random.random() < 0.3 and self._at(".jog-area"):
            self.page.locator(".jog-area").first.focus(timeout=200)
            self.down, self.down_since = self.random.choice(KEYS[1:5]), self._pressed()
            self.page.keyboard.down(self.down)
        elif self._at("[data-hold]"):
            self.down, self.down_since = "mouse", self._pressed()
            self.page.mouse.down()
            if self.random.random() < 0.2:  # the finger slides
                self.page.mouse.move(*(self.random.uniform(0, 800) for _ in "xy"))

    def let_go(self) -> None:
        down, self.down = self.down, ""
        try:
            if down == "mouse":
                self.page.mouse.up()
            elif down:
                self.page.keyboard.up(down)
        finally:
            if down:
                self.down_since[1] = time.time()

    def _pressed(self) -> list[float]:
        """Note that something is held from now on."""
        self.held.append([time.time(), float("inf")])
        return self.held[-1]

    def type(self) -> None:
        if self.down != "mouse" and self._at(".page input, .q-dialog input"):
            self.page.mouse.down()
            self.page.mouse.up()
            self.page.keyboard.press("Control+a")
            self.page.keyboard.type(self.random.choice(TEXTS))

    def press(self) -> None:
        key = self.random.choice(KEYS)
        if key != self.down:
            pressed = self._pressed()  # an arrow in a field of jogs
            try:
                self.page.keyboard.press(key)
            finally:
                pressed[1] = time.time()

    def go(self) -> None:
        self.page.evaluate(GO, self.random.choice(PATHS))

    def take(self) -> None:
        self.page.evaluate("document.getElementById('take').click()")
        name = self.page.get_by_label("Your name")
        name.fill(self.name, timeout=500)
        name.press("Enter", timeout=500)

    def stop(self) -> None:
        """Press the emergency stop, by its button or by Esc."""
        box = self.page.locator("#estop").bounding_box(timeout=500)
        if self.random.random() < 0.5 or self.down == "mouse":
            self.page.evaluate("document.activeElement.blur()")
            self._stopped()
            self.page.keyboard.press("Escape")
            self.page.keyboard.press("Escape")  # the first one may close a list
        else:
            self.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            self._stopped()
            self.page.mouse.down()
            self.page.mouse.up()

    def _stopped(self) -> None:
        if time.time() > self.mended_at + CONNECTED:
            self.stops.append(time.time())

    def cut(self) -> None:
        """Cut the cable, for less than the time after which control is lost, or for more."""
        self.mended_at = time.time() + self.random.choice([0.2, 0.5, 1.0, 2.0, 4.0])
        self.cuts.append((time.time(), self.mended_at))
        self.line.cut()
        Timer(self.mended_at - time.time(), self.line.mend).start()

    def upload(self) -> None:
        self.page.evaluate(GO, "trajectory")
        name = self.random.choice(list(FILES))
        file = {"name": name, "mimeType": "text/plain", "buffer": FILES[name]}
        self.page.locator("input[type=file]").first.set_input_files(file, timeout=1000)

    def reload(self) -> None:
        self.answers()
        self.let_go()
        self.open()

    def resize(self) -> None:
        width, height = self.random.choice([(1280, 720), (390, 844)])
        self.page.set_viewport_size({"width": width, "height": height})

    def rest(self) -> None:
        """Take the hands off, give control back, and close what is open."""
        self.let_go()
        for _ in range(3):  # it may be loaded again at any time
            with suppress(Error):
                self.page.mouse.up()
                self.page.wait_for_selector("body:not(.no-link)")
                self.page.evaluate(TIDY)
                self.page.mouse.click(2, 500)  # beside a list that is open
                self.page.wait_for_selector(".q-menu, .q-dialog", state="detached", timeout=3000)
                self.page.wait_for_selector("body.no-control", timeout=3000)
                return

    def answers(self) -> None:
        """Take how long emergency stops have waited for their answers by a cable that was whole."""
        take = (
            "() => { const all = window.stopAnswers ?? []; window.stopAnswers = []; return all; }"
        )
        try:
            waits = self.page.evaluate(take)
        except Error:  # it is being loaded again
            return
        for at, wait in waits:
            begin, end = at / 1e3, (at + wait) / 1e3
            if not any(cut < end and begin < mended + CONNECTED for cut, mended in self.cuts):
                self.waits.append(wait / 1e3)

    def _at(self, selector: str) -> bool:
        """Move to one of these elements; whether there is one."""
        place = self.page.evaluate(PLACES, [selector, self.random.random()])
        if place is None:
            return False
        self.page.mouse.move(*place)
        return True
