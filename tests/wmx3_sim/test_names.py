"""What the module has is what the SDK has: its names, checked against the list of them."""

import json
from pathlib import Path

import pytest

from wmx3_sim.enums import ENUMS
from wmx3_sim.module import build
from wmx3_sim.parts import NotSimulated, Part
from wmx3_sim.runtime import Runtime
from wmx3_sim.structs import Struct
from wmx_ros2_package.drivers import wmx3

SURFACE = json.loads(Path(wmx3.__file__).with_name("python_api.json").read_text())
MODULE = build(Runtime(fast=True), NotSimulated(lambda _: None))


@pytest.mark.parametrize("name", sorted(set(SURFACE["enums"]) & set(ENUMS)))
def test_enums_have_the_listed_members_and_numbers(name: str) -> None:
    ours, listed = vars(ENUMS[name]), SURFACE["enums"][name]
    assert set(ours) == set(listed)
    assert {k: v for k, v in listed.items() if v is not None}.items() <= ours.items()


PARTS = [
    made
    for made in (MODULE.CoreMotion(), MODULE.WMX3Api(), MODULE.Io(), MODULE.Log())
    for made in (made, *(part for part in vars(made).values() if isinstance(part, Part)))
]


@pytest.mark.parametrize("part", PARTS, ids=lambda part: type(part).__name__)
def test_methods_are_the_sdks(part: Part) -> None:
    name = type(part).__name__
    if name not in SURFACE["classes"]:
        pytest.skip("not on the list")
    played = {m for m in vars(type(part)) if m[0].isupper()}
    assert played <= set(SURFACE["classes"][name]["methods"]) | UNLISTED


UNLISTED = {
    # Of newer releases, or left out of the list because the driver does not need them.
    "StartPos_Trigger", "StartMov_Trigger", "StartLinearIntplMov", "StartLinearIntplPos_Trigger",
    "StartLinearIntplMov_Trigger", "StartCircularIntplPos_CenterAndLength",
    "StartCircularIntplMov_CenterAndLength", "Stop", "ExecQuickStop", "Wait", "Wait_AxisSel",
    "Wait_WaitCondition", "GetPosCommand", "GetPosFeedback", "GetVelCommand", "GetLibVersion",
    "StartPVT", "StartPT", "StartVT", "StartPVT_Intpl", "GetHomeParam", "SetHomeParam",
    "GetInByte", "GetOutByte", "SetOutByte",
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(SURFACE["classes"]))
def test_attributes_are_the_sdks(name: str) -> None:
    kind = vars(MODULE).get(name)
    if not (isinstance(kind, type) and issubclass(kind, Struct)) or not kind.fields:
        pytest.skip("no object of ours")
    assert set(kind.fields) <= set(SURFACE["classes"][name]["attributes"])
