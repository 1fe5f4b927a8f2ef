"""Every command that a page shows is one that its program takes, whatever else carries it out."""

import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path

import pytest
import yaml
from documented_commands import SENDING, parsed

from wmx_ros2_package.cli import bringup
from wmx_ros2_package.cli.arguments import Parser
from wmx_ros2_package.cli.verbs import VERBS
from wmx_ros2_package.cli.wmx import add_verbs, options_behind
from wmx_ros2_package.executables import ALIASES, COMMANDS, NODES
from wmx_ros2_package.panel.command import command_line
from wmx_ros2_package.robots.catalogue import ROBOTS

TOP = Path(__file__).resolve().parents[2]
PAGES = [TOP / "README.md", TOP / "CONTRIBUTING.md", *sorted((TOP / "docs").glob("**/*.md"))]
BETWEEN = "&&", "||", ";", "|"
"""What a shell has between two commands."""
TARGETS = {*re.findall(r"^([a-z-]+):", (TOP / "Makefile").read_text(), re.MULTILINE)}
SERVICES = {*yaml.safe_load((TOP / "docker/compose.yaml").read_text())["services"]}


def shown(page: Path) -> Iterator[list[str]]:
    """The words of each command in the indented blocks of a page, without what comes before it."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    begun = ""
    for line in text.splitlines():
        if not begun and not line.startswith("    "):
            continue
        begun += line.strip() + "\n"
        try:
            words = shlex.split(begun.replace("\\\n", ""), comments=True)
        except ValueError:  # a quotation that goes on
            continue
        if begun.endswith("\\\n"):
            continue
        begun = ""
        for apart, command in groupby(words, BETWEEN.__contains__):
            if not apart:
                yield without_settings([*command])


def without_settings(words: list[str]) -> list[str]:
    """A command without the variables that are set for it, such as A=1."""
    while words and re.match(r"[A-Z_]+=", words[0]):
        words = words[1:]
    return words


def takes_wmx(words: Sequence[str]) -> None:
    parser = Parser(prog="wmx")
    words = options_behind(words)
    add_verbs(parser, words)
    assert not parser.parse_known_args(words)[1]


def takes_bringup(words: Sequence[str]) -> None:
    bringup.parse(words)


def takes_panel(words: Sequence[str]) -> None:
    command_line().parse_args(words)


def takes_make(words: Sequence[str]) -> None:
    assert {word for word in words if "=" not in word} <= TARGETS
    variables = {word.partition("=")[0] for word in words if "=" in word}
    makefile = (TOP / "Makefile").read_text() + (TOP / "scripts/venv.sh").read_text()
    assert [name for name in variables if name not in makefile] == []


def takes_python(words: Sequence[str]) -> None:
    assert words[0].startswith("-") or (TOP / words[0]).is_file() or "/" not in words[0]


def takes_docker(words: Sequence[str]) -> None:
    if words[:1] == ["compose"]:
        assert words[1] == "-f"
        assert (TOP / words[2]).is_file()
        assert SERVICES & {*words}


def takes_ros2(words: Sequence[str]) -> None:
    verb, *rest = words
    if verb == "wmx":
        takes_wmx(rest)
    elif [*words[:2]] in SENDING:
        parsed(["ros2", *words])
    elif words[1:2] == ["wmx_ros2_package"] and verb == "launch":
        assert (TOP / "launch" / words[2]).is_file()
        assert all(":=" in word for word in words[3:])
    elif words[1:2] == ["wmx_ros2_package"] and verb == "run":
        assert words[2] in {*NODES, *COMMANDS, *ALIASES}
    else:
        assert verb in {"action", "launch", "lifecycle", "param", "run", "service", "topic"}


TAKES: dict[str, Callable[[Sequence[str]], None]] = {
    "wmx": takes_wmx,
    "bringup": takes_bringup,
    "wmx_panel": takes_panel,
    "make": takes_make,
    "python3": takes_python,
    "docker": takes_docker,
    "ros2": takes_ros2,
}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(TOP)))
def test_a_program_takes_the_commands_of_a_page(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_arm").symlink_to(ROBOTS["arm"].folder)  # as a page has it made
    wrong = []
    for words in shown(page):
        if not words or words[0] not in TAKES:
            continue
        try:
            TAKES[words[0]](words[1:])
        except (Exception, SystemExit) as error:
            wrong.append(f"{shlex.join(words)}: {error!r}")
    assert wrong == []


def test_most_commands_are_found() -> None:
    found = [words[0] for page in PAGES for words in shown(page) if words]
    counts = {program: found.count(program) for program in TAKES}
    assert counts["wmx"] > 100
    assert counts["ros2"] > 80
    assert all(counts.values()), counts


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(TOP)))
def test_a_verb_that_a_page_names_is_there(page: Path) -> None:
    named = {*re.findall(r"`wmx ([a-z][a-z-]*)", page.read_text())}
    assert named <= VERBS.keys() | {"help"}
