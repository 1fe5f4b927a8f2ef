"""Axes by the client library: what is asked of them, and what a handle says of their motions."""

import asyncio
from collections.abc import Callable
from math import isnan
from typing import Any

import pytest
from held_system import HeldSystem
from motion_events import near
from until import until

from wmx_ros2_package.client import (
    EndReason,
    Machine,
    MotionBegin,
    MotionEnd,
    MotionFailed,
    NotAnswered,
    Refused,
    aio,
)

QUICK = {"velocity": 2.0, "acceleration": 20.0}


def test_a_move_arrives(machine: Machine) -> None:
    axis = machine.axes[0]
    motion = axis.move(0.5, **QUICK)
    result = motion.wait()
    assert result.arrived
    assert result.positions == {0: near(0.5)}
    assert motion.done
    assert motion.progress == 1.0
    assert motion.result == result
    assert until(machine, lambda: abs(axis.position - 0.5) < 1e-3, "the motor follows")
    assert axis.move_by(-0.5, **QUICK).wait().positions == {0: near(0.0)}


@pytest.mark.long
def test_a_motor_that_stands_has_not_arrived(machine: Machine) -> None:
    """It says so with what helps, by the name of its reason, and homing does as well."""
    axis = machine.axes[3]
    place = axis.position
    machine.simulation.fault("freeze_encoder", axis=3)
    try:
        with pytest.raises(MotionFailed, match=r"the motor is 0\.\d+ u from its target") as failed:
            axis.move_by(0.2, **QUICK).wait()
        assert (failed.value.name, failed.value.result.arrived) == ("NOT_ARRIVED", False)
        assert failed.value.result.positions == {3: near(place)}
        assert "wmx off 3" in failed.value.remedy
        with pytest.raises(MotionFailed, match="the motor is") as failed:
            axis.home().wait()
        assert failed.value.name == "NOT_ARRIVED"
    finally:
        machine.simulation.fault("free_encoder", axis=3)
    until(machine, lambda: axis.status.at_rest, "the motor follows")
    assert axis.home().wait().arrived


def test_an_axis_that_has_arrived_takes_a_torque_at_once(machine: Machine) -> None:
    axis = machine.axes[4]
    for way in (0.1, -0.1, 0.0):
        assert axis.move_by(way, **QUICK).wait().arrived
        assert axis.status.at_rest
        assert axis.exert(1.0, duration=0.02).wait().arrived


@pytest.mark.parametrize(
    "begin",
    [
        lambda axes, before: axes[0].jog(0.2, before=before),
        lambda axes, before: axes[0:2].follow([0.5], [[0.1, 0.1]], before=before),
    ],
    ids=["jog", "trajectory"],
)
def test_axes_that_are_not_to_move_any_more_are_not_commanded(
    machine: Machine, begin: Callable[..., object]
) -> None:
    """The first motion of a client waits until its publisher and its service are discovered."""

    def before() -> None:
        raise ZeroDivisionError

    with machine.events() as events:
        with pytest.raises(ZeroDivisionError):
            begin(machine.axes, before)
        assert machine.axes[1].move_by(0.01, **QUICK).wait().arrived
        begun = [each.axes for each in events.waiting() if isinstance(each, MotionBegin)]
    assert begun == [(1,)]


def test_axes_that_move_together_begin_in_the_same_cycle(machine: Machine) -> None:
    with machine.events() as events:
        motion = machine.move_together({0: 0.2, "axis_1": -0.2}, **QUICK)
        begins = [events.get(), events.get()]
        assert all(isinstance(event, MotionBegin) for event in begins)
        assert motion.wait().positions == {0: near(0.2), 1: near(-0.2)}
        assert machine.axes[0:2].move([0.0, 0.0], **QUICK).wait().arrived
    ends = [event for event in events if isinstance(event, MotionEnd)]
    assert {event.id for event in begins} <= {event.id for event in ends}


def test_progress_grows_and_a_cancel_slows_down(machine: Machine) -> None:
    axis = machine.axes[0]
    motion = axis.move(50.0, velocity=1.0)
    until(machine, lambda: 0.0 < motion.progress < 1.0, "progress")
    assert motion.result is None
    motion.cancel()
    result = motion.wait()
    assert result.reason is EndReason.STOPPED
    assert 0.0 < result.positions[0] < 50.0
    assert motion.progress < 1.0


def test_a_cancel_leaves_alone_what_has_taken_an_axis_over(machine: Machine) -> None:
    here = machine.status().command
    both = machine.move_together({0: here[0] + 50.0, 1: here[1] + 50.0}, velocity=1.0)
    newer = machine.axes[0].move_by(60.0, velocity=1.0)
    both.cancel()
    assert {end.reason for end in both.wait().ends} == {EndReason.REPLACED, EndReason.STOPPED}
    assert not newer.done
    newer.cancel()
    newer.wait()


def test_a_wait_that_is_too_short_leaves_the_motion_alone(machine: Machine) -> None:
    motion = machine.axes[1].move(50.0, velocity=1.0)
    with pytest.raises(NotAnswered):
        motion.wait(0.05)
    assert not motion.done
    motion.cancel()
    motion.wait()


