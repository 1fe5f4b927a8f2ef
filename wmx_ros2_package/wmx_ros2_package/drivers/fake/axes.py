"""The axes of the simulated engine together: orders to several of them, and their status."""

from collections.abc import Callable, Collection, Sequence
from typing import TypeVar

from ..axis_parameters import AxisParameters
from ..errors import CommandRefused, ErrorCode
from ..parameters import ParameterSet
from ..values import (
    CommandMode,
    MotionStatus,
    OperationState,
    PositionMove,
    VelocityMove,
)
from .axis import Axis
from .board import OwnBoard
from .clock import Instant
from .machine import AxisModel
from .profile import Profile

Move = TypeVar("Move", PositionMove, VelocityMove)


class Axes:
    """Carries out `interface.Motion` at the cycle that `advance` came to last."""

    def __init__(self, models: Sequence[AxisModel], parameters: ParameterSet) -> None:
        self._now = Instant(0, 0.0, 0.0)
        self.board = OwnBoard(len(models))
        self._parameters = parameters
        self._axes = tuple(
            Axis(index, model, parameters.axis(index), self.board)
            for index, model in enumerate(models)
        )

    def advance(self, now: Instant) -> None:
        """Let every axis carry out what came due by `now`."""
        self._now = now
        for index in self.board.due(now.time):
            self._axes[index].advance(now.time)

    def follow_network(self, *, offline: Collection[int]) -> None:
        """The network runs; the drives of the axes in `offline` are not on it."""
        for index, axis in enumerate(self._axes):
            if index in offline:
                axis.go_offline(self._now.time)
            else:
                axis.come_online()

    def stop_communication(self) -> None:
        """The network stops under the axes."""
        for axis in self._axes:
            axis.stop_communication(self._now.time)

    def follow_inputs(self, inputs: bytes) -> None:
        """The input image is `inputs` from now on."""

    # interface.Motion

    def status(self) -> MotionStatus:
        return self.board.read(self._now)

    def set_servo(self, axis: int, *, on: bool) -> None:
        self._axis(axis).set_servo(self._now.time, on=on)

    def clear_alarm(self, axis: int) -> None:
        self._axis(axis).clear_alarm()

    def set_command_mode(self, axis: int, mode: CommandMode) -> None:
        self._configure(axis, command_mode=mode)

    def set_polarity(self, axis: int, polarity: int) -> None:
        self._configure(axis, polarity=polarity)

    def set_gear_ratio(self, axis: int, numerator: float, denominator: float) -> None:
        self._configure(axis, gear_ratio_numerator=numerator, gear_ratio_denominator=denominator)

    def move_absolute(self, moves: Sequence[PositionMove]) -> None:
        self._move(moves, relative=False)

    def move_relative(self, moves: Sequence[PositionMove]) -> None:
        self._move(moves, relative=True)

    def move_velocity(self, moves: Sequence[VelocityMove]) -> None:
        time = self._now.time
        plan = self._plan(moves, lambda axis, move: axis.plan_velocity(time, move))
        self._start(plan, OperationState.VELOCITY)

    def stop(self, axes: Sequence[int]) -> None:
        for axis in [self._axis(index) for index in axes]:
            axis.stop(self._now.time)

    def home(self, axis: int) -> None:
        self._axis(axis).home(self._now.time)

    def apply_parameters(self, parameters: ParameterSet, typed: Sequence[AxisParameters]) -> None:
        """Put `parameters` in force for every axis, or for none if one of them is busy.

        `typed` is what they say of each axis: reading that takes too long to do it here, where
        everybody else waits.
        """
        for axis in self._axes:
            axis.require_idle()
        self._parameters = parameters
        for axis, values in zip(self._axes, typed, strict=True):
            axis.configure(self._now.time, values)

    def parameters(self) -> ParameterSet:
        return self._parameters

    # Faults

    def raise_alarm(self, axis: int, code: int) -> None:
        """The amplifier of `axis` reports alarm `code`."""
        self._axis(axis).raise_alarm(self._now.time, code)

    def _axis(self, index: int) -> Axis:
        if not 0 <= index < len(self._axes):
            raise CommandRefused(ErrorCode.AxisOutOfRange)
        return self._axes[index]

    def _configure(self, index: int, **changes: float) -> None:
        axis = self._axis(index)
        axis.require_idle()
        parameters = self._parameters.with_axis(index, **changes)
        axis.configure(self._now.time, parameters.axis(index))
        self._parameters = parameters

    def _move(self, moves: Sequence[PositionMove], *, relative: bool) -> None:
        time = self._now.time
        plan = self._plan(
            moves, lambda axis, move: axis.plan_position(time, move, relative=relative)
        )
        self._start(plan, OperationState.POS)

    def _plan(
        self, moves: Sequence[Move], plan: Callable[[Axis, Move], Profile]
    ) -> list[tuple[Axis, Profile, float]]:
        """Plan every move before any of them starts: all of them or none."""
        if len({move.axis for move in moves}) < len(moves):
            raise CommandRefused(ErrorCode.DuplicateAxis)
        planned = []
        for move in moves:
            try:
                axis = self._axis(move.axis)
                planned.append((axis, plan(axis, move), move.dec))
            except CommandRefused as error:
                detail = ": ".join(filter(None, (f"axis {move.axis}", error.detail)))
                raise CommandRefused(error.code, detail) from None
        return planned

    def _start(self, plan: list[tuple[Axis, Profile, float]], state: OperationState) -> None:
        for axis, profile, dec in plan:
            axis.start(self._now.time, profile, state, dec)
