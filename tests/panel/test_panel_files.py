"""What browsers send: shown as what it is, and never in the way of a stop."""

import json
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

import numpy as np
import pytest
from acts import READY, bring, order, take_control, tells, told, until
from panels import LATE, Served, shows, shows_curves
from waits import at_best, eventually
from websockets.sync.client import connect

from wmx_ros2_package.client import Machine

JOINTS = [f"joint{n}" for n in range(1, 7)]


def csv(way: float, joints: list[str] = JOINTS) -> bytes:
    """A trajectory of one second from 0 to `way` of the first joint."""
    zeros = ",0" * (len(joints) - 1)
    return f"time_s,{','.join(joints)}\n0,0{zeros}\n1,{way}{zeros}\n".encode()


def choose(page: Any, name: str, data: bytes) -> None:
    page.locator("input[type=file]").set_input_files(
        {"name": name, "mimeType": "text/plain", "buffer": data}
    )


def test_what_runs_is_what_the_page_shows(browse: Any, machine: Machine, served: Served) -> None:
    page = browse("/trajectory")
    take_control(page)
    run, warning = page.locator("#run"), page.locator("#trajectory-warning")
    summary = page.locator("#trajectory-summary")
    assert run.is_disabled()

    def is_chosen(name: str, data: bytes, shown: str) -> None:
        is_shown = summary.filter(has_text=shown).is_visible
        until(page, lambda: choose(page, name, data), is_shown, f"{name} is shown")

    is_chosen("a.csv", csv(0.1), "a.csv: 2 points, 1.00 s, joints joint1")
    first = summary.inner_text()
    plot = page.locator("canvas").first
    plot.wait_for()
    is_chosen("b.csv", csv(0.2), "b.csv: ")
    is_chosen("a.csv", csv(0.1), first)
    broken, large = b"time_s,joint1\n0,0\n1,x\n", served.place.folder / "large.csv"
    large.write_bytes(bytes(5 << 20))
    for choose_it, why in (
        (partial(choose, page, "x.csv", broken), "'x' must be a finite number"),
        (partial(page.locator("input[type=file]").set_input_files, large), "at most"),
    ):
        until(page, choose_it, warning.filter(has_text=why).is_visible, why)
        shows(page, "#trajectory-summary", "no trajectory is chosen")
        assert run.is_disabled()
        plot.wait_for(state="hidden")
        is_chosen("a.csv", csv(0.1), first)
        plot.wait_for()

    def run_another() -> None:
        page.locator(f"#run{READY}").evaluate(
            "button => { button.dataset.shown = 'b.csv'; button.click(); }"
        )

    order(page, run_another, "The button has changed since it was clicked", "b.csv")
    page.wait_for_timeout(LATE)
    assert machine.status().command[0] == 0.0
    assert not page.locator("#trajectory-progress").inner_text()
    is_chosen("far.csv", csv(99.0), "far.csv: ")
    shows(page, "#trajectory-warning", "joint1 would reach 99")
    assert run.is_disabled(), "the server would refuse it"

    def run_it() -> None:
        bring(machine)
        choose(page, "a.csv", csv(0.1))
        summary.filter(has_text=first).wait_for()
        shows_curves(page, 2)
        page.locator(f"#run{READY}").click()

    def has_run() -> bool:
        begun = told(page, "bg-info", "run a.csv (1.00 s, sha256 ")
        arrived = ": ARRIVED" in page.locator("#trajectory-progress").inner_text()
        return begun and arrived and abs(machine.axes[0].position - 0.1) < 1e-3

    until(page, run_it, has_run, "it has run")
    shows(page, "#trajectory-warning", "joint1 begins at 0.000: it is at 0.100")
    assert run.is_disabled()

    def run_and_stop() -> None:
        bring(machine)
        page.get_by_role("button", name="Example").click()
        page.locator(f"#run{READY}").click()
        tells(page, "bg-info", "run Example (4.00 s, sha256 ")
        page.get_by_role("button", name="Stop all").click()

    order(page, run_and_stop, "bg-negative", "run Example (4.00 s, sha256 ")


