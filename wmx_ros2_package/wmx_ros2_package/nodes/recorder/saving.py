"""Writes the files, in a thread of its own: no other thread waits for the disk.

| what asks for a file        | when it is written                                              |
|-----------------------------|-----------------------------------------------------------------|
| the service                 | at once                                                         |
| a trigger                   | `seconds_after` later, `seconds_between` after the last at least |
| the parameter `continuous`  | all the time, a new file at `file_megabytes`                    |
"""

import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from wmx_core.clock import Clock
from wmx_core.values import MotionStatus

from ...messages.engine_status_cdr import engine_status_cdr, values_of
from ...node_base.context import NodeContext
from ...recordings.errors import RecordingError
from ...recordings.files import Folder, RecordingFile
from ...recordings.mending import mend_all
from ...recordings.ring import Item, Ring
from ...recordings.schemas import UnknownType
from .clock import WallClock
from .parameters import RecorderParameters
from .sources import STATUS, Sources
from .triggers import ENGINE, Trigger

TICK = 0.5
"""How often what was recorded is written to a continuous file, s."""
RETRY_PERIOD = 10.0
"""How long after a disk has refused a file it is tried again, s."""
END_TIMEOUT = 20.0
"""How long the end of the node waits for a file that is being written, s."""
BY_REQUEST = "saved"
CONTINUOUS = "continuous"
MOST_REASONS = 20


