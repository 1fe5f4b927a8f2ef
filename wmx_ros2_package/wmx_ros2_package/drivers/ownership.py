"""One owner per axis, in whatever processes nodes run, and whatever the engine is.

The rule:

- An axis belongs to whoever commands it first, until it rests. An owner is a node with a purpose:
  "/wmx_core_motion_node (jog)". Its own later commands take over, as the engine lets them.
- Everybody else is refused at once with ResourceInUse, by a text that names the owner. What is
  refused for one axis is refused for all axes of the command, and nothing moves.
- A claim holds axes beyond their rest, for as long as a trajectory or a stream lasts.
- Stops, emergency stops, switching servos off and clearing alarms need no ownership: they win.
  The owner keeps its axes until they rest, and can see in the status that it was stopped.
- The settings that change what a position means (mode, polarity, gear ratio, parameters) are
  refused while somebody else owns the axis.
- An owner whose process ends, however it ends, owns nothing. One that hangs keeps what it owns
  until it goes on or ends; the refusal names its process.

The life of the engine has one leader likewise: the first engine node on it (`Owners.lead`).

The kernel keeps who owns what (`axis_locks`), per user and device path.
"""

import os
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from math import inf
from pathlib import Path

from .axis_locks import ENGINE, AxisLocks
from .errors import CommandRefused, ErrorCode
from .private_directory import private_directory
from .values import DEFAULT_DEVICE_PATH, MAX_AXES, MotionStatus

SHOWN = 0.005
"""By then the status shows what was commanded, s: an axis that rests later than this, rests."""
STOPPED, EMERGENCY_STOPPED = b"s", b"e"
"""What a mark of a stop begins with."""


class AxisOwned(CommandRefused):
    """The refusal of everybody but the `owner`, who has said whether it keeps the axis at rest."""

    def __init__(self, axis: int, owner: str, *, kept: bool) -> None:
        super().__init__(ErrorCode.ResourceInUse, f"axis {axis} is owned by {owner}")
        self.owner = owner
        self.kept = kept


class Owner:
    """What one node owns for one purpose, while its device is attached."""

    def __init__(self, purpose: str) -> None:
        self.purpose = purpose
        self._locks: AxisLocks | None = None
        self._lock = threading.Lock()
        self._commanded: dict[int, float] = {}
        """The axes held, and when each was commanded last."""
        self._claimed: Counter[int] = Counter()
        """How many claims hold each axis: one may begin before another has ended."""

    def open(self, path: Path, node: str) -> None:
        """Let it own axes, in the file at `path`."""
        self._locks = AxisLocks(path, f"{node} ({self.purpose})" if self.purpose else node)

    def close(self) -> None:
        """Let it own nothing."""
        with self._lock:
            locks, self._locks = self._locks, None
            self._commanded.clear()
            self._claimed.clear()
        if locks is not None:
            locks.close()

    @property
    def axes(self) -> frozenset[int]:
        """What it owns."""
        return frozenset(self._commanded)

    @contextmanager
    def commanding(self, axes: Iterable[int]) -> Iterator[None]:
        """Command `axes` inside: what was not owned before is owned, unless the engine refuses.

        What was lost on the way may have begun all the same: it is owned until it is seen at rest.
        While the command is on its way no status says that an axis rests because of it.
        """
        wanted = _existing(axes)
        with self._lock:
            new = self._take(wanted)
            self._commanded.update((axis, inf) for axis in wanted if axis in self._commanded)
        try:
            yield
        except CommandRefused:
            self._give_back(new)
            raise
        finally:
            with self._lock:
                now = time.monotonic()
                self._commanded.update((axis, now) for axis in wanted if axis in self._commanded)

    @contextmanager
    def claim(self, axes: Iterable[int]) -> Iterator[None]:
        """Own `axes` inside, whether they rest or not."""
        wanted = _existing(axes)
        with self._lock:
            self._take(wanted)
            self._claimed.update(wanted)
            self._say_kept(wanted)
        try:
            yield
        finally:
            with self._lock:
                self._claimed -= Counter(wanted)
                self._say_kept(wanted)

    def _say_kept(self, axes: Iterable[int]) -> None:
        """Tell others which of `axes` are claimed: nobody waits for these to be given back."""
        for axis in axes:
            if self._locks is not None and axis in self._commanded:
                self._locks.keep(axis, kept=axis in self._claimed)

    def see(self, busy: frozenset[int], read_at: float) -> None:
        """Give back what is not `busy` in a status read at `read_at` of the steady clock."""
        if self.axes <= busy:
            return
        with self._lock:
            resting = [
                axis
                for axis in self._commanded.keys() - busy
                if axis not in self._claimed and read_at > self._commanded[axis] + SHOWN
            ]
        self._give_back(resting)

    def rest(self, axes: Iterable[int]) -> None:
        """Give back those of `axes` that are not claimed: the engine has shown that they rest."""
        on_its_way = {axis for axis, at in self._commanded.copy().items() if at == inf}
        self._give_back([a for a in axes if a not in self._claimed and a not in on_its_way])

    def _take(self, axes: Iterable[int]) -> list[int]:
        """Own all of `axes`, or none of those not owned before; these are returned."""
        if self._locks is None:  # without a device the engine refuses
            return []
        new: list[int] = []
        for axis in axes:
            if axis in self._commanded:
                continue
            if not self._locks.take(axis):
                owner, kept = self._locks.owner(axis), self._locks.is_kept(axis)
                for taken in new:
                    self._locks.give_back(taken)
                    del self._commanded[taken]
                raise AxisOwned(axis, owner or "somebody who has just given it back", kept=kept)
            new.append(axis)
            self._commanded[axis] = time.monotonic()
        return new

    def _give_back(self, axes: Iterable[int]) -> None:
        with self._lock:
            for axis in axes:
                if self._locks is not None and self._commanded.pop(axis, None) is not None:
                    self._locks.give_back(axis)


