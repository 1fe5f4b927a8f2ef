"""Which devices on an engine are those of other programs."""

from types import SimpleNamespace
from typing import Any

import pytest

from wmx_ros2_package.cli.first_contact.surroundings import other_devices

MINE, SECOND = "wmx_first_contact", "wmx_first_contact_2"


@pytest.mark.parametrize(
    ("names", "others"),
    [
        ([MINE], []),
        ([SECOND, MINE], []),
        ([MINE, "/wmx_core_motion_node", SECOND], ["/wmx_core_motion_node"]),
        ([MINE, SECOND, MINE], [MINE]),
    ],
)
def test_a_run_knows_its_own_devices_and_those_of_another_run(
    names: list[str], others: list[str]
) -> None:
    devices = SimpleNamespace(
        count=len(names), GetDevices=lambda index: SimpleNamespace(name=names[index])
    )
    session: Any = SimpleNamespace(api=SimpleNamespace(GetAllDevices=lambda: devices))
    assert other_devices(session) == others
