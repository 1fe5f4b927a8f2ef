"""One simulated axis: refuses or plans each command and starts it; and what can happen to it."""

from dataclasses import replace
from math import inf

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.move_rules import require_override, require_position, require_rates
from wmx_core.parameters.axis_parameters import AxisParameters
from wmx_core.values import (
    EmergencyStop,
    OperationState,
    PositionMove,
    TorqueMove,
    VelocityMove,
)

from ..clock import CYCLE
from . import rules
from .axis_homing import AxisHoming
from .axis_motion import acting
from .group import Group
from .planner import rest
from .profile import Profile, Segment, duration, extremes, hold
from .ramps import Ramp
from .shaped_move import shaped_change, shaped_move, stop_ramp

CHANGE_INITIAL_VELOCITY = 2
"""ProhibitOvertravel: in place of a turn, the axis stands for a cycle and begins from rest."""


class Axis(AxisHoming):
    """An axis with its commands, each refused with the vendor's code where it cannot be."""

    def set_servo(self, time: float, *, on: bool) -> None:
        """Switch the servo on, for which the drive takes its time, or off, at once."""
        if on:
            rules.require_healthy(self.column)
            if self._servo_on or self._servo_on_at < inf:
                return
            self._servo_on_at = time + self._comes_on_after
        else:
            self._switch_off(time)
        self.schedule(time)

    @acting
    def clear_alarm(self, _time: float) -> None:
        """Clear the alarms of the amplifier and of the axis."""
        rules.require_online(self.column)
        self.column.amp_alarm[...] = False
        self.column.alarm_code[...] = 0
        self.column.following_error_alarm[...] = False

    @acting
    def configure(self, time: float, parameters: AxisParameters) -> None:
        """Put `parameters` in force for an axis that rests; the motor stays where it is."""
        another_loop = parameters.command_mode is not self._parameters.command_mode
        self._drive.configure(time, parameters)
        self._apply(parameters)
        if another_loop and self._servo_on and self._vendor_rules:
            self._hold_here(time)
        elif another_loop and self._servo_on:
            self._close_loop(time)
        else:
            self._follow(time, hold(self._drive.at(time).command), OperationState.IDLE)

    @acting
    def set_position(self, time: float, position: float) -> None:
        """Number the place that the axis is commanded to `position`; its home is done."""
        rules.require_online(self.column)
        self.require_rest(time)
        require_position(position, "position")
        self._arrive_at(time, position)

    @acting
    def stand(self, time: float, position: float, *, homed: bool, on: bool) -> None:
        """Be at rest at `position`, with the servo on or off."""
        self._drive.place(time, position)
        self.column.home_done[...] = homed
        self._place_limits()
        self._follow(time, hold(position), OperationState.IDLE)
        if on:
            self._come_on(time)

    def stand_at_start(self) -> None:
        """Be where the machine says that the motor stands when the engine starts."""
        if self._model.start_position:
            place = self._drive.scale.mark(self._model.start_position)
            self.stand(0.0, place, homed=False, on=False)

    @acting
    def switch_on(self, time: float) -> None:
        """Have the servo on at once."""
        self._come_on(time)

    def plan_position(
        self,
        time: float,
        move: PositionMove,
        *,
        relative: bool = False,
        slowing_down: Profile = (),
    ) -> Profile:
        """Return the profile of a position move that takes over at `time`.

        A relative move counts from where the command stands, or will stand after its move. Where
        the axis is too fast for the target, it comes to rest by `slowing_down`, if that is given.
        """
        rules.POSITION_MOVE.judge(self.column)
        position, velocity = self.commanded(time)
        base = self._target if self._op_state is OperationState.POS else position
        target = base + move.target if relative else move.target
        require_position(target)
        require_rates(move)
        rules.require_shape(move.profile, move.velocity)
        self._require_free_way(time, target - position)
        rates = {"max_velocity": move.velocity, "acc": move.acc, "dec": move.dec}
        profile = shaped_move(position, velocity, target, **rates, shape=move.profile)
        overtravels = velocity != 0.0 and any(
            segment.velocity * velocity < 0.0 for segment in profile
        )
        if overtravels and slowing_down:
            *stop, at_rest = slowing_down
            if at_rest.position == target:
                return slowing_down
            on = shaped_move(at_rest.position, 0.0, target, **rates, shape=move.profile)
            return (*stop, *on)
        if overtravels and self._parameters.prohibit_overtravel == CHANGE_INITIAL_VELOCITY:
            begun = Segment(CYCLE, position, 0.0)
            return (begun, *shaped_move(position, 0.0, target, **rates, shape=move.profile))
        return profile

    def plan_jog(self, time: float, move: VelocityMove) -> Profile:
        """Return the profile of an endless move in position mode that takes over at `time`."""
        self._require_endless(time, move, rules.JOG)
        return shaped_change(
            *self.commanded(time), move.velocity, acc=move.acc, dec=move.dec, shape=move.profile
        )

    def plan_velocity(self, time: float, move: VelocityMove) -> Profile:
        """Return the profile of a velocity move that takes over at `time`.

        The drive runs no faster than its top speed and changes it no faster than torque allows.
        """
        self._require_endless(time, move, rules.VELOCITY_MOVE)
        top, acceleration = self._drive.top_speed, self._drive.top_acceleration
        velocity = max(-top, min(top, move.velocity))
        acc, dec = min(move.acc, acceleration), min(move.dec, acceleration)
        return shaped_change(
            *self.commanded(time),
            velocity,
            acc=acc,
            dec=dec,
            shape=move.profile,
            most=acceleration,
        )

    def require_torque(self, time: float, move: TorqueMove) -> None:
        """Refuse a torque that the axis cannot take at `time`."""
        rules.TORQUE_MOVE.judge(self.column)
        rules.require_torque(move.torque, self._drive.torque_limit)
        self._require_free_way(time, move.torque)

    def require_free(self, state: OperationState) -> None:
        """Refuse to follow a ready-made profile in `state` while the axis does something else."""
        rules.require_healthy(self.column)
        if not self._servo_on:
            raise CommandRefused(ErrorCode.ServoOff)
        if self._op_state not in (OperationState.IDLE, state):
            raise CommandRefused(ErrorCode.NotIdleState, f"in {self._op_state.name} state")

    @property
    def origin(self) -> float:
        """Where zero is, encoder counts from where the motor stood at power-up."""
        return self._drive.scale.origin

    @property
    def course(self) -> tuple[float, Profile]:
        """The profile that it follows, or followed last, and since when (s)."""
        return self._player.course

    def require_free_path(self, time: float, profile: Profile) -> None:
        """Refuse to follow `profile` where that goes further the way of a limit that is on."""
        if not any(limit.on for limit in self._limits):
            return
        position, _ = self.commanded(time)
        places = [*extremes(profile)]
        for furthest in (min(places), max(places)):
            self._require_free_way(time, furthest - position)

    @acting
    def start(
        self,
        time: float,
        profile: Profile,
        state: OperationState,
        dec: float,
        group: Group | None = None,
        move: PositionMove | VelocityMove | None = None,
    ) -> None:
        """Follow a planned motion in operation state `state`; `stop` slows it down with `dec`.

        `move` is what it was planned for, where its velocity may be overridden. It stops with the
        ramp of its own shape, by itself when its run time is over.
        """
        self._move = move
        self.group = group
        self._stop_dec = dec
        self._stop_ramp = stop_ramp(move) if move else None
        self._target = profile[-1].position
        self._follow(time, profile, state)
        run_time = move.run_time if isinstance(move, VelocityMove) else 0.0
        if run_time and self._op_state is state:  # at rest there is nothing to end
            down = self._bounded(self._stop_ramp or Ramp(rate=dec))
            stop = rest(0.0, profile[-1].velocity, down)
            self._run_until(time + run_time, duration(stop))

    @acting
    def override(self, time: float, percent: float) -> None:
        """Continue at `percent` of the velocity that was commanded; at 0, wait at rest."""
        require_override(percent)
        state, move, runs_until = self._op_state, self._move, self._runs_until
        if state not in rules.OVERRIDABLE or move is None:
            code = ErrorCode.NotPosOrJogOrVelocityState
            raise CommandRefused(code, f"in {state.name} state")
        down = self._bounded(self._stop_ramp or Ramp(rate=move.dec))
        move = replace(move, velocity=move.velocity * percent / 100.0)
        if percent == 0.0:
            profile = self._rest(time, down)
            self._follow(time, profile, state, self._wait)
        elif isinstance(move, PositionMove):
            move = replace(move, target=self._target)
            own = self._slowing_down(time)
            profile = self.plan_position(time, move, slowing_down=own)
            self._follow(time, profile, state)
        else:
            jogs = state is OperationState.JOG
            profile = (self.plan_jog if jogs else self.plan_velocity)(time, move)
            self._follow(time, profile, state)
        if runs_until < inf:
            self._run_until(runs_until, duration(rest(0.0, profile[-1].velocity, down)))

    @acting
    def start_torque(self, time: float, torque: float, run_time: float) -> None:
        """Turn with `torque`, percent of rated torque, for `run_time` s or, at 0, without end.

        What ends it slows the axis down with its quick stop deceleration.
        """
        self._stop_dec, self._stop_ramp = self._parameters.quick_stop_dec, None
        self._set_state(OperationState.TRQ)
        if run_time:
            self._run_until(time + run_time)
        self._drive.set_torque(time, torque)

    @acting
    def stop(self, time: float) -> None:
        """Slow down to rest with the deceleration of the motion; homing ends unfinished."""
        if self._in_torque_mode or self._op_state not in (OperationState.IDLE, OperationState.STOP):
            self._stop(time)

    @acting
    def quick_stop(self, time: float) -> None:
        """Slow down to rest with the quick stop deceleration, also out of a gentler stop."""
        if self._in_torque_mode or self._op_state is not OperationState.IDLE:
            self._quick_stop(time)

    @acting
    def stop_with(self, time: float, dec: float) -> None:
        """Slow down to rest with `dec`, or that of an earlier stop, where it is harder."""
        if self._op_state is not OperationState.IDLE:
            self._halt(time, dec, dec)

    @acting
    def emergency_stop(self, time: float, level: EmergencyStop, *, then_off: bool) -> None:
        """Stop by `level`; at level 1 the servo goes off at rest if `then_off`."""
        self._servo_on_at = inf
        if level is EmergencyStop.FINAL:
            self._switch_off(time)
        elif self._servo_on:
            self._off_at_rest |= then_off
            self.group = None  # each axis has an emergency stop deceleration of its own
            self._slow_down(time, self._parameters.emergency_stop_dec)

    @acting
    def home(self, time: float) -> None:
        """Start homing by the parameters."""
        rules.HOMING.judge(self.column)
        self._require_no_slaves()
        self._begin_homing(time)

    def require_to_follow(self) -> None:
        """Refuse to follow another axis unless it is idle and none follows it."""
        self._require_no_slaves()
        rules.GEARING.judge(self.column)

    def require_to_lead(self) -> None:
        """Refuse that other axes follow this one unless it is idle."""
        if self._op_state is OperationState.SYNC:
            raise CommandRefused(ErrorCode.IsSyncSlave, "it follows another axis")
        rules.GEARING.judge(self.column)

    def require_rest(self, time: float) -> None:
        """Refuse with NotIdleState while the axis does something or its motor turns.

        An axis that others follow is refused, too: its numbers mean something to them.
        """
        self._require_no_slaves()
        if self._op_state is not OperationState.IDLE:
            raise CommandRefused(
                ErrorCode.NotIdleState, f"axis {self._index} is in {self._op_state.name} state"
            )
        velocity = self._drive.at(time).velocity
        if abs(velocity) > self._rest_speed and not self._vendor_rules:
            raise CommandRefused(
                ErrorCode.NotIdleState,
                f"the motor of axis {self._index} still turns, at {velocity:.3g} u/s",
            )

    # What happens to the axis

    @acting
    def raise_alarm(self, time: float, code: int) -> None:
        """The amplifier reports alarm `code`: the motion ends, no servo comes on."""
        self._servo_on_at = inf
        self.column.amp_alarm[...] = True
        self.column.alarm_code[...] = code
        if self._parameters.servo_off_during_amp_alarm:
            self._lose_torque(time)
        elif self._op_state is not OperationState.IDLE:
            self._quick_stop(time)

    @acting
    def go_offline(self, time: float) -> None:
        """The master no longer reaches the drive, which switches itself off and forgets home."""
        self.column.servo_offline[...] = True
        self._forget_home()  # also one that was lost while the whole network stood
        self._lose_torque(time)

    def come_online(self) -> None:
        """The master reaches the drive."""
        self.column.servo_offline[...] = False

    @acting
    def stop_communication(self, time: float) -> None:
        """The whole network stops."""
        self.column.servo_offline[...] = True
        if self._parameters.clear_home_done_on_comm_stop:
            self._forget_home()
        self._lose_torque(time)

    def follow_inputs(self, time: float, inputs: bytes) -> None:
        """The input image is `inputs` now; near limit switches are bits of it."""
        self._inputs = inputs
        if self._limits.use_inputs:
            self._place_limits()
            self.schedule(time)

    @acting
    def stick_switch(self, time: float, switch: str, state: bool | None) -> None:
        """The "home", "positive" or "negative" switch is stuck on or off, or free again (None).

        A search for home that is under way ends undone.
        """
        if switch == "home":
            self._stuck_home_switch = state
        else:
            self._limits.stick({"positive": 1, "negative": -1}[switch], state)
        self._place_limits()
        if self._homing:  # it has lost its marks
            self._slow_down(time, self._stop_dec)

    @acting
    def freeze_encoder(self, time: float, *, frozen: bool) -> None:
        """The encoder shows the same position for ever, or again what it is."""
        self._drive.freeze(time, frozen=frozen)

    @acting
    def stick_brake(self, time: float, *, shut: bool | None) -> None:
        """The brake stays shut or open, whatever the drive does, or works again (None)."""
        self._stick_brake(time, shut=shut)

    # What a command needs

    def _require_endless(self, time: float, move: VelocityMove, rule: rules.Rule) -> None:
        rule.judge(self.column)
        require_rates(move)
        rules.require_endless_shape(move.profile, abs(move.velocity))
        self._require_free_way(time, move.velocity)

    def _require_no_slaves(self) -> None:
        if self._gears:
            raise CommandRefused(ErrorCode.IsSyncMaster, f"another axis follows axis {self._index}")

    def _require_free_way(self, time: float, direction: float) -> None:
        self._limits.require_free_way(direction, self._drive.at(time))
