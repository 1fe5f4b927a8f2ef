"""`wmx params` on files."""

from pathlib import Path

import pytest
from command_line import Shell

from wmx_ros2_package.robots.catalogue import CONFIG, ROBOTS

FILE = CONFIG / "wmx_parameters_6_axes.xml"
ARM = ROBOTS["arm"].wmx_parameters


def test_a_file_equals_itself(shell: Shell) -> None:
    assert shell.done("params", "diff", FILE, FILE) == "they are equal, number by number\n"


def test_two_files_that_differ(shell: Shell) -> None:
    ended = shell("params", "diff", FILE, ARM)
    assert (ended.code, ended.err) == (1, "")
    assert "AxisParam/AxisPolarity" in ended.out
    for column in "axis", "parameter", FILE.name, ARM.name:
        assert column in ended.out
    ended = shell("params", "diff", FILE, ARM, "--json")
    assert ended.code == 1
    polarity = [each for each in ended.data if each["name"] == "AxisParam/AxisPolarity"]
    assert polarity[0] == {
        "where": "axis 0",
        "name": "AxisParam/AxisPolarity",
        "first": "1",
        "second": "-1",
    }


def test_a_file_with_probable_mistakes(shell: Shell) -> None:
    ended = shell("params", "check", FILE)
    assert ended.code == 1
    assert "axes 0 to 5   no soft limits" in ended.out


def test_a_file_for_fewer_axes_than_there_are(shell: Shell) -> None:
    ended = shell("params", "check", FILE, "--axes", "8", "--json")
    assert any("6, 7" in each["text"] for each in ended.data)


@pytest.mark.parametrize("text", ["", "<Parameters/>", "no XML"])
def test_a_file_that_is_none(shell: Shell, tmp_path: Path, text: str) -> None:
    path = tmp_path / "wrong.xml"
    path.write_text(text)
    ended = shell("params", "check", path)
    assert (ended.code, ended.out) == (2, "")
    assert str(path) in ended.err
