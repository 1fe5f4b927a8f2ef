"""Asks axis file, settings, inputs, stops, pause, owner; then the driver; then stops and inputs.

The engine itself judges servo, alarm, emergency stop and limits.

A request passes these checks, in this order, and nothing moves unless it passes all of them:

1. the gate is open, and was not closed since its client asked for it: the node is attached to its
   engine, and is not asked to let go of it; the file that nodes share is not lost;
2. its axes have lost nothing that clients have set (`settings`), their stop inputs are off
   (`stop_inputs`), none of them was stopped since its client asked for it, by whatever process, and
   the system is not paused (`speed`);
3. no other purpose or node owns one of its axes (`ownership`);
4. its axes are in the mode that the command needs, or rest and are switched to it;
5. the engine takes the command: it is entered in the tracker, and its begin is published;
6. none of its axes was stopped, and no stop input came on, while the command was on its way: else
   they are stopped again.

What does not pass 1 to 5 ends as REFUSED. Stops pass no check (`stops`).
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from math import inf

from wmx_core.errors import CommandRefused, EngineLost, ErrorCode, ParameterFileError
from wmx_core.interface import Motion
from wmx_core.values import MAX_AXES, CommandMode, MotionStatus

from .axis_file.records import StopCause
from .conditions import require_switchable
from .ownership import Ownership
from .request import MotionKind, MotionRequest, aimed
from .settings.kept import KeptSettings
from .settings.store import MadeOtherwise
from .speed import SystemSpeed
from .stop_inputs import StopInputs
from .stops import Stops
from .supervisor import Tasks
from .tracker import MotionTracker

CAUSES = {
    StopCause.STOP: "it was stopped",
    StopCause.EMERGENCY_STOP: "there was an emergency stop",
    StopCause.SETTING: "its settings were changed",
    StopCause.SERVO_OFF: "its servo was switched off",
    StopCause.FILE_LOST: "the file of owners and stops was lost",
}

FOLLOW_TIMEOUT = 0.02
"""How long the supervisor, which feeds the dead man as well, waits for a command to be over, s."""


class TooLate(Exception):
    """A command whose time had passed before it was given: no event is published of it."""


class PartlyBegun(Exception):
    """A command of which the engine has taken a part, and refused the rest: the gate stops it."""

    def __init__(self, refusal: CommandRefused) -> None:
        super().__init__(str(refusal))
        self.refusal = refusal


class GateClosed(Exception):
    """The node is not attached to its engine, or has let go since it was asked: nothing moves."""


class StoppedSince(CommandRefused):
    """The refusal of what was asked of an axis before it was stopped."""

    def __init__(self, axis: int, cause: StopCause) -> None:
        super().__init__(
            ErrorCode.NotIdleState, f"axis {axis}: {CAUSES[cause]} after the command was sent"
        )
        self.axis = axis
        self.cause = cause


class Gate(Stops):
    """The gate of one node, and its stops; any thread may call."""

    def __init__(
        self,
        motion: Motion,
        ownership: Ownership,
        tracker: MotionTracker,
        tasks: Tasks | None = None,
        latency: float = 0.0,
        log: Callable[[str], object] = lambda text: None,
        *,
        feed: Callable[[Sequence[int], Sequence[int]], object] = lambda axes, switched: None,
        stop_inputs: StopInputs | None = None,
        settings: KeptSettings | None = None,
        is_ending: Callable[[], bool] = lambda: False,
    ) -> None:
        """The gate is closed at first.

        `feed` gets axes that are about to move, and those which were switched to another mode for
        that, for the dead man. Once the node `is_ending` nothing passes any more, also where the
        gate is open still. Without `settings` the gate changes none. The others are those of
        `Stops`.
        """
        super().__init__(motion, ownership, tracker, tasks, latency, log)
        self._stop_inputs = stop_inputs
        self._settings = settings
        self._feed = feed
        self._is_ending = is_ending
        self._speed = SystemSpeed(motion, ownership, tracker, self.end_until_taken)
        self._open = False
        self._closed_at = -inf
        """When it was closed last, s of the steady clock."""
        self._command_lock = threading.RLock()
        """Held while a request is carried out; closing the gate waits for that."""

    def open(self) -> None:
        """Let requests pass."""
        with self._command_lock:
            self._open = True

    def close(self) -> None:
        """Let no request pass any more; returns when none is being carried out."""
        with self._command_lock:
            self._open, self._closed_at = False, self.clock.now()

    def has_closed_since(self, asked_at: float) -> bool:
        """Whether the gate is closed, or was after `asked_at`: what was asked then never passes."""
        return not self._open or self._closed_at > asked_at

    # Requests

    def issue(
        self,
        requests: Sequence[MotionRequest],
        command: Callable[[Motion], object],
        mode: CommandMode | None = None,
    ) -> None:
        """Let `command` begin the motions that `requests` describe, all of them or none.

        All requests have the same purpose. Axes in another `mode` are switched to it before; they
        have to rest for that. Refused with a `CommandRefused`, which has been published as their
        end; GateClosed, or EngineLost. Where `command` raises PartlyBegun, or the engine seems lost
        once it is asked, the axes are stopped.
        """
        axes = [axis for request in requests for axis in request.axes]
        stop_inputs = None if requests[0].kind is MotionKind.HOLD else self._stop_inputs
        with self._command_lock:
            try:
                closed = any(self.has_closed_since(request.asked_at) for request in requests)
                if closed or self._is_ending():
                    raise GateClosed("the node lets go of the axes")
                self._ownership.require_usable()
                begun = self._as_kept(requests[0].kind, axes)
                if stop_inputs is not None:  # first: its text has what a client can do about it
                    follows = requests[0].kind is MotionKind.GEARING
                    stop_inputs.require_off(axes, mode, follows=follows)
                self.require_not_stopped(requests)
                self._speed.require_running(requests)
                owned = self._ownership.commanding(axes, requests[0].purpose)
                with owned, begun, self._in_mode(axes, mode) as switched:
                    self._feed(axes, switched)
                    try:
                        unseen = self._begin(requests, axes, command)
                    except (CommandRefused, TooLate):
                        raise
                    except EngineLost:  # it may live, and may have taken the command
                        self._stop_again(axes)
                        raise
                    except Exception as error:  # a bug
                        self.end_until_taken(axes, f"internal error: {error!r}")
                        raise
                if unseen is not None:  # refused, but not as it was: the axes may have moved
                    raise unseen
            except CommandRefused as error:
                self._publish_refusal(requests, error)
                raise
            stopped: CommandRefused | None = self.stopped_since(requests)
            if stopped is None and stop_inputs is not None:
                stopped = stop_inputs.blocking(axes)
            if stopped is not None:
                self.end_until_taken(axes, stopped.detail)
            elif requests[0].kind is MotionKind.HOMING:  # it gives positions another zero
                self.refuse_earlier(axes, StopCause.SETTING)

    def _as_kept(self, kind: MotionKind, axes: Sequence[int]) -> AbstractContextManager[None]:
        """Refuse motion of axes that have lost settings; inside, homing is recorded."""
        if self._settings is None or kind is MotionKind.HOLD:
            return nullcontext()
        homing = kind is MotionKind.HOMING
        self._settings.require_kept(axes, homing=homing)
        return self._settings.homing(axes) if homing else nullcontext()

    def _begin(
        self,
        requests: Sequence[MotionRequest],
        axes: Sequence[int],
        command: Callable[[Motion], object],
    ) -> CommandRefused | None:
        """Command the engine, and enter what it has taken; or why that is stopped again."""
        tracker = self._tracker
        if tracker.has_motion_on(axes) or any(request.by for request in requests):
            before = self._motion.status()
            tracker.update(before)  # what is over already is not replaced by this command
            requests = [
                # Where a motion is open, `before` may not show all of it yet.
                request if tracker.has_motion_on(request.axes) else aimed(request, before)
                for request in requests
            ]
        with tracker.commanding([request.id for request in requests], axes) as given_at:
            try:
                command(self._speed.slowed(requests))
            except PartlyBegun as error:
                detail = f"a part was taken, and is stopped, for the rest was refused: {error}"
                self.end_until_taken(axes, detail)
                return CommandRefused(error.refusal.code, detail)
            try:
                status = self._motion.status()
            except CommandRefused as error:
                detail = f"it was taken, and is stopped, for no status shows it: {error.detail}"
                self.end_until_taken(axes, detail)
                return CommandRefused(error.code, detail)
            for request in requests:
                tracker.begin(request, status, given_at)
        return None

    @contextmanager
    def _in_mode(self, axes: Sequence[int], mode: CommandMode | None) -> Iterator[list[int]]:
        """Have `axes` in `mode` inside, and as they were if what is done inside is refused.

        It yields those that were in another one.
        """
        if mode is None:
            yield []
            return
        status = self._motion.status()
        others = {
            axis: CommandMode(int(status.command_mode[axis]))
            for axis in axes
            if 0 <= axis < status.axes and status.command_mode[axis] != mode
        }
        require_switchable(status, list(others))
        switched: list[int] = []
        try:
            for axis in others:
                try:
                    self._motion.set_command_mode(axis, mode)
                except CommandRefused as error:
                    if _may_have_been_taken(error):
                        switched.append(axis)
                    raise
                switched.append(axis)
            yield switched
        except CommandRefused:
            for axis in switched:
                self._switch_back(axis, mode, others[axis])
            raise

    def _switch_back(self, axis: int, mode: CommandMode, before: CommandMode) -> None:
        """Give an axis the mode back that it had before a request that was refused.

        The engine may refuse that, too, while the axis is in its new mode for some cycles only: it
        is tried until the axis has another mode, or moves by another request.
        """

        def attempt() -> bool:
            with self._command_lock:
                status = self._motion.status()
                if not self._open or status.command_mode[axis] != mode:
                    return True
                if self._tracker.has_motion_on([axis]):
                    return True
                try:
                    self._motion.set_command_mode(axis, before)
                except CommandRefused:
                    return False
                return True

        with suppress(CommandRefused):
            self._motion.set_command_mode(axis, before)
            return
        self._add_task("switching back", lambda _: not attempt())

    def require_not_stopped(self, requests: Iterable[MotionRequest]) -> None:
        """StoppedSince for requests of which an axis was stopped since they were asked for."""
        if (error := self.stopped_since(requests)) is not None:
            raise error

    def stopped_since(self, requests: Iterable[MotionRequest]) -> "StoppedSince | None":
        """Return the error that `require_not_stopped` would raise, or None."""
        if (file := self._ownership.file) is None:
            return None
        for request in requests:
            for axis in request.axes:
                if 0 <= axis < MAX_AXES and file.stopped[axis] >= request.asked_at:
                    return StoppedSince(axis, file.stop_cause(axis))
        return None

    # Servos

    def switch_on(self, axis: int, asked_at: float) -> bool:
        """Switch a servo on; StoppedSince where it was switched off after that was asked for.

        An emergency stop counts, too; a stop or a setting does not, for clients send it and this
        one after the other without waiting. Return whether a status has shown it on before.
        """
        if (off := self._off_since(axis, asked_at)) is not None:
            raise off
        was_on = self._is_on(axis)
        try:
            self.set_servo(axis, on=True)
        finally:  # also where it was taken, and not answered
            off = self._off_since(axis, asked_at)
            # At an emergency stop an axis whose servo was on slows down: without it it would coast.
            if off is not None and (off.cause is StopCause.SERVO_OFF or was_on is False):
                self.set_servo(axis, on=False)
                raise off
        return bool(was_on)

    def _is_on(self, axis: int) -> bool | None:
        """Whether a servo is on; None where no status is answered."""
        with suppress(CommandRefused):
            status = self._motion.status()
            return 0 <= axis < status.axes and bool(status.servo_on[axis])
        return None

    def _off_since(self, axis: int, asked_at: float) -> StoppedSince | None:
        file = self._ownership.file
        if file is None or not 0 <= axis < MAX_AXES:
            return None
        cause = file.off_cause(axis, asked_at)
        return None if cause is None else StoppedSince(axis, cause)

    @property
    def speed(self) -> SystemSpeed:
        """How fast axes are to move, as clients have set it for the system."""
        return self._speed

    def follow_speed(self, status: MotionStatus, width: float) -> None:
        """Have what moves by single commands go on at the speed that is set; in the supervisor.

        While it is paused motors must be within `width` (u) of their commands.
        """
        if self._command_lock.acquire(timeout=FOLLOW_TIMEOUT):  # else the next sample does it
            try:
                if self._open:
                    self._speed.follow(status, width)
            finally:
                self._command_lock.release()

    def _publish_refusal(self, requests: Sequence[MotionRequest], error: CommandRefused) -> None:
        for request in requests:
            self._tracker.refuse(
                str(error),
                axes=request.axes,
                names=request.names,
                code=error.code,
                id=request.id,
            )

    @contextmanager
    def claim(self, request: MotionRequest) -> Iterator[None]:
        """Own the axes of `request` inside, whether they move or rest; refused as by `issue`."""
        with ExitStack() as held:
            try:
                held.enter_context(self._ownership.claim(request.axes, request.purpose))
            except CommandRefused as error:
                self._publish_refusal([request], error)
                raise
            yield

    # Settings, at rest only: what was asked of an axis before is refused after, for it meant
    # something else. They are kept, see `settings/kept.py`

    def set_command_mode(self, axis: int, mode: CommandMode) -> None:
        """Choose what commands the axis; one that is in `mode` already has changed nothing."""
        with self._command_lock, self._ownership.setting([axis]):
            modes = self._motion.status().command_mode
            changes = 0 <= axis < len(modes) and modes[axis] != mode
            try:
                self._setter.set_mode(axis, mode)
            except CommandRefused as error:
                if changes and modes[axis] in tuple(CommandMode) and _may_have_been_taken(error):
                    self._switch_back(axis, mode, CommandMode(int(modes[axis])))
                raise
            if changes:
                self.refuse_earlier([axis], StopCause.SETTING)

    def restore_position_mode(self, axis: int) -> None:
        """Have the position loop of an axis that rests hold it, after a command in another mode."""
        with self._command_lock, self._ownership.setting([axis]):
            self._motion.set_command_mode(axis, CommandMode.POSITION)

    def set_polarity(self, axis: int, polarity: int) -> None:
        """Choose the positive direction of the axis, 1 or -1."""
        self._set([axis], lambda: self._setter.set_polarity(axis, polarity))

    def set_gear_ratio(self, axis: int, numerator: float, denominator: float) -> None:
        """Choose the user unit of the axis."""
        self._set([axis], lambda: self._setter.set_gear_ratio(axis, numerator, denominator))

    def set_position(self, axis: int, position: float) -> None:
        """Declare that the axis stands at `position`."""
        self._set([axis], lambda: self._setter.set_position(axis, position))

    def load_parameters(self, path: str) -> None:
        """Apply a parameter file to all axes."""
        self._set(range(MAX_AXES), lambda: self._setter.load(path))

    def change_parameters(self, path: str) -> None:
        """Give axes the elements that a file holds, and leave all others as they are."""
        self._set(range(MAX_AXES), lambda: self._setter.change_parameters(path))

    def load_parameters_at_start(self, path: str) -> bool:
        """Apply the file of a node, once in the life of a system; whether that was due."""
        if self._setter.is_loaded(path):
            return False
        self._set(range(MAX_AXES), lambda: self._setter.load(path, at_start=True))
        return True

    def confirm(self, axes: Sequence[int]) -> None:
        """Let axes be as they are that have lost what clients had set."""
        self._set(axes, lambda: self._setter.confirm(axes))

    @property
    def _setter(self) -> KeptSettings:
        assert self._settings is not None, "this gate changes no settings"
        return self._settings

    def set_override(self, axis: int, percent: float) -> None:
        """Let the motion of the axis go on at `percent` of its velocity at the system's speed."""
        with self._command_lock, self._ownership.setting([axis]):
            self._speed.set_own(axis, percent)

    def _set(self, axes: Iterable[int], change: Callable[[], object]) -> None:
        wanted = list(axes)
        with self._command_lock, self._ownership.setting(wanted):
            changed = True
            try:
                change()
            except (CommandRefused, ParameterFileError) as error:
                changed = isinstance(error, MadeOtherwise)
                raise
            finally:  # any other error may come after the change
                if changed:
                    self.refuse_earlier(wanted, StopCause.SETTING)


def _may_have_been_taken(refused: CommandRefused) -> bool:
    """Whether the engine may have carried out the setting all the same.

    That an axis does not rest is found before: it is asked again and again until it does.
    """
    return refused.code != ErrorCode.NotIdleState
