"""A second panel where others reach it: over TLS, with tokens, and with meshes."""

import re
import ssl
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from acts import (
    ask_for_control,
    click_until,
    escape,
    give_back,
    keep_control,
    new_page,
    order,
    take_control,
)
from panels import port_of, shows, start_panel
from system import Process

from wmx_ros2_package.client import Machine
from wmx_ros2_package.robots.catalogue import ROBOTS

TOKEN, VIEWERS = "0123456789abcdef0123", "fedcba98765432100123"
BASE = '<link name="base_link">'
MESHES = """
  <visual><geometry><mesh filename="package://no_such_robot/other.stl"/></geometry></visual>
  <visual><geometry><mesh filename="base.dae"/></geometry></visual>
  <visual><geometry><mesh filename="base.stl"/></geometry></visual>
"""
"""What the arm has on its base here."""
TRIANGLE = """solid t
facet normal 0 0 1
outer loop
vertex 0 0 0.2
vertex 0.5 0 0.2
vertex 0 0.5 0.2
endloop
endfacet
endsolid t
"""


IS_DRAWN = """() => {
  let found = false;
  for (const { mesh } of getElement(window.wmxRobot?.scene())?.objects.values() ?? [])
    if (mesh?.type === "Group") mesh.traverse(each => { found ||= each.isMesh; });
  return found;
}"""
"""Whether the robot has a mesh; the floor of the scene is no part of it."""


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


@dataclass
class Second:
    """A second panel of the system of all tests, which is served to everybody."""

    url: str
    process: Process
    robot: Path
    """The URDF that it shows."""


@pytest.fixture(scope="module")
def second(world: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Second]:
    folder = tmp_path_factory.mktemp("second")
    made, key = certificate(folder)
    robot = ROBOTS["arm"].urdf.read_text().replace(BASE, BASE + MESHES)
    files = {"token": f"{TOKEN}\n", "viewers": VIEWERS, "robot.urdf": robot, "base.stl": TRIANGLE}
    for name, content in files.items():
        (folder / name).write_text(content)
    place = world.served.place
    port = port_of(place, 1)
    panel = start_panel(
        place,
        port,
        *("--host", "0.0.0.0", "--token-file", str(folder / "token")),
        *("--viewer-token-file", str(folder / "viewers")),
        *("--certificate", str(made), "--key", str(key)),
        *("--urdf", str(folder / "robot.urdf")),
    )
    panel.says("connected to a SIMULATED machine")
    yield Second(f"https://127.0.0.1:{port}", panel, folder / "robot.urdf")
    panel.kill()
    place.processes.remove(panel)


@pytest.fixture
def stranger(world: Any) -> Iterator[Any]:
    """A page of a browser that has not given a token."""
    context = world.chromium.new_context(ignore_https_errors=True)
    yield new_page(context)
    context.close()


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


def log_in(page: Any, url: str, token: str) -> None:
    page.goto(url)
    page.get_by_label("Token").fill(token)
    page.get_by_role("button", name="Open").click()


def test_without_tls_or_a_token_nothing_is_served(second: Second) -> None:
    assert fetched(f"{second.url}/estop") == 401
    assert fetched(f"{second.url}/estop", Origin="https://elsewhere.example") == 403
    with pytest.raises((OSError, urllib.error.URLError)):
        urllib.request.urlopen(second.url.replace("https", "http"), timeout=10.0)


def test_a_token_opens_it_and_its_page_moves_the_machine_as_the_only_one(
    browse: Any, machine: Machine, stranger: Any, second: Second
) -> None:
    log_in(stranger, second.url, "0" * 20)
    shows(stranger, "[role=alert]", "That is not the token.")
    assert stranger.context.cookies() == []
    opened = stranger.evaluate(
        """() => new Promise(done => {
            const socket = new WebSocket(location.origin.replace("https", "wss") + "/live");
            socket.onmessage = () => done("a frame");
            socket.onclose = event => done(event.code);
        })"""
    )
    assert opened == 4401  # without a login; 4404: one without a page
    log_in(stranger, second.url, TOKEN)
    shows(stranger, "#kind", "SIMULATED")
    [cookie] = stranger.context.cookies()
    assert (cookie["secure"], cookie["httpOnly"], cookie["sameSite"]) == (True, True, "Strict")

    ann = browse()
    take_control(ann, "Ann")

    def ask() -> None:
        keep_control(ann)
        shows(stranger, "#holder", "Control: Ann (127.0.0.1), at another panel")
        ask_for_control(stranger, "Bob")

    order(stranger, ask, "Ann (127.0.0.1) has control, at another panel")
    give_back(ann)
    machine.axes.off()
    take_control(stranger, "Bob")
    all_on = stranger.get_by_role("button", name="All servos on")
    click_until(all_on, lambda: machine.status().servo_on.all())
    escape(stranger)
    shows(ann, "#estop", "ACTIVE")
    machine.release()

    stranger.click(".menu-robot")
    shows(stranger, "#missing-meshes", "2 meshes are not shown:")
    shows(stranger, "#missing-meshes", "the package no_such_robot is not installed")
    shows(stranger, "#missing-meshes", "base.dae: .dae: only .stl, .gltf, .glb are drawn")
    stranger.wait_for_function(IS_DRAWN)
    mesh = second.robot.with_name("base.stl")
    assert stranger.request.get(f"{second.url}/meshes{mesh}").text() == TRIANGLE


def test_a_page_whose_login_counts_no_more_asks_for_the_token(
    stranger: Any, second: Second
) -> None:
    """As after a restart with another token, when it could stop nothing any more."""
    live: list[Any] = []

    def serve(socket: Any) -> None:
        live.append(socket)
        socket.connect_to_server()

    stranger.route_web_socket(re.compile("/live"), serve)
    log_in(stranger, second.url, VIEWERS)
    shows(stranger, "#holder", "You only look")
    stranger.wait_for_function("Date.now() - wmxLoaded > 3000")
    stranger.context.clear_cookies()
    live[-1].close()
    stranger.get_by_label("Token").wait_for()


def test_the_token_of_viewers_looks_and_stops(
    stranger: Any, second: Second, machine: Machine
) -> None:
    page = stranger
    log_in(page, second.url, VIEWERS)
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
    machine.release()
