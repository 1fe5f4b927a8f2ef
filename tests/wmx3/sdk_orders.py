"""What the stand-in's functions order of the engine: the SDK's objects, turned into ours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import dist
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sdk_answers import EC_STATES
from sdk_surface import SdkObject

from wmx_ros2_package.drivers.parameters.parameter_set import ParameterSet, read_parameters
from wmx_ros2_package.drivers.parameters.xml_elements import Element, completed, to_xml
from wmx_ros2_package.drivers.profile_types import MoveProfile, ProfileType
from wmx_ros2_package.drivers.values import (
    CommandMode,
    LinearMove,
    PositionMove,
    SplineMove,
    TorqueMove,
    VelocityMove,
)

if TYPE_CHECKING:
    from stand_in import StandIn


MAX_SPLINE_DIMENSIONS = 8
MIN_SPLINE_DISTANCE = 1e-6
MIN_SPLINE_TIME = 1e-3
"""Milliseconds."""


def commands_of(args: Sequence[Any]) -> list[Any]:
    """The two forms of a start: one command, or a count and a list."""
    if len(args) == 1 and isinstance(args[0], SdkObject):
        return [*args]
    count, commands = args
    if type(commands) is not list or count != len(commands) or count < 1:
        raise TypeError(f"not a count and a list: {args}")
    return commands


SHAPE = {
    "jerk_acc": ("jerkAcc", 1.0),
    "jerk_dec": ("jerkDec", 1.0),
    "jerk_acc_ratio": ("jerkAccRatio", 1.0),
    "jerk_dec_ratio": ("jerkDecRatio", 1.0),
    "acc_time": ("accTimeMilliseconds", 1e-3),
    "dec_time": ("decTimeMilliseconds", 1e-3),
    "starting_velocity": ("startingVelocity", 1.0),
    "end_velocity": ("endVelocity", 1.0),
    "second_velocity": ("secondVelocity", 1.0),
    "moving_average_time": ("movingAverageTimeMilliseconds", 1e-3),
}


def shaped(world: StandIn, profile: Any) -> dict[str, Any]:
    """Velocity, rates and shape; the types are told apart by their names alone."""
    kinds = {kind.name.replace("_", ""): kind for kind in ProfileType}
    kind = kinds[world.name_of("ProfileType", profile.type)]
    shape = {ours: getattr(profile, theirs) * by for ours, (theirs, by) in SHAPE.items()}
    return {
        "velocity": profile.velocity,
        "acc": profile.acc,
        "dec": profile.dec,
        "profile": MoveProfile(type=kind, **shape),
    }


def start(method: str, move: Callable[[StandIn, Any], Any]) -> Callable[..., None]:
    def play(world: StandIn, *args: Any) -> None:
        moves = [move(world, command) for command in commands_of(args)]
        world.order(method, moves)
        world.start(each.axis for each in moves)
        for each in moves:
            world.velocities[each.axis] = getattr(each, "velocity", 0.0)
            world.halted.pop(each.axis, None)

    return play


def position_move(world: StandIn, command: Any) -> PositionMove:
    profile = shaped(world, command.profile)
    return PositionMove(axis=command.axis, target=command.target, **profile)


def velocity_move(world: StandIn, command: Any) -> VelocityMove:
    return VelocityMove(axis=command.axis, **shaped(world, command.profile))


def timed_move(world: StandIn, command: Any) -> VelocityMove:
    """A timed command, by the rates that come of its times."""
    profile, axis = command.profile, command.axis
    if profile.type != world.sdk.ProfileType.TimeAccTrapezoidal:
        world.refuse("ProfileTypeNotSupported")
    change = abs(profile.velocity - world.order("status").velocity_cmd[axis].item())
    return VelocityMove(
        axis=axis,
        velocity=profile.velocity,
        acc=1000.0 * change / profile.accTimeMilliseconds or 1.0,
        dec=1000.0 * abs(profile.velocity) / profile.decTimeMilliseconds,
        run_time=(profile.accTimeMilliseconds + command.runTimeMilliseconds) / 1000.0,
    )


def override_velocity(world: StandIn, *args: Any) -> None:
    """A paused move gets its velocity, and stays paused."""
    for command in commands_of(args):
        percent = 100.0 * command.profile.velocity / world.velocities[command.axis]
        if command.axis in world.halted:
            world.halted[command.axis] = percent
        else:
            world.order("set_override", command.axis, percent)


def pause(world: StandIn, axis: int) -> None:
    world.order("set_override", axis, 0.0)
    world.halted[axis] = 100.0


def resume(world: StandIn, axis: int) -> None:
    if axis not in world.halted:
        world.refuse("AxisNotPaused")
    world.order("set_override", axis, world.halted.pop(axis))


def torque_move(_world: StandIn, command: Any) -> TorqueMove:
    return TorqueMove(axis=command.axis, torque=command.torque)


def start_linear(world: StandIn, command: Any) -> None:
    axes = selected(command)
    world.order(
        "move_linear",
        LinearMove(
            axes=tuple(axes),
            targets=tuple(command.GetTarget(i) for i in range(len(axes))),
            **shaped(world, command.profile),
        ),
    )
    world.start(axes)


def start_spline(
    world: StandIn, channel: int, command: Any, count: int, points: Any, times: Any
) -> None:
    """A spline as the API reference tells of it, StartCSplinePos."""
    assert type(points) is type(times) is list
    assert len(points) == len(times) == count
    if command.dimensionCount > MAX_SPLINE_DIMENSIONS:
        world.refuse("DimensionOutOfRange")
    if channel not in world.rooms:
        world.refuse("ChannelBufferMemoryNotAllocated")
    if world.rooms[channel] < count:
        world.refuse("ChannelNotEnoughSpace")
    axes = [command.GetAxis(i) for i in range(command.dimensionCount)]
    here = [world.order("status").pos_cmd[axis].item() for axis in axes]
    where = [[point.GetPos(i) for i in range(len(axes))] for point in points]
    when = [*times]
    if where[0] == here:
        where = where[1:]
    if when[0] == 0.0:
        when = when[1:]
    assert len(where) == len(when), "every time belongs to another point than it was given for"
    way, at = [here], [0.0]
    for point, time in zip(where, when, strict=True):
        if time <= at[-1]:
            world.refuse("PointTimeNotIncreasing")
        if time - at[-1] < MIN_SPLINE_TIME:
            world.refuse("TimeBetweenPointsTooClose")
        if dist(way[-1], point) >= MIN_SPLINE_DISTANCE:
            way.append(point)
            at.append(time)
    if len(way) < 3:
        world.refuse("PointCountBelowMinimum")
    world.order(
        "move_spline",
        SplineMove(axes=tuple(axes), times=np.array(at) / 1000.0, positions=np.array(way)),
    )
    world.start(axes)


def create_room(world: StandIn, channel: int, points: int) -> None:
    if channel in world.rooms:
        world.refuse("ChannelBufferMemoryAlreadyAllocated")
    world.rooms[channel] = points


def free_room(world: StandIn, channel: int) -> None:
    del world.rooms[channel]


def stop(method: str, mode: CommandMode, wrong_mode: str) -> Callable[..., None]:
    """An end of motion as the vendor's are: with an error for one axis, the others are stopped.

    In error is an axis in another command mode, without servo, or whose newest command starts in
    the next cycle.
    """

    def play(world: StandIn, selection: Any) -> None:
        status = world.order("status")
        able, refusal = [], ""
        for axis in selected(selection):
            starting = world.starting(axis)
            if status.command_mode[axis] != mode:
                refusal = wrong_mode
            elif not status.servo_on[axis]:
                refusal = "ServoOff"
            elif starting:
                refusal = "StartingPreviousCommand"
            else:
                able.append(axis)
        if able:
            world.order(method, able)
        if refusal:
            world.refuse(refusal)

    return play


def cancel_homing(world: StandIn, selection: Any) -> None:
    axes = selected(selection)
    if not world.paused.issuperset(axes):
        world.refuse("NotPausedDuringHoming")
    world.paused -= set(axes)
    world.order("stop", axes)


def selected(selection: Any) -> list[int]:
    return [selection.GetAxis(i) for i in range(selection.axisCount)]


def import_and_set_all(world: StandIn, path: str) -> None:
    root = completed(read_parameters(path).root, ZEROS)  # the vendor takes a missing element so
    parameters = ParameterSet.from_xml(to_xml(root).encode())
    axes = range(world.order("status").axes)
    world.order("apply_parameters", parameters, [parameters.axis(axis) for axis in axes])


def zeros(element: Element) -> Element:
    """`element` with 0 in everything below it."""
    if not element.children:
        return element._replace(text="0")
    return element._replace(children=tuple(zeros(child) for child in element.children))


ZEROS = zeros(ParameterSet.defaults(1).root)


def export(world: StandIn, path: str) -> None:
    Path(path).write_text(world.order("parameters").to_xml())


def change_slave_state(world: StandIn, slave_id: int, state: int) -> tuple[int]:
    ours = {getattr(world.sdk.EcStateMachine, name): state for state, name in EC_STATES.items()}
    world.engine.call("ecat", "set_slave_state", 0, slave_id, ours[state])
    return (0,)


def upload(
    world: StandIn, slave_id: int, index: int, subindex: int, kind: int, size: int, _wait: int
) -> tuple[list[int], int, int]:
    """A buffer of `size` bytes, how many of them are the object's, and no abort code."""
    require_sdo_type(world, kind, size)
    data: bytes = world.engine.call("ecat", "read_sdo", 0, slave_id, index, subindex, size)
    return [*data, *(0xEE for _ in range(size - len(data)))], len(data), 0