class Owners:
    """What one device owns, by purpose; and who owns the other axes of its engine."""

    def __init__(self, backend: str, name: str = "") -> None:
        """On the engine that `backend` reaches; `name` is told to others, or the device's."""
        self._backend = backend
        self._name = name
        self._owners: dict[str, Owner] = {}
        self._file: tuple[Path, str] | None = None
        self._thread = threading.local()
        self._seen: tuple[MotionStatus, frozenset[int]] | None = None
        """A status, and its busy axes."""
        self._watch: AxisLocks | None = None
        """Holds no axes, so that it sees who holds which, this device's own owners included."""

    def open(self, device_path: str, name: str) -> None:
        """The device `name` is on the engine at `device_path`."""
        try:
            name = self._name or name
            path = _file_of(self._backend, device_path)
            self._watch = AxisLocks(path, name)
            self._file = path, name
            for owner in self._owners.values():
                owner.open(path, name)
        except OSError as error:
            self.close()
            detail = f"who owns the axes cannot be kept: {error}"
            raise CommandRefused(ErrorCode.CreateDeviceLockError, detail) from error

    def close(self) -> None:
        """The device is closed: it owns nothing."""
        self._file = None
        for owner in self._owners.values():
            owner.close()
        watch, self._watch = self._watch, None
        if watch is not None:
            watch.close()

    def owner(self, purpose: str) -> Owner:
        """That of this device for `purpose`."""
        if purpose not in self._owners:
            owner = self._owners[purpose] = Owner(purpose)
            if self._file is not None:
                owner.open(*self._file)
        return self._owners[purpose]

    def owned(self) -> frozenset[int]:
        """What this device owns, for whatever purpose."""
        return frozenset().union(*(owner.axes for owner in self._owners.values()))

    def names(self, axes: Iterable[int]) -> dict[int, str]:
        """Who owns which of `axes`, whoever it is."""
        return self._watch.owners(_existing(axes)) if self._watch is not None else {}

    def lead(self) -> str | None:
        """Lead the engine from now on, until the device is closed; who leads it already if not."""
        if self._watch is None or self._watch.take(ENGINE):
            return None
        return self._watch.owner(ENGINE) or "somebody who is just leaving it"

    def fights(self, owner: Owner, axes: Iterable[int]) -> bool:
        """Whether this device owns one of `axes` for another purpose than that of `owner`."""
        others = [other.axes for other in self._owners.values() if other is not owner]
        return any(axis in held for axis in axes for held in others)

    def mark_stop(self, axes: Iterable[int], kind: bytes = STOPPED) -> None:
        """Let everybody see that `axes` are being stopped, whether they move or not."""
        if self._watch is not None and not getattr(self._thread, "unmarked", False):
            with suppress(OSError):  # a full disk keeps nothing from being stopped
                self._watch.mark_stop(_existing(axes), kind)

    @contextmanager
    def unmarked(self) -> Iterator[None]:
        """A stop by this thread inside leaves no mark: other commands that wait may begin."""
        self._thread.unmarked = True
        try:
            yield
        finally:
            self._thread.unmarked = False

    def stop_marks(self, axes: Iterable[int]) -> tuple[bytes, ...]:
        """What differs from what it was when somebody, in whatever process, stopped one of `axes`.

        A servo that is switched off counts as a stop.
        """
        with suppress(OSError):  # it is being closed
            if self._watch is not None:
                return self._watch.stop_marks(_existing(axes))
        return ()

    def rest(self, axes: Iterable[int]) -> None:
        """The engine has done to `axes` what it does to axes at rest alone."""
        for owner in self._owners.values():
            owner.rest(axes)

    def require_free(self, axes: Iterable[int]) -> None:
        """Refuse if somebody owns one of `axes`, other than this device."""
        others = [axis for axis in axes if axis not in self.owned()]
        for axis, owner in self.names(others).items():
            kept = self._watch is not None and self._watch.is_kept(axis)
            raise AxisOwned(axis, owner, kept=kept)

    def see(self, status: MotionStatus, read_at: float) -> None:
        """Give back what rests in `status`, which was read at `read_at` of the steady clock."""
        if not (owning := [owner for owner in self._owners.values() if owner.axes]):
            return
        seen = self._seen
        if seen is None or not status.does_as(seen[0]):
            seen = self._seen = status, frozenset(status.busy.tolist())
        for owner in owning:
            owner.see(seen[1], read_at)


def _existing(axes: Iterable[int]) -> list[int]:
    """Without repetition, and without what no engine has: it refuses that itself."""
    return [axis for axis in dict.fromkeys(axes) if 0 <= axis < MAX_AXES]


def _file_of(backend: str, device_path: str) -> Path:
    """Of the engine that `backend` reaches at `device_path`."""
    with suppress(ValueError):  # a zero byte
        place = os.path.realpath(device_path or DEFAULT_DEVICE_PATH)
        key = sha256(os.fsencode(f"{backend}:{place}")).hexdigest()[:16]
        return private_directory("wmx-axes") / f"{key}.axes"
    raise OSError(f"{device_path!r} is no path")
