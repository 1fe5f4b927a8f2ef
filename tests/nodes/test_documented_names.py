"""Whatever a node offers is named in the pages, and what they say of its parameters is so."""

import re
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any

import pytest
import yaml

pytest.importorskip("control_msgs", reason="control_msgs is neither built nor installed")

import system as systems
from graph import names_in_use
from held_system import held_system
from system import CONFIG, System

from wmx_ros2_package.control.request import EndReason
from wmx_ros2_package.executables import NODES
from wmx_ros2_package.node_base.common_parameters import CommonParameters
from wmx_ros2_package.node_base.kind import Kinds

PAGES = [path.read_text() for path in (Path(__file__).resolve().parents[2] / "docs").glob("*.md")]
NAME = re.compile(r"[~/]*\w+(?:/\w+)*")
ROW = re.compile(r"^\| ((?:`\w+`, )*`\w+`) \| ([^|]*) \| ([^|]*) \|$", re.MULTILINE)
"""Parameters, their defaults, and what is said of them."""
OWNER = re.compile(r"^\| parameter of `(\w+)`", re.MULTILINE)
DEFAULT = re.compile(r"(?<!\S)(?:none|true|false|\[.*?\]|-?\d[\d.]*)(?![^ ,])")
"""One for all parameters of a row or one for each, without its unit."""
IN_FILE = re.compile(r"^    (\w+): (\S.*?) +# (.*(?:\n {20,}# .*)*)", re.MULTILINE)
"""A parameter of a file, its default, and what is said of it."""
ALL_BUT = re.compile(r"^Parameters but topics, (.*) can be changed while it runs", re.MULTILINE)
SPAN = re.compile(r"(?<![\w.])(-?\d[\d.e-]*) to (\d[\d.e]*)")
ACTION = "/_action/"
OF_ROS = re.compile(
    # Of every node, of every managed node, and of an action that is named itself.
    r"/(rosout|parameter_events)$|/transition_event$|/(get|set|list|describe)_parameter\w+$"
    r"|/(change|get)_state$|/get_(available|type)_\w+$|/get_transition_graph$"
)


def quoted(page: str) -> set[str]:
    """The names that a page has as code: between backticks, or in a block."""
    code = re.findall(r"`([^`]+)`", page) + re.findall(r"^    (.*)$", page, re.MULTILINE)
    return {name.lstrip("/") for text in code for name in NAME.findall(text)}


@pytest.fixture(scope="module")
def offered() -> Iterator[set[str]]:
    """The names of topics, services and actions of a system with every kind of node."""
    with systems.place() as place:
        executables = "bringup", "wmx_lifecycle_manager_node"
        parameters = ("wmx_lifecycle_manager_node:managed_nodes:=[nobody]",)
        options = ("--robot", "mobile_manipulator", "--recorder")
        with held_system(place, *parameters, executables=executables, options=options) as system:
            system.ready()
            yield offered_by(system)


def offered_by(system: System) -> set[str]:
    kinds = ("wmx_lifecycle_manager_node", "wmx_recorder_node", "diff_drive_controller")
    system.client.eventually(
        lambda: {*kinds} <= set(system.client.node.get_node_names()), "the last ones are seen"
    )
    names = set().union(*names_in_use(system.client).values())
    return {name.partition(ACTION)[0] for name in names if not OF_ROS.search(name)}


def test_every_topic_service_and_action_is_named(offered: set[str]) -> None:
    assert {"/wmx/axis/state", "/wmx/actuator/move", "/odom_enc"} <= offered
    named = {name.lstrip("/") for page in PAGES for name in NAME.findall(page)}

    def is_named(name: str) -> bool:
        node, _, own = name[1:].partition("/")
        return name[1:] in named or (node in NODES and f"~/{own}" in named)

    assert [name for name in sorted(offered) if not is_named(name)] == []


