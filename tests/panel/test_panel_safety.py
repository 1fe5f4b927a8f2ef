"""What the panel must never do: move without control, or be fooled by others."""

import re
from typing import Any

import pytest
from acts import (
    ask_for_control,
    escape,
    follow,
    given_up,
    hold,
    jog_button,
    keep_control,
    new_page,
    order,
    release,
    take_control,
    until,
)
from cable import Cable
from panels import LATE, Served, free_port, moving, shows, start_panel
from system import place as new_place
from waits import eventually

from wmx_ros2_package.client import Machine, Motion


def test_one_holder_of_control(browse: Any, machine: Machine) -> None:
    first, second = browse(), browse("/axes?axis=0")
    take_control(first, "Ann")

    def ask() -> None:
        keep_control(first)
        shows(second, "#holder", "Control: Ann (127.0.0.1)")
        ask_for_control(second, "Bob")

    order(second, ask, "Ann (127.0.0.1) has control")
    order(second, second.get_by_role("button", name="+ Step").click, "take control first")
    hold(jog_button(second), second.locator("#problem", has_text="Take control first").is_visible)
    second.wait_for_timeout(LATE)
    second.mouse.up()
    assert machine.axes[0].position == pytest.approx(0.0, abs=1e-6)
    refused = second.locator("#problem").filter(has_text="Take control first")

    def press_and_stop() -> None:
        machine.release()
        hold(jog_button(second), refused.is_visible)
        second.mouse.up()
        machine.estop()

    # A refusal hides nobody's stop.
    until(second, press_and_stop, refused.filter(has_text="EMERGENCY STOP").is_visible)
    machine.release()
    shows(second, "#estop:not(.active)", "EMERGENCY STOP")
    # A stop needs no control.
    escape(second)
    shows(first, "#estop", "ACTIVE")
    release(first)
    shows(second, "#estop:not(.active)", "EMERGENCY STOP")

    def hand_over() -> None:
        ask()
        first.click("#give")  # to whom has asked for it

    until(first, hand_over, first.locator("#holder", has_text="Control: Bob").is_visible)


def test_control_is_asked_for_kept_and_handed_over(browse: Any, machine: Machine) -> None:
    ann, bob = browse("/axes?axis=0"), browse()
    take_control(ann, "Ann")

    def ask() -> None:
        keep_control(ann)
        shows(bob, "#holder", "Control: Ann (127.0.0.1)")
        ask_for_control(bob, "Bob")
        shows(ann, "#problem", "Bob (127.0.0.1) asks for control: Give back hands it over")
        shows(bob, "#problem", "Ann (127.0.0.1) is asked for control. It may be taken in ")

    def keep() -> None:
        ask()
        ann.click("#keep:enabled")

    order(bob, keep, "take control: Ann (127.0.0.1) keeps it")
    ann.locator("#keep").wait_for(state="hidden")
    shows(ann, "#holder", "You have control")
    others: list[Motion] = []

    def move() -> None:
        ann.get_by_label("Target, rad").fill("6")
        ann.get_by_label("Velocity, rad/s").last.fill("0.1")
        ann.get_by_role("button", name="Move to").click()

    def hand_over() -> None:
        if bob.locator("#give").is_visible():
            bob.click("#give")
        others.append(machine.axes[1].move(6.0, velocity=0.1))  # of another client
        until(ann, move, lambda: moving(machine), "the axis moves")
        ask()
        ann.click("#give")

    has_control = bob.locator("#holder", has_text="You have control")
    until(bob, hand_over, lambda: has_control.is_visible() and not given_up(others[-1]))
    shows(ann, "#holder", "Control: Bob (127.0.0.1)")
    eventually(lambda: not moving(machine), "what Ann has moved rests")
    assert moving(machine, 1), "it goes on"
    ann.evaluate("delete sessionStorage.holder")
    refusal = "Bob (127.0.0.1) has control: take control first"
    order(ann, ann.get_by_role("button", name="+ Step").click, refusal)
    machine.stop()


def test_control_and_its_motion_end_with_the_page(browse: Any, machine: Machine) -> None:
    page, viewer = browse("/axes?axis=0"), browse()
    take_control(page, "Ann")

    def move() -> None:
        page.get_by_label("Target, rad").fill("6")
        page.get_by_label("Velocity, rad/s").last.fill("0.1")
        page.get_by_role("button", name="Move to").click()

    until(page, move, lambda: moving(machine), "the axis moves")
    page.close()
    shows(viewer, "#holder", "control is free")
    eventually(lambda: not moving(machine), "the axis rests")
    assert machine.axes[0].position < 5.0


def test_the_emergency_stop_by_button_and_key_on_every_page(browse: Any, machine: Machine) -> None:
    page = browse()
    for path in ("/axes", "/robot", "/parameters", "/"):
        follow(page, path)
        assert page.locator("#estop").is_visible()
        escape(page)
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
        page = new_page(chromium)
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
        shows(page, "#problem", re.compile("no status|the system has ended"))  # which comes later
        nothing = page.locator("#holder", has_text="You have control of nothing")
        until(page, lambda: None, nothing.is_visible, "control is kept")
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
