"""Gives each status to the tracker while a motion is open, and connects the parts of `control`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from wmx_core.errors import CommandRefused, EngineLost, ErrorCode, WmxError
from wmx_core.interface import Driver
from wmx_core.values import MotionStatus

from ..control.axis_file.records import StopCause
from ..control.axis_file.renewable import Loss
from ..control.dead_man import DeadMan
from ..control.gate import CAUSES, Gate
from ..control.leases import MotionLeases, StreamLeases
from ..control.motion_ends import InPosition
from ..control.ownership import Ownership
from ..control.request import Begin, End, EndReason
from ..control.settings.kept import KeptSettings
from ..control.stop_inputs import StopInputs
from ..control.stopping import with_every_axis
from ..control.supervisor import Supervisor
from ..control.tracker import MotionTracker, RecordedStops, at_once
from .common_parameters import CommonParameters
from .host import Host
from .motion_topics import MotionTopics
from .tuning import wake_on_time

READ_PERIOD = 0.01
"""How often the status is read while a motion is open, s."""
FILE_LOST = "the file of owners and stops was lost"


class MotionPath:
    """The parts of `control` of one node; see the path of a motion in architecture.md.

    The device's motion is commanded through `gate` alone.
    """

    def __init__(
        self,
        host: Host,
        driver: Driver,
        common: CommonParameters,
        units: Mapping[int, float],
        lose_engine: Callable[[EngineLost], None],
        *,
        commands_motion: bool,
    ) -> None:
        """`units` are those of the node's axes that are not in the engine's, as factors.

        A node that only stops axes, or settles what they are, leaves `commands_motion` false.
        """
        self.driver = driver
        self.units = units
        self.log = host.log
        self.log_error = host.log_error
        latency, status = driver.status_latency, driver.motion.status
        self.ownership = Ownership(
            driver.name, status, latency, self._on_axis_file_lost, host.clock
        )
        timeout = common.dead_man_timeout if commands_motion else 0.0
        self.in_position = InPosition(
            width=common.in_position_width, timeout=common.in_position_timeout
        )
        self.tracker = MotionTracker(
            host.full_name,
            latency,
            host.clock.now,
            in_position=self.in_position,
            in_position_widths=self.in_position_widths,
            recorded_stops=self.recorded_stops,
            # Hardware writes all parameters into a file first, for which no loop may wait.
            aside=at_once if driver.simulated else host.threads.aside,
            unread=lambda: self.dead_man.unread,
        )
        self.supervisor = Supervisor(
            host.name,
            status,
            on_lost=lose_engine,
            on_error=lambda name, error: self.log.error(
                f"{name}: {error!r}", throttle_duration_sec=1.0
            ),
            on_wake=self._wake,
            prepare=wake_on_time,
            clock=host.clock,
        )
        self.dead_man = DeadMan(
            driver.engine, self.ownership, self.supervisor, timeout, self._on_dead_man_refused
        )
        self.stop_inputs = StopInputs(driver, self.ownership)
        self.settings = KeptSettings(driver, self.ownership)
        self.gate = Gate(
            driver.motion,
            self.ownership,
            self.tracker,
            self.supervisor,
            latency,
            host.log_error,
            feed=self.dead_man.feed_before_command,
            stop_inputs=self.stop_inputs,
            settings=self.settings,
            is_ending=host.deactivating.is_set,
        )
        self.leases = StreamLeases(host.clock, lambda: self.ownership.stopped)
        self.motion_leases = MotionLeases(self.tracker, self._end_expired, host.clock)
        if commands_motion:
            MotionTopics(host, self.tracker, self.motion_leases)
        self.tracker.listen(self._on_motion)

    def in_position_widths(self, axes: Sequence[int]) -> list[float]:
        """InPosWidth of `axes`, in the units of the node; 0 where the engine does not answer."""
        try:
            known = self.driver.motion.parameters()
            return [known.axis(axis).in_pos_width * self.units.get(axis, 1.0) for axis in axes]
        except WmxError:
            return [0.0] * len(axes)

    def _on_motion(self, event: Begin | End) -> None:
        """Look whether motions are over, and at what speed they go on, while there are any."""
        if isinstance(event, Begin):
            self.supervisor.ensure_task("open motions", self._follow, READ_PERIOD, every=True)
        else:
            self.leases.on_motion_end(event)

    def _follow(self, status: MotionStatus) -> bool:
        """End what is over; return whether a motion is open."""
        if status.communicating:
            self.tracker.update(status)
            self.gate.follow_speed(status, self.in_position.width)
        return bool(self.tracker)

    def _end_expired(self, axes: Sequence[int]) -> None:
        """Bring axes to rest whose client no longer renews the lease of their motion."""
        self.gate.refuse_earlier(axes)
        message = "its client no longer renews the lease"
        self.gate.end_until_rest(axes, message, EndReason.LEASE_EXPIRED)

    def _on_dead_man_refused(self, error: CommandRefused) -> None:
        self.log.error(
            f"The engine refuses to watch axes of this node, or to watch them no more: {error}",
            throttle_duration_sec=1.0,
        )

    def _wake(self) -> None:
        """Find what no sample shows; in the supervisor, about ten times a second."""
        if self.ownership.check_file():
            self.settings.store.repair()
        self.leases.detect_suspension()
        self.motion_leases.check()

    def recorded_stops(self, axes: Sequence[int], since: float) -> RecordedStops:
        """Return whether axes were stopped since a time, and for what but for a plain stop.

        A setting stops nothing, for it is made at rest; a homing itself is one.

        A file that is lost is found by the first node that looks, which stops all axes.
        """
        if (file := self.ownership.file) is None:
            return RecordedStops()
        file.check()
        causes = {axis: file.stop_cause(axis) for axis in axes if file.stopped[axis] >= since}
        stops = {axis: cause for axis, cause in causes.items() if cause is not StopCause.SETTING}
        for axis, cause in stops.items():
            if cause is not StopCause.STOP:
                return RecordedStops(any=True, cause=f"axis {axis}: {CAUSES[cause]}")
        return RecordedStops(any=bool(stops))

    def _on_axis_file_lost(self, loss: Loss) -> None:
        """Log that the file of owners and stops was lost, and stop all axes; any thread may call.

        What was asked of them before is refused by then, in every process.
        """
        if not loss.renewed:
            now = "motion is refused until it can be put back"
        else:
            now = "all axes are stopped, and it is put back" if loss.first else "it is put back"
        self.log_error(f"The file of owners and stops {loss.path} was lost: {loss.why}; {now}")
        if loss.first:
            try:
                self._stop_all(self.driver.motion.status())
            except WmxError as error:
                if isinstance(error, EngineLost):  # it may live, and tasks end as the node detaches
                    with suppress(EngineLost):
                        with_every_axis(
                            lambda axis: self.gate.end_motion([axis], message=FILE_LOST)
                        )
                if error.code != ErrorCode.DeviceIsNull:
                    self.supervisor.add_task("stopping", self._stop_all)

    def _stop_all(self, status: MotionStatus) -> bool:
        """Stop all axes; False, for the supervisor has to do so once."""
        if status.communicating:
            axes = range(status.axes)
            self.gate.end_until_taken(axes, FILE_LOST)
        return False
