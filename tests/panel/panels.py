"""`wmx_panel` and what tests of it do with its pages."""

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import system as systems
from system import EXECUTABLES, Place, Process
from waits import eventually

from wmx_ros2_package.client import Machine

WAIT_TIMEOUT = 120_000
"""How long a browser may take to show something, ms."""
LATE = 1000
"""ms: what has arrived by now would have moved something by then."""
CLICKS = 10
"""How often a person clicks within that time on what does nothing."""


def free_port() -> int:
    """A TCP port that no program has."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Served:
    """A panel that runs, and the machine behind it as another client sees it."""

    place: Place
    port: int
    panel: Process
    main: Process
    recordings: Path
    """Where its recorder writes."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


def start_panel(place: Place, port: int, *options: str) -> Process:
    """`wmx_panel` as its user starts it; NiceGUI serves nothing to a test of its own."""
    program = ["env", "-u", "PYTEST_CURRENT_TEST", str(EXECUTABLES / "wmx_panel")]
    files = {each: str(place.folder / f"{each}.yaml") for each in ("positions", "names")}
    given = ["--port", str(port), *(word for k, v in files.items() for word in (f"--{k}", v))]
    panel = place.run([*program, *given, *options])
    panel.says("the panel is at")
    return panel


@contextmanager
def serving(robot: str = "arm", *options: str) -> Iterator[Served]:
    """A robot on the simulated engine, and a panel that has found it."""
    with systems.place() as place:
        recordings = place.folder / "recordings"
        main = place.start(
            "bringup",
            f"folder:={recordings}",
            "seconds_between:=0.0",
            options=["--robot", robot, "--recorder", "--events"],
        )
        # A panel that finds a node later than others loads its pages again.
        main.says("The system is ready")
        port = free_port()
        panel = start_panel(place, port, *options)
        panel.says("connected to a SIMULATED machine")
        try:
            yield Served(place, port, panel, main, recordings)
        finally:
            panel.kill()


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
  && window.left.every(each => !each.isConnected)"""


def follow(page: Any, path: str) -> None:
    """Follow a link to another page of the panel, for which nothing is loaded."""
    page.evaluate(FOLLOW, path)
    page.wait_for_function(FOLLOWED, arg=path)


def settled(page: Any) -> None:
    """Wait until nothing slides or fades any more."""
    page.wait_for_function("document.getAnimations().every(each => each.playState != 'running')")


def click_until(button: Any, done: Callable[[], bool]) -> None:
    """Click until it is done: while the connection is slow, a page refuses clicks."""
    for _ in range(CLICKS):
        button.click()
        with suppress(AssertionError):
            eventually(done, "it is done", timeout=WAIT_TIMEOUT / 1000 / CLICKS)
            return
    raise AssertionError(f"{CLICKS} clicks on {button} have done nothing")


def click_for(button: Any, opened: Any) -> None:
    """Click until `opened` is there."""
    click_until(button, opened.is_visible)


def take_control(page: Any, name: str = "tester") -> None:
    """As a user does, once the page of the test before has lost it."""
    shows(page, "#holder", "control is free")
    click_for(page.locator("#take"), page.get_by_label("Your name"))
    page.get_by_label("Your name").fill(name)
    page.get_by_role("dialog").get_by_role("button", name="Take control").click()
    page.wait_for_selector("body:not(.no-control)")


def release(page: Any) -> None:
    """Hold the button that releases the emergency stop, which takes no press right after a stop."""
    released = page.locator("#estop:not(.active)")
    for _ in range(CLICKS):  # a busy browser lets go
        page.locator("#release:not(.dead)").hover()
        page.mouse.down()
        with suppress(AssertionError):
            eventually(released.count, "it is released", timeout=5.0)
        page.mouse.up()
        if released.count():
            return
    raise AssertionError("the emergency stop is not released")


def shows(page: Any, selector: str, text: str) -> None:
    """Wait until an element has `text` in it."""
    page.locator(selector).filter(has_text=text).first.wait_for()


def press(page: Any) -> None:
    """Hold the button that jogs upwards, and go on holding it."""
    page.locator("[data-keys~='ArrowRight']").scroll_into_view_if_needed()
    page.locator("[data-keys~='ArrowRight']").hover()
    page.mouse.down()


def hold(press: Callable[[], None], release: Callable[[], None], moves: Callable[[], bool]) -> None:
    """Press until it `moves`, or says why not, and go on: a busy page drops a press."""

    def held() -> bool:
        release()
        press()
        with suppress(AssertionError):
            eventually(moves, "it begins", timeout=2.0)
        return moves()

    eventually(held, "it moves while something is held", timeout=WAIT_TIMEOUT / 1000)


def hold_key(page: Any, key: str, moves: Callable[[], bool]) -> None:
    """The same by a key of the keyboard."""
    page.locator(".jog-area").focus()
    hold(lambda: page.keyboard.down(key), lambda: page.keyboard.up(key), moves)


def return_slaves(machine: Machine) -> None:
    """Bring back each slave that has gone."""
    if lost := [slave.id for slave in machine.network.state().slaves if slave.offline]:
        for slave in lost:
            machine.simulation.fault("return_slave", slave=slave)
        machine.network.hot_connect()


def moving(machine: Machine, axis: int = 0) -> bool:
    return bool(abs(machine.status().command_velocity[axis]) > 0.01)


CURVES = (
    "[...document.querySelectorAll('canvas')]"
    ".map(each => getElement(Number(each.closest('[id^=c]').id.slice(1)))?.chart)"
    ".find(chart => chart)?.getOption().series.map(each => each.{of}) ?? []"
)
"""Something of each curve of the first plot of a page."""
CURVE_POINTS = CURVES.format(of="data.length")


def shows_curves(page: Any, points: int = 10) -> None:
    """Wait until each curve of the first plot has so many points."""
    page.wait_for_function(
        f"() => {{ const all = {CURVE_POINTS}; return all.length && Math.min(...all) >= {points} }}"
    )


def assert_curves_differ(page: Any) -> None:
    """Without their colours, too: those of the six axes of the arm."""
    dashes = [str(style) for style in page.evaluate(CURVES.format(of="lineStyle.type"))]
    assert len({*dashes}) == len(dashes) == 6, dashes


PICTURES = Path(__file__).resolve().parents[2] / "build" / "panel-pictures"


def picture(page: Any, name: str) -> Path:
    """Keep what the page looks like, for people to look at."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    path = PICTURES / f"{name}.png"
    page.screenshot(path=str(path), animations="disabled")  # as it is once they are over
    assert path.stat().st_size > 5000
    return path
