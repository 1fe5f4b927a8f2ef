"""The SROS 2 policies cover the running system and its faces: every name, for who needs it.

The middleware of the wheels is built without DDS security, so that nobody enforces them here.
"""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from xml.etree import ElementTree

import pytest
import system as systems
from graph import names_in_use
from held_system import held_system
from offered import offers
from ros import OFFERED, TOPICS
from system import CONFIG

import wmx_ros2_package
from wmx_ros2_package.robots.catalogue import LOW_LEVEL, RECORDER, ROBOTS

ROLES = "viewer", "operator", "maintainer"
ACTION = "/_action/"
INCLUDE = "{http://www.w3.org/2001/XInclude}include"
OF_MAINTAINERS = (
    *("wmx/params/*", "wmx/ecat/*", "wmx/simulation/*", "wmx/lifecycle/*", "wmx/engine/set_*"),
    *("wmx/engine/scan_network", "wmx/axis/set_mode", "wmx/axis/set_polarity"),
    *("wmx/axis/set_gear_ratio", "wmx/axis/reference", "wmx/axis/confirm"),
)
"""What changes the machine, unless it only reads."""
OF_OPERATORS = ("wmx/engine/set_speed",)
"""What of these moves it."""


class Role:
    """What one enclave allows: names as patterns, by element and by attribute."""

    def __init__(self, name: str) -> None:
        policy = ElementTree.parse(CONFIG / "security/wmx.policy.xml")
        enclave = policy.find(f"enclaves/enclave[@path='/wmx/{name}']")
        assert enclave is not None
        included = [
            Role(role)
            for include in enclave.iter(INCLUDE)
            for role in re.findall("@path='/wmx/([a-z]+)'", include.attrib["xpointer"])
        ]
        self.rules = {rule for role in included for rule in role.rules} | {
            (element.tag, attribute, name.text or "")
            for profile in enclave.iter("profile")
            for element in profile
            for attribute in element.attrib
            for name in element
        }

    def allows(self, element: str, attribute: str, name: str) -> bool:
        return any(
            rule[:2] == (element, attribute) and fnmatchcase(name.lstrip("/"), rule[2])
            for rule in self.rules
        )


@pytest.fixture(scope="module")
def roles() -> dict[str, Role]:
    return {name: Role(name) for name in (*ROLES, "system")}


@pytest.fixture(scope="module", params=["", "mobile_manipulator"])
def graph(request: pytest.FixtureRequest) -> Iterator[dict[str, set[str]]]:
    """What the nodes publish, hear and serve, by what a client does with it.

    The robot has every kind of node, and a topic as the newer launch files name it.
    """
    robot, parameters = request.param, ()
    nodes, options = {*LOW_LEVEL, RECORDER}, ["--recorder"]
    if robot:
        nodes, options = {*nodes, *ROBOTS[robot].nodes}, [*options, "--robot", robot]
        parameters = ("follow_joint_trajectory_server:joint_trajectory_topic:=joint_trajectory",)
    with systems.place() as place, held_system(place, *parameters, options=options) as system:
        client = system.client
        client.eventually(
            lambda: (
                nodes <= {*client.node.get_node_names()}
                and {f"/{name}" for name in OFFERED} <= names_in_use(client)["request"]
            ),
            "those of all nodes are seen",
        )
        yield names_in_use(client)


ELEMENTS = {"subscribe": "topics", "publish": "topics", "request": "services"}


def allowed(role: Role, does: str, name: str) -> bool:
    if does == "request" and ACTION in name:
        return role.allows("actions", "call", name.partition(ACTION)[0])
    return role.allows(ELEMENTS[does], does, name)


def test_each_role_may_do_what_the_one_before_it_may(roles: dict[str, Role]) -> None:
    viewer, operator, maintainer = (roles[role].rules for role in ROLES)
    assert viewer < operator < maintainer


