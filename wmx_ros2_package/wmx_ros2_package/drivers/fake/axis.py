"""One simulated axis: what it may be ordered, what it does then, and when.

The axis follows a profile segment by segment and keeps its column of the `Board` up to date.
Nothing runs in the background: `advance` carries out what has come due by a given time, exactly
at the times it was due, so the result does not depend on how often anybody looks.

A user unit is numerator / denominator encoder counts of the gear ratio, turned round by the
polarity. When either changes the motor stays where it is, and so does zero: what changes is the
number that its position has.
"""

from collections import deque
from collections.abc import Callable
from math import inf

from ..axis_parameters import AxisParameters
from ..errors import CommandRefused, ErrorCode
from ..values import CommandMode, OperationState, PositionMove, VelocityMove
from . import rules
from .board import Board
from .machine import AxisModel
from .profile import Profile, Segment, hold, to_position, to_rest, to_velocity
from .servo import RATED_SPEED, Followed, follow


class Axis:
    """Axis `index` of an engine; times are engine seconds, lengths user units."""

    def __init__(
        self, index: int, model: AxisModel, parameters: AxisParameters, board: Board
    ) -> None:
        self._index = index
        self._model = model
        self._board = board
        self._stop_dec = parameters.quick_stop_dec
        self._upcoming: deque[tuple[float, Segment]] = deque()
        self._segment_end = inf
        self._servo_on_at = inf
        self._at_rest: Callable[[float], None] = self._become_idle
        self._apply(parameters)
        self._follow(0.0, hold(0.0), OperationState.IDLE)

    @property
    def parameters(self) -> AxisParameters:
        """The parameters in force."""
        return self._parameters

    # Orders, each refused with the vendor's code where the axis cannot take it

    def set_servo(self, time: float, *, on: bool) -> None:
        """Switch the servo on, for which the drive takes its time, or off, at once."""
        if not on:
            self._switch_off(time)
            return
        self._require_healthy()
        if not self._servo_on and self._servo_on_at == inf:
            self._servo_on_at = time + self._model.servo_on_time
            self._schedule()

    def clear_alarm(self) -> None:
        """Clear the amplifier's alarm."""
        self._require_online()
        self._board.amp_alarm[self._index] = False
        self._board.alarm_code[self._index] = 0

    def configure(self, time: float, parameters: AxisParameters) -> None:
        """Put `parameters` in force; the motor stays where it is."""
        self.require_idle()
        now = self._followed(time)
        counts = (now.position - now.error).item() * self._scale
        self._apply(parameters)
        self._follow(time, hold(counts / self._scale), OperationState.IDLE, error=0.0)

    def plan_position(self, time: float, move: PositionMove, *, relative: bool) -> Profile:
        """The profile of a position move that takes over at `time`."""
        self._require(rules.POSITION_MOVE)
        position, velocity = self._command(time)
        target = position + move.target if relative else move.target
        rules.require_position(target)
        rules.require_profile(move, speed=move.velocity)
        return to_position(
            position, velocity, target, max_velocity=move.velocity, acc=move.acc, dec=move.dec
        )

    def plan_velocity(self, time: float, move: VelocityMove) -> Profile:
        """The profile of a velocity move that takes over at `time`."""
        self._require(rules.VELOCITY_MOVE)
        rules.require_profile(move, speed=abs(move.velocity) or 1.0)
        position, velocity = self._command(time)
        return to_velocity(position, velocity, move.velocity, acc=move.acc, dec=move.dec)

    def start(self, time: float, profile: Profile, state: OperationState, dec: float) -> None:
        """Follow a planned move in operation state `state`; `stop` slows it down with `dec`."""
        self._stop_dec = dec
        self._follow(time, profile, state)

    def stop(self, time: float) -> None:
        """Slow down to rest with the deceleration of the motion; homing ends unfinished."""
        if self._op_state not in (OperationState.IDLE, OperationState.STOP):
            profile = to_rest(*self._command(time), self._stop_dec)
            self._follow(time, profile, OperationState.STOP)

    def home(self, time: float) -> None:
        """Home at the current position, for which the machine takes its time."""
        self._require(rules.HOMING)
        position, _ = self._command(time)
        self._board.home_done[self._index] = False
        profile = (Segment(self._model.home_time, position, 0.0), *hold(position))
        self._follow(time, profile, OperationState.HOME, at_rest=self._arrive_home)

    def require_idle(self) -> None:
        """Refuse with NotIdleState while the axis does something."""
        if self._op_state is not OperationState.IDLE:
            raise CommandRefused(
                ErrorCode.NotIdleState, f"axis {self._index} is in {self._op_state.name} state"
            )

    # What happens to the axis

    def raise_alarm(self, time: float, code: int) -> None:
        """The amplifier reports alarm `code`: the motion ends, no servo comes on."""
        self._servo_on_at = inf
        self._schedule()
        self._board.amp_alarm[self._index] = True
        self._board.alarm_code[self._index] = code
        if self._parameters.servo_off_during_amp_alarm:
            self._switch_off(time)
        elif self._op_state is not OperationState.IDLE:
            profile = to_rest(*self._command(time), self._parameters.quick_stop_dec)
            self._follow(time, profile, OperationState.STOP)

    def go_offline(self, time: float) -> None:
        """The master no longer reaches the drive, which switches itself off."""
        self._board.servo_offline[self._index] = True
        self._switch_off(time)

    def come_online(self) -> None:
        """The master reaches the drive."""
        self._board.servo_offline[self._index] = False

    def stop_communication(self, time: float) -> None:
        """The whole network stops."""
        self.go_offline(time)
        if self._parameters.clear_home_done_on_comm_stop:
            self._board.home_done[self._index] = False

    def advance(self, time: float) -> None:
        """Carry out what came due by `time`."""
        while self._board.next_event[self._index] <= time:
            if self._servo_on_at <= self._segment_end:
                self._come_on(self._servo_on_at)
            else:
                self._enter_next_segment()

    # How it does it

    def _follow(
        self,
        time: float,
        profile: Profile,
        state: OperationState,
        *,
        at_rest: Callable[[float], None] | None = None,
        error: float | None = None,
    ) -> None:
        """Follow `profile` from `time` on, with the following error there is unless given.

        `at_rest` is called with the time at which the profile has come to rest.
        """
        if error is None:
            error = self._followed(time).error.item()
        self._upcoming.clear()
        for segment in profile:
            self._upcoming.append((time, segment))
            time += segment.duration
        self._board.op_state[self._index] = state
        self._at_rest = at_rest or self._become_idle
        self._enter_next_segment(error)

    def _enter_next_segment(self, error: float | None = None) -> None:
        start, segment = self._upcoming.popleft()
        feedforward = self._parameters.velocity_feedforward_gain / 100.0
        if error is None:
            error = self._followed(start).error.item()
        if not self._position_loop_closed:
            error, feedforward = 0.0, 1.0
        duration, position, velocity, acceleration, jerk = segment
        column = start, position, velocity, acceleration, jerk, error, feedforward
        for array, value in zip(self._board.course, column, strict=True):
            array[self._index] = value
        self._segment_end = start + duration
        self._schedule()
        if not self._upcoming and velocity == 0.0:
            self._at_rest(start)

    def _become_idle(self, _time: float) -> None:
        self._board.op_state[self._index] = OperationState.IDLE

    def _arrive_home(self, time: float) -> None:
        home = self._parameters.home_position
        self._board.home_done[self._index] = True
        self._follow(time, hold(home), OperationState.IDLE)

    def _come_on(self, time: float) -> None:
        """Close the position loop where the motor is; if it still turns, it is slowed down."""
        self._servo_on_at = inf
        self._board.servo_on[self._index] = True
        profile = to_rest(*self._command(time), self._parameters.quick_stop_dec)
        self._follow(time, profile, OperationState.STOP)

    def _switch_off(self, time: float) -> None:
        """Open the position loop; a turning motor is braked with the quick stop deceleration."""
        self._servo_on_at = inf
        self._schedule()
        if self._servo_on:
            now = self._followed(time)
            position, velocity = (now.position - now.error).item(), now.actual_velocity.item()
            self._board.servo_on[self._index] = False
            if self._parameters.clear_home_done_on_servo_off:
                self._board.home_done[self._index] = False
            profile = to_rest(position, velocity, self._parameters.quick_stop_dec)
            self._follow(time, profile, OperationState.STOP)

    def _schedule(self) -> None:
        self._board.next_event[self._index] = min(self._segment_end, self._servo_on_at)

    def _apply(self, parameters: AxisParameters) -> None:
        self._parameters = parameters
        model, board, i = self._model, self._board, self._index
        counts_per_unit = abs(self._scale)
        rated_speed = RATED_SPEED * model.counts_per_revolution / counts_per_unit
        board.command_mode[i] = parameters.command_mode
        board.in_pos_width[i] = parameters.in_pos_width
        board.gain[i] = model.position_gain
        board.inertia[i] = 100.0 * counts_per_unit / model.rated_acceleration
        board.coulomb[i] = model.coulomb_friction
        board.viscous[i] = model.viscous_friction / rated_speed
        board.creep[i] = rated_speed / 1000.0

    def _followed(self, time: float) -> Followed:
        board, i = self._board, self._index
        return follow(board.course.of(i), time, board.gain[i : i + 1])

    def _command(self, time: float) -> tuple[float, float]:
        """Commanded position and velocity, from which a new motion takes over."""
        now = self._followed(time)
        return now.position.item(), now.velocity.item()

    @property
    def _op_state(self) -> OperationState:
        return OperationState(self._board.op_state[self._index])

    @property
    def _servo_on(self) -> bool:
        return bool(self._board.servo_on[self._index])

    @property
    def _position_loop_closed(self) -> bool:
        return self._servo_on and self._parameters.command_mode is CommandMode.POSITION

    @property
    def _scale(self) -> float:
        """Encoder counts per user unit, signed."""
        p = self._parameters
        return p.polarity * p.gear_ratio_numerator / p.gear_ratio_denominator

    def _require_online(self) -> None:
        if self._board.servo_offline[self._index]:
            raise CommandRefused(ErrorCode.ServoOffline)

    def _require_healthy(self) -> None:
        self._require_online()
        if self._board.amp_alarm[self._index]:
            code = self._board.alarm_code[self._index]
            raise CommandRefused(ErrorCode.AxisAmpAlarm, f"alarm code 0x{code:X}")

    def _require(self, rule: rules.Rule) -> None:
        self._require_healthy()
        if not self._servo_on:
            raise CommandRefused(ErrorCode.ServoOff)
        if self._parameters.command_mode is not rule.mode:
            raise CommandRefused(rule.wrong_mode)
        if self._op_state not in rule.states:
            raise CommandRefused(rule.wrong_state, f"in {self._op_state.name} state")
