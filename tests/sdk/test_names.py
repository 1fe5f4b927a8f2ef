"""What the module has is what the SDK has: its names, checked against the list of them."""

import inspect
import re
from collections.abc import Callable
from typing import Any

import pytest

from wmx_core import vendor_names
from wmx_core.errors import ErrorCode
from wmx_sim.sdk.enums import ENUMS, ERRORS, OWN_NUMBERS
from wmx_sim.sdk.module import PARTS, build
from wmx_sim.sdk.not_simulated import NotSimulated
from wmx_sim.sdk.parts import Part, SdkObject, behind
from wmx_sim.sdk.runtime import Runtime
from wmx_sim.sdk.structs import Struct

SURFACE = vendor_names.listed()
MODULE = build(Runtime(held=True), NotSimulated(lambda _: None))
API = MODULE.WMX3Api()
API.CreateDevice("", 0, 1)
NOT_SIMULATED = int(ErrorCode.NoSupportedFunction)

UNLISTED = {"StartPVT", "StartPT", "StartVT", "StartPVT_Intpl"}
"""Of releases before the listed one, whose programs are in the logs that the engine repeats."""


# Numbers


@pytest.mark.parametrize("name", sorted(SURFACE["enums"] | SURFACE["errors"]))
def test_numbers_are_the_listed_ones(name: str) -> None:
    ours = vars((ENUMS | ERRORS)[name])
    listed = (SURFACE["enums"] | SURFACE["errors"])[name]
    general = SURFACE["errors"]["ErrorCode"] if name in SURFACE["errors"] else {}
    assert set(ours) == set(listed) | set(general)
    assert {k: v for k, v in listed.items() if v is not None}.items() <= ours.items()


def test_numbers_that_are_not_published_are_unlike_all_others() -> None:
    numbers = [number for each in (ENUMS | ERRORS).values() for number in vars(each).values()]
    listed = SURFACE["enums"] | SURFACE["errors"]
    unpublished = [vars((ENUMS | ERRORS)[e])[m] for e in listed for m, n in listed[e].items()
                   if n is None]  # fmt: skip
    del listed["constants"]  # which are sizes
    published = [n for each in listed.values() for n in each.values() if n is not None]
    assert len(unpublished) == len({*unpublished}) > 0
    assert all(max(published) < number <= OWN_NUMBERS for number in unpublished)
    assert {*unpublished} <= {*numbers}


# Classes and functions


def parts() -> list[Part]:
    made = [behind(getattr(MODULE, kind.__name__)(API))[0] for kind in PARTS]
    return [*made, *(p for part in made for p in vars(part).values() if isinstance(p, Part))]


def simulated(part: Part) -> dict[str, Callable[..., Any]]:
    """The functions of the SDK that a part has."""
    return {n: f for n, f in inspect.getmembers(type(part), inspect.isfunction) if n[0].isupper()}


LISTED_PARTS = [part for part in parts() if type(part).__name__ in SURFACE["classes"]]


@pytest.mark.parametrize("part", LISTED_PARTS, ids=lambda part: type(part).__name__)
def test_functions_are_the_sdks(part: Part) -> None:
    listed = SURFACE["classes"][type(part).__name__]["methods"]
    assert simulated(part).keys() <= listed.keys() | UNLISTED | part.newer


def arguments(signature: str) -> int | None:
    """How many arguments a listed signature takes beside `self`; None where that varies."""
    names = re.findall(r"[*\w]+", signature)
    return None if any(name[0] == "*" for name in names) else len(names) - 1


@pytest.mark.parametrize("part", LISTED_PARTS, ids=lambda part: type(part).__name__)
def test_functions_take_the_arguments_that_are_listed(part: Part) -> None:
    listed = SURFACE["classes"][type(part).__name__]["methods"]
    for name in simulated(part).keys() & listed.keys():
        function = inspect.signature(getattr(part, name))
        expected = arguments(listed[name])
        taken = [n for n in range(10) if takes(function, n)]
        assert taken == [expected] if expected is not None else taken, name


def takes(function: inspect.Signature, count: int) -> bool:
    try:
        function.bind(*[0] * count)
    except TypeError:
        return False
    return True


@pytest.mark.parametrize("name", sorted(SURFACE["classes"]))
def test_every_listed_class_has_what_is_listed(name: str) -> None:
    described = SURFACE["classes"][name]
    kind = getattr(MODULE, name)
    if not issubclass(kind, Struct):
        statics = [m for m, s in described["methods"].items() if s.startswith("static")]
        assert all(hasattr(kind, method) for method in statics)
        return
    for attribute in {*described["attributes"], *described["methods"]} - {"__init__"}:
        assert hasattr(kind(), attribute) or attribute in arrays(described), attribute


