"""What the panel must never do: move without control, go on moving, or be fooled by others."""

from typing import Any

import pytest
from cable import cable
from conftest import Served, serving, shows, start_panel, take_control
from ros import eventually
from system import EXECUTABLES

from wmx_ros2_package.client import EndReason, Machine, MotionEnd

ENDS_OF_A_JOG = (EndReason.STOPPED, EndReason.CANCELED, EndReason.LEASE_EXPIRED)


def press(page: Any) -> None:
    """Hold the button that jogs upwards, and go on holding it."""
    page.locator("[data-jog='1']").scroll_into_view_if_needed()
    page.locator("[data-jog='1']").hover()
    page.mouse.down()


def moving(machine: Machine, axis: int = 0) -> bool:
    return bool(abs(machine.status().command_velocity[axis]) > 0.01)


def jog(page: Any, machine: Machine) -> None:
    """Hold the button until the axis moves; a press is dropped while the computer is too busy."""

    def moves() -> bool:
        page.mouse.up()
        press(page)
        page.wait_for_timeout(1500)
        return moving(machine)

    eventually(moves, "the axis moves")


def ended(machine: Machine, events: Any) -> MotionEnd:
    """The end of the jog that is under way; the axis rests then."""
    while True:
        event = events.get(timeout=20.0)
        if isinstance(event, MotionEnd):
            eventually(lambda: not moving(machine), "the axis rests")
            return event


def test_a_jog_lasts_as_long_as_its_button_is_held(browse: Any, machine: Machine) -> None:
    page = browse("/axes?axis=0")
    take_control(page)

    def goes_far() -> bool:
        """Hold the button for many leases; whether the computer was quick enough to renew them."""
        page.mouse.up()
        eventually(lambda: not moving(machine), "the axis rests")
        jog(page, machine)
        before = machine.axes[0].position
        while moving(machine) and machine.axes[0].position < before + 0.4:
            page.wait_for_timeout(20)
        return moving(machine)

    eventually(goes_far, "the axis moves for two seconds")
    with machine.events() as events:
        page.mouse.up()
        assert ended(machine, events).reason in ENDS_OF_A_JOG


def test_a_jog_by_the_keyboard(browse: Any, machine: Machine) -> None:
    page = browse("/axes?axis=0")
    take_control(page)
    page.locator(".jog-area").focus()
    page.keyboard.down("ArrowLeft")
    eventually(lambda: machine.status().command_velocity[0] < -0.01, "the axis moves back")
    page.keyboard.up("ArrowLeft")
    eventually(lambda: not moving(machine), "the axis rests")


def test_a_jog_ends_when_the_window_loses_the_focus(browse: Any, machine: Machine) -> None:
    page = browse("/axes?axis=0")
    take_control(page)
    with machine.events() as events:
        jog(page, machine)
        page.evaluate("window.dispatchEvent(new Event('blur'))")
        assert ended(machine, events).reason in ENDS_OF_A_JOG
        page.wait_for_timeout(500)
        assert not moving(machine)


def test_a_jog_ends_when_the_connection_is_cut(
    browse: Any, machine: Machine, served: Served
) -> None:
    with cable(served.port) as line, machine.events() as events:
        page = browse("/axes?axis=0", base=line.url)
        take_control(page)
        jog(page, machine)
        line.cut()
        assert ended(machine, events).reason in ENDS_OF_A_JOG
        shows(page, "#trouble", "No connection to the panel")
        # What the browser sent meanwhile arrives late, and moves nothing.
        before = machine.axes[0].position
        line.mend()
        page.wait_for_selector("body:not(.no-link)")
        page.wait_for_timeout(1000)
        assert machine.axes[0].position == pytest.approx(before, abs=1e-4)
        page.mouse.up()


def test_what_was_clicked_on_a_dead_line_moves_nothing_later(
    browse: Any, machine: Machine, served: Served
) -> None:
    with cable(served.port) as line:
        page = browse("/axes?axis=0", base=line.url)
        take_control(page)
        line.cut()
        step = page.get_by_role("button", name="+ Step")
        step.click()
        shows(page, "#trouble", "No connection to the panel")
        step.evaluate("button => button.click()")
        viewer = browse()
        shows(viewer, "#holder", "nobody has control")
        line.mend()
        page.wait_for_selector("body:not(.no-link)")
        page.wait_for_timeout(1500)
        assert machine.axes[0].position == pytest.approx(0.0, abs=1e-6)


def test_a_jog_ends_when_the_browser_stalls(browse: Any, machine: Machine) -> None:
    page = browse("/axes?axis=0")
    take_control(page)
    with machine.events() as events:
        jog(page, machine)
        page.evaluate(
            "void setTimeout(() => { const t = Date.now(); while (Date.now() - t < 2500); }, 0)"
        )
        assert ended(machine, events).reason in ENDS_OF_A_JOG
        page.mouse.up()


