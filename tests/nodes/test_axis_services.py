"""wmx_core_motion_node: the services of axes, with the texts that clients match on."""

from collections.abc import Iterator
from math import inf, nan, tau
from typing import Any

import pytest
from ros import Client
from system import System

AXES = 6
REVOLUTION = 8_388_608.0
ALL_OFF = {"index": list(range(AXES)), "data": [0] * AXES}


@pytest.fixture(autouse=True)
def _from_the_start(client: Client) -> Iterator[None]:
    """Every axis is off, healthy and in position mode after each test."""
    yield
    client.call("wmx/axis/set_on", **ALL_OFF)
    client.states.next(lambda s: not any(s.servo_on) and not any(s.velocity_cmd))
    client.must("wmx/axis/clear_alarm", index=ALL_OFF["index"])
    client.must("wmx/axis/set_mode", **ALL_OFF)


def switch_on(client: Client, *axes: int) -> None:
    client.must("wmx/axis/set_on", index=axes, data=[1] * len(axes))


# set_on


def test_servos_are_on_when_the_answer_says_so(client: Client) -> None:
    done = client.must("wmx/axis/set_on", index=[0, 5], data=[1, 1])
    assert done.message == "Set axis 0 on; Set axis 5 on; "
    assert list(client.state().servo_on) == [True, False, False, False, False, True]
    done = client.must("wmx/axis/set_on", index=[5, 0], data=[0, 1])
    assert done.message == "Set axis 5 off; Set axis 0 on; "
    assert list(client.state().servo_on) == [True] + [False] * 5


@pytest.mark.parametrize(
    ("service", "fields", "failed"),
    [
        ("set_on", {"data": [0]}, "Failed to set axis {} off."),
        ("clear_alarm", {}, "Failed to clear alarm axis {}."),
        ("set_mode", {"data": [1]}, "Failed to set axis {} mode 1."),
        ("set_polarity", {"data": [1]}, "Failed to set polarity on axis {}."),
        (
            "set_gear_ratio",
            {"numerator": [1.0], "denominator": [1.0]},
            "Failed to set gear ratio on axis {}.",
        ),
    ],
)
def test_every_service_names_the_axis_that_there_is_not(
    client: Client, service: str, fields: dict[str, Any], failed: str
) -> None:
    message = client.refused(f"wmx/axis/{service}", index=[AXES], **fields)
    assert message == f"{failed.format(AXES)} Error=1547 (AxisOutOfRange); "


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "set_on": (
        {"index": [1, 2], "data": [1, 2]},
        "Invalid data 2 for axis 2: must be 1 (on) or 0 (off)",
    ),
    "set_mode": ({"index": [1, 0], "data": [1, 3]}, "Invalid mode 3 for axis 0"),
    "set_polarity": ({"index": [1, 4], "data": [-1, 0]}, "Invalid polarity value for axis 4: 0"),
    "set_gear_ratio": (
        {"index": [1, 2], "numerator": [1.0, nan], "denominator": [1.0, -1.0]},
        "numerator of axis 2 is nan: must be finite and greater than 0; "
        "denominator of axis 2 is -1.0: must be finite and greater than 0",
    ),
    "clear_alarm": ({"index": []}, "index has 0 elements: must have 1 to 128"),
    "homing": ({"index": [1, 1]}, "index names axis 1 more than once: must name each axis once"),
    "reference": (
        {"index": [4, 5], "position": [1.0, inf]},
        "position of axis 5 is inf: must be finite",
    ),
}
"""One sample of each service."""


@pytest.mark.parametrize("service", REFUSED)
def test_what_breaks_a_rule_changes_nothing(client: Client, service: str) -> None:
    request, rule = REFUSED[service]
    before = client.must("wmx/params/get", index=list(range(AXES))).params_dump
    assert client.refused(f"wmx/axis/{service}", **request) == rule
    state = client.state()
    assert not any(state.servo_on)
    assert not any(state.pos_cmd)
    assert client.must("wmx/params/get", index=list(range(AXES))).params_dump == before


# alarms


def test_an_alarm_shows_keeps_the_servo_off_and_is_cleared(system: System, client: Client) -> None:
    switch_on(client, 2)
    with system.place.engine() as engine:
        engine.call("motion", "raise_alarm", 2, 0x7500)
    state = client.states.next(lambda s: s.amp_alarm[2])
    assert list(state.amp_alarm) == [False, False, True, False, False, False]
    assert not state.servo_on[2]
    message = client.refused("wmx/axis/set_on", index=[2], data=[1])
    assert message == "Failed to set axis 2 on. Error=1568 (AxisAmpAlarm): alarm code 0x7500; "
    cleared = client.must("wmx/axis/clear_alarm", index=[2])
    assert cleared.message == "Cleared alarm axis 2; "
    assert not client.state().amp_alarm[2]
    switch_on(client, 2)


