"""The panel as its user has it: a system, `wmx_panel`, and a real browser without a screen."""

import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from panels import WAIT_TIMEOUT, Served, serving
from ros import eventually

from wmx_ros2_package.client import Machine

pytest.importorskip("nicegui", reason="NiceGUI is not installed")
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
FLAGS = ["--no-sandbox", "--enable-unsafe-swiftshader", "--disable-dev-shm-usage"]


@pytest.fixture(scope="module")
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


@pytest.fixture(scope="module")
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
        page.set_default_timeout(WAIT_TIMEOUT)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto((base or served.url) + path)
        page.wait_for_selector("body:not(.no-link)")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert errors == []
