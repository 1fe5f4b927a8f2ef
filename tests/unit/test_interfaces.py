"""The interfaces are a wire contract: what was built has the agreed hashes."""

import json
from pathlib import Path

import pytest

packages = pytest.importorskip("ament_index_python.packages", reason="needs a built workspace")

HASHES = json.loads(Path(__file__).with_name("interface_hashes.json").read_text())
"""The contract of existing clients, by their type hashes, in which every field is with its type."""


def test_type_hashes() -> None:
    share = Path(packages.get_package_share_directory("wmx_ros2_message"))
    descriptions = [*share.glob("msg/*.json"), *share.glob("srv/*.json")]
    if not descriptions:
        pytest.skip("this ROS release has no type hashes (they came with Iron)")
    built = {
        entry["type_name"]: entry["hash_string"]
        for description in descriptions
        for entry in json.loads(description.read_text())["type_hashes"]
        if entry["type_name"].startswith("wmx_ros2_message/")
    }
    assert {name: built.get(name) for name in HASHES} == HASHES
