"""Stops through the SDK: each axis as its mode asks, whatever another one answers."""

from typing import Any

import numpy as np
import pytest
from checked_sdk import CheckedSdk, Refused
from recorder import Recorder

from wmx3 import stops
from wmx_core.errors import CommandRefused, EngineLost, ErrorCode
from wmx_core.interface import Driver
from wmx_core.values import CommandMode, OperationState
from wmx_ros2_package.control.stopping import stop_and_wait
from wmx_sim.sdk.sdk_commands import axes_of


@pytest.fixture
def modes(recorder: Recorder) -> Recorder:
    """Axes with servo in position, velocity, torque and position mode."""
    recorder.status = {
        "servo_on": np.full(4, True),
        "command_mode": np.array([0, 1, 2, 0], np.int32),
    }
    return recorder


HOLD = ("set_command_mode", 2, CommandMode.POSITION)
"""The axis in torque mode is held where it is."""


def test_each_axis_is_stopped_as_its_mode_asks(driver: Driver, modes: Recorder) -> None:
    driver.motion.stop([3, 2, 1, 0, 3])
    *stops, hold = modes.orders
    assert sorted(stops) == [("stop", [1]), ("stop", [2]), ("stop", [3, 0])]
    assert hold == HOLD


def test_each_axis_is_stopped_quickly_if_it_can_be(driver: Driver, modes: Recorder) -> None:
    driver.motion.quick_stop([3, 2, 1, 0])
    *stops, hold = modes.orders
    assert sorted(stops) == [("quick_stop", [1]), ("quick_stop", [3, 0]), ("stop", [2])]
    assert hold == HOLD


@pytest.mark.parametrize("state", OperationState)
def test_an_axis_is_stopped_whatever_it_seems_to_do(
    driver: Driver, modes: Recorder, state: OperationState
) -> None:
    modes.status["op_state"] = np.full(4, state, np.int32)
    driver.motion.stop([0])
    released = state is OperationState.SYNC  # which the SDK stops in its own way
    assert modes.orders == [("quick_stop" if released else "stop", [0])]


def test_an_axis_without_servo_is_not_stopped(driver: Driver, modes: Recorder) -> None:
    modes.status["servo_on"] = np.array([True, True, True, False])
    driver.motion.stop([0, 3])
    driver.motion.quick_stop([3])
    assert modes.orders == [("stop", [0])]


@pytest.mark.parametrize("order", ["stop", "quick_stop"])
def test_homing_that_is_paused_is_cancelled(
    vendor: CheckedSdk, driver: Driver, modes: Recorder, order: str
) -> None:
    def pause(status: Any) -> None:
        status.GetAxesStatus(3).homePaused = True

    vendor.alter("CoreMotion.GetStatus", pause)
    vendor.play("Home.Cancel_AxisSel", lambda *_: None)
    getattr(driver.motion, order)([0, 3])
    assert modes.orders == [(order, [0])]
    ((selection,),) = vendor.called("Home.Cancel_AxisSel")
    assert axes_of(selection) == (3,)


def test_one_refusal_stops_no_other_stop(
    vendor: CheckedSdk, driver: Driver, modes: Recorder
) -> None:
    vendor.refuse("Motion.Stop_AxisSel", 1568)
    with pytest.raises(CommandRefused) as refused:
        driver.motion.stop([0, 1, 2, 3])
    assert refused.value.name == "AxisAmpAlarm"
    assert modes.orders == [("stop", [1]), ("stop", [2]), HOLD]
    assert [[*axes_of(s)] for (s,) in vendor.called("Motion.Stop_AxisSel")] == [[0, 3], [0], [3]]


def test_an_engine_that_seems_lost_is_asked_for_every_stop(
    vendor: CheckedSdk, driver: Driver, modes: Recorder
) -> None:
    vendor.refuse("Motion.Stop_AxisSel", ErrorCode.DeviceIsNull)
    vendor.refuse("Torque.StopTrq_AxisSel", ErrorCode.AxisAmpAlarm)
    with pytest.raises(EngineLost):
        driver.motion.stop([2, 0, 1, 3])
    assert modes.orders == [("stop", [1])]
    for name in ("Motion.Stop_AxisSel", "Torque.StopTrq_AxisSel"):
        assert len(vendor.called(name)) == 1


UNSEEN = ErrorCode.StatusChannelGettingInitialData, ErrorCode.StatusChannelError
"""Refusals of a status, the second one of an engine that seems lost."""


@pytest.mark.parametrize("code", UNSEEN)
@pytest.mark.parametrize("order", ["stop", "quick_stop"])
def test_an_axis_that_no_status_shows_is_stopped_in_every_mode(
    vendor: CheckedSdk, driver: Driver, modes: Recorder, order: str, code: int
) -> None:
    vendor.refuse("CoreMotion.GetStatus", code)
    getattr(driver.motion, order)([0, 1, 2])
    *stops, hold = modes.orders
    assert {(name, *axes) for name, axes in stops} == {(order, 0), (order, 1), ("stop", 2)}
    assert hold == HOLD


