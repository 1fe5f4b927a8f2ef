"""The file that all processes on one engine share: owners, stops, stop inputs, the speed.

What is in it is described in `records`, and what is done where it is lost in `renewable`.
Which member is alive, and who is commanding an axis right now, is kept by the kernel: as locks on
single bytes (`locked`), which it releases when their process ends, however it ends.

| locked byte      | held by                                                   |
|------------------|-----------------------------------------------------------|
| axis 0 to 127    | the member that is commanding the axis, during the call   |
| IN_USE           | every member, shared                                      |
| ENGINE           | the engine node that leads the system                     |
| RENEW            | the member that puts a lost file back                     |
| MEMBERS + number | the member of that number                                 |
| SETTINGS         | the member that changes the document of settings          |

Times are those of the steady clock, s; all processes of a machine have the same one.
"""

import os
import struct
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from math import inf
from pathlib import Path
from uuid import UUID, uuid4

import numpy as np

from wmx_core.clock import STEADY, Clock
from wmx_core.path_lock import is_locked
from wmx_core.reactions import StopInput
from wmx_core.values import MAX_AXES, EmergencyStop, Floats

from .records import (
    ANY_REVISION,
    AXIS,
    FULL_SPEED,
    MAX_MEMBERS,
    NAME_SIZE,
    NO_MEMBER,
    OFF,
    RECORDS,
    AxisPause,
    Records,
    ServoHistory,
    Speed,
    StopCause,
    Unreadable,
    axis_offset,
    header_offset,
)
from .renewable import ENGINE, MEMBERS, SETTINGS, Loss, RenewableFile

_AXES_AT, _KEPT, _COMMANDED = (
    axis_offset(0, "stopped"),
    *(axis_offset(0, field) - axis_offset(0, "stopped") for field in ("kept", "commanded")),
)
_TIME = struct.Struct("=d")
_NEW_OWNER = struct.Struct("=?xhxx")
"""The fields of an axis before the time at which it was commanded."""
_ALWAYS_STOPPED = np.full(MAX_AXES, inf)