def test_a_file_whose_answer_is_late_has_arrived(browse: Any) -> None:
    page = browse("/trajectory")
    answered: list[str] = []

    def answer_late(route: Any) -> None:
        answer = route.fetch()
        shows(page, "#trajectory-summary", "a.csv: 2 points")
        page.wait_for_timeout(500)  # as long as a word of the panel may take to the browser
        route.fulfill(response=answer)
        answered.append(route.request.url)

    page.route("**/upload/*", answer_late)
    choose(page, "a.csv", csv(0.1))
    eventually(lambda: page.evaluate("1") and answered, "the browser has the answer")
    page.wait_for_function("!document.querySelector('.q-uploader__file--uploading')")
    shows(page, "#trajectory-summary", "a.csv: 2 points")
    assert "refused" not in page.locator("#trajectory-warning").inner_text()


def get(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=60.0) as answer:
            answer.read()
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def test_requests_that_cannot_be_are_refused_in_words(served: Served, machine: Machine) -> None:
    for path in "scope-data", "scope.csv", "scope.mcap":
        assert get(f"{served.url}/{path}?channels=9:position&seconds=1") == 422
    assert get(f"{served.url}/recording/..%2Fsecret.mcap") == 404
    assert "Traceback" not in served.panel.output


@contextmanager
def everything_at_once(page: Any, served: Served) -> Iterator[None]:
    """Uploads, exports, plots and pages, again and again from several clients."""
    path = page.evaluate("getElement(document.querySelector('.q-uploader').id.slice(1)).$props.url")
    yaml = b"points:\n" + b"".join(
        b"- {time: %d, %s}\n" % (n, b", ".join(b"joint%d: 0.0" % j for j in range(1, 7)))
        for n in range(40_000)
    )
    form = b'--x\r\nContent-Disposition: form-data; name="f"; filename="x.yaml"\r\n\r\n%s\r\n--x--'
    uploads = [form % data for data in (yaml, b"[" * 1_000_000)]
    asked = "channels=0:command,0:position,0:following_error,0:velocity,0:torque&seconds=600"
    ended = threading.Event()

    def upload(number: int) -> None:
        request = urllib.request.Request(
            served.url + path,
            uploads[number % 2],
            {"content-type": "multipart/form-data; boundary=x"},
        )
        urllib.request.urlopen(request, timeout=60.0).read()

    def load(number: int) -> None:
        while not ended.is_set():
            with suppress(OSError):
                [
                    lambda: upload(number),
                    lambda: get(f"{served.url}/scope-data?{asked}&points=2000"),
                    lambda: get(f"{served.url}/scope.csv?{asked}"),
                    lambda: get(f"{served.url}/robot"),
                ][number % 4]()

    threads = [threading.Thread(target=load, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        ended.set()
        for thread in threads:
            thread.join()


def answer_times(stops: Any, stop: str | None, count: int) -> list[float]:
    """How long each of some stops waits for its answer, s; None is the emergency stop."""
    times = []
    for _ in range(count):
        begin = time.monotonic()
        stops.send(json.dumps({"n": 1, "stop": stop}))
        assert json.loads(stops.recv(60.0))["done"]
        times.append(time.monotonic() - begin)
        time.sleep(0.05)
    return times


@pytest.mark.parametrize(
    ("stop", "count", "share", "most"),
    [
        # The computers of tests are shared: a page that parses would hold up a stop for seconds.
        pytest.param("all", 20, 1.0, 2.0, id="all stops"),
        pytest.param(None, 100, 0.99, 0.1, id="emergency stops", marks=pytest.mark.slow),
    ],
)
def test_a_stop_is_answered_while_everything_else_is_asked_at_once(
    browse: Any,
    machine: Machine,
    served: Served,
    stop: str | None,
    count: int,
    share: float,
    most: float,
) -> None:
    page = browse("/trajectory")
    url = served.url.replace("http", "ws") + "/stop"

    def longest() -> float:
        """How long this share of some stops takes at most, s."""
        times = answer_times(stops, stop, count)
        print(f"stops answered after {np.quantile(times, [0.5, 0.99, 1.0]) * 1e3} ms")
        return float(np.quantile(times, share))

    with connect(url, close_timeout=1) as stops, everything_at_once(page, served):
        page.wait_for_timeout(LATE)
        at_best(longest, most)
    machine.release()
