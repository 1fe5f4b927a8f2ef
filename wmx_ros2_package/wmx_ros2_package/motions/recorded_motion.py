"""The driver's motion, each of whose commands is entered in a ledger: one place for all nodes."""

import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf, isfinite, isnan
from uuid import UUID

from ..drivers.errors import CommandRefused
from ..drivers.interface import Motion
from ..drivers.values import (
    LinearMove,
    MotionStatus,
    PositionMove,
    SplineMove,
    TorqueMove,
    VelocityMove,
)
from ..drivers.wrapped_motion import WrappedMotion
from .endings import Ending
from .events import NO_ID, EndReason, MotionKind
from .ledger import Expiry, MotionLedger

NO_LEASES: Mapping[int, float] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What the source of commands knows of them, and the engine does not."""

    kind: MotionKind | None = None
    """What they are, where that is not what the engine does for them."""
    names: Mapping[int, str] = field(default_factory=dict)
    """Of actuators or joints, by axis."""
    ids: Mapping[int, UUID] = field(default_factory=dict)
    """Of the commands by axis; of axes that move as one, that of the first axis counts."""
    targets: Mapping[int, float] = field(default_factory=dict)
    """Where the axes will end, u, where that is not where the command ends."""
    lasts: float | None = None
    """How long the whole motion takes, s, of which this command is a part; inf for ever."""
    leased: Collection[int] = ()
    """The axes whose run time is a lease, which may be renewed: nobody knows when they end."""
    durations: Mapping[int, float] = field(default_factory=dict)
    """How long axes move, s, where their source ends that and not the engine."""
    arrives: Mapping[int, Ending] = field(default_factory=dict)
    """What it is called when an axis ends at its target, where that is not to arrive."""
    axes: tuple[int, ...] = ()
    """All axes of a stream, whichever of them a message commands."""
    reason: EndReason = EndReason.STOPPED
    """Why axes are stopped."""
    message: str = ""
    """The same in words."""


class RecordedMotion(WrappedMotion):
    """`motion`, whose commands begin and end in `ledger`."""

    def __init__(
        self,
        motion: Motion,
        ledger: MotionLedger,
        describe: Callable[[], Description] = Description,
    ) -> None:
        """What is commanded is as `describe` says when it is, unless it is `described`."""
        super().__init__(motion)
        self._ledger = ledger
        self._describe = describe
        self._thread = threading.local()

    @contextmanager
    def described(self, description: Description) -> Iterator[None]:
        """What this thread commands inside is as `description` says."""
        before = getattr(self._thread, "description", None)
        self._thread.description = description
        try:
            yield
        finally:
            self._thread.description = before

    def status(self) -> MotionStatus:
        """See `Motion`; who watches the ledger need not read it again."""
        status = self._ledger.newest = self._motion.status()
        return status

    def move_absolute(self, moves: Sequence[PositionMove]) -> None:
        """See `Motion`."""
        with self._each({move.axis: move.target for move in moves}, MotionKind.POSITION):
            self._motion.move_absolute(moves)

    def move_relative(self, moves: Sequence[PositionMove]) -> None:
        """See `Motion`."""
        with self._each(_endless(move.axis for move in moves), MotionKind.POSITION):
            self._motion.move_relative(moves)

    def jog(self, moves: Sequence[VelocityMove]) -> None:
        """See `Motion`."""
        with self._each(_endless(move.axis for move in moves), MotionKind.JOG, _leases(moves)):
            self._motion.jog(moves)

    def move_velocity(self, moves: Sequence[VelocityMove]) -> None:
        """See `Motion`."""
        axes = _endless(move.axis for move in moves)
        with self._each(axes, MotionKind.VELOCITY, _leases(moves)):
            self._motion.move_velocity(moves)

    def move_torque(self, moves: Sequence[TorqueMove]) -> None:
        """See `Motion`."""
        with self._each(_endless(move.axis for move in moves), MotionKind.EFFORT, _leases(moves)):
            self._motion.move_torque(moves)

    def move_linear(self, move: LinearMove) -> None:
        """See `Motion`."""
        with self._together(dict(zip(move.axes, move.targets, strict=False))):
            self._motion.move_linear(move)

    def move_spline(self, move: SplineMove) -> None:
        """See `Motion`."""
        ends = move.positions[-1] if len(move.positions) else ()
        with self._together(dict(zip(move.axes, map(float, ends), strict=False))):
            self._motion.move_spline(move)

    def home(self, axis: int) -> None:
        """See `Motion`."""
        with self._each({axis: float("nan")}, MotionKind.HOMING):
            self._motion.home(axis)

    def stop(self, axes: Sequence[int]) -> None:
        """See `Motion`."""
        self._mark(axes)
        self._motion.stop(axes)

    def quick_stop(self, axes: Sequence[int]) -> None:
        """See `Motion`."""
        self._mark(axes)
        self._motion.quick_stop(axes)

    def finish(self, id: UUID) -> None:
        """A motion of several commands is over as soon as its axes rest."""
        self._ledger.finish(id)

    def begin(self, kind: MotionKind, axes: Sequence[int]) -> None:
        """Enter a motion without end that no command of the engine stands for, such as a hold."""
        for axis in axes:
            self._enter([axis], kind, {axis: float("nan")})

    # How a command is entered

    @property
    def _description(self) -> Description:
        return getattr(self._thread, "description", None) or self._describe()

    @contextmanager
    def _each(
        self,
        targets: Mapping[int, float],
        kind: MotionKind,
        leases: Mapping[int, float] = NO_LEASES,
    ) -> Iterator[None]:
        """Each axis is a motion of its own, unless they are a stream; its lease (s) ends it."""

        def enter() -> None:
            description = self._description
            if description.kind is MotionKind.STREAM:
                axes = description.axes or tuple(targets)
                self._enter(axes, MotionKind.STREAM, dict.fromkeys(axes, float("nan")))
                return
            for axis in targets:
                self._enter([axis], description.kind or kind, targets, leases.get(axis, 0.0))

        with self._commanding([[axis] for axis in targets], enter):
            yield

    @contextmanager
    def _together(self, targets: Mapping[int, float]) -> Iterator[None]:
        """All axes are one motion."""

        def enter() -> None:
            self._enter(list(targets), self._description.kind or MotionKind.TRAJECTORY, targets)

        with self._commanding([list(targets)], enter):
            yield

    @contextmanager
    def _commanding(
        self, motions: Sequence[Sequence[int]], enter: Callable[[], None]
    ) -> Iterator[None]:
        """`enter` the motions of these axes once their command, which is given inside, is taken."""
        if self._ledger.holds([axis for axes in motions for axis in axes]):
            # What is over by now, and nobody has seen it yet, is not replaced by this command.
            self._ledger.watch(self._motion.status())
        with self._ledger.going_on([self._id(axes) for axes in motions]):
            with self._telling_refusals(motions):
                yield
            enter()

    @contextmanager
    def _telling_refusals(self, motions: Sequence[Sequence[int]]) -> Iterator[None]:
        try:
            yield
        except CommandRefused as error:
            for axes in motions:
                if self._ledger.is_open(self._id(axes)):
                    continue  # it goes on without what was refused, and ends once
                self._ledger.refuse(
                    axes,
                    str(error),
                    names=self._names(axes),
                    code=error.code,
                    id=self._id(axes),
                )
            raise

    def _enter(
        self,
        axes: Sequence[int],
        kind: MotionKind,
        targets: Mapping[int, float],
        lease: float = 0.0,
    ) -> None:
        description, status = self._description, self._motion.status()
        leased = axes[0] in description.leased and lease > 0.0
        lasts = description.durations.get(axes[0], lease)
        remaining = description.lasts
        if remaining is None:
            remaining = max(float(status.remaining[axis]) for axis in axes)
            remaining = min(remaining, description.durations.get(axes[0], inf))
        known = not leased and kind not in _OPEN
        targets = {**targets, **description.targets}
        if not leased and remaining != inf:  # what goes on for ever ends nowhere
            targets = {axis: _known(targets[axis], status.target[axis]) for axis in axes}
        self._ledger.begin(
            kind,
            axes,
            status,
            targets=[targets[axis] for axis in axes],
            arrival=status.time + remaining if isfinite(remaining) and known else None,
            names=self._names(axes),
            id=self._id(axes),
            kept=description.lasts is not None,
            expires=_expiry(
                status.time, lasts, ordered=description.kind is not None and not leased
            ),
            arrives=description.arrives.get(axes[0]),
        )

    def _mark(self, axes: Sequence[int]) -> None:
        description = self._description
        self._ledger.mark(axes, description.reason, description.message)

    def _names(self, axes: Sequence[int]) -> list[str]:
        names = self._description.names
        return [names[axis] for axis in axes] if all(axis in names for axis in axes) else []

    def _id(self, axes: Sequence[int]) -> UUID:
        return self._description.ids.get(axes[0], NO_ID) if axes else NO_ID


_OPEN = MotionKind.HOMING, MotionKind.HOLD, MotionKind.STREAM
"""What ends nobody knows when."""


def _expiry(now: float, lease: float, *, ordered: bool) -> Expiry | None:
    """What a motion that ends by itself ends with: a time that was `ordered` is its target."""
    if not lease:
        return None
    reason = EndReason.ARRIVED if ordered else EndReason.LEASE_EXPIRED
    return Expiry(now + lease, reason)


def _leases(moves: Sequence[VelocityMove | TorqueMove]) -> dict[int, float]:
    return {move.axis: move.run_time for move in moves}


def _known(ordered: float, shown: float) -> float:
    """Where an axis will end, u: as ordered, or as the engine shows it."""
    return float(shown) if isnan(ordered) else ordered


def _endless(axes: Iterator[int]) -> dict[int, float]:
    return dict.fromkeys(axes, float("nan"))
