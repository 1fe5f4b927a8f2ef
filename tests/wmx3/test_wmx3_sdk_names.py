"""The installed module compared with the list of the SDK's names."""

from checked_sdk import CheckedSdk, changed
from recorder import Recorder

from wmx_core.vendor_names import listed, missing, numbers
from wmx_sim.sdk.enums import SURFACE


def test_the_listed_module_lacks_nothing() -> None:
    sdk = CheckedSdk(Recorder()).sdk
    assert missing(sdk, listed()) == []
    unpublished, others = numbers(sdk, listed())
    open_numbers = [
        f"{kind}.{name}"
        for kind, members in {**SURFACE["enums"], **SURFACE["errors"]}.items()
        for name, number in members.items()
        if number is None
    ]
    assert [*unpublished] == open_numbers
    assert unpublished["IOSourceType.Output"] == sdk.IOSourceType.Output
    assert others == {}


def test_what_another_build_lacks() -> None:
    surface = changed(without=["Log", "Motion.Pause"])
    del surface["errors"]["ErrorCode"]["PyNone"]
    lacks = missing(CheckedSdk(Recorder(), surface).sdk, listed())
    assert {*lacks} == {"Log", "Motion.Pause", "ErrorCode.PyNone", *lacks_of_errors()}


def lacks_of_errors() -> set[str]:
    """The errors of the modules inherit the general ones, which they list only once."""
    return {f"{kind}.PyNone" for kind, members in SURFACE["errors"].items() if "PyNone" in members}


def test_a_build_that_numbers_otherwise() -> None:
    sdk = CheckedSdk(Recorder(), changed(renumbered=True)).sdk
    _, others = numbers(sdk, listed())
    assert others["EngineState.Communicating"] == sdk.EngineState.Communicating
    assert not any(name.startswith("ErrorCode.") for name in others)