def test_a_jog_lasts_as_long_as_its_block(machine: Machine) -> None:
    axis = machine.axes[2]
    with axis.jog(0.5) as motion:
        until(machine, lambda: axis.status.command_velocity > 0.4, "it jogs")
        assert isnan(motion.progress)
    assert motion.done
    until(machine, lambda: axis.status.at_rest, "it rests")


def test_a_refusal_has_code_name_and_remedy(machine: Machine) -> None:
    axis = machine.axes[3]
    axis.off()
    for refused in (
        lambda: axis.move(1.0),
        lambda: machine.move_together({3: 1.0, 4: 1.0}),
        lambda: axis.jog(1.0),
    ):
        with pytest.raises(Refused) as failed:
            refused()
        assert (failed.value.code, failed.value.name) == (1567, "ServoOff")
        assert "wmx on " in failed.value.remedy
    assert [each.blocked for each in machine.axes[3:5].explain()] == [True, False]
    axis.on()


def test_modes_and_positions(machine: Machine) -> None:
    axis = machine.axes[5]
    axis.set_mode("torque")
    with pytest.raises(Refused) as failed:
        axis.home()
    assert "mode 5 position" in failed.value.remedy
    assert not failed.value.text.endswith("; "), "what parts the axes of an answer"
    axis.set_mode("position")
    axis.set_position(1.25)
    assert until(machine, lambda: axis.position == pytest.approx(1.25, abs=1e-3), "it stands there")


def test_an_effort_and_a_hold(machine: Machine) -> None:
    axis = machine.axes[4]
    assert axis.exert(2.0, duration=0.2).wait().arrived
    motion = axis.move_by(50.0, velocity=1.0)
    machine.axes[3:5].hold()
    with pytest.raises(MotionFailed) as failed:
        motion.wait()
    assert failed.value.result.reason is EndReason.REPLACED
    until(machine, lambda: axis.status.at_rest, "it slows down, and holds")
    assert axis.move_by(0.1, **QUICK).wait().arrived


def test_homing_is_a_handle(machine: Machine) -> None:
    result = machine.axes[0:2].home().wait()
    assert result.arrived
    assert result.positions == {0: near(0.0), 1: near(0.0)}
    assert machine.axes[0].status.homed


def test_what_may_forbid_a_request_is_asked_after_all_that_goes_before_it(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stop, or a pause, that comes while the node is met is newer than what ends it."""
    done: list[str] = []

    def noted(name: str) -> None:
        real = getattr(machine.ros, name)

        def note(kind: Any, service: str, *given: Any, **fields: Any) -> Any:
            answer = real(kind, service, *given, **fields)
            done.append(service)
            return answer

        monkeypatch.setattr(machine.ros, name, note)

    def forbid() -> None:
        done.append("forbidden")
        raise ZeroDivisionError

    noted("call")
    noted("meet")
    machine.estop()
    with pytest.raises(ZeroDivisionError):
        machine.release(before=forbid)
    assert done[-2:] == ["wmx_engine_node/get_parameter_types", "forbidden"]
    with pytest.raises(Refused):
        machine.axes[0].move(0.0)
    machine.release()
    machine.pause()
    with pytest.raises(ZeroDivisionError):
        machine.resume(before=forbid)
    assert done[-2:] == ["wmx/engine/set_speed", "forbidden"]
    assert machine.speed.paused
    machine.resume()


def test_motions_can_be_awaited(system: HeldSystem) -> None:
    async def program() -> list[bool]:
        async with Machine(domain=system.place.domain, timeout=30.0) as machine:
            machine.axes.on()
            motions = [machine.axes[axis].move_by(0.1, **QUICK) for axis in (0, 1)]
            return [result.arrived for result in await asyncio.gather(*motions)]

    assert system.time.run_async(program()) == [True, True]


def test_requests_can_be_awaited(system: HeldSystem, machine: Machine) -> None:
    axis = machine.axes[0]

    async def program() -> tuple[int, bool, EndReason]:
        turns = 0

        async def turn() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0.005)

        turning = asyncio.create_task(turn())
        machine.simulation.fault("slow_calls", seconds=0.5, method="clear_alarm")
        turns = 0
        await aio(axis.clear)
        turning.cancel()
        bit: bool = await aio(lambda: machine.io.outputs[0, 3])
        with pytest.raises(Refused, match="must be"):
            await aio(axis.move, 1.0, velocity=1e20)
        with pytest.raises(ValueError, match="velocity"):
            await aio(axis.move, 1.0, velocity=0.0)
        async with await aio(axis.jog, 0.2) as motion:
            await asyncio.sleep(0.05)
        return turns, bit, (await motion).reason

    turns, bit, reason = system.time.run_async(program())
    assert turns > 10, "the loop went on while the request waited"
    assert (bit, reason) == (False, EndReason.STOPPED)


def test_a_task_that_gives_up_leaves_the_motion_alone(system: HeldSystem, machine: Machine) -> None:
    motion = machine.axes[0].move_by(50.0, velocity=1.0)

    async def give_up() -> None:
        await asyncio.wait_for(motion, 0.1)

    with pytest.raises(asyncio.TimeoutError):
        system.time.run_async(give_up())
    assert not motion.done
    motion.cancel()
    assert motion.wait().reason is EndReason.STOPPED
