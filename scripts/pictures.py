#!/usr/bin/env python3
"""Draws the pictures of docs/command-line.md anew: `. ./env.sh && scripts/pictures.py`.

It starts a system of its own, in a ROS domain and a runtime directory that nothing else uses.
"""

import io
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console, RenderableType

TOP = Path(__file__).resolve().parents[1]
FOLDER = TOP / "docs/pictures"
DOMAIN = "63"
START_TIME = 5.0
WIDTH = 92


def main() -> None:
    """Draw all of them."""
    with tempfile.TemporaryDirectory(prefix="wmx") as runtime:
        os.environ |= {"ROS_DOMAIN_ID": DOMAIN, "XDG_RUNTIME_DIR": runtime, "WMX_DRIVER": "fake"}
        system = subprocess.Popen(["bringup"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            time.sleep(START_TIME)
            draw("status", "wmx status", status())
            draw("doctor", "wmx doctor --robot arm", doctor())
        finally:
            system.send_signal(2)
            system.wait()


def status() -> RenderableType:
    """The axes of a system, one of which moves."""
    from wmx_ros2_package.cli.status import status_table
    from wmx_ros2_package.cli.terminal import Terminal
    from wmx_ros2_package.client import Machine

    with Machine() as machine:
        machine.axes[0:5].on()
        machine.axes[1].move(0.5).wait()
        with machine.axes[0].move(5.0, velocity=0.5):
            time.sleep(2.0)
            return status_table(Terminal(), machine, machine.axes, machine.status())


def doctor() -> RenderableType:
    """What the doctor finds on this computer, without what is this computer's own affair."""
    from wmx_ros2_package.cli.doctor.command import CHECKS, report
    from wmx_ros2_package.cli.doctor.finding import Subject
    from wmx_ros2_package.robots.catalogue import ROBOTS

    arm = ROBOTS["arm"]
    subject = Subject(
        device_path=str(arm.machine),
        parameters=arm.parameters,
        wmx_parameters=arm.wmx_parameters,
        urdf=arm.urdf,
    )
    home = {str(TOP): "~/wmx_ros2", os.environ["XDG_RUNTIME_DIR"]: "/run/user/1000"}
    findings = []
    for finding in (each for check in CHECKS for each in check(subject)):
        of_others = finding.check == "system" and f"domain {DOMAIN}" not in finding.text
        if of_others or finding.check == "load":
            continue
        text = finding.text
        for path, shown in home.items():
            text = text.replace(path, shown)
        findings.append(finding._replace(text=text))
    return report(findings)


def draw(name: str, title: str, picture: RenderableType) -> None:
    """Write one picture, as a terminal shows it."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    console.print(picture)
    FOLDER.mkdir(exist_ok=True)
    svg = console.export_svg(title=title, unique_id=name)
    without_fonts = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)  # of another host
    (FOLDER / f"{name}.svg").write_text(without_fonts)
    print(f"drawn: {name}.svg", file=sys.stderr)


if __name__ == "__main__":
    main()
