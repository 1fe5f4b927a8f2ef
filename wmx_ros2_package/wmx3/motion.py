"""The axes, by the SDK's CoreMotion and AdvancedMotion."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.move_rules import require_axes, require_position, require_run_times
from wmx_core.parameters.axis_parameters import judged
from wmx_core.parameters.parameter_set import ParameterSet, read_parameters
from wmx_core.path_rules import require_line
from wmx_core.values import (
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

from . import commands
from .own_process import Aside
from .parameter_files import export_parameters, import_parameters
from .running_moves import Overrides, Renewals
from .sdk import TIMED_OUT, twice_at_most
from .session import SdkSession
from .splines import start_spline
from .starts import all_or_none, start_endless, start_gearing, start_together
from .status import (
    emergency_stop_of,
    has_homed,
    read_status,
    require_no_slaves,
    require_rest,
)
from .stops import end_motion, hold_torque_axes


class WmxMotion:
    """Carries out `interface.Motion` on the device that `session` returns."""

    def __init__(self, session: Callable[[], SdkSession], aside: Aside) -> None:
        self._session = session
        self._aside = aside
        self._overrides = Overrides()
        self._renewals = Renewals()

    def status(self) -> MotionStatus:
        session = self._session()
        time = session.time.now()
        newest = read_status(session)
        self._overrides.seen(time, newest.op_state)
        self._end_jogs(session, newest)
        return newest

    def set_servo(self, axis: int, *, on: bool) -> None:
        session = self._session_of(axis)
        switch = session.axis_control.SetServoOn
        status = session.look() if on else None  # held, for the status of an axis is a part of it
        was_on = status is not None and bool(status.GetAxesStatus(axis).servoOn)
        try:
            switch(axis, int(on))
        except CommandRefused as refused:
            if refused.name not in TIMED_OUT or was_on:
                raise
            # It may have been taken: no servo comes on that is answered as refused.
            try:
                switch(axis, 0)
            except CommandRefused as left:
                rest = f"the servo of axis {axis} may be on, and was not switched off: {left}"
                raise refused.more(rest) from None
            if on:
                raise refused.more(f"the servo of axis {axis} was switched off again") from None
        if not on:
            self._replaced([axis])

    def clear_alarm(self, axis: int) -> None:
        axis_control = self._session_of(axis).axis_control
        try:
            axis_control.ClearAmpAlarm(axis)
        finally:  # each is an alarm of its own
            axis_control.ClearAxisAlarm(axis)

    def set_command_mode(self, axis: int, mode: CommandMode) -> None:
        session = self._session_of(axis)
        mode = judged(axis, command_mode=mode)["command_mode"]
        require_rest(session, axis)
        session.axis_control.SetAxisCommandMode(axis, session.enums.command_modes.theirs[mode])

    def set_polarity(self, axis: int, polarity: int) -> None:
        session = self._session_of(axis)
        polarity = judged(axis, polarity=polarity)["polarity"]
        require_rest(session, axis)
        try:
            session.config.SetAxisPolarity(axis, polarity)
        except CommandRefused as refused:
            if polarity > 0 or refused.code != ErrorCode.ArgumentOutOfRange:
                raise
            # Its C type is a plain char, which has no sign on aarch64: the same byte without one.
            session.config.SetAxisPolarity(axis, polarity & 0xFF)

    def set_gear_ratio(self, axis: int, numerator: float, denominator: float) -> None:
        session = self._session_of(axis)
        judged(axis, gear_ratio_numerator=numerator, gear_ratio_denominator=denominator)
        require_rest(session, axis)
        session.config.SetGearRatio(axis, float(numerator), float(denominator))

    def set_position(self, axis: int, position: float) -> None:
        session = self._session_of(axis)
        require_position(position, "position")
        require_rest(session, axis)
        before = read_status(session)
        is_there = False
        try:
            session.home.SetCommandPos(axis, float(position))
            is_there = True
            session.home.SetHomeDone(axis, 1)
        except CommandRefused as refused:
            if not is_there and refused.name not in TIMED_OUT:
                raise
            there = f"axis {axis} {'is' if is_there else 'may be'} at position {position} now"
            changed = f"{there}; the home of axis {axis} may be done now"
            try:
                if is_there and refused.name in TIMED_OUT and not before.home_done[axis]:
                    session.home.SetHomeDone(axis, 0)
                changed = there
                session.home.SetCommandPos(axis, float(before.pos_cmd[axis]))
            except CommandRefused as left:
                raise refused.more(f"{changed}, and was not put back: {left}") from None
            raise

    def move_absolute(self, moves: Sequence[PositionMove]) -> None:
        session = self._session()
        start = session.motion.StartPos
        with self._taking_over(move.axis for move in moves):
            given = start_together(session, start, commands.position_command, moves)
        self._overrides.started(session, given, OperationState.POS, targets=True)

    def move_relative(self, moves: Sequence[PositionMove]) -> None:
        session = self._session()
        start = session.motion.StartMov
        with self._taking_over(move.axis for move in moves):
            given = start_together(session, start, commands.position_command, moves)
        self._overrides.started(session, given, OperationState.POS)

    def jog(self, moves: Sequence[VelocityMove]) -> None:
        session = self._session()
        plain = session.motion.StartJog, commands.jog_command
        has_run_time = hasattr(session.sdk.Motion_JogCommand, commands.RUN_TIME)
        start = session.motion.StartJog if has_run_time else session.motion.StartJog_TimedJog
        timed = start, commands.timed_jog_command
        with self._renewals.commanding:
            now = session.time.now()
            if (lasting := self._lasting(session, now, moves)) is None:
                return
            self._renewals.changed(move.axis for move in moves)  # also by one that is refused
            given = start_endless(session, *plain, *timed, lasting)
            self._overrides.started(session, given, OperationState.JOG)
            began = session.time.now()
            speeding_up = {c.axis: c.profile.accTimeMilliseconds / 1000.0 for c in given}
            self._renewals.commanded(now, moves, lasting, began, speeding_up)

    def move_velocity(self, moves: Sequence[VelocityMove]) -> None:
        session = self._session()
        timed = session.velocity.StartVel_TimedVel, commands.timed_velocity_command
        plain = session.velocity.StartVel, commands.velocity_command
        with self._taking_over(move.axis for move in moves):
            given = start_endless(session, *plain, *timed, moves)
        self._overrides.started(session, given, OperationState.VELOCITY)

    def set_override(self, axis: int, percent: float) -> None:
        try:
            self._overrides.set(self._session_of(axis), axis, percent)
        finally:
            self._renewals.changed([axis])  # also by one that is refused

    def move_torque(self, moves: Sequence[TorqueMove]) -> None:
        session = self._session()
        require_run_times(moves)
        if any(move.run_time for move in moves):
            detail = "the SDK has no torque that ends by itself: run_time must be 0"
            raise CommandRefused(ErrorCode.NoSupportedFunction, detail)
        with self._taking_over(move.axis for move in moves):
            start_together(session, session.torque.StartTrq, commands.torque_command, moves)

    def move_linear(self, move: LinearMove) -> None:
        session = self._session()
        require_line(move)
        require_axes(move.axes, session.axes)
        command = commands.linear_command(session.sdk, move)
        with self._taking_over(move.axes), all_or_none(session, move.axes, together=True):
            session.motion.StartLinearIntplPos(command)

    def move_spline(self, move: SplineMove) -> None:
        with self._taking_over(move.axes):
            start_spline(self._session(), move)

    def start_gearing(self, gearings: Sequence[Gearing]) -> None:
        with self._taking_over(each.slave for each in gearings):
            start_gearing(self._session(), gearings)

    def stop(self, axes: Sequence[int]) -> None:
        session = self._session()
        self._replaced(axes)
        end_motion(session, axes)

    def quick_stop(self, axes: Sequence[int]) -> None:
        session = self._session()
        self._replaced(axes)
        end_motion(session, axes, quick=True)

    def emergency_stop(self, level: EmergencyStop) -> None:
        session = self._session()
        theirs = session.enums.emergency_stops.theirs[level]
        self._replaced(range(session.axes))
        try:
            twice_at_most(session.core.ExecEStop, theirs)
        except CommandRefused as refused:
            if refused.name not in TIMED_OUT or emergency_stop_of(session) is not level:
                raise
        if level == EmergencyStop.LEVEL1:
            hold_torque_axes(session)

    def release_emergency_stop(self) -> None:
        """Release it; what is not answered in time is judged by a status.

        It is not asked for once more, which could release a stop that is newer.
        """
        session = self._session()
        try:
            session.core.ReleaseEStop()
        except CommandRefused as refused:
            if refused.name not in TIMED_OUT or emergency_stop_of(session) is not None:
                raise

    def home(self, axis: int) -> None:
        session = self._session_of(axis)
        before = read_status(session)
        require_no_slaves(session, before, [axis])
        with self._taking_over([axis]), all_or_none(session, [axis]):
            try:
                session.home.StartHome(axis)
            except CommandRefused as refused:
                if refused.name not in TIMED_OUT or not has_homed(session, axis, before):
                    raise

    def load_parameters(self, path: str) -> None:
        session = self._session()
        given = read_parameters(path)  # judged by our rules first
        require_rest(session, *range(session.axes))
        in_force = export_parameters(session)
        import_parameters(path, given, in_force, lambda file: self._aside(session, "import", file))

    def parameters(self) -> ParameterSet:
        return export_parameters(self._session())

    @contextmanager
    def _taking_over(self, axes: Iterable[int]) -> Iterator[None]:
        """When the command inside is taken, what `axes` did before is forgotten."""
        axes = [*axes]
        with self._renewals.replaced(axes):
            yield
            self._overrides.forget(axes)

    def _replaced(self, axes: Iterable[int]) -> None:
        """What `axes` did is not what they do now, and is not known."""
        for axis in axes:
            self._overrides.forget([axis])
            self._renewals.changed([axis])

    def _lasting(
        self, session: SdkSession, now: float, moves: Sequence[VelocityMove]
    ) -> Sequence[VelocityMove] | None:
        """`moves` as they have to be commanded, see `Renewals`; None where they go on longer."""
        if not all(m.run_time > 0.0 and m.axis in self._renewals for m in moves):
            return moves
        ours = session.enums.operation_states.ours
        status = session.look()
        states = {m.axis: ours.get(status.GetAxesStatus(m.axis).opState) for m in moves}
        return self._renewals.renewed(now, moves, states)

    def _end_jogs(self, session: SdkSession, status: MotionStatus) -> None:
        """Stop jogs that nobody has renewed, unless some are just being commanded.

        One that refuses to is stopped at the next status, or ends by itself.
        """
        if self._renewals and self._renewals.commanding.acquire(blocking=False):
            try:
                if due := self._renewals.over(session.time.now(), status):
                    self._renewals.changed(due)  # a jog that comes now is no renewal
                    with suppress(CommandRefused):
                        end_motion(session, due)
            finally:
                self._renewals.commanding.release()

    def _session_of(self, axis: int) -> SdkSession:
        """The session, if it has the axis."""
        session = self._session()
        require_axes([axis], session.axes)
        return session
