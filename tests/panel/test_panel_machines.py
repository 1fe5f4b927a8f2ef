"""Machines come and go while one panel runs: a base, and one that is not simulated."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from acts import NO_WEBGL, click_until, hold, hold_key, new_page, take_control, until
from panels import CURVE_POINTS, port_of, shows, start_panel
from system import EXECUTABLES
from system import place as new_place
from waits import eventually

from wmx_ros2_package.client import Machine

TESTS = Path(__file__).resolve().parents[1]
INSTALL = "import pathlib, shared_sdk, sys; shared_sdk.install(pathlib.Path(sys.argv[1]))"
RED = "rgb(127, 29, 29)"


def drive(page: Any, machine: Machine) -> None:
    """Drive a base by a button and by keys."""

    def at_rest() -> bool:
        return bool(machine.status().at_rest.all())

    machine.axes.on()
    page.click(".menu-robot")
    x = machine.base.pose.x
    forward = page.get_by_role("button", name="forward")
    hold(forward, lambda: machine.base.pose.x > x + 0.1)
    page.mouse.up()
    eventually(at_rest, "the base rests")
    heading = machine.base.pose.heading
    hold_key(page, "ArrowLeft", lambda: machine.base.pose.heading > heading + 0.2)
    page.keyboard.up("ArrowLeft")
    eventually(at_rest, "the base rests")
    shown = page.locator("#base-pose")

    def is_at_its_pose() -> bool:  # the last odometry comes after the state that is at rest
        pose = machine.base.pose
        return f"x {pose.x:.3f} m   y {pose.y:.3f} m" in shown.inner_text()

    eventually(is_at_its_pose, "the page has the pose")
    eventually(lambda: page.evaluate(CURVE_POINTS)[0] > 5, "its path has some points")
    hold_key(page, "ArrowDown", lambda: not at_rest())
    page.keyboard.up("ArrowDown")
    eventually(at_rest, "the base rests")


def test_a_base_a_real_machine_and_the_panel_itself_come_and_go(chromium: Any) -> None:
    with new_place() as place:
        port = port_of(place)
        url = f"http://127.0.0.1:{port}"
        panel = start_panel(place, port)
        page = new_page(chromium, viewport={"width": 1280, "height": 720})
        page.add_init_script(NO_WEBGL)
        page.goto(url)
        shows(page, ".page", "No machine is connected")
        # A page that is older than the machine is made anew, whatever its first frame has.
        assert "window.wmxGeneration = 0;" in page.request.get(url).text()
        base = place.start("bringup", options=["--robot", "base"])
        panel.says("connected to a SIMULATED machine")
        shows(page, "#kind", "SIMULATED")
        shows(page, "tbody tr:nth-child(1)", "left_wheel")
        shows(page, "#link", "live")
        take_control(page)
        with Machine(domain=place.domain, timeout=30.0) as machine:
            drive(page, machine)
        page.click(".menu-overview")
        base.send_signal()
        base.wait()
        shows(page, "#problem", "the system has ended")
        nothing = page.locator("#holder", has_text="You have control of nothing")
        until(page, lambda: None, nothing.is_visible, "control is kept")
        shows(page, "#link", "NOT LIVE")
        shows(page, '[data-state="network"]', "unknown")
        shows(page, "tbody tr:nth-child(1)", "not known")

        sdk = place.folder / "sdk"  # a replacement that has the functions of the vendor's
        folders = [str(TESTS / "wmx3"), str(TESTS / "unit"), os.environ.get("PYTHONPATH", "")]
        environment = {"PYTHONPATH": os.pathsep.join(folders), "WMX_DRIVER": "wmx3"}
        subprocess.run(
            [sys.executable, "-c", INSTALL, sdk], check=True, env=os.environ | environment
        )
        bringup = [str(EXECUTABLES / "bringup"), "--ros-args", "-p", f"device_path:={sdk}"]
        place.run(bringup, **environment)
        panel.says("connected to a REAL machine of 6 axes")
        shows(page, "#kind", "REAL")
        header = page.locator(".panel-header")
        assert header.evaluate("each => getComputedStyle(each).backgroundColor") == RED
        take_control(page)
        with Machine(domain=place.domain, timeout=30.0) as machine:
            all_on = page.get_by_role("button", name="All servos on")
            click_until(all_on, lambda: machine.status().servo_on.all())
        shows(page, "tbody tr:nth-child(6)", "ready")
        page.click(".menu-faults")
        shows(page, ".page", "Faults are offered by the simulated engine only.")
        assert page.locator(".page button").count() == 0

        # The page is loaded again by its own script, or by NiceGUI's where that is the first.
        for own_script in True, False:
            if not own_script:
                take_control(page)
                page.evaluate("window.wmxLoaded = Infinity")
            panel.kill()
            shows(page, "#problem", "No connection to the panel")
            shows(page, "#link", "NOT LIVE")
            shows(page, "#holder", "Control: unknown")
            shows(page, '[data-state="engine"]', "unknown")
            panel = start_panel(place, port)
            shows(page, "#problem", "The panel does not know this page any more")
            page.wait_for_selector("body:not(.stale)")
        page.click(".menu-overview")
        shows(page, "tbody tr:nth-child(6)", "ready")
        page.close()