class Saver:
    """Writes recordings of `ring`; any thread may call."""

    def __init__(
        self, node: NodeContext[RecorderParameters], ring: Ring, sources: Sources, wall: WallClock
    ) -> None:
        self._node = node
        self._ring = ring
        self._sources = sources
        self._wall = wall
        p = node.parameters
        self._folder = Folder(
            p.path, p.disk_megabytes << 20, p.least_free_megabytes << 20, node.clock
        )
        self.most_bytes = p.file_megabytes << 20
        """How large a continuous file may get."""
        self._continuous = _Continuous(self, ring, sources, node.clock) if p.continuous else None
        """It goes on where it was, however often the node is activated."""
        self._reasons: list[Trigger] = []
        """The trigger of the next file."""
        self._due = float("inf")
        """When it is written, s of the steady clock."""
        self._not_before = 0.0
        self._mend_due = 0.0
        """When what was left is looked for again, s of the steady clock."""
        self._not_mended: set[str] = set()
        """Why what is left cannot be mended: each is logged once."""
        self._wake = node.clock.condition()
        self._ended = True
        self._life = 0
        """How often the node was activated: a thread ends with its own."""
        self._writing = threading.Lock()
        """Held while a file of the whole ring is written."""
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin, in the thread of its own."""
        with self._wake:
            self._reasons, self._due = [], float("inf")  # those of before have ended
            self._ended, self._life = False, self._life + 1
        self._thread = threading.Thread(
            target=self._run,
            args=(self._life, self._thread),
            name=f"{self._node.name}-writer",
            daemon=True,
        )
        self._thread.start()

    def stop(self) -> None:
        """Write what is due, and end."""
        with self._wake:
            self._ended = True
            self._wake.notify()
        if self._thread is not None:
            self._thread.join(END_TIMEOUT)
            if self._thread.is_alive():
                self.report(RecordingError(f"{self._folder.path} takes too long: a file is lost"))

    def trigger(self, trigger: Trigger) -> None:
        """Have a file written because of `trigger`, unless nothing is written any more."""
        p = self._node.parameters
        name, words = trigger
        if name not in p.triggers or self._ended:
            return
        with self._wake:
            if not self._reasons:
                self._due = max(self._node.clock.now() + p.seconds_after, self._not_before)
                self._wake.notify()
            if len(self._reasons) < MOST_REASONS:
                self._reasons.append(trigger)
        self._node.log.info(f"A recording will be written: {words}", throttle_duration_sec=1.0)

    def save(self, reasons: list[Trigger]) -> Path:
        """Write a file of what is in memory now; RecordingError where that is not possible."""
        with self._writing:
            items = list(self._ring)
            file = self.begin(reasons, items)
            try:
                self.write(file, items)
                return file.close()
            except OSError as error:
                file.abandon()
                raise RecordingError(f"{file.path} cannot be written: {error}") from error
            except BaseException:
                file.abandon()
                raise

    # The thread

    def _run(self, life: int, before: threading.Thread | None) -> None:
        if before is not None:
            before.join()  # which the disk may keep for longer than its end was waited for
        self.mend()
        continuous = self._continuous
        while not self._ended and life == self._life:
            with self._wake:
                tick = TICK if continuous else 2.0 * TICK
                self._wake.wait(min(tick, max(0.0, self._due - self._node.clock.now())))
            self._wall.check(self._report_jump)
            if self._node.clock.now() >= self._mend_due:
                self.mend()
            if self._node.clock.now() >= self._due:
                self._save_triggered()
            if continuous:
                continuous.write()
        if any(name != ENGINE for name, _ in self._reasons):  # which has ended with all of us
            self._save_triggered()
        if continuous:
            continuous.write()
            continuous.close()

    def _save_triggered(self) -> None:
        with self._wake:
            reasons, self._reasons, self._due = self._reasons, [], float("inf")
        try:
            path = self.save(reasons)
            self._node.log.info(f"Recording written for {reasons[0][0]}: {path}")
            with self._wake:
                between = self._node.parameters.seconds_between
                self._not_before = self._node.clock.now() + between
                self._due = max(self._due, self._not_before)  # of what came while it was written
        except RecordingError as error:
            self.report(error)
            if not self._ended:
                with self._wake:
                    self._reasons = [*reasons, *self._reasons][:MOST_REASONS]
                    self._due = self._node.clock.now() + RETRY_PERIOD

    def mend(self) -> None:
        """Make whole recordings of what was left by writers that have ended.

        What cannot be mended now, such as for want of room, is tried again every RETRY_PERIOD.
        """
        self._mend_due = self._node.clock.now() + RETRY_PERIOD
        failures: set[str] = set()
        for path in mend_all(self._folder, lambda error: failures.add(str(error))):
            self._node.log.warning(f"A recording was not whole and is mended: {path}")
        for failure in failures - self._not_mended:
            self._node.log.error(failure)
        self._not_mended = failures

    def _report_jump(self, seconds: float) -> None:
        self._node.log.warning(
            f"The system clock has jumped by {seconds:+.3f} s: what is written from now on has "
            "the new time"
        )

    def report(self, error: Exception) -> None:
        """Log why something was not recorded."""
        self._node.log.error(str(error), throttle_duration_sec=RETRY_PERIOD)

    # What goes into a file

    def has_room(self) -> bool:
        """Whether as much of the disk is free as is to stay so; OSError without a folder."""
        try:
            self._folder.require_room()
        except RecordingError:
            return False
        return True

    def begin(self, reasons: list[Trigger], items: Sequence[Item]) -> RecordingFile:
        """Begin a file of `items`, and of what comes after them; or RecordingError."""
        first = items[0].time if items else self._node.clock.now()
        file = self._folder.begin(self._wall(first) * 1e-9, reasons[0][0])
        try:
            self._describe(file, first, reasons)
        except OSError as error:
            file.abandon()
            raise RecordingError(f"{file.path} cannot be written: {error}") from error
        return file

    def _describe(self, file: RecordingFile, first: float, reasons: list[Trigger]) -> None:
        driver, sources = self._node.driver, self._sources
        file.describe(
            {
                "node": self._node.full_name,
                "driver": driver.name,
                "simulated": str(driver.simulated).lower(),
                "device_path": self._node.common.device_path,
                "axes": str(sources.axes),
                "label": reasons[0][0],
                "reasons": "\n".join(words for _, words in reasons),
            }
        )
        stamp = self._wall(first)
        in_force = [xml for at, xml in sources.parameters if at <= first]
        if xml := (in_force or [xml for _, xml in sources.parameters[:1]])[-1:]:
            file.attach("parameters.xml", "application/xml", xml[0].encode(), stamp)
        if sources.machine:
            file.attach("machine.yaml", "application/yaml", sources.machine.encode(), stamp)

    def write(self, file: RecordingFile, items: Iterable[Item]) -> None:
        """Add `items` to `file`; OSError where the disk refuses."""
        prefix = self._node.full_name.rpartition("/")[0]
        kinds = self._sources.kinds
        for item in items:
            data = item.data
            if isinstance(data, bytes):
                topic = item.topic if item.topic.startswith("/") else f"{prefix}/{item.topic}"
                with suppress(UnknownType):
                    file.add(topic, kinds[item.topic], self._wall(item.time), data)
                continue
            for values in [values_of(data)] if isinstance(data, MotionStatus) else data.values():
                stamps = [self._wall(time) for time in values["time"]]
                for stamp, message in zip(stamps, engine_status_cdr(values, stamps), strict=True):
                    file.add(f"{prefix}/{STATUS}", kinds[STATUS], stamp, message)


class _Continuous:
    """Writes everything, file after file."""

    def __init__(self, saver: Saver, ring: Ring, sources: Sources, clock: Clock) -> None:
        self._saver = saver
        self._clock = clock
        self._ring = ring
        self._sources = sources
        self._engine = 0, ""
        """The axes and the machine file that the file names, as far as they were known."""
        self._written = 0
        """The number of the newest item that was written."""
        self._file: RecordingFile | None = None
        self._not_before = 0.0

    def write(self) -> None:
        """Write what is new; what the disk refuses is lost, and that is logged."""
        if self._clock.now() < self._not_before:
            return
        engine = self._sources.axes, self._sources.machine
        if self._sources.axes and engine != self._engine:
            self.close()  # the next one names them
        number, lost, items = self._ring.since(self._written)
        if lost and self._written:
            self._saver.report(
                RecordingError(
                    f"{lost} messages are lost: they came faster than the disk took them"
                )
            )
        try:
            if self._file is not None and not self._saver.has_room():
                self.close()  # `begin` says why there is no other one yet
            if self._file is None:
                self._engine = engine
                self._file = self._saver.begin([(CONTINUOUS, "everything is recorded")], items)
            self._saver.write(self._file, items)
            self._file.flush_when_due()
            self._written = number
            if self._file.size >= self._saver.most_bytes:
                self.close()
        except (OSError, RecordingError) as error:
            self._not_before = self._clock.now() + RETRY_PERIOD
            self._saver.report(RecordingError(f"Recording is interrupted: {error}"))
            if self._file is not None:
                self._file.abandon(remove=False)
            self._file = None

    def close(self) -> None:
        """Finish the file."""
        file, self._file = self._file, None
        if file is None:
            return
        try:
            file.close()
        except OSError as error:
            file.abandon(remove=False)
            self._saver.report(RecordingError(f"{file.path} cannot be finished: {error}"))