def test_an_axis_that_no_status_shows_is_refused_where_its_own_stop_is(
    vendor: CheckedSdk, driver: Driver, modes: Recorder
) -> None:
    """One without servo is not: nothing drives it."""
    modes.status["servo_on"] = np.array([True, True, True, False])
    vendor.refuse("CoreMotion.GetStatus", ErrorCode.WaitTimeout)
    vendor.refuse("Velocity.Stop_AxisSel", ErrorCode.AxisAmpAlarm)
    with pytest.raises(CommandRefused) as refused:
        driver.motion.stop([1, 2, 3])
    assert refused.value.code == ErrorCode.AxisAmpAlarm
    assert {axis for order, axes in modes.orders[:-1] for axis in axes} == {2}
    vendor.restore("Velocity.Stop_AxisSel")
    driver.motion.stop([3])


def test_whatever_moves_is_stopped_where_no_status_is_answered(
    vendor: CheckedSdk, driver: Driver, modes: Recorder
) -> None:
    vendor.refuse("CoreMotion.GetStatus", ErrorCode.WaitTimeout)
    motion, clock = driver.motion, modes.clock
    with pytest.raises(CommandRefused):
        stop_and_wait(motion.status, motion.stop, None, driver.status_latency, 0.1, clock)
    assert [axes for order, axes, *_ in modes.orders if order == "stop"] == [[0], [1], [2], [3]]


STOPS = {
    "Motion.Stop_AxisSel": lambda motion: motion.stop([0, 3]),
    "Motion.ExecQuickStop_AxisSel": lambda motion: motion.quick_stop([0, 3]),
    "Velocity.Stop_AxisSel": lambda motion: motion.stop([1, 0]),
    "Torque.StopTrq_AxisSel": lambda motion: motion.stop([2, 0]),
}


class Pending(dict[int, int]):
    """Axes whose newest command starts only after so many more attempts to stop them."""

    def __call__(self, axis: int) -> bool:
        left = self.get(axis, 0)
        self[axis] = max(0, left - 1)
        return left > 0


@pytest.fixture
def pending(vendor: CheckedSdk, monkeypatch: pytest.MonkeyPatch) -> Pending:
    pending = Pending()
    monkeypatch.setattr(vendor.runtime, "is_starting", pending)
    return pending


@pytest.mark.parametrize("name", STOPS)
@pytest.mark.parametrize("cycles", [1, 2, 5])
def test_an_axis_that_has_just_been_commanded_is_stopped_again(
    driver: Driver, modes: Recorder, pending: Pending, name: str, cycles: int
) -> None:
    """The engine leaves it out, stops the others, and answers an error for all of them."""
    late = {"Motion": 3, "Velocity": 1, "Torque": 2}[name.partition(".")[0]]
    pending[late] = cycles
    STOPS[name](driver.motion)
    stopped = [axis for order, *axes in modes.orders if order.endswith("stop") for axis in axes[0]]
    assert {late, 0} == {*stopped}
    assert pending[late] == 0


def test_an_axis_that_is_commanded_for_ever_cannot_be_stopped(
    driver: Driver, modes: Recorder, pending: Pending
) -> None:
    pending[3] = 10**6
    with pytest.raises(CommandRefused) as refused:
        driver.motion.stop([0, 3])
    assert (refused.value.code, refused.value.name) == (1563, "StartingPreviousCommand")
    assert 3 not in [axis for _, axes in modes.orders for axis in axes]
    assert 10**6 - pending[3] == stops.TRIES + 1, "once together, then by itself"


def test_a_refusal_is_not_hidden_by_a_later_success(
    vendor: CheckedSdk, driver: Driver, modes: Recorder, pending: Pending
) -> None:
    """One axis has an alarm, another one a command that has not started."""
    pending[3] = 2

    def refuse_the_first(vendor: CheckedSdk, selection: Any) -> None:
        vendor.real("Motion.Stop_AxisSel", selection)
        if 0 in axes_of(selection):
            raise Refused(1568)

    vendor.play("Motion.Stop_AxisSel", refuse_the_first)
    with pytest.raises(CommandRefused) as refused:
        driver.motion.stop([0, 3])
    assert refused.value.name == "AxisAmpAlarm"
    assert ("stop", [3]) in modes.orders


def test_an_axis_of_a_mode_without_name_stops_no_other_stop(
    vendor: CheckedSdk, driver: Driver, modes: Recorder
) -> None:
    def strange(status: Any) -> None:
        status.GetAxesStatus(3).axisCommandMode = 77

    vendor.alter("CoreMotion.GetStatus", strange)
    driver.motion.stop([1, 2, 3])
    assert [[*axes_of(s)] for (s,) in vendor.called("Motion.Stop_AxisSel")] == [[3]]
    assert ("stop", [1]) in modes.orders
    assert ("stop", [2]) in modes.orders
