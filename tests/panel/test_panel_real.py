"""A machine that is not simulated is marked so, and no fault is offered for it."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from acts import click_until, new_page, take_control
from panels import free_port, picture, shows, start_panel
from system import EXECUTABLES
from system import place as new_place

from wmx_ros2_package.client import Machine

TESTS = Path(__file__).resolve().parents[1]
INSTALL = "import pathlib, shared_sdk, sys; shared_sdk.install(pathlib.Path(sys.argv[1]))"


def test_real_hardware_is_marked(chromium: Any) -> None:
    folders = [str(TESTS / "wmx3"), str(TESTS / "unit"), os.environ.get("PYTHONPATH", "")]
    environment = {"PYTHONPATH": os.pathsep.join(folders), "WMX_DRIVER": "wmx3"}
    with new_place() as place:
        sdk = place.folder / "sdk"  # a replacement that has the functions of the vendor's
        subprocess.run(
            [sys.executable, "-c", INSTALL, sdk], check=True, env=os.environ | environment
        )
        bringup = [str(EXECUTABLES / "bringup"), "--ros-args", "-p", f"device_path:={sdk}"]
        place.run(bringup, **environment)
        port = free_port()
        panel = start_panel(place, port)
        panel.says("connected to a REAL machine of 6 axes")
        page = new_page(chromium, viewport={"width": 1280, "height": 720})
        page.goto(f"http://127.0.0.1:{port}/faults")
        shows(page, "#kind", "REAL")
        shows(page, ".page", "Faults are offered by the simulated engine only.")
        assert page.locator(".page button").count() == 0
        page.click(".menu-overview")
        header = page.locator(".panel-header")
        assert header.evaluate("each => getComputedStyle(each).backgroundColor") == RED
        take_control(page)
        with Machine(domain=place.domain, timeout=30.0) as machine:
            all_on = page.get_by_role("button", name="All servos on")
            click_until(all_on, lambda: machine.status().servo_on.all())
        shows(page, "tbody tr:nth-child(6)", "ready")
        picture(page, "real")
        page.close()
        panel.kill()


RED = "rgb(127, 29, 29)"
