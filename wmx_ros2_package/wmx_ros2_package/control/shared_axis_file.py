"""The file that all processes on one engine share: owners, stops, the emergency stop, stop inputs.

Its contents are mapped into every process, so that reading them needs no system call. Which member
is alive, and who is commanding an axis right now, is kept by the kernel: as locks on single bytes
(`locked_file`), which it releases when their process ends, however it ends.

| locked byte      | held by                                                   |
|------------------|-----------------------------------------------------------|
| axis 0 to 127    | the member that is commanding the axis, during the call   |
| IN_USE           | every member, shared                                      |
| ENGINE           | the engine node that leads the system                     |
| MEMBERS + number | the member of that number                                 |
| SETTINGS         | the member that changes the document of settings          |

Times are those of the steady clock, s; all processes of a machine have the same one.
"""

import mmap
import os
import time
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from enum import IntEnum
from pathlib import Path
from uuid import UUID, uuid4

import numpy as np

from ..drivers.reactions import StopInput, StopKind
from ..drivers.values import MAX_AXES, EmergencyStop, Floats
from .locked_file import LockedFile, is_locked

IN_USE = MAX_AXES
ENGINE = MAX_AXES + 1
MEMBERS = MAX_AXES + 2
MAX_MEMBERS = 128
SETTINGS = MEMBERS + MAX_MEMBERS
NO_MEMBER = -1
_NAME_SIZE = 192


class StopCause(IntEnum):
    """The cause of a recorded stop."""

    STOP = 0
    EMERGENCY_STOP = 1
    SETTING = 2
    """A setting that gives positions another meaning: mode, units, direction, zero."""
    SERVO_OFF = 3
    """The servo was switched off."""


class ServoHistory(IntEnum):
    """Whether clients or nodes have switched the servo of an axis."""

    UNTOUCHED = 0
    """Nothing since the system was started."""
    SWITCHED_ON = 1
    """It was switched on: the node that does so at the start does not do it again."""
    SWITCHED_OFF = 2
    """A client has switched it off: it stays off until a client asks for it."""


_AXIS = np.dtype(
    [
        ("stopped", "f8"),
        ("commanded", "f8"),
        ("owner", "i2"),
        ("kept", "u1"),
        ("cause", "u1"),
        ("servo", "u1"),
        ("stop_input", "u1"),
        ("stop_input_bit", "u1"),
        ("stop_input_value", "u1"),
        ("stop_input_byte", "i4"),
        ("_", "u1", 4),
    ]
)
_CONTENTS = np.dtype(
    [
        ("emergency_stop", "u1"),
        ("engine_ready", "u1"),
        ("leader", "i2"),
        ("ended", "u1"),
        ("_", "u1", 3),
        ("settings_revision", "u8"),
        ("axes", _AXIS, MAX_AXES),
        ("members", f"S{_NAME_SIZE}", MAX_MEMBERS),
        ("system", "u1", 16),
    ]
)
_ENGINE_READY: int = _CONTENTS.fields["engine_ready"][1]  # type: ignore[index]
"""Where in the file that stands."""


