"""Where time is held no call takes any, and cycles pass when they are let."""

from typing import Any

import pytest

from wmx_sim.sdk.module import build
from wmx_sim.sdk.not_simulated import NotSimulated
from wmx_sim.sdk.runtime import Runtime

AXIS = 3


@pytest.fixture
def sdk(runtime: Runtime) -> Any:
    return build(runtime, NotSimulated(lambda line: pytest.fail(line)))


@pytest.fixture
def core(sdk: Any, api: Any, runtime: Runtime) -> Any:
    assert api.StartCommunication(0) == 0
    core = sdk.CoreMotion(api)
    assert core.axisControl.SetServoOn(AXIS, 1) == 0
    runtime.advance(100)
    return core


def position(core: Any) -> float:
    return float(core.GetStatus()[1].GetAxesStatus(AXIS).posCmd)


def jog(sdk: Any) -> Any:
    command = sdk.Motion_JogCommand()
    command.axis = AXIS
    command.profile.velocity, command.profile.acc, command.profile.dec = 10.0, 1000.0, 1000.0
    return command


def test_calls_take_no_time_and_cycles_pass_when_they_are_let(
    sdk: Any, core: Any, runtime: Runtime
) -> None:
    cycle = runtime.cycle
    assert core.motion.StartJog(jog(sdk)) == 0
    assert (runtime.cycle, position(core)) == (cycle, 0.0)
    runtime.advance(110)
    assert runtime.cycle == cycle + 110
    assert position(core) == pytest.approx(1.05)


def test_what_watches_sees_every_cycle(runtime: Runtime) -> None:
    seen: list[int] = []
    runtime.watch(lambda: seen.append(runtime.cycle))
    runtime.advance(3)
    assert seen == [1, 2, 3]


def test_nothing_can_be_waited_for(sdk: Any, core: Any) -> None:
    core.motion.StartJog(jog(sdk))
    with pytest.raises(RuntimeError, match="while time is held"):
        core.motion.Wait(AXIS)
