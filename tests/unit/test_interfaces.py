"""The interfaces are a wire contract: what was built has the agreed hashes."""

import json
from pathlib import Path

import pytest

packages = pytest.importorskip("ament_index_python.packages", reason="needs a built workspace")

HASHES = json.loads(Path(__file__).with_name("interface_hashes.json").read_text())
"""The contract of existing clients, by their type hashes, in which every field is with its type."""
STAND_IN = Path(__file__).parents[1] / "underlay/control_msgs/type_hashes.json"
"""Those of control_msgs 6.8.0, as its own build for ROS 2 Kilted describes it."""


def share_of(package: str) -> Path:
    return Path(packages.get_package_share_directory(package))


def built(share: Path) -> dict[str, str]:
    """The hash of each type of a package."""
    return {
        entry["type_name"]: entry["hash_string"]
        for kind in ("msg", "srv", "action")
        for description in share.glob(f"{kind}/*.json")
        for entry in json.loads(description.read_text())["type_hashes"]
        if entry["type_name"].startswith(f"{share.name}/")
    }


def test_type_hashes() -> None:
    share = share_of("wmx_ros2_message")
    if not [*share.glob("msg/*.json")]:
        pytest.skip("this ROS release has no type hashes (they came with Iron)")
    found = built(share)
    assert {name: found.get(name) for name in HASHES} == HASHES


def test_the_stand_in_for_control_msgs_is_equal_on_the_wire_to_what_it_stands_in_for() -> None:
    pytest.importorskip("control_msgs", reason="control_msgs is neither built nor installed")
    share = share_of("control_msgs")
    if "stand-in" not in (share / "package.xml").read_text():
        pytest.skip("this control_msgs is the real one")
    assert built(share) == json.loads(STAND_IN.read_text())
