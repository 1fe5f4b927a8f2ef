"""Commands stops, and records them in the axis file, where the gates of all nodes read them.

A stop passes no check. One that a client has asked for is recorded for all processes first: what
was asked of its axes before does not begin any more. What a node ends of its own, a lease that has
expired or a stream, is not recorded: its next command may have been sent already.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from math import inf

from wmx_core.clock import Clock
from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.interface import Driver, Motion
from wmx_core.values import MAX_AXES, EmergencyStop, MotionStatus, OperationState

from .axis_file.records import ServoHistory, StopCause
from .ownership import Ownership
from .request import EndReason, MotionKind
from .stopping import Stopping
from .supervisor import Tasks
from .tracker import MotionTracker

ON_ITS_WAY = 0.1
"""How long a command on its way keeps what it is to replace from being stopped, s: mostly ms."""


class Stops:
    """The stops of one node; any thread may call."""

    def __init__(
        self,
        motion: Motion,
        ownership: Ownership,
        tracker: MotionTracker,
        tasks: Tasks | None = None,
        latency: float = 0.0,
        log: Callable[[str], object] = lambda text: None,
    ) -> None:
        """A status shows a command after `latency` s.

        What the engine refuses is given again by `tasks`, with a line to `log`; without them it is
        not.
        """
        self._motion = motion
        self._ownership = ownership
        self._tracker = tracker
        self._tasks = tasks
        self._latency = latency
        self._log = log

    @property
    def clock(self) -> Clock:
        """The clock of commands and stops."""
        return self._ownership.clock

    def status(self) -> MotionStatus:
        """Every axis at the newest communication cycle."""
        return self._motion.status()

    def nodes(self) -> list[str]:
        """The nodes that take part in the system on this engine, by their full names."""
        return file.nodes() if (file := self._ownership.file) is not None else []

    def is_servo_untouched(self, axis: int) -> bool:
        """Whether nothing is recorded of a client or node that switched the servo of `axis`."""
        file = self._ownership.file
        return file is None or file.servo_history(axis) is ServoHistory.UNTOUCHED

    # What clients ask for

    def stop(
        self,
        axes: Sequence[int],
        *,
        quick: bool = False,
        reason: EndReason = EndReason.STOPPED,
        message: str = "",
    ) -> None:
        """Slow `axes` down to rest, with their quick stop deceleration if `quick`.

        Their motions end for `reason`, and what was asked of the axes before does not begin any
        more. A refusal is raised, and the stop is given again until the engine takes it, unless the
        device is closed.
        """
        self.refuse_earlier(axes)
        try:
            self.end_motion(axes, quick=quick, reason=reason, message=message)
        except CommandRefused as refused:
            self._stop_again(axes, refused, quick=quick)
            raise

    def refuse_earlier(self, axes: Iterable[int], cause: StopCause = StopCause.STOP) -> None:
        """Refuse what was asked of `axes` before, as a stop does, without stopping them."""
        if (file := self._ownership.file) is not None:
            file.record_stop([axis for axis in axes if 0 <= axis < MAX_AXES], cause)

    def emergency_stop(self, level: EmergencyStop) -> None:
        """Stop every axis until the release, whatever becomes of the engine.

        One that the engine refuses leaves a stop that is in force already as it was.
        """
        file = self._ownership.file
        before = file.emergency_stop if file is not None else None
        if file is not None:
            file.emergency_stop = level
        self.refuse_earlier(range(MAX_AXES), StopCause.EMERGENCY_STOP)
        try:
            self._motion.emergency_stop(level)
        except CommandRefused:
            if file is not None and before is not None:
                file.emergency_stop = before
            raise

    def release_emergency_stop(self) -> None:
        """Let the axes be commanded again; servos that went off stay off."""
        self._motion.release_emergency_stop()
        if (file := self._ownership.file) is not None:
            file.emergency_stop = None

    def set_servo(self, axis: int, *, on: bool) -> None:
        """Switch a servo on, or off, which counts as a stop."""
        if not on:
            self.refuse_earlier([axis], StopCause.SERVO_OFF)
        self._motion.set_servo(axis, on=on)
        if (file := self._ownership.file) is not None:
            history = ServoHistory.SWITCHED_ON if on else ServoHistory.SWITCHED_OFF
            file.set_servo_history(axis, history)

    def clear_alarm(self, axis: int) -> None:
        """Clear the alarms of the amplifier and of the axis."""
        self._motion.clear_alarm(axis)

    # Motions that the node itself ends; what was asked of their axes before may still begin

    def end_motion(
        self,
        axes: Sequence[int],
        *,
        quick: bool = False,
        reason: EndReason = EndReason.STOPPED,
        message: str = "",
    ) -> None:
        """Slow `axes` down as `stop` does; what is refused the caller gives again."""
        self._tracker.set_end_reason(reason, message, axes)
        self.slow_down(axes, quick=quick)

    def slow_down(self, axes: Sequence[int], *, quick: bool = False) -> None:
        """Slow `axes` down; their motions may go on at rest, or end for another reason."""
        stop = self._motion.quick_stop if quick else self._motion.stop
        stop(axes)

    def end_until_taken(
        self, axes: Sequence[int], message: str, reason: EndReason = EndReason.STOPPED
    ) -> None:
        """Slow `axes` down; what is refused is given again until the engine takes it."""
        try:
            self.end_motion(axes, reason=reason, message=message)
        except CommandRefused as refused:
            self._stop_again(axes, refused)

    def end_until_rest(
        self,
        axes: Sequence[int],
        message: str,
        reason: EndReason = EndReason.STOPPED,
        *,
        quick: bool = False,
        states: Collection[OperationState] = (),
        wanted: Callable[[], bool] = lambda: True,
        lock: AbstractContextManager[object] | None = None,
        latency: float = 0.0,
    ) -> None:
        """Slow `axes` down in the supervisor until they rest, however often that is refused.

        A `quick` stop is given to what slows down already, too. It ends as well once that is not
        `wanted` any more, which is asked with `lock` held. Left alone is an axis that another
        device or a newer motion has commanded since, and with `states` one in another state, see
        `Stopping`. What was commanded before may begin `latency` seconds later, where that is more
        than the driver says.
        """
        self._tracker.set_end_reason(reason, message, axes)
        guard = lock or nullcontext()
        stopped = set[int]()
        began = self._tracker.now()

        def stop(moving: Sequence[int]) -> None:
            begins = self._ownership.being_commanded()  # first: its motion is open after that
            is_open = self._tracker.axes_of(*MotionKind)
            newer = self._tracker.axes_of(*MotionKind, stopping=False)
            # A command that is on its way mostly replaces what moves within ms. One that takes
            # longer, perhaps seconds, keeps nothing moving: that is stopped once.
            if self._tracker.now() > began + ON_ITS_WAY:
                begins = [axis for axis in begins if axis in stopped or axis not in is_open]
            left = {*self._ownership.commanded_by_others(), *begins, *newer}
            mine = [axis for axis in moving if axis not in left]
            with guard:
                if mine and wanted():
                    self.end_motion(mine, quick=quick, reason=reason, message=message)
                    stopped.update(mine)

        stopping = Stopping(
            stop,
            axes,
            max(latency, self._latency),
            states,
            self._log,
            now=self._tracker.now,
            quick_stop=stop,
            quick_after=0.0 if quick else inf,
        )
        self._add_task("stopping", lambda status: wanted() and not stopping.update(status))

    def _stop_again(
        self, axes: Sequence[int], refused: CommandRefused | None = None, *, quick: bool = False
    ) -> None:
        """Stop each of `axes` in the supervisor until the engine takes it.

        A `quick` stop is given to what slows down already, too. It was `refused` before. A closed
        device takes it never; what moves after the next attach is another motion.
        """
        if refused is not None and refused.code == ErrorCode.DeviceIsNull:
            return
        stop = self._motion.quick_stop if quick else self._motion.stop
        for axis in axes:
            stopping = Stopping(
                stop,
                [axis],
                self._latency,
                log=self._log,
                now=self._tracker.now,
                quick_stop=stop if quick else None,
                quick_after=0.0 if quick else inf,
            )
            self._add_task("stopping", stopping.is_due)

    def _add_task(self, name: str, task: Callable[[MotionStatus], bool]) -> None:
        if self._tasks is not None:
            self._tasks.add_task(name, task)


@contextmanager
def device_stops(driver: Driver, path: str, name: str) -> Iterator[Stops]:
    """The stops of a program that is no node, with its device `name` on the engine at `path`.

    It stops axes and switches servos as the nodes do, so that these notice. Raises a WmxError where
    there is no engine.
    """
    ownership = Ownership(driver.name, driver.motion.status, driver.status_latency)
    driver.engine.create_device(path, name)
    try:
        ownership.open(path, name)
        tracker = MotionTracker(name, driver.status_latency, ownership.clock.now)
        yield Stops(driver.motion, ownership, tracker)
    finally:
        ownership.close()
        driver.engine.close_device()
