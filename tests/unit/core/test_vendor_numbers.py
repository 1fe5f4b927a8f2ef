"""Numbers that cross to an engine, a file or a client are those that the vendor lists."""

from collections.abc import Mapping
from enum import IntEnum

import pytest

from wmx_core.errors import ErrorCode
from wmx_core.profile_types import ProfileType
from wmx_core.values import (
    CommandMode,
    EmergencyStop,
    EngineState,
    HomeType,
    LimitType,
    OperationState,
)
from wmx_core.vendor_names import listed

LISTED: dict[type[IntEnum], tuple[str, ...]] = {
    CommandMode: ("AxisCommandMode",),
    EmergencyStop: ("EStopLevel",),
    EngineState: ("EngineState",),
    ErrorCode: ("ErrorCode", "CoreMotionErrorCode"),
    HomeType: ("Config_HomeType",),
    LimitType: ("Config_LimitSwitchType",),
    OperationState: ("OperationState",),
    ProfileType: ("ProfileType",),
}
OTHERWISE = {"none": "pynone", "separate": "separatepositivelsnegativels"}
"""Names that the list has otherwise."""


def numbers(members: Mapping[str, int]) -> dict[str, int]:
    """The numbers by their names, which are spelt in one way."""
    plain = {name.replace("_", "").lower(): number for name, number in members.items()}
    return {OTHERWISE.get(name, name): number for name, number in plain.items()}


@pytest.mark.parametrize("ours", LISTED)
def test_numbers_are_the_vendors(ours: type[IntEnum]) -> None:
    kinds = listed()["enums"] | listed()["errors"]
    theirs = [item for kind in LISTED[ours] for item in numbers(kinds[kind]).items()]
    assert {*numbers(ours.__members__).items()} <= {*theirs}
