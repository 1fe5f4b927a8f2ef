"""OverrideVel, Pause and Resume: what a move goes on at, and what ends a pause."""

from collections.abc import Callable
from typing import Any

import pytest

from wmx_sim.sdk.runtime import Runtime

NOT_MOVING = 65563
"""NotPosOrJogOrVelocityState."""


@pytest.fixture
def core(sdk: Any, api: Any, runtime: Runtime) -> Any:
    """The servos of the axes 0 and 1 are on."""
    assert api.StartCommunication(0) == 0
    core = sdk.CoreMotion(api)
    assert [core.axisControl.SetServoOn(axis, 1) for axis in (0, 1)] == [0, 0]
    runtime.advance(100)
    return core


def move(sdk: Any, axis: int, velocity: float = 100.0) -> Any:
    command = sdk.Motion_PosCommand()
    command.axis, command.target = axis, 1000.0
    command.profile.velocity = velocity
    command.profile.acc = command.profile.dec = 10_000.0
    return command


def velocity(runtime: Runtime, axis: int = 0) -> float:
    """What it is commanded to, u/s, when it has had time to change.

    To two decimals: a motion in whole cycles is a little slower than it may be.
    """
    runtime.advance(100)
    return round(float(runtime.status.velocity_cmd[axis]), 2)


def paused(sdk: Any, core: Any, runtime: Runtime, *overrides: float) -> None:
    """Axis 0 is on a move at 100 u/s, was overridden, and waits."""
    assert core.motion.StartPos(move(sdk, 0)) == 0
    for override in overrides:
        assert core.motion.OverrideVel(move(sdk, 0, override)) == 0
        assert velocity(runtime) == override
    assert core.motion.Pause(0) == 0
    assert velocity(runtime) == 0.0


@pytest.mark.parametrize(
    ("overrides", "then"), [((), 100.0), ((50.0,), 50.0), ((50.0, 80.0), 80.0)]
)
def test_a_paused_move_goes_on_as_fast_as_it_was(
    sdk: Any, core: Any, runtime: Runtime, overrides: tuple[float, ...], then: float
) -> None:
    paused(sdk, core, runtime, *overrides)
    assert core.motion.Resume(0) == 0
    assert velocity(runtime) == then


def test_a_paused_move_goes_on_as_fast_as_it_was_set_to_while_paused(
    sdk: Any, core: Any, runtime: Runtime
) -> None:
    paused(sdk, core, runtime, 50.0)
    assert core.motion.OverrideVel(move(sdk, 0, 30.0)) == 0
    assert velocity(runtime) == 0.0, "it is paused still"
    assert core.motion.Resume(0) == 0
    assert velocity(runtime) == 30.0


def test_a_new_move_runs_as_fast_as_it_says(sdk: Any, core: Any, runtime: Runtime) -> None:
    paused(sdk, core, runtime, 50.0)
    assert core.motion.StartPos(move(sdk, 0)) == 0
    assert velocity(runtime) == 100.0
    assert core.motion.Resume(0) != 0


def line(sdk: Any) -> Any:
    command = sdk.Motion_LinearIntplCommand()
    command.axisCount = 2
    command.profile = move(sdk, 0).profile
    for i in (0, 1):
        command.SetAxis(i, i)
        command.SetTarget(i, 500.0)
    return command


def circle(sdk: Any) -> Any:
    command = sdk.Motion_CenterAndLengthCircularIntplCommand()
    command.profile = move(sdk, 0).profile
    command.arcLengthDegree = 90.0
    for i in (0, 1):
        command.SetAxis(i, i)
        command.SetCenterPos(i, 500.0)
    return command


def table(sdk: Any) -> Any:
    command = sdk.AdvMotion_PVTCommand()
    command.pointCount = 2
    for i in (0, 1):
        point = sdk.AdvMotion_PVTPoint()
        point.pos, point.timeMilliseconds = 100.0 * i, 1000.0 * i
        command.SetPoints(i, point)
    return command


AFTER: dict[str, Callable[[Any, Any], int]] = {
    "nothing": lambda sdk, core: 0,
    "line": lambda sdk, core: core.motion.StartLinearIntplPos(line(sdk)),
    "circle": lambda sdk, core: core.motion.StartCircularIntplPos_CenterAndLength(circle(sdk)),
    "homing": lambda sdk, core: core.home.StartHome(0),
    "table": lambda sdk, core: core.motion.StartPVT(table(sdk)),
}


@pytest.mark.parametrize("end", ["Stop", "ExecQuickStop"])
@pytest.mark.parametrize("then", AFTER)
def test_a_pause_ends_with_its_move(
    sdk: Any, core: Any, runtime: Runtime, end: str, then: str
) -> None:
    paused(sdk, core, runtime)
    assert getattr(core.motion, end)(0) == 0
    runtime.advance(100)
    assert AFTER[then](sdk, core) == 0
    runtime.advance(20)
    assert core.motion.OverrideVel(move(sdk, 0, 50.0)) == NOT_MOVING
    assert core.motion.Resume(0) != 0


def test_it_ends_in_the_cycle_of_the_stop(sdk: Any, core: Any, runtime: Runtime) -> None:
    assert core.motion.StartPos(move(sdk, 0)) == 0
    runtime.advance(100)
    assert [core.motion.Pause(0), core.motion.Stop(0)] == [0, 0]
    assert core.motion.OverrideVel(move(sdk, 0, 50.0)) == NOT_MOVING
    assert core.motion.Resume(0) != 0


@pytest.mark.parametrize("second", [50.0, 50_000.0])
def test_a_list_of_overrides_is_carried_out_as_a_whole(
    sdk: Any, core: Any, runtime: Runtime, second: float
) -> None:
    assert core.motion.StartPos(move(sdk, 0)) == 0
    if second == 50_000.0:  # more than can be, of an axis that moves
        assert core.motion.StartPos(move(sdk, 1)) == 0
    runtime.advance(100)
    overrides = [move(sdk, 0, 50.0), move(sdk, 1, second)]
    assert core.motion.OverrideVel(2, overrides) != 0
    assert velocity(runtime) == 100.0
    assert core.motion.StartPos(move(sdk, 1)) == 0
    runtime.advance(20)
    assert core.motion.OverrideVel(2, [move(sdk, axis, 50.0) for axis in (0, 1)]) == 0
    assert [velocity(runtime, axis) for axis in (0, 1)] == [50.0, 50.0]


def test_a_move_that_an_event_began_is_overridden(sdk: Any, core: Any, runtime: Runtime) -> None:
    control, when, then = sdk.EventControl(core), sdk.IoEventInput(), sdk.CoreMotionEventOutput()
    then.type = sdk.CoreMotionEventOutputType.StartSinglePos
    to = then.startSinglePos
    to.axis, to.target, to.velocity, to.acc, to.dec = 0, 1000.0, 100.0, 10_000.0, 10_000.0
    when.type, when.ioBit.invert = sdk.IoEventInputType.IOBit, 1
    assert control.SetEvent_ID(when, then, 0) == (0, 0)
    assert control.EnableEvent(0, 1) == 0
    assert velocity(runtime) == 100.0
    assert core.motion.OverrideVel(move(sdk, 0, 50.0)) == 0
    assert velocity(runtime) == 50.0