def test_clearing_alarms_ignores_data(client: Client) -> None:
    done = client.must("wmx/axis/clear_alarm", index=[0, 1], data=[7])
    assert done.message == "Cleared alarm axis 0; Cleared alarm axis 1; "


# set_mode


@pytest.mark.parametrize(("mode", "name"), [(1, "Velocity"), (2, "Torque"), (0, "Position")])
def test_modes_by_number(client: Client, mode: int, name: str) -> None:
    done = client.must("wmx/axis/set_mode", index=[0, 1], data=[mode, mode])
    assert done.message == f"Set axis 0 in {name} mode; Set axis 1 in {name} mode; "


# set_polarity and set_gear_ratio


def test_polarity_turns_the_axis_round(client: Client) -> None:
    switch_on(client, 3)
    client.move("wmx/axis/position", [3], [0.2], [5.0], [50.0], [50.0])
    client.at_rest(3, 0.2)
    for polarity, sign in (-1, -1), (1, 1):
        done = client.must("wmx/axis/set_polarity", index=[3], data=[polarity])
        assert done.message == "Set polarity on axis 3; "
        client.at_rest(3, sign * 0.2)
    client.must("wmx/axis/homing", index=[3])


def test_the_gear_ratio_is_the_unit_of_the_axis(client: Client) -> None:
    switch_on(client, 4)
    client.move("wmx/axis/position", [4], [0.1], [5.0], [50.0], [50.0])
    client.at_rest(4, 0.1)
    done = client.must(
        "wmx/axis/set_gear_ratio", index=[4], numerator=[REVOLUTION], denominator=[360.0]
    )
    assert done.message == "Set gear ratio on axis 4; "
    client.at_rest(4, 0.1 / tau * 360.0, tolerance=0.1)
    client.must("wmx/axis/set_gear_ratio", index=[4], numerator=[REVOLUTION], denominator=[tau])
    client.at_rest(4, 0.1)
    client.must("wmx/axis/homing", index=[4])


# homing


def test_homing_makes_the_position_zero(client: Client) -> None:
    switch_on(client, 0, 1)
    client.move("wmx/axis/position", [0, 1], [0.3, -0.3], [5.0] * 2, [50.0] * 2, [50.0] * 2)
    client.at_rest(0, 0.3)
    client.at_rest(1, -0.3)
    done = client.must("wmx/axis/homing", index=[1, 0])
    assert done.message == "Homed axis 1; Homed axis 0; "
    state = client.state()
    assert list(state.home_done)[:2] == [True, True]
    assert state.actual_pos[0] == pytest.approx(0.0, abs=1e-3)
    assert state.pos_cmd[1] == pytest.approx(0.0, abs=1e-9)


def test_an_axis_without_servo_is_not_homed(client: Client) -> None:
    switch_on(client, 1)
    message = client.refused("wmx/axis/homing", index=[0, 1], data=[9])
    assert message == "Failed to home axis 0. Error=1567 (ServoOff); Homed axis 1; "


def test_nothing_is_homed_with_an_axis_that_there_is_not(client: Client) -> None:
    switch_on(client, 5)
    message = client.refused("wmx/axis/homing", index=[5, AXES])
    assert "Error=1547 (AxisOutOfRange)" in message
    assert str(AXES) in message
    assert not client.state().home_done[5]


# reference


def test_axes_are_told_where_they_stand_and_nothing_moves(client: Client) -> None:
    before = client.state()
    assert not before.home_done[5]
    done = client.must("wmx/axis/reference", index=[4, 5], position=[1.5, -20.25])
    assert done.message == "Axis 4 stands at 1.5; Axis 5 stands at -20.25; "
    after = client.states.next(lambda s: s.pos_cmd[5] == -20.25)
    assert (after.pos_cmd[4], after.actual_pos[5]) == pytest.approx((1.5, -20.25))
    assert after.home_done[4]
    assert after.home_done[5]
    assert list(after.pos_cmd[:4]) == list(before.pos_cmd[:4])
    client.must("wmx/axis/reference", index=[4, 5], position=[0.0, 0.0])


def test_a_place_that_cannot_be_is_refused(client: Client) -> None:
    message = client.refused("wmx/axis/reference", index=[5], position=[1e16])
    assert message.startswith("Failed to set the position of axis 5. Error=65580")
