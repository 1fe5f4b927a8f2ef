"""Every `wmx` command of the pages, typed as it stands there, in the order of each page."""

import importlib.util
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import Shell
from ros import eventually
from system import System
from terminal import in_terminal

TOP = Path(__file__).resolve().parents[2]
PAGES = (
    *("README.md", "docs/command-line.md", "docs/reference.md", "docs/safety.md"),
    *("docs/actuators.md", "docs/faults.md"),
)
PAGE = (TOP / "docs/command-line.md").read_text()
POINTS = re.search(r"^    time, .*(?:\n    .*)+", PAGE, re.MULTILINE)
UNTIL_CTRL_C = {
    "wmx watch": "axis_0",
    "wmx plot": "axis_0",
    "wmx events": "motions of 6 axes",
    "wmx io watch": "in0:1 = 0x00",
    "wmx jog 0 --velocity 0.2 ": "axis_0",
}
"""What these draw, until they are interrupted."""
ELSEWHERE = (
    *("wmx sim ", "wmx disarm ", "wmx first-contact ", "wmx drive ", "wmx gripper "),
    *("wmx record ", "wmx recording ", "wmx replay "),
)
"""What needs a program, a robot, a file or a device with no node: tested where these verbs are."""
ANSWERS = {
    "wmx status": "axis_5",
    "wmx move axis_0 0.5": "axis_0 is at 0.5000",
    "wmx params diff config/wmx_parameters_6_axes.xml": "equal",
    "wmx explain": "5: nothing blocks motion",
    "wmx explain 2 || true": "alarm 0x8611",
    "wmx io get in0.3 out2 in0:4": "in0.3 = 0",
    "wmx ecat register 0 0x130": "0x0130: 08 00",
    "wmx demo": "done: all axes are back",
    "wmx engine": "the engine is communicating",
}
"""What some of them print."""


def commands(page: str) -> Iterator[str]:
    for line in re.findall(r"^ {4,}(wmx .*)$", (TOP / page).read_text(), re.MULTILINE):
        command = line.partition("#")[0]
        if not command.startswith(ELSEWHERE):
            yield command


def test_there_are_many() -> None:
    every = {command.strip() for page in PAGES for command in commands(page)}
    assert len(every) > 80
    assert {*ANSWERS} <= every


@pytest.mark.timeout(300)
@pytest.mark.parametrize("page", PAGES)
def test_each_does_what_the_page_says(
    page: str, system: System, shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(TOP)
    eventually(lambda: shell("on", "all").code == 0, "the nodes are back")
    for command in commands(page):
        drawn = [text for verb, text in UNTIL_CTRL_C.items() if command.startswith(verb)]
        if drawn and "--for" not in command:
            until_ctrl_c(system, command, *drawn)
            continue
        if "--png" in command and not importlib.util.find_spec("matplotlib"):
            continue
        typed, _, whatever = command.partition("||")
        _, *words = shlex.split(typed)
        if "points.csv" in words:
            assert POINTS
            points = tmp_path / "points.csv"
            points.write_text(POINTS[0].replace("    ", ""))
            words[words.index("points.csv")] = str(points)
            words += ["--yes"] if words[0] == "traj" else []
        if "--png" in words:
            words[words.index("--png") + 1] = str(tmp_path / "plan.png")
        ended = shell(*words)
        assert ended.code == 0 or (whatever and ended.code == 1), f"{command}\n{ended}"
        assert ANSWERS.get(command.strip(), "") in ended.out


def until_ctrl_c(system: System, command: str, drawn: str) -> None:
    """Type it in a terminal, wait until it has drawn that, and press Ctrl-C."""
    environment = system.place.environment
    with in_terminal(["bash", "-c", f"exec {command}"], environment) as terminal:
        terminal.says(drawn)
        terminal.press(b"\x03")
        assert terminal.wait() == 130, f"{command}\n{terminal.output}"
        assert "Traceback" not in terminal.output


def test_the_exit_codes_of_the_page_are_those_of_the_program() -> None:
    from wmx_ros2_package.cli.failures import Exit

    codes = {int(code) for code in re.findall(r"^\| (\d+) \|", PAGE, re.MULTILINE)}
    assert codes == {int(code) for code in Exit}


def test_every_verb_is_on_the_page() -> None:
    from wmx_ros2_package.cli.verbs import VERBS

    missing = [verb for verb in VERBS if not re.search(rf"wmx {verb}\b", PAGE)]
    assert missing == []


def test_every_picture_is_there() -> None:
    pictures = re.findall(r"\]\((pictures/.*?)\)", PAGE)
    assert pictures
    assert all((TOP / "docs" / picture).is_file() for picture in pictures)
