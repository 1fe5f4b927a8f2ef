"""The panel where others reach it: over TLS, with a token, in a real browser and without one."""

import ssl
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from acts import click_until, escape, new_page, order, take_control
from panels import free_port, shows, start_panel

from wmx_ros2_package.client import Machine

TOKEN, VIEWERS = "0123456789abcdef0123", "fedcba98765432100123"


def certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate that is signed by itself, and its key, as docs/panel-options.md says."""
    made, key = folder / "cert.pem", folder / "key.pem"
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=panel"
    try:
        subprocess.run(
            [*command.split(), "-keyout", key, "-out", made], check=True, capture_output=True
        )
    except FileNotFoundError:
        pytest.skip("openssl is not installed")
    return made, key


@pytest.fixture(scope="module")
def address(world: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where a second panel of the system is served to everybody."""
    folder = tmp_path_factory.mktemp("tls")
    made, key = certificate(folder)
    token = folder / "token"
    token.write_text(f"{TOKEN}\n")
    viewers = folder / "viewers"
    viewers.write_text(VIEWERS)
    port = free_port()
    place = world.served.place
    panel = start_panel(
        place,
        port,
        *("--host", "0.0.0.0", "--token-file", str(token)),
        *("--viewer-token-file", str(viewers)),
        *("--certificate", str(made), "--key", str(key)),
    )
    panel.says("connected to a SIMULATED machine")
    yield f"https://127.0.0.1:{port}"
    panel.kill()
    place.processes.remove(panel)


def fetched(url: str, **headers: str) -> int:
    """The status of the answer to a request without a browser."""
    whatever = ssl.create_default_context()
    whatever.check_hostname, whatever.verify_mode = False, ssl.CERT_NONE
    try:
        with urllib.request.urlopen(
            urllib.request.Request(url, headers=headers), context=whatever
        ) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


@pytest.fixture(scope="module")
def stranger(world: Any, address: str) -> Iterator[Any]:
    """A page of a browser that has not given the token."""
    context = world.chromium.new_context(ignore_https_errors=True)
    page = new_page(context)
    yield page
    context.close()


def log_in(page: Any, address: str, token: str) -> None:
    page.goto(address)
    page.get_by_label("Token").fill(token)
    page.get_by_role("button", name="Open").click()


def test_a_wrong_token_opens_nothing(stranger: Any, address: str) -> None:
    log_in(stranger, address, "0" * 20)
    shows(stranger, "[role=alert]", "That is not the token.")
    assert stranger.context.cookies() == []


@pytest.mark.parametrize("path", ["/", "/axes", "/history?axis=0&seconds=1", "/panel/panel.js"])
def test_without_the_token_nothing_is_served(address: str, path: str) -> None:
    assert fetched(address + path) == 401
    assert fetched(address + path, Cookie="wmx_panel=guessed") == 401
    assert fetched(address + path, Origin="https://elsewhere.example") == 403


def test_without_the_token_no_status_is_streamed(stranger: Any, address: str) -> None:
    stranger.goto(address)
    opened = stranger.evaluate(
        """() => new Promise(done => {
            const socket = new WebSocket(location.origin.replace("https", "wss") + "/live");
            socket.onmessage = () => done("a frame");
            socket.onclose = event => done(event.code);
        })"""
    )
    assert opened == 1006  # refused before it was a connection; 4404: one without a page


def test_without_tls_nothing_is_answered(address: str) -> None:
    with pytest.raises((OSError, urllib.error.URLError)):
        urllib.request.urlopen(address.replace("https", "http"), timeout=10.0)


def test_the_token_opens_the_panel_and_the_page_moves_the_machine(
    stranger: Any, address: str, machine: Machine
) -> None:
    machine.axes.off()
    log_in(stranger, address, TOKEN)
    shows(stranger, "#kind", "SIMULATED")
    [cookie] = stranger.context.cookies()
    assert (cookie["secure"], cookie["httpOnly"], cookie["sameSite"]) == (True, True, "Strict")
    take_control(stranger)
    all_on = stranger.get_by_role("button", name="All servos on")
    click_until(all_on, lambda: machine.status().servo_on.all())
    escape(stranger)
    shows(stranger, "#release", "Release")
    machine.release()


def test_the_token_of_viewers_looks_and_stops(
    chromium: Any, address: str, machine: Machine
) -> None:
    context = chromium.new_context(ignore_https_errors=True)
    page = new_page(context)
    log_in(page, address, VIEWERS)
    shows(page, "#holder", "You only look")
    assert not page.locator("#take").is_visible()

    def take() -> None:
        page.evaluate("document.getElementById('take').click()")  # as a forged page does
        page.get_by_role("dialog").get_by_role("button", name="Take control").click()

    order(page, take, "this login only looks, and stops")
    machine.axes.off()
    all_on = page.get_by_role("button", name="All servos on")
    order(page, all_on.click, "switch all servos on: this login only looks, and stops")
    assert not machine.status().servo_on.any()
    escape(page)
    shows(page, "#estop", "IS ACTIVE")
    context.close()
    machine.release()
