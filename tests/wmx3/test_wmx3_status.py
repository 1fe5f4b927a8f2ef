"""The status of the axes: every field from where the SDK has it, in one call."""

from dataclasses import fields
from math import inf
from typing import Any

import numpy as np
import pytest
from checked_sdk import CheckedSdk
from recorder import Recorder

from wmx3.status import (
    ATTEMPTS,
    ENDLESS,
    FIELDS,
    HELD_UP,
    MOST_LATE,
    OTHER_MODE,
    OTHER_STATE,
    SECONDS_PER_MILLISECOND,
)
from wmx_core.interface import Driver
from wmx_core.values import CommandMode, EmergencyStop, MotionStatus, OperationState
from wmx_sim.sdk.core_motion import CoreMotionStatus

AXES = 64
"""Enough that no two fields of noise are equal by chance."""


def noise() -> dict[str, object]:
    """Every array of a status, each unlike the others."""
    random = np.random.default_rng(7)
    arrays: dict[str, object] = {
        name: random.integers(0, 2, AXES).astype(np.bool_)
        if kind is np.bool_
        else random.normal(size=AXES)
        for name, (_, kind) in FIELDS.items()
    }
    arrays["alarm_code"] = random.integers(0, 0xFFFF, AXES, dtype=np.int32)
    arrays["op_state"] = random.choice([*OperationState], AXES).astype(np.int32)
    arrays["command_mode"] = random.choice([*CommandMode], AXES).astype(np.int32)
    return arrays


def test_every_field_arrives_in_its_place() -> None:
    recorder = Recorder(AXES)
    recorder.status = noise()
    status = CheckedSdk(recorder).attached().motion.status()
    expected: dict[str, Any] = dict(recorder.status)
    expected["following_error"] = expected["pos_cmd"] - expected["actual_pos"]
    at_rest = expected["op_state"] == OperationState.IDLE
    endless = np.isin(expected["op_state"], ENDLESS)
    expected["target"] = np.where(at_rest | endless, np.nan, expected["target"])
    ends = np.where(at_rest, 0.0, expected["remaining"] * 1000.0 * SECONDS_PER_MILLISECOND)
    expected["remaining"] = np.where(endless, np.inf, ends)
    for name, array in expected.items():
        np.testing.assert_array_equal(getattr(status, name), array, name)
        assert getattr(status, name).dtype == array.dtype, name
    assert {*FIELDS} == {f.name for f in fields(MotionStatus)} - {
        "time",
        "cycle",
        "clock_rate",
        "engine_state",
        "emergency_stop",
        "invalid_licence",
        "licence_left",
        "following_error",
    }


@pytest.mark.parametrize("invalid", [True, False])
def test_the_licence(recorder: Recorder, driver: Driver, invalid: bool) -> None:
    recorder.status = {"invalid_licence": invalid}
    assert driver.motion.status().invalid_licence is invalid
    recorder.held.after(3000.0)
    assert driver.motion.status().licence_left == (600.0 if invalid else inf)
    recorder.held.after(3000.0)
    assert driver.motion.status().licence_left == (0.0 if invalid else inf)


def test_what_an_axis_does_that_has_no_name_here(vendor: CheckedSdk, driver: Driver) -> None:
    def on_a_cam(status: Any) -> None:
        status.GetAxesStatus(2).opState = vendor.sdk.OperationState.ECAM

    vendor.alter("CoreMotion.GetStatus", on_a_cam)
    assert driver.motion.status().op_state.tolist() == [0, 0, OTHER_STATE, 0]
    assert OTHER_STATE not in [*OperationState]


def test_a_command_mode_that_has_no_name_here(vendor: CheckedSdk, driver: Driver) -> None:
    def strange(status: Any) -> None:
        status.GetAxesStatus(2).axisCommandMode = 77

    vendor.alter("CoreMotion.GetStatus", strange)
    assert driver.motion.status().command_mode.tolist() == [0, 0, OTHER_MODE, 0]
    assert OTHER_MODE not in [*CommandMode]


@pytest.mark.parametrize(("active", "seen"), [(True, EmergencyStop.FINAL), (False, None)])
def test_an_emergency_stop_that_has_no_name_here(
    vendor: CheckedSdk, driver: Driver, active: bool, seen: EmergencyStop | None
) -> None:
    def strange(status: Any) -> None:
        status.emergencyStop, status.emergencyStopLevel = active, 77

    vendor.alter("CoreMotion.GetStatus", strange)
    assert driver.motion.status().emergency_stop is seen


@pytest.mark.parametrize(("lasts", "at"), [(0.0004, 0.0002), (0.003, MOST_LATE)])
def test_the_sample_is_half_way_through_the_call_and_never_later_than_it_may_be_true(
    vendor: CheckedSdk, driver: Driver, lasts: float, at: float
) -> None:
    """The thread may get its processor, or the lock of Python, long after the engine's answer."""
    clock = vendor.engine.clock

    def sampled(_: CheckedSdk) -> tuple[object, ...]:
        status = vendor.real("CoreMotion.GetStatus")
        clock.advance(lasts)
        return status

    vendor.play("CoreMotion.GetStatus", sampled)
    before = clock.now()
    assert driver.motion.status().time == pytest.approx(before + at)


@pytest.mark.parametrize("times", [1, ATTEMPTS - 1])
def test_a_sample_that_was_held_up_is_read_again(
    vendor: CheckedSdk, driver: Driver, times: int
) -> None:
    """A thread that loses its processor just before the call would stamp it long before it."""
    clock, sampled = vendor.engine.clock, list[float]()

    def late(_: CheckedSdk) -> tuple[object, ...]:
        if len(sampled) < times:
            clock.advance(2.0 * HELD_UP)
        sampled.append(clock.now())
        return vendor.real("CoreMotion.GetStatus")

    vendor.play("CoreMotion.GetStatus", late)
    assert driver.motion.status().time == pytest.approx(sampled[-1])
    assert len(sampled) == times + 1


@pytest.mark.parametrize(("lasts", "calls"), [(0.01, ATTEMPTS), (0.4, 1)])
def test_a_sample_that_is_held_up_each_time_is_stamped_early(
    vendor: CheckedSdk, driver: Driver, lasts: float, calls: int
) -> None:
    """Late, it would pass for one that shows what was commanded after it.

    For an engine that is slow itself stops and the dead man do not wait three times.
    """
    clock = vendor.engine.clock

    def late(_: CheckedSdk) -> tuple[object, ...]:
        status = vendor.real("CoreMotion.GetStatus")
        clock.advance(lasts)
        return status

    vendor.play("CoreMotion.GetStatus", late)
    before = clock.now()
    last = before + lasts * (calls - 1)
    assert driver.motion.status().time == pytest.approx(last + MOST_LATE)
    assert clock.now() == pytest.approx(before + lasts * calls)


def test_one_call_and_each_axis_once(
    vendor: CheckedSdk, driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    get = CoreMotionStatus.GetAxesStatus
    monkeypatch.setattr(
        CoreMotionStatus, "GetAxesStatus", lambda self, i: asked.append(i) or get(self, i)
    )
    driver.motion.status()
    assert vendor.calls == [("CoreMotion.GetStatus",)]
    assert asked == [0, 1, 2, 3]
