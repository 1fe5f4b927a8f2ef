"""The axes of the simulated engine: commands to several, what is due of each, and their status."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from math import inf
from typing import TypeVar

import numpy as np

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.move_rules import require_gearings, require_run_times
from wmx_core.parameters.axis_parameters import AxisParameters
from wmx_core.parameters.parameter_set import ParameterSet
from wmx_core.path_rules import require_spline
from wmx_core.values import (
    IO_BYTES,
    CommandMode,
    EmergencyStop,
    Gearing,
    LinearMove,
    MotionStatus,
    OperationState,
    PositionMove,
    SplineMove,
    TorqueMove,
    VelocityMove,
)

from ..clock import CYCLE, ROUNDING, Instant
from ..machine.description import AxisModel
from . import rules
from .axis import Axis
from .copying import Copied, gears_of, groups_of, restore, values_of
from .group import Group, top_acceleration
from .history import History, Newest
from .profile import Profile
from .shared_state import NO_EMERGENCY_STOP, OwnedState
from .spline_move import plan_spline
from .status_reading import StatusReader
from .straight_line import plan_line

Move = TypeVar("Move", PositionMove, VelocityMove)
Asked = TypeVar("Asked", PositionMove, VelocityMove, TorqueMove)
Planned = TypeVar("Planned")


class Axes:
    """Carries out `interface.Motion` at the cycle that `advance` came to last."""

    def __init__(
        self,
        models: Sequence[AxisModel],
        parameters: ParameterSet,
        *,
        vendor_rules: bool = False,
        rate: float = 1.0,
    ) -> None:
        """With `vendor_rules` see `SimulatedEngine`; engine time takes `rate` of steady time."""
        self.now = Instant(0, 0.0, 0.0)
        """The cycle that `advance` came to last."""
        self.rate = rate
        """Steady seconds in a second of engine time."""
        self._history = History()
        self._models = tuple(models)
        self._vendor_rules = vendor_rules
        self.shared_state = OwnedState(len(models))
        self._reader = StatusReader(self.shared_state)
        self._parameters = parameters
        self._axes = tuple(
            Axis(
                index,
                model,
                parameters.axis(index),
                self.shared_state.column(index),
                vendor_rules=vendor_rules,
            )
            for index, model in enumerate(models)
        )
        for axis in self._axes:
            axis.stand_at_start()
        self._modes = self.shared_state.command_mode.copy()
        """The command modes in `parameters` of the axes."""
        self._inputs = bytes(IO_BYTES)

    def __len__(self) -> int:
        return len(self._axes)

    @property
    def noted(self) -> int:
        """How many states were noted."""
        return self._history.number

    def advance(self, now: Instant) -> None:
        """Let the axes carry out what came due by `now`, one thing after the other."""
        self.now = now
        index, due = self.shared_state.next_axis()
        while due <= now.time + ROUNDING:
            time = due
            self._axes[index].advance(time)
            index, due = self.shared_state.next_axis()
            if due != time:  # what is due at the same time changes the state once
                self._history.note(time, self.shared_state.state())

    def note(self) -> None:
        """Keep what the axes do from the present cycle on for `history`."""
        self._history.note(self.now.time, self.shared_state.state())

    def keep_states(self) -> None:
        """Keep states however old they are: the time of a copy passes as fast as it is computed."""
        self._history.kept = inf

    def history(self, number: int) -> Newest:
        """Return the states since `number`, see `history`."""
        return self._history.since(number, self.now, self.rate)

    def copy(self, indexes: Sequence[int]) -> Copied:
        """Return the axes `indexes`, with those that they move together with, for `made_of`."""
        chosen = {index: self._axis(index) for index in indexes}
        while linked := {
            i: axis
            for i, axis in enumerate(self._axes)
            if i not in chosen and any(axis.moves_with(other) for other in chosen.values())
        }:
            chosen |= linked
        return Copied(
            models=self._models,
            parameters=self.parameters(),
            vendor_rules=self._vendor_rules,
            now=self.now,
            rate=self.rate,
            state=self.shared_state.state(),
            inputs=self._inputs,
            axes=tuple((i, values_of(axis)) for i, axis in chosen.items()),
            groups=groups_of(chosen),
            gears=gears_of(chosen),
        )

    @classmethod
    def made_of(cls, copied: Copied) -> "Axes":
        """Return axes of their own that do what the copied ones do; all others are new ones."""
        made = cls(
            copied.models, copied.parameters, vendor_rules=copied.vendor_rules, rate=copied.rate
        )
        made.now = Instant(*copied.now)
        made._inputs = copied.inputs
        restore(copied, made._axes, made.shared_state)
        return made

    def stand_as(self, status: MotionStatus) -> None:
        """Let the axes, which are new, be as the resting ones of another engine are."""
        time = self.now.time
        self.follow_network(offline=np.flatnonzero(status.servo_offline).tolist())
        shared = self.shared_state
        shared.engine_state[...] = status.engine_state
        shared.emergency_stop[...] = (
            NO_EMERGENCY_STOP if status.emergency_stop is None else status.emergency_stop
        )
        for name in ("amp_alarm", "alarm_code", "following_error_alarm"):
            getattr(shared, name)[:] = getattr(status, name)
        for i, axis in enumerate(self._axes):
            axis.stand(
                time,
                float(status.pos_cmd[i]),
                homed=bool(status.home_done[i]),
                on=bool(status.servo_on[i]),
            )
            for switch, on in (
                ("positive", status.positive_ls[i]),
                ("negative", status.negative_ls[i]),
            ):
                if on:
                    axis.stick_switch(time, switch, True)

    def follow_network(self, *, offline: Collection[int]) -> None:
        """The network runs; the drives of the axes in `offline` are not on it."""
        for index, axis in enumerate(self._axes):
            if index in offline:
                axis.go_offline(self.now.time)
            else:
                axis.come_online()

    def switch_on(self, axes: Sequence[int]) -> None:
        """Have the servos of `axes` on at once."""
        for axis in axes:
            self._axis(axis).switch_on(self.now.time)

    def stop_communication(self) -> None:
        """The network stops under the axes."""
        for axis in self._axes:
            axis.stop_communication(self.now.time)

    def follow_inputs(self, inputs: bytes) -> None:
        """The input image is `inputs` now; near limit switches are bits of it."""
        self._inputs = inputs
        for axis in self._axes:
            axis.follow_inputs(self.now.time, inputs)

    # interface.Motion

    def status(self) -> MotionStatus:
        return self._reader.at(self.now)

    def set_servo(self, axis: int, *, on: bool) -> None:
        self._axis(axis).set_servo(self.now.time, on=on)

    def clear_alarm(self, axis: int) -> None:
        self._axis(axis).clear_alarm(self.now.time)

    def set_command_mode(self, axis: int, mode: CommandMode) -> None:
        self._configure(axis, command_mode=mode)

    def set_polarity(self, axis: int, polarity: int) -> None:
        self._configure(axis, polarity=polarity)

    def set_gear_ratio(self, axis: int, numerator: float, denominator: float) -> None:
        self._configure(axis, gear_ratio_numerator=numerator, gear_ratio_denominator=denominator)

    def set_position(self, axis: int, position: float) -> None:
        self._axis(axis).set_position(self.now.time, position)

    def move_absolute(self, moves: Sequence[PositionMove]) -> None:
        self._move(moves, Axis.plan_position, OperationState.POS)

    def move_relative(self, moves: Sequence[PositionMove]) -> None:
        self._move(moves, partial(Axis.plan_position, relative=True), OperationState.POS)

    def jog(self, moves: Sequence[VelocityMove]) -> None:
        require_run_times(moves)
        self._move(self._timed(moves), Axis.plan_jog, OperationState.JOG)

    def move_velocity(self, moves: Sequence[VelocityMove]) -> None:
        require_run_times(moves)
        self._move(self._timed(moves), Axis.plan_velocity, OperationState.VELOCITY)

    def set_override(self, axis: int, percent: float) -> None:
        with rules.naming(axis):
            self._axis(axis).override(self.now.time, percent)

    def move_torque(self, moves: Sequence[TorqueMove]) -> None:
        require_run_times(moves)
        self._plan(moves, Axis.require_torque)
        for move in moves:
            run_time = self._in_engine_time(move.run_time)
            self._axes[move.axis].start_torque(self.now.time, move.torque, run_time)

    def move_linear(self, move: LinearMove) -> None:
        self._move_together(move.axes, partial(plan_line, move), move.dec)

    def move_spline(self, move: SplineMove) -> None:
        require_spline(move)  # what all engines refuse, before what this one has
        self._move_together(move.axes, partial(plan_spline, move))

    def follow(
        self, axes: Sequence[int], profiles: Sequence[Profile], state: OperationState
    ) -> None:
        """Let `axes` follow ready-made profiles from now on, each from where it is."""
        for index in axes:
            with rules.naming(index):
                self._axis(index).require_free(state)
        members = [self._axis(index) for index in axes]
        group = Group(members, top_acceleration(profiles), curved=True)
        for index, profile in zip(axes, profiles, strict=True):
            dec = top_acceleration([profile])
            together = group if len(axes) > 1 else None
            self._axis(index).start(self.now.time, profile, state, dec, together)

    def course(self, axis: int) -> tuple[float, Profile]:
        """Return the profile that `axis` follows, or followed last, and since when (s)."""
        return self._axis(axis).course

    def start_gearing(self, gearings: Sequence[Gearing]) -> None:
        require_gearings(gearings)
        time = self.now.time
        for each in gearings:
            with rules.naming(each.master):
                self._axis(each.master).require_to_lead()
            with rules.naming(each.slave):
                self._axis(each.slave).require_to_follow()
        for each in gearings:
            self._axes[each.slave].engage(time, self._axes[each.master], each.ratio)

    def stop(self, axes: Sequence[int]) -> None:
        for axis in self._one_of_each_group(axes):
            axis.stop(self.now.time)

    def quick_stop(self, axes: Sequence[int]) -> None:
        for axis in self._one_of_each_group(axes):
            axis.quick_stop(self.now.time)

    def stop_with(self, axes: Sequence[int], dec: float) -> None:
        """Slow down with `dec`, u/s^2, whatever the motion has."""
        if not 0.0 < dec < inf:
            raise CommandRefused(ErrorCode.DecArgumentOutOfRange)
        for axis in self._one_of_each_group(axes):
            axis.stop_with(self.now.time, dec)

    def emergency_stop(self, level: EmergencyStop) -> None:
        try:
            level = EmergencyStop(level)
        except ValueError:
            detail = f"level {level}: must be 0 (final) or 1"
            raise CommandRefused(ErrorCode.ArgumentOutOfRange, detail) from None
        in_force = self.shared_state.record["emergency_stop"]
        if in_force == EmergencyStop.FINAL and level is not EmergencyStop.FINAL:
            raise CommandRefused(ErrorCode.CurrentEmergencyStopLevelIsHigher)
        self.shared_state.record["emergency_stop"] = level
        then_off = self._parameters.emergency_stop_switches_off
        for axis in self._axes:
            axis.emergency_stop(self.now.time, level, then_off=then_off)

    def release_emergency_stop(self) -> None:
        self.shared_state.record["emergency_stop"] = NO_EMERGENCY_STOP

    def home(self, axis: int) -> None:
        self._axis(axis).home(self.now.time)

    def apply_parameters(
        self,
        parameters: ParameterSet,
        typed: Sequence[AxisParameters],
        base: ParameterSet | None = None,
    ) -> None:
        """Put `parameters` in force for every axis, or for none if one of them is busy.

        `typed` are those of each axis: to read them takes too long to do it here, where all other
        calls wait. Refused where they were laid over `base`, and others are in force since.
        """
        if base is not None and base != self.parameters():
            detail = "the parameters were changed while the file was read: load it again"
            raise CommandRefused(ErrorCode.ResourceInUse, detail)
        for axis in self._axes:
            axis.require_rest(self.now.time)
        for axis, values in zip(self._axes, typed, strict=True):
            axis.configure(self.now.time, values)
        self._put_in_force(parameters)

    def parameters(self) -> ParameterSet:
        # A stop in torque mode has changed the command mode.
        for axis in np.flatnonzero(self.shared_state.command_mode != self._modes).tolist():
            mode = CommandMode(self.shared_state.command_mode[axis])
            self._parameters = self._parameters.with_axis(axis, command_mode=mode)
            self._modes[axis] = mode
        return self._parameters

    def passes(self, axis: int, position: float) -> tuple[float, float]:
        """Return where `axis` is commanded to be, u, and in how many s it may pass `position`."""
        return self._axes[axis].passes(self.now.time, position)

    def origin(self, axis: int) -> float:
        """Return where zero of `axis` is, encoder counts from where it stood at power-up."""
        return self._axes[axis].origin

    # Faults

    def raise_alarm(self, axis: int, code: int) -> None:
        """The amplifier of `axis` reports alarm `code`."""
        self._axis(axis).raise_alarm(self.now.time, code)

    def stick_switch(self, axis: int, switch: str, state: bool | None) -> None:
        """The "home", "positive" or "negative" switch is stuck on or off, or free again (None)."""
        self._axis(axis).stick_switch(self.now.time, switch, state)

    def freeze_encoder(self, axis: int, *, frozen: bool) -> None:
        """The encoder of `axis` shows the same position for ever, or again what it is."""
        self._axis(axis).freeze_encoder(self.now.time, frozen=frozen)

    def stick_brake(self, axis: int, *, shut: bool | None) -> None:
        """The brake of `axis` stays shut or open, or works again (None)."""
        self._axis(axis).stick_brake(self.now.time, shut=shut)

    def _one_of_each_group(self, indexes: Sequence[int]) -> list[Axis]:
        """Return the axes of `indexes`, and of those that move together only the first."""
        axes = [self._axis(index) for index in indexes]
        groups = [axis.group for axis in axes]
        return [
            axis
            for i, (axis, group) in enumerate(zip(axes, groups, strict=True))
            if group is None or group not in groups[:i]
        ]

    def _axis(self, index: int) -> Axis:
        if not 0 <= index < len(self._axes):
            raise CommandRefused(ErrorCode.AxisOutOfRange)
        return self._axes[index]

    def _configure(self, index: int, **changes: float) -> None:
        axis = self._axis(index)
        axis.require_rest(self.now.time)
        parameters = self.parameters().with_axis(index, **changes)
        axis.configure(self.now.time, parameters.axis(index))
        self._put_in_force(parameters)

    def _put_in_force(self, parameters: ParameterSet) -> None:
        """Remember the parameters that the axes have been configured with."""
        self._parameters = parameters
        self._modes = self.shared_state.command_mode.copy()

    def _timed(self, moves: Sequence[VelocityMove]) -> list[VelocityMove]:
        """Return `moves` with the run times in engine time."""
        return [replace(move, run_time=self._in_engine_time(move.run_time)) for move in moves]

    def _in_engine_time(self, run_time: float) -> float:
        """Return a run time, which is steady time, in engine time; 0 stays none.

        The cycle of a slow engine began well before the command: it ends no run early by that.
        """
        late = CYCLE if self.rate > 1.0 else 0.0
        return run_time / self.rate + late if run_time else 0.0

    def _move(
        self,
        moves: Sequence[Move],
        plan: Callable[[Axis, float, Move], Profile],
        state: OperationState,
    ) -> None:
        """Start what `plan` makes of every move at a time."""
        for move, profile in zip(moves, self._plan(moves, plan), strict=True):
            self._axes[move.axis].start(self.now.time, profile, state, move.dec, move=move)

    def _plan(
        self, moves: Sequence[Asked], plan: Callable[[Axis, float, Asked], Planned]
    ) -> list[Planned]:
        """Plan every move before any of them starts: all of them or none."""
        if len({move.axis for move in moves}) < len(moves):
            raise CommandRefused(ErrorCode.DuplicateAxis)
        planned = []
        for move in moves:
            with rules.naming(move.axis):
                planned.append(plan(self._axis(move.axis), self.now.time, move))
        return planned

    def _move_together(
        self,
        indexes: Sequence[int],
        plan: Callable[[Sequence[float], Sequence[float]], Sequence[Profile]],
        dec: float | None = None,
    ) -> None:
        """Start what `plan` makes of the axes' positions and velocities.

        `dec` stops a line; a curve, which has none, stops with its own greatest acceleration. A
        path that loses an axis to it ends: what is left of it slows down along it.
        """
        time = self.now.time
        axes = []
        for index in indexes:
            with rules.naming(index):
                axes.append(self._axis(index))
                rules.INTERPOLATION.judge(axes[-1].column)
        starts = [axis.commanded(time) for axis in axes]
        profiles = plan([position for position, _ in starts], [velocity for _, velocity in starts])
        for index, axis, profile in zip(indexes, axes, profiles, strict=True):
            with rules.naming(index):
                axis.require_free_path(time, profile)
        stop_dec = top_acceleration(profiles) if dec is None else dec
        left = [axis.group for axis in axes]
        group = Group(axes, stop_dec, curved=dec is None)
        for axis, profile in zip(axes, profiles, strict=True):
            axis.start(time, profile, OperationState.INTPL, stop_dec, group)
        for path in filter(None, left):
            path.stop(time)
