"""The panel as its user has it: a system, `wmx_panel`, and a real browser without a screen."""

import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import system as systems
from ros import eventually
from system import EXECUTABLES, Place, Process

from wmx_ros2_package.client import Machine

pytest.importorskip("nicegui", reason="NiceGUI is not installed")
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
FLAGS = ["--no-sandbox", "--enable-unsafe-swiftshader", "--disable-dev-shm-usage"]
PATIENCE = 60_000
"""How long a browser may take to show something, ms."""


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
    panel = place.run([*program, "--port", str(port), *options])
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
            options=["--robot", robot, "--recorder"],
        )
        port = free_port()
        panel = start_panel(place, port, *options)
        panel.says("connected to a SIMULATED machine")
        try:
            yield Served(place, port, panel, main, recordings)
        finally:
            panel.kill()


@pytest.fixture(scope="package")
def served() -> Iterator[Served]:
    with serving() as served:
        yield served


@pytest.fixture
def machine(served: Served) -> Iterator[Machine]:
    """The machine by the client library: on, at rest, at 0, without alarms."""
    with Machine(domain=served.place.domain, timeout=30.0) as machine:
        machine.release()
        machine.stop()
        eventually(lambda: machine.status().at_rest.all(), "all rest")
        machine.axes.clear()
        machine.axes.on()
        machine.axes.move([0.0] * 6, velocity=3.0, acceleration=20.0).wait()
        yield machine


@pytest.fixture(scope="package")
def chromium() -> Iterator[Any]:
    if BROWSER is None:
        pytest.skip("no browser is installed: apt install chromium")
    with playwright.sync_playwright() as library:
        browser = library.chromium.launch(executable_path=BROWSER, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def browse(chromium: Any, served: Served) -> Iterator[Any]:
    """Opens a page of the panel in a browser of its own; it must have no error of scripts."""
    contexts, errors = [], []

    def open_page(
        path: str = "/", base: str = "", size: tuple[int, int] = (1280, 720), **options: Any
    ) -> Any:
        width, height = size
        context = chromium.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto((base or served.url) + path)
        page.wait_for_selector("body:not(.no-link)")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert errors == []


def take_control(page: Any, name: str = "tester") -> None:
    """As a user does, once the page of the test before has lost it."""
    shows(page, "#holder", "nobody has control")
    page.click("#take")
    page.get_by_label("Your name").fill(name)
    page.get_by_role("dialog").get_by_role("button", name="Take control").click()
    page.wait_for_selector("body:not(.no-control)")


def shows(page: Any, selector: str, text: str) -> None:
    """Wait until an element has `text` in it."""
    page.locator(selector).filter(has_text=text).first.wait_for()


PICTURES = Path(__file__).resolve().parents[2] / "build" / "panel-pictures"


def picture(page: Any, name: str) -> Path:
    """Keep what the page looks like, for people to look at."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    path = PICTURES / f"{name}.png"
    page.screenshot(path=str(path))
    assert path.stat().st_size > 5000
    return path
