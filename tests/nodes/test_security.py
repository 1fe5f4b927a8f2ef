"""The SROS 2 policies cover the running system and its faces: every name, for who needs it.

The middleware of the wheels is built without DDS security, so that nobody enforces them here.
"""

import re
from fnmatch import fnmatchcase
from pathlib import Path
from xml.etree import ElementTree

import pytest
from graph import names_in_use
from ros import NEWER_SERVICES, OFFERED, SAFETY_SERVICES, SERVICES, TOPICS, eventually
from system import CONFIG, System

import wmx_ros2_package

ROLES = "viewer", "operator", "maintainer"
ACTION = "/_action/"
OURS = "wmx/"
MOVING = {
    *TOPICS,
    *("wmx/axis/set_on", "wmx/axis/homing", "wmx/axis/clear_alarm", "wmx/axis/stop"),
    *("wmx/io/set_output_bit", "wmx/io/set_output_bytes", "wmx/engine/estop"),
    "wmx/engine/set_speed",
    *("wmx/axis/set_override", "wmx/axis/set_touch_probes", "wmx/axis/set_gearing"),
    *("wmx/axis/set_position_outputs", "wmx/io/set_bits"),
    *("wmx/actuator/execute", "wmx/actuator/disarm"),
}
CHANGING = {
    *(
        name
        for name in {**SERVICES, **NEWER_SERVICES}
        if "set_" in name and name.split("/")[1] in ("engine", "axis")
    ),
    *("wmx/axis/reference", "wmx/axis/confirm", "wmx/engine/set_stop_inputs"),
    *(
        "wmx/params/load",
        "wmx/params/change",
        "wmx/ecat/reset_statistics",
        "wmx/ecat/start_hotconnect",
    ),
    *("wmx/engine/scan_network", "wmx/simulation/inject_faults"),
    *("wmx/ecat/scan_network", "wmx/ecat/sdo_download", "wmx/ecat/set_slave_state"),
} - MOVING


class Role:
    """What one enclave allows: names as patterns, by element and by attribute."""

    def __init__(self, name: str) -> None:
        policy = ElementTree.parse(CONFIG / "security/wmx.policy.xml")
        enclave = policy.find(f"enclaves/enclave[@path='/wmx/{name}']")
        assert enclave is not None
        self.rules = {
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


@pytest.fixture(scope="module")
def graph(system: System) -> dict[str, set[str]]:
    """What the nodes publish, hear and serve, by what a client does with it."""
    client = system.client
    eventually(
        lambda: {f"/{name}" for name in OFFERED} <= names_in_use(client)["request"],
        "those of all nodes are seen",
    )
    return names_in_use(client)


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


def test_a_viewer_moves_and_changes_nothing(
    roles: dict[str, Role], graph: dict[str, set[str]]
) -> None:
    viewer, operator = roles["viewer"], roles["operator"]
    requests = {n.lstrip("/") for n in graph["request"]}
    assert requests >= {*SERVICES, *SAFETY_SERVICES}
    for name in MOVING | CHANGING:
        assert not allowed(viewer, "request", name), name
        assert not allowed(viewer, "publish", name), name
    for name in CHANGING:
        assert not allowed(operator, "request", name), name
    for name in requests - MOVING - CHANGING:
        if name.startswith(OURS) and ACTION not in name:
            assert allowed(viewer, "request", name), name
    for name in ("wmx_io_node/change_state", "wmx_io_node/set_parameters"):
        assert not allowed(operator, "request", name), name


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
