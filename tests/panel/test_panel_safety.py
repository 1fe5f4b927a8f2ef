"""What the panel must never do: move without control, or be fooled by others."""

from typing import Any

import pytest
from cable import Cable
from panels import (
    LATE,
    WAIT_TIMEOUT,
    Served,
    follow,
    free_port,
    moving,
    press,
    release,
    shows,
    start_panel,
    take_control,
)
from system import place as new_place
from waits import eventually

from wmx_ros2_package.client import Machine


def test_one_holder_of_control(browse: Any, machine: Machine) -> None:
    first, second = browse(), browse("/axes?axis=0")
    take_control(first, "Ann")
    shows(second, "#holder", "Control: Ann (127.0.0.1)")
    second.click("#take")
    second.get_by_label("Your name").fill("Bob")
    second.get_by_role("dialog").get_by_role("button", name="Take control").click()
    shows(second, ".q-notification", "Ann (127.0.0.1) has control")
    second.get_by_role("button", name="+ Step").click()
    shows(second, ".q-notification", "take control first")
    press(second)
    second.wait_for_timeout(LATE)
    second.mouse.up()
    assert machine.axes[0].position == pytest.approx(0.0, abs=1e-6)
    # A stop needs no control.
    second.keyboard.press("Escape")
    shows(first, "#estop", "ACTIVE")
    release(first)
    shows(second, "#estop:not(.active)", "EMERGENCY STOP")
    first.click("#give")  # to whom has asked for it
    shows(first, "#holder", "Control: Bob")


def test_control_is_asked_for_kept_and_handed_over(browse: Any, machine: Machine) -> None:
    ann, bob = browse("/axes?axis=0"), browse()
    take_control(ann, "Ann")

    def ask() -> None:
        bob.click("#take")
        bob.get_by_label("Your name").fill("Bob")
        bob.get_by_role("dialog").get_by_role("button", name="Take control").click()
        shows(ann, "#problem", "Bob (127.0.0.1) asks for control: Give back hands it over")
        shows(bob, "#problem", "Ann (127.0.0.1) is asked for control. It may be taken in ")

    ask()
    ann.click("#keep:enabled")
    ann.locator("#keep").wait_for(state="hidden")
    shows(bob, ".q-notification", "take control: Ann (127.0.0.1) keeps it")
    shows(ann, "#holder", "You have control")
    machine.axes[1].move(6.0, velocity=0.1)  # of another client, which goes on
    ann.get_by_label("Target, rad").fill("6")
    ann.get_by_label("Velocity, rad/s").last.fill("0.2")
    ann.get_by_role("button", name="Move to").click()
    eventually(lambda: moving(machine), "the axis moves")
    ask()
    ann.click("#give")
    shows(bob, "#holder", "You have control")
    shows(ann, "#holder", "Control: Bob (127.0.0.1)")
    eventually(lambda: not moving(machine), "what Ann has moved rests")
    assert moving(machine, 1)
    ann.get_by_role("button", name="+ Step").click()
    shows(ann, ".q-notification", "Bob (127.0.0.1) has control: take control first")
    machine.stop()


def test_control_and_its_motion_end_with_the_page(browse: Any, machine: Machine) -> None:
    page, viewer = browse("/axes?axis=0"), browse()
    take_control(page, "Ann")
    page.get_by_label("Target, rad").fill("6")
    page.get_by_label("Velocity, rad/s").last.fill("0.2")
    page.get_by_role("button", name="Move to").click()
    eventually(lambda: moving(machine), "the axis moves")
    page.close()
    shows(viewer, "#holder", "control is free")
    eventually(lambda: not moving(machine), "the axis rests")
    assert machine.axes[0].position < 5.0


def test_the_emergency_stop_by_button_and_key_on_every_page(browse: Any, machine: Machine) -> None:
    page = browse()
    for path in ("/axes", "/robot", "/parameters", "/"):
        follow(page, path)
        assert page.locator("#estop").is_visible()
        page.keyboard.press("Escape")
        shows(page, "#estop", "ACTIVE")
        machine.release()
        shows(page, "#estop:not(.active)", "EMERGENCY STOP")
    page.click("#estop")
    shows(page, "#estop", "ACTIVE")


def test_a_page_of_another_origin_reaches_nothing(
    browse: Any, machine: Machine, served: Served, line: Cable
) -> None:
    page = browse()
    for headers in ({"origin": "http://evil.example"}, {"host": "evil.example"}):
        answer = page.request.post(f"{served.url}/estop", headers=headers)
        assert answer.status == 403
    assert not page.locator("#estop.active").count()
    page.goto("about:blank")
    page.route("http://other.test/", lambda route: route.fulfill(body="<p>other</p>"))
    page.goto("http://other.test/")
    code = page.evaluate(
        "url => new Promise(done => { const s = new WebSocket(url);"
        "s.onclose = () => done('closed'); s.onopen = () => done('open') })",
        line.url.replace("http", "ws") + "/live?client=x",
    )
    assert code == "closed"
    page.close()


def test_the_machine_comes_and_goes_and_comes_back(chromium: Any) -> None:
    with new_place() as place:
        port = free_port()
        panel = start_panel(place, port)
        page = chromium.new_page()
        page.set_default_timeout(WAIT_TIMEOUT)
        sockets: list[Any] = []
        connected = False

        def serve_live(socket: Any) -> None:
            """Keep the frames away until the machine is found."""
            sockets.append(socket.connect_to_server() if connected else socket)

        page.route_web_socket("**/live*", serve_live)
        page.goto(f"http://127.0.0.1:{port}")
        shows(page, ".page", "No machine is connected")
        system = place.start("bringup", options=["--robot", "arm"])
        panel.says("connected to a SIMULATED machine")
        connected = True
        for socket in [*sockets]:
            socket.close()
        # The page, which is older than the machine, is made anew.
        shows(page, "tbody tr:nth-child(1)", "joint1")
        shows(page, "tbody tr:nth-child(1)", "ready")
        shows(page, "#link", "live")
        take_control(page)
        system.kill()
        shows(page, "#problem", "no status")
        shows(page, "#holder", "You have control of nothing")
        shows(page, "#link", "NOT LIVE")
        shows(page, '[data-state="network"]', "unknown")
        shows(page, "tbody tr:nth-child(1)", "not known")
        again = place.start("bringup", options=["--robot", "arm"])
        page.wait_for_selector("#problem[hidden]", state="attached")
        page.wait_for_selector("body:not(.stale)")
        panel.kill()
        shows(page, "#problem", "No connection to the panel")
        shows(page, "#link", "NOT LIVE")
        shows(page, "#holder", "Control: unknown")
        shows(page, '[data-state="engine"]', "unknown")
        panel = start_panel(place, port)
        page.wait_for_selector("body:not(.stale)")
        shows(page, "tbody tr:nth-child(1)", "joint1")
        page.close()
        panel.kill()
        again.stop()
