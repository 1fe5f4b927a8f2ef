"""The stand-in for control_msgs is equal on the wire to what it stands in for."""

import json
from pathlib import Path

import pytest

pytest.importorskip("control_msgs", reason="control_msgs is neither built nor installed")

from ament_index_python.packages import get_package_share_directory

STAND_IN = Path(__file__).parents[1] / "underlay/control_msgs"
HASHES = json.loads((STAND_IN / "type_hashes.json").read_text())
"""Of control_msgs 6.8.0, as its own build for ROS 2 Kilted describes it."""


def test_type_hashes_are_those_of_the_published_package() -> None:
    share = Path(get_package_share_directory("control_msgs"))
    if "stand-in" not in (share / "package.xml").read_text():
        pytest.skip("this control_msgs is the real one")
    descriptions = [*share.glob("msg/*.json"), *share.glob("action/*.json")]
    built = {
        entry["type_name"]: entry["hash_string"]
        for description in descriptions
        for entry in json.loads(description.read_text())["type_hashes"]
        if entry["type_name"].startswith("control_msgs/")
    }
    assert built == HASHES