class SharedAxisFile:
    """The view that one member has of the file at `path`; any thread may call."""

    def __init__(
        self,
        path: Path,
        name: str,
        system_id: UUID | None = None,
        on_loss: Callable[[Loss], object] = lambda loss: None,
        clock: Clock = STEADY,
    ) -> None:
        """Open the file, which is made if need be; others read `name`. OSError where it cannot be.

        The first member begins a system, which has the id `system_id`, or a new one. `on_loss` is
        called in whatever thread finds that the file is lost.
        """
        self.name = f"{name}, process {os.getpid()}"
        self._leads = False
        self._clock = clock
        id = system_id or uuid4()
        self._file = RenewableFile(path, self.name, id, on_loss, self._restore, clock)

    @property
    def number(self) -> int:
        """The number of this member."""
        return self._file.number

    @property
    def problem(self) -> str:
        """Why the file cannot be used, in words; empty while it can."""
        return self._file.why_unusable()

    def require_usable(self) -> None:
        """AxisFileLost while the file is lost."""
        self._file.require_usable()

    def check(self) -> bool:
        """Put the file back if it is lost; whether it is in use."""
        return self._file.check()

    def close(self) -> None:
        """Leave; the last member removes the file, unless a client has yet to undo what is in it.

        That is an emergency stop that is in force, and stop inputs; and settings and the speed,
        unless the system was ended on purpose: its engine may have been lost.
        """
        self.check()  # else the last member would take what is to stay along
        self._file.close(self._is_to_stay)

    def _is_to_stay(self, file: int) -> bool:
        try:
            records = Records(os.pread(file, RECORDS.itemsize, 0))
        except Unreadable:
            records = self._file.last_sound()
        header = records.header[0]
        has_settings = bool(header["settings_revision"])
        has_speed = records.speed != Speed()
        if header["ended"] and has_speed:
            os.pwrite(file, bytes(2), header_offset("slower"))
            has_speed = False
        if header["ended"] and has_settings:
            # First: a document that is missing then is no loss.
            os.pwrite(file, bytes(8), header_offset("settings_revision"))
            has_settings = False
            settings = self.settings_path
            for each in settings.parent.glob(f"{settings.name}*"):
                with suppress(OSError):  # also what a process was writing when it was killed
                    each.unlink()
        stopped = records.emergency_stop is not None or bool(records.axes["stop_input"].any())
        return stopped or has_settings or has_speed

    @property
    def system_id(self) -> UUID:
        """The id of the system of all members: that which its first member gave it."""
        return UUID(bytes=self._file.known().system)

    # Members

    def is_alive(self, number: int) -> bool:
        """Whether the member `number` has the file open; one of an unreadable number may."""
        if not 0 <= number < MAX_MEMBERS:
            return number != NO_MEMBER
        return number == self.number or self._file.is_locked(MEMBERS + number)

    def member_name(self, number: int) -> str:
        """The name of a member, such as "/mover (jog), process 7"; empty for NO_MEMBER."""
        if not 0 <= number < MAX_MEMBERS:
            return "" if number == NO_MEMBER else "an unknown node"
        return self._file.names(number, 1).partition(b"\0")[0].decode(errors="replace")

    def members_of(self, node: str) -> frozenset[str]:
        """The names of the members of `node`, a fully qualified name, that are alive."""
        members = set()
        names = np.frombuffer(self._file.names(), f"S{NAME_SIZE}").tolist()
        for number, name in enumerate(names):
            if name.startswith(node.encode()):
                member = name.decode(errors="replace")
                if is_of(member, node) and self.is_alive(number):
                    members.add(member)
        return frozenset(members)

    def nodes(self) -> list[str]:
        """The fully qualified names of the nodes that are alive; a program has no slash."""
        names = np.frombuffer(self._file.names(), f"S{NAME_SIZE}").tolist()
        return sorted(
            {
                _node_of(name.decode(errors="replace"))
                for number, name in enumerate(names)
                if name.startswith(b"/") and self.is_alive(number)
            }
        )

    # Owners

    def begin_command(self, axes: Sequence[int]) -> int | None:
        """Lock `axes` while they are commanded; else the first that another member commands.

        AxisFileLost while the file is lost.
        """
        self._file.require_usable()
        for i, axis in enumerate(axes):
            if not self._file.lock(axis):
                self.end_command(axes[:i])
                return axis
        return None

    def end_command(self, axes: Iterable[int]) -> None:
        """Unlock `axes`."""
        for axis in axes:
            self._file.unlock(axis)

    def records(self) -> Records:
        """All records, to be read together; while the file is lost, what was known of it last."""
        return self._file.known()

    def owner(self, axis: int) -> int:
        """The number of the member that commanded `axis` last, or NO_MEMBER."""
        return int(self._file.known().owner[axis])

    def set_owner(self, axis: int, number: int, commanded_at: float) -> None:
        """Let the member `number` be the last that commanded `axis`.

        What another one has kept is not kept any more: only one that is dead can have left it so.
        """
        at, time = _AXES_AT + axis * AXIS.itemsize, _TIME.pack(commanded_at)
        if self._file.known().owner[axis] == number:
            self._file.write(at + _COMMANDED, time)
        else:
            self._file.write(at + _KEPT, _NEW_OWNER.pack(False, number) + time)

    def commanded_at(self, axis: int) -> float:
        """When `axis` was commanded last, s."""
        return float(self._file.known().commanded[axis])

    def axes_of(self, numbers: Collection[int]) -> list[int]:
        """The axes that the members `numbers` have commanded last."""
        owners = self._file.known().owner.tolist()
        return [axis for axis, owner in enumerate(owners) if owner in numbers]

    def axes_of_others(self, numbers: Collection[int]) -> list[int]:
        """The axes that other members than `numbers` have commanded last."""
        owners = self._file.known().owner.tolist()
        return [axis for axis, owner in enumerate(owners) if owner not in (NO_MEMBER, *numbers)]

    def keep(self, axis: int, *, kept: bool) -> None:
        """Let the owner of `axis` own it while it rests, too; or no longer."""
        self._put(axis, "kept", kept)

    def is_kept(self, axis: int) -> bool:
        """Whether the owner of `axis` owns it while it rests, too."""
        return bool(self._file.known().kept[axis])

    # Stops

    @property
    def stopped(self) -> Floats:
        """When each axis was stopped last, s; 0 for never, infinite while the file is lost."""
        records = self._file.usable()
        return _ALWAYS_STOPPED if records is None else records.stopped

    def record_stop(self, axes: Iterable[int], cause: StopCause = StopCause.STOP) -> None:
        """Refuse from now on, in every process, what was asked of `axes` before."""

        def record() -> None:
            for axis in stopped:
                now = _TIME.pack(self._clock.now()) + bytes([cause])
                self._file.write(_AXES_AT + axis * AXIS.itemsize, now)
                if cause in OFF:
                    off = bytes([cause]) + now[: _TIME.size]
                    self._file.write(axis_offset(axis, "off_cause"), off)

        stopped = list(axes)
        self._file.write_surely(record)

    def stop_cause(self, axis: int) -> StopCause:
        """The cause of the last stop of `axis`."""
        records = self._file.usable()
        return StopCause.FILE_LOST if records is None else records.stop_cause(axis)

    def off_cause(self, axis: int, since: float) -> StopCause | None:
        """Why a servo does not come on by what was asked for at `since`, s; None if it does."""
        records = self._file.usable()
        return StopCause.FILE_LOST if records is None else records.off_cause(axis, since)

    @property
    def emergency_stop(self) -> EmergencyStop | None:
        """The level of the emergency stop that a client has asked for and none has released."""
        return self._file.known().emergency_stop

    @emergency_stop.setter
    def emergency_stop(self, level: EmergencyStop | None) -> None:
        number = 0 if level is None else level + 1
        self._set_header("emergency_stop", bytes([number, False]))  # which "assumed" follows

    @property
    def assumed_stop(self) -> bool:
        """Whether the emergency stop stands for what an unreadable file may have had in it."""
        return bool(self._file.known().header["assumed"][0])

    # The speed

    @property
    def speed(self) -> Speed:
        """How fast axes move, as a client has set it last."""
        return self._file.known().speed

    @speed.setter
    def speed(self, speed: Speed) -> None:
        self._set_header("slower", bytes([FULL_SPEED - speed.percent, speed.paused]))

    def pauses(self) -> dict[int, AxisPause]:
        """The axes that rest where their motions were paused, as the owners have set it."""
        return self._file.known().pauses()

    def set_pause(self, axis: int, pause: AxisPause) -> None:
        """Record what the pause has made of an axis; by its owner, and by who pauses anew."""
        if self._file.known().axes["pause"][axis] != pause:
            self._put(axis, "pause", pause)

    # Stop inputs

    def stop_inputs(self) -> list[StopInput]:
        """The inputs that stop axes, as a client has set them."""
        try:
            return self._file.known().stop_inputs()
        except Unreadable:
            self.check()
            return self._file.last_sound().stop_inputs()

    def set_stop_inputs(self, inputs: Iterable[StopInput]) -> None:
        """Record all the inputs that stop axes."""

        def record() -> None:
            for axis in set(range(MAX_AXES)).difference(wanted):
                self._put(axis, "stop_input", 0)
            for axis, each in wanted.items():
                self._put(axis, "stop_input_byte", each.address)
                self._put(axis, "stop_input_bit", each.bit)
                self._put(axis, "stop_input_value", each.value)
                self._put(axis, "stop_input", each.kind + 1)  # last: now it is in force

        wanted = {each.axis: each for each in inputs}
        self._file.write_surely(record)

    # Servos

    def servo_history(self, axis: int) -> ServoHistory:
        """Whether a client switched the servo of `axis`; SWITCHED_OFF while the file is lost."""
        records = self._file.usable()
        return ServoHistory.SWITCHED_OFF if records is None else records.servo_history(axis)

    def set_servo_history(self, axis: int, history: ServoHistory) -> None:
        """Record what is done to the servo of `axis`."""
        self._file.write_surely(lambda: self._put(axis, "servo", history))

    # Settings

    @property
    def settings_path(self) -> Path:
        """Where the document of settings is."""
        return self._file.path.with_name(f"{self._file.path.name}.settings")

    def lock_settings(self) -> bool:
        """Let no other member change the document of settings; false where one does."""
        return self._file.lock(SETTINGS)

    def unlock_settings(self) -> None:
        """Let others change it."""
        self._file.unlock(SETTINGS)

    @property
    def settings_revision(self) -> int:
        """The revision of the newest document of settings; 0 for none."""
        return int(self._file.known().header["settings_revision"][0])

    @settings_revision.setter
    def settings_revision(self, revision: int) -> None:
        self._set_header("settings_revision", np.uint64(revision).tobytes())

    @property
    def ended(self) -> bool:
        """Whether the system was ended on purpose: the next one begins with the files."""
        return bool(self._file.known().header["ended"][0])

    @ended.setter
    def ended(self, ended: bool) -> None:
        self._set_header("ended", bytes([ended]))

    # The engine

    def lead(self) -> bool:
        """Lead the engine until this member leaves; false where another member does."""
        self._leads = self._file.lock(ENGINE)
        if self._leads:
            self._set_header("leader", np.int16(self.number).tobytes())
        return self._leads

    def leader(self) -> str:
        """The name of the other member that leads the engine; empty if there is none."""
        number = int(self._file.known().header["leader"][0])
        return self.member_name(number) if self._file.is_locked(ENGINE) else ""

    @property
    def engine_ready(self) -> bool:
        """Whether the engine is ready, as the member that leads it has set it."""
        return bool(self._file.known().header["engine_ready"][0])

    @engine_ready.setter
    def engine_ready(self, ready: bool) -> None:
        self._set_header("engine_ready", bytes([ready]))

    def _restore(self, before: Records, number: int) -> None:
        """Go on with another file as with the lost one, of which `before` was known last.

        The engine node alone sets emergency stops, stop inputs and the speed, and ends the system:
        what it has set last counts. So does what this member, which had that `number`, has done to
        its axes: who put the file back may have read it before.
        Settings that have been recorded since the file was read last are in their document.
        """
        now = self.records()
        for axis in (before.owner == number).nonzero()[0].tolist():
            commanded = float(before.commanded[axis])
            if now.owner[axis] in (self.number, NO_MEMBER) or commanded == inf:
                self.set_owner(axis, self.number, commanded)
                self.keep(axis, kept=bool(before.kept[axis]))
        if not self.settings_revision and os.path.lexists(self.settings_path):
            self.settings_revision = ANY_REVISION
        if self._leads and self.lead():
            self.emergency_stop = before.emergency_stop
            self.engine_ready = bool(before.header["engine_ready"][0])
            self.ended = bool(before.header["ended"][0])
            self.speed = before.speed
            with suppress(Unreadable):
                self.set_stop_inputs(before.stop_inputs())

    def _put(self, axis: int, field: str, value: float) -> None:
        self._file.write(axis_offset(axis, field), np.array(value, AXIS[field]).tobytes())

    def _set_header(self, field: str, data: bytes) -> None:
        self._file.write_surely(lambda: self._file.write(header_offset(field), data))


def engine_ready(path: Path) -> bool | None:
    """Whether the engine of the file at `path` is ready, as the member that leads it has set it.

    None where none leads it. The caller is no member by that: the file lasts no longer.
    """
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        records = Records(os.pread(file, RECORDS.itemsize, 0))
        return bool(records.header["engine_ready"][0]) if is_locked(file, ENGINE) else None
    except Unreadable:
        return None
    finally:
        os.close(file)


def is_of(member: str, node: str) -> bool:
    """Whether the name of a member, such as "/mover (jog), process 7", is one of `node`."""
    return _node_of(member) == node


def _node_of(member: str) -> str:
    return member.partition(",")[0].partition(" ")[0]