@pytest.mark.parametrize("does", ["subscribe", "request"])
def test_a_maintainer_may_use_everything(
    roles: dict[str, Role], graph: dict[str, set[str]], does: str
) -> None:
    missing = {name for name in graph[does] if not allowed(roles["maintainer"], does, name)}
    assert missing == set()


def test_an_operator_may_send_every_command(
    roles: dict[str, Role], graph: dict[str, set[str]]
) -> None:
    commands = graph["publish"] - graph["subscribe"]  # the rest is among the nodes
    assert {name.lstrip("/") for name in commands} >= set(TOPICS)
    missing = {n for n in commands if not allowed(roles["operator"], "publish", n)}
    assert missing == set()


def test_nobody_but_the_system_says_that_the_engine_is_ready(
    roles: dict[str, Role], graph: dict[str, set[str]]
) -> None:
    for name in graph["subscribe"]:
        speaks = allowed(roles["maintainer"], "publish", name)
        assert speaks == (name in ("/rosout", "/parameter_events")), name


def test_what_each_role_may_ask_for(roles: dict[str, Role], graph: dict[str, set[str]]) -> None:
    viewer, operator, maintainer = (roles[role] for role in ROLES)
    requests = {name.lstrip("/") for name in graph["request"] if ACTION not in name}
    requests.discard("wmx/set_gripper")  # which a parameter names
    assert {*OFFERED} <= {name for name in requests if name.startswith("wmx/")} <= {*offers()}
    for name, offer in offers().items():
        assert allowed(viewer, "request", name) is offer.reads_only, name
        assert allowed(maintainer, "request", name), name
        if not offer.reads_only:
            changes = any(fnmatchcase(name, pattern) for pattern in OF_MAINTAINERS)
            moves = not changes or name in OF_OPERATORS
            assert allowed(operator, "request", name) is moves, name
    for name in ("wmx_io_node/change_state", "wmx_io_node/set_parameters"):
        assert not allowed(operator, "request", name), name


def test_a_viewer_moves_nothing(roles: dict[str, Role], graph: dict[str, set[str]]) -> None:
    for name in (graph["publish"] - graph["subscribe"]) | {*TOPICS}:
        assert not allowed(roles["viewer"], "publish", name), name


def test_the_nodes_themselves_may_do_what_they_do(
    roles: dict[str, Role], graph: dict[str, set[str]]
) -> None:
    for names in graph.values():
        for name in names:
            assert roles["system"].allows("topics", "publish", name)
            assert roles["system"].allows("services", "reply", name)


# The client library, and the panel over it

PACKAGE = Path(wmx_ros2_package.__file__).parent
NAMED = re.compile(r'"/?(wmx/[a-z_/]+|diagnostics|robot_description)"')


def used_by(*folders: str) -> set[str]:
    """The topics and services that files of the faces name."""
    files = [file for folder in folders for file in (PACKAGE / folder).rglob("*.py")]
    return {name for file in files for name in NAMED.findall(file.read_text())}


def test_a_maintainer_may_use_all_that_the_faces_use(roles: dict[str, Role]) -> None:
    names = used_by("client", "panel")
    assert names >= {"wmx/axis/state", "wmx/actuator/execute", "diagnostics", "robot_description"}
    maintainer = roles["maintainer"]
    for name in names:
        does = [does for does in (*ELEMENTS, "publish") if allowed(maintainer, does, name)]
        assert does, name


def test_a_viewer_sees_the_whole_panel(roles: dict[str, Role]) -> None:
    """What the panel subscribes to and asks by itself, before anybody takes control."""
    viewer = roles["viewer"]
    topics = {name for name in used_by("panel") if "robot" in name or "diag" in name}
    topics |= {
        "wmx/engine/estop_active",
        "wmx/engine/speed",
        "wmx/hardware_error",
        "wmx/axis/state",
    }
    for name in (*topics, "wmx/motion/begin", "wmx/motion/end", "odom_enc"):
        assert allowed(viewer, "subscribe", name), name
    for name in ("wmx/engine/get_status", "wmx/axis/explain", "wmx/ecat/get_network_state"):
        assert allowed(viewer, "request", name), name
