"""Who may command an axis: whoever commanded it last, in any process, for as long as it moves.

- An axis belongs to the member that commanded it last, for as long as it moves. A member is a node
  with a purpose: "/wmx_core_motion_node (jog)". Its own later commands take over, as the engine
  lets them. An axis that rests has no owner: the first member that commands it becomes its owner.
- Every other member is refused at once with ResourceInUse, in words that name the owner. What is
  refused for one axis is refused for all axes of the command, and nothing moves.
- A claim keeps axes that rest, too, for as long as a trajectory or a stream lasts.
- Stops, emergency stops, switching servos off and clearing alarms need no ownership.
- The settings that change what a position means (mode, polarity, gear ratio, zero, parameters) are
  refused while another member owns the axis.
- A member whose process has ended, however it ended, owns nothing.
"""

import os
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from math import inf
from pathlib import Path
from uuid import UUID, uuid4

from wmx_core.clock import STEADY, Clock
from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.private_directory import private_directory
from wmx_core.values import (
    DEFAULT_DEVICE_PATH,
    MAX_AXES,
    EmergencyStop,
    Floats,
    MotionStatus,
    OperationState,
)

from .axis_file import shared
from .axis_file.records import NAME_SIZE, NO_MEMBER, Records
from .axis_file.renewable import Loss
from .axis_file.shared import SharedAxisFile

VERSION = 9
"""The version of the file's contents: processes of another version have another file."""
CHECK_PERIOD = 0.5
"""How often it is checked whether the file is still where new processes find it, s."""


class AxisOwned(CommandRefused):
    """The refusal of every member but the owner of the axis."""

    def __init__(self, axis: int, owner: str) -> None:
        super().__init__(ErrorCode.ResourceInUse, f"axis {axis} is owned by {owner}")


