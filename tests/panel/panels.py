"""`wmx_panel` and what tests of it do with its pages."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import system as systems
from system import EXECUTABLES, Place, Process

from wmx_ros2_package.client import Machine

WAIT_TIMEOUT = 120_000
"""How long a browser may take to show something, ms."""
LATE = 1000
"""ms: what has arrived by now would have moved something by then."""


def port_of(place: Place, panel: int = 0) -> int:
    """The TCP port of a panel there, of the numbers that DDS has for the domain of the place."""
    return 7600 + 250 * place.domain + panel


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
def serving() -> Iterator[Served]:
    """An arm on the simulated engine, and a panel that has found it."""
    with systems.place() as place:
        recordings = place.folder / "recordings"
        main = place.start(
            "bringup",
            f"folder:={recordings}",
            "seconds_between:=0.0",
            options=["--robot", "arm", "--recorder", "--events"],
        )
        # A panel that finds a node later than others loads its pages again.
        main.says("The system is ready")
        port = port_of(place)
        panel = start_panel(place, port)
        panel.says("connected to a SIMULATED machine")
        try:
            yield Served(place, port, panel, main, recordings)
        finally:
            panel.kill()


def settled(page: Any) -> None:
    """Wait until nothing slides or fades any more."""
    page.wait_for_function("document.getAnimations().every(each => each.playState != 'running')")


def shows(page: Any, selector: str, text: str) -> None:
    """Wait until an element has `text` in it."""
    page.locator(selector).filter(has_text=text).first.wait_for()


def downloaded(page: Any, button: str) -> tuple[str, bytes]:
    """Click `button`; the name of the file that comes of it, and what is in that."""
    with page.expect_download() as download:
        page.click(button)
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


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
