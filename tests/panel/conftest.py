"""The panel as its user has it: a system, `wmx_panel`, and a real browser without a screen.

System, browser and pages are those of all tests here: to start them, and to load a page, takes
longer than most of what is tested on it.
"""

import shutil
from collections.abc import Collection, Iterator
from contextlib import ExitStack
from functools import cached_property
from typing import Any

import pytest
from cable import CableProxy, cable
from panels import Served, return_slaves, serving
from ros import eventually

from wmx_ros2_package.client import Machine

pytest.importorskip("nicegui", reason="NiceGUI is not installed")
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
from acts import NO_WEBGL, bring, follow, new_page  # noqa: E402

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
FLAGS = ["--no-sandbox", "--enable-unsafe-swiftshader", "--disable-dev-shm-usage"]
SIZE = (1280, 720)
HALL = "/diagnostics"
"""The page that a kept one shows between two tests, so that each of them enters its own anew."""
TIDY = """() => {
  sessionStorage.clear();
  document.querySelectorAll("#give, .q-notification button").forEach(each => each.click());
  return document.body.matches(".no-control:not(.no-link)") && !document.querySelector(".refusal");
}"""
"""Gives control back, where this page has it, closes what is told and forgets it; whether that is
done."""
MENU_FITS = """() => {
  const left = document.querySelector(".q-drawer")?.getBoundingClientRect().x;
  return left === (innerWidth > 900 ? 0 : -210);
}"""
"""Whether the menu stands in a wide window, and not over a narrow one. It follows the width of a
window when the panel has answered: a line that is cut before leaves it over the page."""
TIDY_PERIOD = 200
"""ms. A page whose connection was lost may load itself again meanwhile."""


class Pages:
    """The pages of all tests, in one browser."""

    def __init__(self, chromium: Any, keep: Collection[str]) -> None:
        """Of each address of `keep` a page is kept for the next test."""
        self._chromium = chromium
        self._keep = keep
        self._kept: dict[str, Any] = {}
        self._opened: list[tuple[str, Any]] = []
        self.errors: list[str] = []

    def open(
        self, base: str, path: str, size: tuple[int, int], color_scheme: str, *, webgl: bool
    ) -> Any:
        page = self._kept.pop(base, None)
        if page is None:
            page = new_page(self._chromium)
            page.on("pageerror", lambda error: self.errors.append(str(error)))
            page.goto(base + HALL)
        self._opened.append((base, page))
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.emulate_media(color_scheme=color_scheme)
        if not webgl:
            page.evaluate(NO_WEBGL)
        follow(page, path)
        page.wait_for_selector("body:not(.no-link)")
        page.wait_for_function(MENU_FITS)
        return page

    def end_test(self, *, keep: bool) -> None:
        """Close its pages, but for one of each address that is kept."""
        opened, self._opened = self._opened, []
        for base, page in opened:
            if not keep or base not in self._keep or base in self._kept or page.is_closed():
                page.close()
                continue
            page.mouse.up()
            page.wait_for_function(TIDY, polling=TIDY_PERIOD)
            follow(page, HALL)
            self._kept[base] = page


class World:
    """What all tests share, started when it is asked for first."""

    def __init__(self) -> None:
        self._running = ExitStack()

    @cached_property
    def served(self) -> Served:
        return self._running.enter_context(serving())

    @cached_property
    def line(self) -> CableProxy:
        return self._running.enter_context(cable(self.served.port))

    @cached_property
    def machine(self) -> Machine:
        return self._running.enter_context(Machine(domain=self.served.place.domain, timeout=30.0))

    @cached_property
    def chromium(self) -> Any:
        if BROWSER is None:
            pytest.skip("no browser is installed: apt install chromium")
        library = self._running.enter_context(playwright.sync_playwright())
        browser = library.chromium.launch(executable_path=BROWSER, args=FLAGS)
        self._running.callback(browser.close)
        return browser

    @cached_property
    def pages(self) -> Pages:
        return Pages(self.chromium, keep=(self.served.url, self.line.url))

    def end(self) -> None:
        self._running.close()
        vars(self).clear()
        self._running = ExitStack()


WORLD = World()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> Iterator[None]:
    """Other tests find no loop of asyncio in their thread, and nothing that takes their time."""
    yield
    if nextitem is None or "tests/panel/" not in nextitem.nodeid:
        WORLD.end()


@pytest.fixture(scope="session")
def world() -> Iterator[World]:
    yield WORLD
    WORLD.end()


@pytest.fixture
def chromium(world: World) -> Any:
    return world.chromium


@pytest.fixture
def served(world: World) -> Served:
    return world.served


@pytest.fixture
def line(world: World) -> CableProxy:
    """A cable to the panel, which is whole when a test begins."""
    return world.line


@pytest.fixture
def machine(world: World) -> Machine:
    """The machine by the client library: on, at rest, at 0, without alarms."""
    machine = world.machine
    return_slaves(machine)  # those of a test that has failed
    machine.release()
    machine.stop()
    eventually(lambda: machine.status().at_rest.all(), "all rest")
    machine.axes.clear()
    machine.axes.on()
    machine.set_speed(100)
    if machine.speed.paused:
        machine.resume()
    bring(machine)
    return machine


@pytest.fixture
def browse(world: World, request: pytest.FixtureRequest) -> Iterator[Any]:
    """Opens a page of the panel; it must have no error of scripts."""
    pages, line = world.pages, world.line

    def open_page(
        path: str = "/",
        base: str = "",
        size: tuple[int, int] = SIZE,
        color_scheme: str = "light",
        *,
        webgl: bool = True,
    ) -> Any:
        return pages.open(base or world.served.url, path, size, color_scheme, webgl=webgl)

    failed = request.session.testsfailed
    yield open_page
    line.set_delay(0.0)
    line.mend()
    # What a test that fails leaves behind is nobody's to begin with.
    pages.end_test(keep=request.session.testsfailed == failed)
    errors, pages.errors = pages.errors, []
    assert errors == []