class Ownership:
    """The axes of one device: which of its purposes, or which other member, owns which.

    While the device is closed it owns nothing, and refuses nothing: the engine does.
    """

    def __init__(
        self,
        backend: str,
        status: Callable[[], MotionStatus],
        latency: float,
        on_file_lost: Callable[[Loss], object] = lambda loss: None,
        clock: Clock = STEADY,
    ) -> None:
        """Own axes of the engine of `backend`; a status shows a command after `latency` s.

        `on_file_lost` is called, in any thread, where the file that all members share is lost.
        """
        self._backend = backend
        self._status = status
        self._latency = latency
        self._on_file_lost = on_file_lost
        self.clock = clock
        """The clock of commands and stops."""
        self._checked_at = -inf
        """When the file was checked last, s of the steady clock."""
        self._members: dict[str, SharedAxisFile] = {}
        self._place: tuple[Path, str] | None = None
        self._last_system = uuid4()
        """The system in which it took part last: one that it begins anew is the same system, as
        after the engine was lost, when every node closes the file."""
        self._claims: Counter[tuple[str, int]] = Counter()
        """How many claims hold each axis for a purpose: one may begin before another has ended."""
        self._lock = threading.Lock()

    def open(self, device_path: str, node: str) -> None:
        """Take part as `node` in the system on the engine at `device_path`."""
        if (size := len(node.encode())) > NAME_SIZE:  # cut off, it would be taken for another one
            rule = f"has {size} bytes: must have {NAME_SIZE} at most"
            raise CommandRefused(ErrorCode.CreateDeviceLockError, f"the name {node} {rule}")
        try:
            self._place = _file_of(self._backend, device_path), node
            self.member("")
        except OSError as error:
            self.close()
            detail = f"who owns the axes cannot be kept: {error}"
            raise CommandRefused(ErrorCode.CreateDeviceLockError, detail) from error

    def keep_emergency_stop(self, device_path: str, node: str, level: EmergencyStop | None) -> None:
        """Keep a stop, or its release, for whoever opens the device, which is closed here.

        An OSError where that cannot be kept.
        """
        file = SharedAxisFile(
            _file_of(self._backend, device_path), node, self._last_system, clock=self.clock
        )
        file.emergency_stop = level
        file.close()

    def close(self) -> None:
        """Own nothing any more."""
        with self._lock:
            self._place = None
            members, self._members = self._members, {}
            self._claims = Counter()
        for member in members.values():
            member.close()

    def member(self, purpose: str) -> SharedAxisFile | None:
        """The view that this device has for `purpose`; None while it is closed."""
        member = self._members.get(purpose)
        if member is None and self._place is not None:
            with self._lock:
                if self._place is not None and purpose not in self._members:
                    path, node = self._place
                    name = f"{node} ({purpose})" if purpose else node
                    member = SharedAxisFile(
                        path, name, self._last_system, self._report(purpose), self.clock
                    )
                    self._members[purpose] = member
                    self._last_system = member.system_id
                return self._members.get(purpose)
        return member

    def check_file(self) -> bool:
        """Put the file that all members share back if it is lost; whether that was checked now.

        It is at most every CHECK_PERIOD.
        """
        now = self.clock.now()
        if now < self._checked_at + CHECK_PERIOD:
            return False
        self._checked_at = now
        for member in list(self._members.values()):
            member.check()
        return True

    def require_usable(self) -> None:
        """AxisFileLost while the file that all members share is lost."""
        if (file := self.file) is not None:
            file.require_usable()

    @property
    def problem(self) -> str:
        """Why axes cannot be owned, so that nothing can be commanded; empty while they can."""
        file = self.file
        return file.problem if file is not None else ""

    def _report(self, purpose: str) -> Callable[[Loss], None]:
        """Return a function that reports a loss of the file: once, unless it is not put back."""

        def report(loss: Loss) -> None:
            if loss.first or not purpose:
                self._on_file_lost(loss)

        return report

    @property
    def file(self) -> SharedAxisFile | None:
        """The file that all members share; None while the device is closed."""
        return self._members.get("")

    @property
    def system_id(self) -> UUID | None:
        """The id of the system, of which all nodes on one engine are; None while it is closed.

        It lasts as long as one of them: a system that is started anew has another one.
        """
        file = self.file
        return None if file is None else file.system_id

    @property
    def stopped(self) -> Floats | None:
        """When each axis was stopped last, s of the steady clock; None while it is closed."""
        file = self.file
        return None if file is None else file.stopped

    @contextmanager
    def commanding(self, axes: Iterable[int], purpose: str = "") -> Iterator[None]:
        """Own `axes` for `purpose` while and after they are commanded inside.

        AxisOwned where another member owns one of them, or another purpose of this device. An axis
        whose command the engine refuses belongs to whom it belonged before.
        """
        with self._exclusive(axes, purpose) as (member, wanted):
            if member is None:
                yield
                return
            now = self.clock.now()
            found = member.records()
            before = [
                (axis, int(found.owner[axis]), min(float(found.commanded[axis]), now))
                for axis in wanted
            ]
            for axis in wanted:  # it does not count as being at rest while it is commanded
                member.set_owner(axis, member.number, inf)
            try:
                yield
            except CommandRefused:
                with self._lock:
                    for axis, owner, at in before:
                        is_claimed = self._claims[purpose, axis] > 0  # also by another thread
                        member.set_owner(axis, member.number if is_claimed else owner, at)
                raise
            finally:
                for axis in wanted:
                    if member.commanded_at(axis) == inf:
                        member.set_owner(axis, member.number, self.clock.now())

    def require_free(self, axes: Iterable[int], purpose: str) -> None:
        """AxisOwned where `commanding` would raise it now; nothing is owned by that."""
        if (member := self.member(purpose)) is not None:
            self._require_free(_existing(axes), {member.number}, member)

    @contextmanager
    def setting(self, axes: Iterable[int]) -> Iterator[None]:
        """Change settings of `axes` inside; AxisOwned where another device owns one of them."""
        with self._exclusive(axes, None):
            yield

    @contextmanager
    def claim(self, axes: Iterable[int], purpose: str = "") -> Iterator[None]:
        """Own `axes` for `purpose` inside, whether they move or rest."""
        with self._exclusive(axes, purpose) as (member, wanted), self._lock:
            claims = self._claims
            for axis in wanted:
                claims[purpose, axis] += 1
                if member is not None:
                    if member.owner(axis) != member.number:  # else it may be commanding just now
                        member.set_owner(axis, member.number, self.clock.now())
                    member.keep(axis, kept=True)
        try:
            yield
        finally:
            with self._lock:
                # Once the device was closed, its axes may be those of a newer claim.
                for axis in wanted if claims is self._claims else ():
                    claims[purpose, axis] -= 1
                    member = self._members.get(purpose)
                    held = claims[purpose, axis] > 0
                    if member is not None and not held and member.owner(axis) == member.number:
                        member.keep(axis, kept=False)

    def last_commanded(self) -> list[int]:
        """The axes that this device has commanded last, or keeps."""
        members = dict(self._members)
        file = members.get("")
        return file.axes_of({m.number for m in members.values()}) if file is not None else []

    def being_commanded(self) -> list[int]:
        """The axes that this device is commanding just now."""
        if (file := self.file) is None:
            return []
        return [axis for axis in self.last_commanded() if file.commanded_at(axis) == inf]

    def commanded_by_others(self) -> list[int]:
        """The axes that another device has commanded last, or keeps."""
        members = list(self._members.values())
        file = self.file
        return file.axes_of_others({m.number for m in members}) if file is not None else []

    def owned(self, status: MotionStatus) -> list[int]:
        """The axes that this device owns in `status`: they move, or are kept."""
        file = self.file
        if file is None:
            return []
        records = file.records()
        return [axis for axis in self.last_commanded() if self._is_held(records, axis, status)]

    def owners(self, axes: Iterable[int], status: MotionStatus) -> dict[int, str]:
        """The names of the members that own `axes` in `status`, without the axes of no one."""
        file = self.file
        if file is None:
            return {}
        records = file.records()
        return {
            axis: file.member_name(int(records.owner[axis]))
            for axis in _existing(axes)
            if self._is_owned(file, records, axis, status)
        }

    @contextmanager
    def _exclusive(
        self, axes: Iterable[int], purpose: str | None
    ) -> Iterator[tuple[SharedAxisFile | None, Sequence[int]]]:
        """Keep every other member from commanding `axes` inside, or AxisOwned.

        Without a `purpose` all purposes of this device may own them.
        """
        wanted = _existing(axes)
        member = self.member(purpose or "")
        if member is None:
            yield None, wanted
            return
        mine = {member.number}
        if purpose is None:
            mine = {each.number for each in list(self._members.values())}
        # Before the lock, too: what is refused must not get in the way of the owner's commands.
        self._require_free(wanted, mine, member)
        if (busy := member.begin_command(wanted)) is not None:
            raise AxisOwned(busy, member.member_name(member.owner(busy)) or "another command")
        try:
            self._require_free(wanted, mine, member)
            yield member, wanted
        finally:
            member.end_command(wanted)

    def _require_free(
        self, axes: Iterable[int], mine: Collection[int], file: SharedAxisFile
    ) -> None:
        """AxisOwned where a living member that is not one of `mine` owns one of `axes`."""
        records = file.records()
        others = [axis for axis in axes if records.owner[axis] not in (NO_MEMBER, *mine)]
        if others:
            status = self._status()
            for axis in others:
                if self._is_owned(file, records, axis, status):
                    raise AxisOwned(axis, file.member_name(int(records.owner[axis])))

    def _is_owned(
        self, file: SharedAxisFile, records: Records, axis: int, status: MotionStatus
    ) -> bool:
        """Whether the member that commanded `axis` last still owns it in `status`."""
        owner = int(records.owner[axis])
        return file.is_alive(owner) and self._is_held(records, axis, status)

    def _is_held(self, records: Records, axis: int, status: MotionStatus) -> bool:
        """Whether the axis is kept, moves, or is about to."""
        moves = axis < status.axes and status.op_state[axis] != OperationState.IDLE
        on_its_way = bool(status.time <= records.commanded[axis] + self._latency)
        kept = bool(records.kept[axis])
        return kept or (status.communicating and (bool(moves) or on_its_way))


def engine_ready(backend: str, device_path: str) -> bool | None:
    """Whether the engine that `backend` reaches at `device_path` is ready; None if none leads it.

    For a node that does not take part in its system, or not yet.
    """
    try:
        return shared.engine_ready(_file_of(backend, device_path))
    except OSError:
        return None


def _existing(axes: Iterable[int]) -> list[int]:
    """`axes` without repetition, and without what no engine has: the engine refuses that itself."""
    return [axis for axis in dict.fromkeys(axes) if 0 <= axis < MAX_AXES]


def _file_of(backend: str, device_path: str) -> Path:
    """The file of the engine that `backend` reaches at `device_path`; OSError for no path."""
    with suppress(ValueError):  # a zero byte
        place = os.path.realpath(device_path or DEFAULT_DEVICE_PATH)
        key = sha256(os.fsencode(f"{backend}:{place}")).hexdigest()[:16]
        return private_directory("wmx-axes") / f"{key}.axes{VERSION}"
    raise OSError(f"{device_path!r} is no path")
