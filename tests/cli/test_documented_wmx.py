"""Every `wmx` command of the pages, typed as it stands there, in the order of each page."""

import importlib.util
import re
import shlex
from pathlib import Path

import pytest
from command_line import Shell
from ros import Client
from wmx_pages import PAGES, TOP, commands, drawn_until_ctrl_c

PAGE = (TOP / "docs/command-line.md").read_text()
POINTS = re.search(r"^    time, .*(?:\n    .*)+", PAGE, re.MULTILINE)
ANSWERS = {
    "wmx status": "axis_5",
    "wmx move axis_0 0.5": "axis_0 is at 0.",
    "wmx params diff config/wmx_parameters_6_axes.xml": "equal",
    "wmx explain": "5: nothing blocks motion",
    "wmx explain 2 || true": "alarm 0x8611",
    "wmx io get in0.3 out2 in0:4": "in0.3 = 0",
    "wmx ecat register 0 0x130": "0x0130: 08 00",
    "wmx demo": "done: all axes are back",
    "wmx engine": "the engine is communicating",
}
"""What some of them print."""


def test_there_are_many() -> None:
    every = {command for page in PAGES for command in commands(page)}
    assert len(every) > 80
    assert {*ANSWERS} <= every


@pytest.mark.long
@pytest.mark.timeout(300)
@pytest.mark.parametrize("page", PAGES)
def test_each_does_what_the_page_says(
    page: str, shell: Shell, client: Client, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(TOP)
    client.eventually(lambda: shell("on", "all").code == 0, "the nodes are back")
    for command in commands(page):
        if drawn_until_ctrl_c(command):
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
        assert ANSWERS.get(command, "") in ended.out


def test_the_exit_codes_of_the_page_are_those_of_the_program() -> None:
    from wmx_ros2_package.cli.failures import Exit

    codes = {int(code) for code in re.findall(r"^\| (\d+) \|", PAGE, re.MULTILINE)}
    assert codes == {int(code) for code in Exit}


def test_every_verb_is_on_the_page() -> None:
    from wmx_ros2_package.cli.verbs import VERBS

    missing = [verb for verb in VERBS if not re.search(rf"wmx {verb}\b", PAGE)]
    assert missing == []