def test_what_stands_beside_a_parameter_on_a_page_is_so() -> None:
    kinds = {name: Kinds()[name] for name in NODES}
    all_fields = [described(k) for k in (CommonParameters, *(k.parameters for k in kinds.values()))]
    checked, wrong = 0, []
    for section in (part for page in PAGES for part in re.split("(?m)^#+ ", page)):
        owner = {section.partition("\n")[0], *OWNER.findall(section)}
        own = [described(k.parameters) for n, k in kinds.items() if {n, *k.names} & owner]
        for row in ROW.findall(section):
            names = re.findall(r"\w+", row[0])
            defaults = [yaml.safe_load(each) for each in DEFAULT.findall(row[1].replace("`", ""))]
            of_it = [each for each in own or all_fields if each.keys() >= {*names}]
            if not of_it or len(defaults) not in (1, len(names)):
                continue
            checked += 1
            defaults *= len(names) // len(defaults)
            told = [*zip(names, defaults, strict=True)]
            if not any(all(is_so(of[name], said, row[2]) for name, said in told) for of in of_it):
                wrong.append(row)
            if own and not all(changes_so(own[0][name], row[2], section) for name in names):
                wrong.append(row)
    assert checked > 60
    assert wrong == []


def test_what_the_shipped_file_says_of_a_parameter_is_so() -> None:
    sections = re.split(r"(?m)^/\*\*/?(\w*):", (CONFIG / "wmx_ros2.yaml").read_text())
    checked, wrong = 0, []
    for executable, section in zip(sections[1::2], sections[2::2], strict=True):
        of = described(Kinds()[executable].parameters if executable else CommonParameters)
        for name, default, words in IN_FILE.findall(section):
            checked += 1
            changeable = of[name].metadata["changeable"] is ("any time" in words)
            if not (changeable and is_so(of[name], yaml.safe_load(default), words)):
                wrong.append((name, default, words))
    assert checked > 40
    assert wrong == []


def described(kind: type) -> dict[str, Field[Any]]:
    return {field.name: field for field in fields(kind)}


def changes_so(field: Field[Any], words: str, section: str) -> bool:
    """Whether a parameter can be changed as its section says, where that says it of any."""
    if but := ALL_BUT.search(section):
        said = not (field.name.endswith("_topic") or f"`{field.name}`" in but[1])
    elif "any time: can be changed while it runs |" in section:
        said = "any time" in words
    else:
        return True
    return field.metadata["changeable"] is said


def is_so(field: Field[Any], said: Any, words: str) -> bool:
    """Whether a parameter has the default that is said, and the limits, where words give any."""
    if found := SPAN.search(words):
        least = 0.0 if "; 0: " in words else float(found[1])
        if field.metadata["limits"] != (least, float(found[2])):
            return False
    default = field.default if field.default is not MISSING else field.default_factory()
    if said == "none":
        return not default
    if isinstance(default, tuple):  # the only element of which holds for all
        return default in ((), tuple(said) if isinstance(said, list) else (said,))
    return bool(default == said)


@pytest.mark.parametrize("executable", NODES)
def test_every_parameter_is_named_on_a_page_that_names_its_node(executable: str) -> None:
    kind = Kinds()[executable]
    of_it = [page for page in PAGES if any(n in page for n in {executable, *kind.names})]
    named = set().union(*map(quoted, of_it))
    assert [f.name for f in fields(kind.parameters) if f.name not in named] == []


def test_every_parameter_that_all_nodes_have_is_named() -> None:
    named = set().union(*map(quoted, PAGES))
    assert [f.name for f in fields(CommonParameters) if f.name not in named] == []


def test_every_reason_of_an_end_is_listed_with_its_number() -> None:
    listed = {row for page in PAGES for row in re.findall(r"^\| (\d+) \| ([A-Z_]+) \|", page, re.M)}
    assert {(str(reason.value), reason.name) for reason in EndReason} <= listed
