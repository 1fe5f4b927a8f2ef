"""Whatever a node offers is named in the pages: parameters, topics, services and actions."""

import re
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("control_msgs", reason="control_msgs is neither built nor installed")

import system as systems
from graph import names_in_use
from held_system import held_system
from system import System

from wmx_ros2_package.control.request import EndReason
from wmx_ros2_package.executables import NODES
from wmx_ros2_package.node_base.common_parameters import CommonParameters
from wmx_ros2_package.node_base.kind import Kinds

PAGES = [path.read_text() for path in (Path(__file__).resolve().parents[2] / "docs").glob("*.md")]
NAME = re.compile(r"[~/]*\w+(?:/\w+)*")
NUMBERS = re.compile(r"^\| (`\w+`(?:, `\w+`)*) \| (-?[\d.]+(?:, -?[\d.]+)*) \|", re.MULTILINE)
"""The row of parameters and of their defaults, one for all or one for each."""
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


def test_a_number_beside_a_parameter_is_its_default() -> None:
    kinds = [Kinds()[executable].parameters for executable in NODES]
    defaults = [{f.name: default_of(f) for f in fields(k)} for k in (CommonParameters, *kinds)]
    checked, wrong = 0, []
    for row in (row for page in PAGES for row in NUMBERS.findall(page)):
        names, numbers = re.findall(r"\w+", row[0]), [*map(float, row[1].split(", "))]
        numbers = numbers * len(names) if len(numbers) == 1 else numbers
        of_it = [each for each in defaults if each.keys() >= {*names}]
        checked += bool(of_it)
        if of_it and not any(
            all(each[n] in (number, ()) for n, number in zip(names, numbers, strict=True))
            for each in of_it
        ):
            wrong.append(row)
    assert checked > 20
    assert wrong == []


def default_of(field: Field[Any]) -> Any:
    """The default of a parameter; of a list of one its element, which holds for all."""
    value = field.default if field.default is not MISSING else field.default_factory()
    return value[0] if isinstance(value, tuple) and len(value) == 1 else value


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