def test_a_slow_connection_moves_nothing(browse: Any, machine: Machine, served: Served) -> None:
    with cable(served.port) as line:
        page = browse("/axes?axis=0", base=line.url)
        take_control(page)
        line.delay = 0.5
        page.wait_for_timeout(2000)
        before = machine.axes[0].position
        press(page)
        page.wait_for_timeout(2000)
        page.mouse.up()
        assert machine.axes[0].position == pytest.approx(before, abs=1e-3)
        # Looking goes on, slower.
        page.wait_for_selector("body:not(.no-link)")


def test_one_holder_of_control(browse: Any, machine: Machine) -> None:
    first, second = browse(), browse("/axes?axis=0")
    take_control(first, "Ann")
    shows(second, "#holder", "Control: Ann (127.0.0.1)")
    second.click("#take")
    second.get_by_role("dialog").get_by_role("button", name="Take control").click()
    shows(second, ".q-notification", "Ann (127.0.0.1) has control")
    second.get_by_role("button", name="+ Step").click()
    shows(second, ".q-notification", "take control first")
    press(second)
    second.wait_for_timeout(500)
    second.mouse.up()
    assert machine.axes[0].position == pytest.approx(0.0, abs=1e-6)
    # A stop needs no control.
    second.keyboard.press("Escape")
    shows(first, "#estop", "ACTIVE")
    first.click("#release")
    shows(second, "#estop:not(.active)", "EMERGENCY STOP")
    first.click("#give")
    take_control(second, "Bob")
    shows(first, "#holder", "Control: Bob")


def test_control_and_its_motion_end_with_the_page(browse: Any, machine: Machine) -> None:
    page, viewer = browse("/axes?axis=0"), browse()
    take_control(page, "Ann")
    page.get_by_label("Target, rad").fill("6")
    page.get_by_label("Velocity, rad/s").last.fill("0.2")
    page.get_by_role("button", name="Move to").click()
    eventually(lambda: moving(machine), "the axis moves")
    page.close()
    shows(viewer, "#holder", "nobody has control")
    eventually(lambda: not moving(machine), "the axis rests")
    assert machine.axes[0].position < 5.0


def test_the_emergency_stop_by_button_and_key_on_every_page(browse: Any, machine: Machine) -> None:
    page = browse()
    for path in ("/", "/axes", "/robot", "/parameters"):
        page.goto(page.url.rsplit("/", 1)[0] + path)
        page.wait_for_selector("body:not(.no-link)")
        assert page.locator("#estop").is_visible()
        page.keyboard.press("Escape")
        shows(page, "#estop", "ACTIVE")
        machine.release()
        shows(page, "#estop:not(.active)", "EMERGENCY STOP")
    page.click("#estop")
    shows(page, "#estop", "ACTIVE")


def test_a_page_of_another_origin_reaches_nothing(
    browse: Any, machine: Machine, served: Served
) -> None:
    page = browse()
    for headers in ({"origin": "http://evil.example"}, {"host": "evil.example"}):
        answer = page.request.post(f"{served.url}/estop", headers=headers)
        assert answer.status == 403
    assert not page.locator("#estop.active").count()
    with cable(served.port) as other:
        page.goto("about:blank")
        page.route("http://other.test/", lambda route: route.fulfill(body="<p>other</p>"))
        page.goto("http://other.test/")
        code = page.evaluate(
            "url => new Promise(done => { const s = new WebSocket(url);"
            "s.onclose = () => done('closed'); s.onopen = () => done('open') })",
            other.url.replace("http", "ws") + "/live?client=x",
        )
        assert code == "closed"


@pytest.mark.parametrize(
    "options",
    [
        ["--host", "0.0.0.0"],
        ["--host", "192.168.1.5", "--token-file", "{token}"],
        ["--certificate", "{token}"],
        ["--token-file", "{short}"],
    ],
)
def test_it_refuses_to_start_unprotected(served: Served, options: list[str]) -> None:
    token, short = served.place.folder / "token", served.place.folder / "short"
    token.write_text("a token that is long enough")
    short.write_text("secret")
    words = [word.format(token=token, short=short) for word in options]
    process = served.place.run([str(EXECUTABLES / "wmx_panel"), *words])
    assert process.wait() == 2


def test_the_system_is_killed_and_comes_back(chromium: Any) -> None:
    with serving() as served:
        page = chromium.new_page()
        page.set_default_timeout(60_000)
        page.goto(served.url)
        shows(page, "tbody tr:nth-child(1)", "ready")
        served.main.kill()
        shows(page, "#trouble", "no status")
        again = served.place.start("bringup", options=["--robot", "arm"])
        page.wait_for_selector("#trouble[hidden]", state="attached")
        page.wait_for_selector("body:not(.stale)")
        served.panel.kill()
        shows(page, "#trouble", "No connection to the panel")
        panel = start_panel(served.place, served.port)
        page.wait_for_selector("body:not(.stale)")
        shows(page, "tbody tr:nth-child(1)", "joint1")
        page.close()
        panel.kill()
        again.stop()
