"""Every command of docs/command-line.md, typed as it stands there, in the page's order."""

import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import system as systems
from system import System
from terminal import in_terminal

TOP = Path(__file__).resolve().parents[2]
PAGE = (TOP / "docs/command-line.md").read_text()
README = (TOP / "README.md").read_text()
POINTS = re.search(r"^    time, .*(?:\n    .*)+", PAGE, re.MULTILINE)
UNTIL_CTRL_C = "wmx watch", "wmx plot", "wmx events", "wmx io watch", "wmx jog 0 --velocity 0.2 "
ELSEWHERE = (
    *("wmx sim ", "wmx disarm ", "wmx first-contact ", "wmx drive ", "wmx gripper "),
    *("wmx record ", "wmx recording ", "wmx replay "),
)
"""What needs a program, a robot, a file or a device with no node: tested where these verbs are."""
ANSWERS = {
    "wmx status": "axis_5",
    "wmx move axis_0 0.5": "axis_0 is at 0.5000",
    "wmx params diff config/wmx_parameters_6_axes.xml": "equal",
    "wmx explain": "axis 5: nothing blocks motion",
    "wmx explain 2 || true": "alarm 0x8611",
    "wmx io get in0.3 out2 in0:4": "in0.3 = 0",
    "wmx ecat register 0 0x130": "0x0130: 08 00",
    "wmx demo": "done: all axes are back",
    "wmx engine": "the engine is communicating",
}
"""What some of them print."""


def commands() -> Iterator[str]:
    """Those of README first: whoever has never seen the project types them first."""
    for line in re.findall(r"^    (wmx .*)$", README + PAGE, re.MULTILINE):
        command = line.partition("#")[0]
        if not command.startswith(ELSEWHERE) and "--trajectory" not in command:
            yield command


@pytest.fixture(scope="module")
def system() -> Iterator[System]:
    with systems.place() as place, systems.system(place) as system:
        system.ready()
        yield system


def test_there_are_many() -> None:
    assert len([*commands()]) > 50
    assert {*ANSWERS} <= {command.strip() for command in commands()}


@pytest.mark.timeout(300)
def test_each_does_what_the_page_says(system: System) -> None:
    for command in commands():
        if command.startswith(UNTIL_CTRL_C) and "--for" not in command:
            until_ctrl_c(system, command)
            continue
        if "points.csv" in command:
            assert POINTS
            points = system.place.folder / "points.csv"
            points.write_text(POINTS[0].replace("    ", ""))
            command = command.replace("points.csv", str(points))
            command += " --yes" if command.startswith("wmx traj") else ""
        if "--png" in command and not importlib.util.find_spec("matplotlib"):
            continue
        done = system.place.run(["bash", "-c", f"cd {TOP} && {command}"])
        assert done.wait() == 0, f"{command}\n{done.output}"
        assert ANSWERS.get(command.strip(), "") in done.output


def until_ctrl_c(system: System, command: str) -> None:
    """Type it in a terminal, wait until it has drawn something, and press Ctrl-C."""
    environment = system.place.environment
    with in_terminal(["bash", "-c", f"exec {command}"], environment) as terminal:
        terminal.says("axis_0" if "events" not in command and "io" not in command else "0")
        terminal.press(b"\x03")
        assert terminal.wait() == 130, f"{command}\n{terminal.output}"
        assert "Traceback" not in terminal.output


def test_the_exit_codes_of_the_page_are_those_of_the_program() -> None:
    from wmx_ros2_package.commands.failures import Exit

    codes = {int(code) for code in re.findall(r"^\| (\d+) \|", PAGE, re.MULTILINE)}
    assert codes == {int(code) for code in Exit}


def test_every_verb_is_on_the_page() -> None:
    from wmx_ros2_package.commands.verbs import VERBS

    missing = [verb for verb in VERBS if not re.search(rf"wmx {verb}\b", PAGE)]
    assert missing == []


def test_every_picture_is_there() -> None:
    pictures = re.findall(r"\]\((pictures/.*?)\)", PAGE)
    assert pictures
    assert all((TOP / "docs" / picture).is_file() for picture in pictures)
