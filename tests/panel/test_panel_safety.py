"""What the panel must never do: move without control, go on moving, or be fooled by others."""

import signal
from math import inf
from typing import Any

import pytest
from cable import cable
from panels import Served, free_port, picture, serving, shows, start_panel, take_control
from patience import at_best, eventually
from system import EXECUTABLES
from system import place as new_place

from wmx_ros2_package.client import EndReason, Machine, MotionEnd, NotAnswered
from wmx_ros2_package.control.motion_leases import LEASE_TIMEOUT

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
    far = 0.4
    """Two seconds, rad: many leases of the panel, and two of the machine."""

    def falls_short() -> float:
        """Hold the button, release it far from there; how much of the way is missing then, rad."""
        eventually(lambda: not moving(machine), "the axis rests")
        before = machine.axes[0].position
        with machine.events() as events:
            press(page)
            try:
                events.get(timeout=5.0)
            except NotAnswered:  # a press is dropped while the computer is too busy
                page.mouse.up()
                return far
            eventually(lambda: moving(machine), "the axis moves", timeout=5.0)
            while (way := machine.axes[0].position - before) < far and moving(machine):
                page.wait_for_timeout(20)
            page.mouse.up()
            assert ended(machine, events).reason in ENDS_OF_A_JOG
        return far - way

    at_best(falls_short, most=0.0)


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


def test_a_phone_shows_that_it_is_not_live_wherever_it_is_scrolled_to(
    browse: Any, machine: Machine, served: Served
) -> None:
    with cable(served.port) as line:
        page = browse(base=line.url, size=(390, 844))
        page.get_by_text("live", exact=True).wait_for()
        page.mouse.wheel(0, 3000)
        page.wait_for_function("window.scrollY > 500")
        line.cut()
        shows(page, "#link", "NOT LIVE")
        shows(page, "#trouble", "It reconnects by itself")
        for part in ("#link", "#trouble"):
            box = page.locator(part).bounding_box()
            for share in (0.1, 0.9):
                at = [box["x"] + box["width"] / 2, box["y"] + box["height"] * share]
                seen = "([x, y]) => document.elementFromPoint(x, y)?.id"
                assert page.evaluate(seen, at) == part.removeprefix("#")
        picture(page, "phone_not_live")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        line.mend()
        page.wait_for_selector("body:not(.no-link)")
        page.locator("#trouble").wait_for(state="hidden")


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


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_jog_ends_by_its_lease_when_the_panel_dies_or_hangs(
    browse: Any, machine: Machine, served: Served, number: signal.Signals
) -> None:
    def way() -> float:
        """How far the axis is commanded after its panel has gone, rad."""
        port = free_port()
        panel = start_panel(served.place, port)
        panel.says("connected to a SIMULATED machine")
        page = browse("/axes?axis=0", base=f"http://127.0.0.1:{port}")
        take_control(page)
        jog(page, machine)
        with machine.events() as events:  # of this press: those before it may have ended, too
            panel.send_signal(number)
            before = machine.status()
            # A computer that is too busy ends the jog before the panel has gone.
            if abs(before.command_velocity[0]) < 0.01:
                panel.kill()
                return inf
            end = ended(machine, events)
        if number is signal.SIGSTOP:
            # The newest status may be from just before the end.
            eventually(lambda: machine.status().at_rest.all(), "all rest")
            rest = machine.status().command[0]
            panel.send_signal(signal.SIGCONT)
            page.wait_for_timeout(1000)
            late = "what it had in hand moves nothing"
            assert machine.status().command[0] == pytest.approx(rest, abs=1e-6), late
        panel.kill()
        page.close()
        return end.final[0] - before.command[0] if end.reason is EndReason.LEASE_EXPIRED else inf

    at_best(way, most=0.2 * (LEASE_TIMEOUT + 1.0), attempts=3)


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


def test_a_page_that_is_older_than_the_machine_is_made_anew(chromium: Any) -> None:
    with new_place() as place:
        port = free_port()
        panel = start_panel(place, port)
        page = chromium.new_page()
        sockets: list[Any] = []
        connected = False

        def serve_live(socket: Any) -> None:
            """Keep the frames away until the machine is found."""
            sockets.append(socket.connect_to_server() if connected else socket)

        page.route_web_socket("**/live*", serve_live)
        page.goto(f"http://127.0.0.1:{port}")
        shows(page, ".page", "No machine is connected")
        main = place.start("bringup", options=["--robot", "arm"])
        panel.says("connected to a SIMULATED machine")
        connected = True
        for socket in [*sockets]:
            socket.close()
        page.set_default_timeout(60_000)
        shows(page, "tbody tr:nth-child(1)", "joint1")
        page.close()
        panel.kill()
        main.stop()