def download(
    world: StandIn,
    slave_id: int,
    index: int,
    subindex: int,
    kind: int,
    size: int,
    data: list[int],
    _wait: int,
) -> tuple[int]:
    require_sdo_type(world, kind, size)
    assert type(data) is list
    assert len(data) == size
    world.engine.call("ecat", "write_sdo", 0, slave_id, index, subindex, bytes(data))
    return (0,)


def require_sdo_type(world: StandIn, kind: int, size: int) -> None:
    """The vendor moves 1, 2 or 4 bytes as expedited objects, and no others."""
    expedited = kind == world.sdk.EcSdoType.Expedited
    if not expedited and kind != world.sdk.EcSdoType.Normal:
        world.refuse("ArgumentOutOfRange")
    if expedited and size not in (1, 2, 4):
        world.refuse("SlaveActualSizeLargerThanBufferSize")


def set_out_bits(
    world: StandIn, addresses: list[int], bits: list[int], values: list[int], count: int
) -> None:
    assert type(addresses) is type(bits) is type(values) is list
    assert len(addresses) == len(bits) == len(values) == count
    for address, bit, value in zip(addresses, bits, values, strict=True):
        world.engine.call("io", "set_output_bit", address, bit, value=bool(value))


def set_out_bytes(world: StandIn, address: int, size: int, data: list[int]) -> None:
    assert type(data) is list
    assert len(data) == size
    world.engine.call("io", "set_output_bytes", address, bytes(data))