class SharedAxisFile:
    """The view that one member has of the file at `path`; any thread may call."""

    def __init__(self, path: Path, name: str, system_id: UUID | None = None) -> None:
        """Open the file, which is made if need be; others read `name`. OSError where it cannot be.

        The first member begins a system, which has the id `system_id`, or a new one.
        Its space is reserved here, so that a disk that becomes full later keeps no stop from being
        recorded.
        """
        self.name = f"{name}, process {os.getpid()}"
        self._path = path
        self._file = file = LockedFile(path, IN_USE)
        try:
            os.posix_fallocate(file.number, 0, _CONTENTS.itemsize)
            contents = np.frombuffer(mmap.mmap(file.number, _CONTENTS.itemsize), _CONTENTS, 1)
            self._contents = contents
            self._axes = axes = contents["axes"][0]
            self._names = contents["members"][0]
            self._owner, self._kept, self._commanded = (
                axes["owner"],
                axes["kept"],
                axes["commanded"],
            )
            self.stopped: Floats = axes["stopped"]
            """When each axis was stopped last, s; 0 for never. All members share it."""
            if file.alone:
                self._begin_new_system(system_id or uuid4())
            file.share()
            self.number = self._join()
        except OSError:
            file.close(lambda: True)
            raise

    def close(self) -> None:
        """Leave; the last member removes the file, unless a client has yet to undo what is in it.

        That is an emergency stop that is in force, and stop inputs; and settings, unless the system
        was ended on purpose: its engine may have been lost.
        """
        self._file.close(self._is_pending)

    def _is_pending(self) -> bool:
        if self.ended and self.settings_revision:
            self.settings_revision = 0  # first: a document that is missing then is no loss
            with suppress(OSError):
                self.settings_path.unlink()
        stopped = self.emergency_stop is not None or bool(self._axes["stop_input"].any())
        return stopped or self.settings_revision > 0

    @property
    def system_id(self) -> UUID:
        """The id of the system of all members: that which its first member gave it."""
        return UUID(bytes=self._contents["system"][0].tobytes())

    # Members

    def is_alive(self, number: int) -> bool:
        """Whether the member `number` has the file open."""
        if number in (NO_MEMBER, self.number):
            return number != NO_MEMBER
        return self._file.is_locked(MEMBERS + number)

    def member_name(self, number: int) -> str:
        """The name of a member, such as "/mover (jog), process 7"; empty for NO_MEMBER."""
        return "" if number == NO_MEMBER else bytes(self._names[number]).decode(errors="replace")

    def members_of(self, node: str) -> frozenset[str]:
        """The names of the members of `node`, a fully qualified name, that are alive."""
        members = set()
        for number, name in enumerate(self._names.tolist()):
            if name.startswith(node.encode()):
                member = self.member_name(number)
                if is_of(member, node) and self.is_alive(number):
                    members.add(member)
        return frozenset(members)

    # Owners

    def begin_command(self, axes: Sequence[int]) -> int | None:
        """Lock `axes` while they are commanded; else the first that another member commands."""
        for i, axis in enumerate(axes):
            if not self._file.lock(axis):
                self.end_command(axes[:i])
                return axis
        return None

    def end_command(self, axes: Iterable[int]) -> None:
        """Unlock `axes`."""
        for axis in axes:
            self._file.unlock(axis)

    def owner(self, axis: int) -> int:
        """The number of the member that commanded `axis` last, or NO_MEMBER."""
        return int(self._owner[axis])

    def set_owner(self, axis: int, number: int, commanded_at: float) -> None:
        """Let the member `number` be the last that commanded `axis`.

        What another one has kept is not kept any more: only one that is dead can have left it so.
        """
        if self._owner[axis] != number:
            self._kept[axis] = False
        self._owner[axis] = number
        self._commanded[axis] = commanded_at

    def commanded_at(self, axis: int) -> float:
        """When `axis` was commanded last, s."""
        return float(self._commanded[axis])

    def axes_of(self, numbers: Collection[int]) -> list[int]:
        """The axes that the members `numbers` have commanded last."""
        return [axis for axis, owner in enumerate(self._owner.tolist()) if owner in numbers]

    def keep(self, axis: int, *, kept: bool) -> None:
        """Let the owner of `axis` own it while it rests, too; or no longer."""
        self._kept[axis] = kept

    def is_kept(self, axis: int) -> bool:
        """Whether the owner of `axis` owns it while it rests, too."""
        return bool(self._kept[axis])

    # Stops

    def record_stop(self, axes: Iterable[int], cause: StopCause = StopCause.STOP) -> None:
        """Refuse from now on, in every process, what was asked of `axes` before."""
        for axis in axes:
            self._axes["cause"][axis] = cause
            self.stopped[axis] = time.monotonic()

    def stop_cause(self, axis: int) -> StopCause:
        """The cause of the last stop of `axis`."""
        return StopCause(int(self._axes["cause"][axis]))

    @property
    def emergency_stop(self) -> EmergencyStop | None:
        """The level of the emergency stop that a client has asked for and none has released."""
        number = int(self._contents["emergency_stop"][0])
        return EmergencyStop(number - 1) if number else None

    @emergency_stop.setter
    def emergency_stop(self, level: EmergencyStop | None) -> None:
        self._contents["emergency_stop"] = 0 if level is None else level + 1

    # Stop inputs

    def stop_inputs(self) -> list[StopInput]:
        """The inputs that stop axes, as a client has set them."""
        axes = self._axes
        return [
            StopInput(
                axis=axis,
                address=int(axes["stop_input_byte"][axis]),
                bit=int(axes["stop_input_bit"][axis]),
                value=bool(axes["stop_input_value"][axis]),
                kind=StopKind(int(axes["stop_input"][axis]) - 1),
            )
            for axis in axes["stop_input"].nonzero()[0].tolist()
        ]

    def set_stop_inputs(self, inputs: Iterable[StopInput]) -> None:
        """Record all the inputs that stop axes."""
        axes, wanted = self._axes, list(inputs)
        axes["stop_input"][~np.isin(np.arange(MAX_AXES), [each.axis for each in wanted])] = 0
        for each in wanted:
            axes["stop_input_byte"][each.axis] = each.address
            axes["stop_input_bit"][each.axis] = each.bit
            axes["stop_input_value"][each.axis] = each.value
            axes["stop_input"][each.axis] = each.kind + 1  # last: now it is in force

    # Servos

    def servo_history(self, axis: int) -> ServoHistory:
        """What was done to the servo of `axis`."""
        return ServoHistory(int(self._axes["servo"][axis]))

    def set_servo_history(self, axis: int, history: ServoHistory) -> None:
        """Record what is done to the servo of `axis`."""
        self._axes["servo"][axis] = history

    # Settings

    @property
    def settings_path(self) -> Path:
        """Where the document of settings is."""
        return self._path.with_name(f"{self._path.name}.settings")

    def lock_settings(self) -> bool:
        """Let no other member change the document of settings; false where one does."""
        return self._file.lock(SETTINGS)

    def unlock_settings(self) -> None:
        """Let others change it."""
        self._file.unlock(SETTINGS)

    @property
    def settings_revision(self) -> int:
        """The revision of the newest document of settings; 0 for none."""
        return int(self._contents["settings_revision"][0])

    @settings_revision.setter
    def settings_revision(self, revision: int) -> None:
        self._contents["settings_revision"] = revision

    @property
    def ended(self) -> bool:
        """Whether the system was ended on purpose: the next one begins with the files."""
        return bool(self._contents["ended"][0])

    @ended.setter
    def ended(self, ended: bool) -> None:
        self._contents["ended"] = ended

    # The engine

    def lead(self) -> bool:
        """Lead the engine until this member leaves; false where another member does."""
        if leads := self._file.lock(ENGINE):
            self._contents["leader"] = self.number
        return leads

    def leader(self) -> str:
        """The name of the other member that leads the engine; empty if there is none."""
        number = int(self._contents["leader"][0])
        return self.member_name(number) if self._file.is_locked(ENGINE) else ""

    @property
    def engine_ready(self) -> bool:
        """Whether the engine is ready, as the member that leads it has set it."""
        return bool(self._contents["engine_ready"][0])

    @engine_ready.setter
    def engine_ready(self, ready: bool) -> None:
        self._contents["engine_ready"] = ready

    def _begin_new_system(self, system_id: UUID) -> None:
        """Forget what an earlier system has left, but for what only a client may undo."""
        servo = self._axes["servo"]
        servo[servo != ServoHistory.SWITCHED_OFF] = ServoHistory.UNTOUCHED
        self._owner[:] = NO_MEMBER
        for field in ("kept", "commanded", "stopped", "cause"):
            self._axes[field] = 0
        self._names[:] = b""
        self._contents["leader"] = NO_MEMBER
        self._contents["system"][0] = list(system_id.bytes)
        self.engine_ready = False
        self.ended = False

    def _join(self) -> int:
        """Take the first number that no member has, and what its last member has left."""
        for number in range(MAX_MEMBERS):
            if self._file.lock(MEMBERS + number):
                left = self._owner == number
                self._kept[left], self._owner[left] = 0, NO_MEMBER
                self._names[number] = self.name.encode()
                return number
        raise OSError(f"{self._path} has {MAX_MEMBERS} members: no more may join")


def engine_ready(path: Path) -> bool | None:
    """Whether the engine of the file at `path` is ready, as the member that leads it has set it.

    None where none leads it. The caller is no member by that: the file lasts no longer.
    """
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return bool(any(os.pread(file, 1, _ENGINE_READY))) if is_locked(file, ENGINE) else None
    finally:
        os.close(file)


def is_of(member: str, node: str) -> bool:
    """Whether the name of a member, such as "/mover (jog), process 7", is one of `node`."""
    return member.partition(",")[0].partition(" ")[0] == node