def arrays(described: Any) -> set[str]:
    """The attributes that only `SetX` and `GetX` reach."""
    return {m[3].lower() + m[4:] for m in described["methods"] if m[:3] in ("Get", "Set")}


@pytest.mark.parametrize("name", sorted(SURFACE["classes"]))
def test_attributes_are_the_sdks(name: str) -> None:
    kind = getattr(MODULE, name)
    if issubclass(kind, Struct):
        assert set(kind.fields) <= set(SURFACE["classes"][name]["attributes"])


# What is wrong, and what is not simulated


WRONG: dict[str, Callable[[Any, Any], Any]] = {
    "of the module": lambda sdk, api: sdk.CoreMotoin,
    "of an enum": lambda sdk, api: sdk.ProfileType.Trapezodial,
    "of an error": lambda sdk, api: sdk.ErrorCode.Noen,
    "of a part": lambda sdk, api: sdk.CoreMotion(api).motoin,
    "of a function": lambda sdk, api: sdk.CoreMotion(api).motion.StartPso,
    "of a device": lambda sdk, api: api.StartComunication,
    "of a static function": lambda sdk, api: sdk.WMX3Api.ErrorToStrin,
    "of an attribute that is read": lambda sdk, api: sdk.Motion_PosCommand().tagret,
    "of a function of an object": lambda sdk, api: sdk.AxisSelection().SetAxes,
    "of what newer releases have": lambda sdk, api: sdk.Ecat(api).RegisterRead,
}


@pytest.mark.parametrize("what", WRONG)
def test_a_misspelt_name_is_an_attribute_error(
    sdk: Any, api: Any, reported: list[str], what: str
) -> None:
    with pytest.raises(AttributeError):
        WRONG[what](sdk, api)
    names_of_the_module = ["of the module"]
    assert len(reported) == (what in names_of_the_module)


def test_a_name_that_is_not_simulated_says_so_once(sdk: Any, api: Any, reported: list[str]) -> None:
    core = sdk.CoreMotion(api)
    for _ in range(2):
        assert core.motion.OverrideAcc(sdk.Motion_PosCommand()) == NOT_SIMULATED
    assert reported == [
        "wmx_sim: Motion.OverrideAcc is not simulated; it answers NoSupportedFunction"
    ]


def test_nothing_is_reported_of_what_is_only_looked_up(
    sdk: Any, api: Any, reported: list[str]
) -> None:
    assert callable(sdk.CoreMotion(api).motion.OverrideAcc)
    assert reported == []


def test_a_class_that_is_not_listed_has_any_name_of_the_sdks_kind(
    sdk: Any, api: Any, reported: list[str]
) -> None:
    """The list has what the driver may need; of the other classes nobody here knows the names."""
    assert "AdvSync" not in SURFACE["classes"]
    assert sdk.AdvancedMotion(api).advSync.StartDancer() == NOT_SIMULATED
    assert len(reported) == 1
    with pytest.raises(AttributeError):
        _ = sdk.AdvancedMotion(api).advSync.dancer


# Devices


def test_nothing_goes_without_a_device(sdk: Any) -> None:
    core = sdk.CoreMotion(sdk.WMX3Api())
    device_is_null = int(ErrorCode.DeviceIsNull)
    assert core.motion.StartPos(sdk.Motion_PosCommand()) == device_is_null
    code, status = core.GetStatus()
    assert (code, isinstance(status, Struct)) == (device_is_null, True)


def test_each_device_is_attached_and_closed_by_itself(sdk: Any) -> None:
    first, second = sdk.WMX3Api(), sdk.WMX3Api()
    assert [first.IsDeviceValid(), first.CreateDevice("", 0, 1)] == [False, 0]
    cores = [sdk.CoreMotion(each) for each in (first, second)]
    assert [core.GetStatus()[0] for core in cores] == [0, ErrorCode.DeviceIsNull]
    assert (first.CloseDevice(), first.IsDeviceValid()) == (0, False)
    assert cores[0].GetStatus()[0] == ErrorCode.DeviceIsNull
    assert [second.CreateDevice("", 0, 1), cores[1].GetStatus()[0]] == [0, 0], "made before it"


def test_objects_of_one_part_are_of_one_engine(sdk: Any, api: Any) -> None:
    first, second = sdk.CoreMotion(api), sdk.CoreMotion(api)
    assert isinstance(first, SdkObject)
    api.StartCommunication(0)
    assert first.axisControl.SetServoOn(3, 1) == 0
    assert behind(second.axisControl)[0] is behind(first.axisControl)[0]
