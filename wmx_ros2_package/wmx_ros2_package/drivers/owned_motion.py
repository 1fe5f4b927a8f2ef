"""The driver seam with owners: one place for all backends (see `ownership`)."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from .interface import Driver, Engine, Motion
from .marked_stops import MarkedStops
from .ownership import AxisOwned, Owner, Owners
from .values import (
    MAX_AXES,
    CommandMode,
    EngineState,
    LinearMove,
    MotionStatus,
    PositionMove,
    SplineMove,
    TorqueMove,
    VelocityMove,
)
from .wrapped_motion import WrappedMotion


def with_owners(driver: Driver, name: str = "") -> Driver:
    """`driver`, whose motion is refused for axes that somebody else owns.

    `name` is what others are told of what it owns itself; empty for the name of its device.
    """
    owners = Owners(driver.name, name)
    motion = OwnedMotion(MarkedStops(driver.motion, owners), owners, owners.owner(""))
    return replace(driver, engine=OwnedEngine(driver.engine, owners), motion=motion, owners=owners)


def motion_for(driver: Driver, purpose: str) -> Motion:
    """The motion of `driver`, of an owner of its own: one purpose does not take over another."""
    motion, owners = driver.motion, driver.owners
    if owners is None or not isinstance(motion, OwnedMotion):
        return motion
    return motion.for_purpose(purpose)


GIVING_BACK = 0.05
"""How long an owner may take to see that its axes rest, s, before its refusal is final."""
IN_VAIN = 1.0
"""An owner that was waited for in vain is not waited for again for so long, s: it may hang."""
_LOOK_PERIOD = 0.002


class OwnedEngine:
    """`interface.Engine`, whose device owns axes while it is attached."""

    def __init__(self, engine: Engine, owners: Owners) -> None:
        self._engine = engine
        self._owners = owners

    def create_device(self, path: str, name: str) -> None:
        self._engine.create_device(path, name)
        try:
            self._owners.open(path, name)
        except Exception:
            self._engine.close_device()
            raise

    def close_device(self) -> None:
        # What is still owned then nobody else may command before the device is gone.
        try:
            self._engine.close_device()
        finally:
            self._owners.close()

    def start_communication(self) -> None:
        self._engine.start_communication()

    def stop_communication(self) -> None:
        self._engine.stop_communication()

    def set_watchdog(self, timeout: float) -> None:
        self._engine.set_watchdog(timeout)

    def state(self) -> EngineState:
        return self._engine.state()


class OwnedMotion(WrappedMotion):
    """`interface.Motion` of one owner; what makes a machine safer needs no ownership."""

    def __init__(self, motion: Motion, owners: Owners, owner: Owner) -> None:
        super().__init__(motion)
        self._owners = owners
        self._owner = owner
        self._hangs, self._hangs_until = "", 0.0
        """Who was waited for in vain, and until when he is not waited for again."""

    def for_purpose(self, purpose: str) -> "OwnedMotion":
        """The same axes, of an owner of its own."""
        return OwnedMotion(self._motion, self._owners, self._owners.owner(purpose))

    def status(self) -> MotionStatus:
        read_at = time.monotonic()
        status = self._motion.status()
        self._owners.see(status, read_at)
        return status

    # Whoever commands first owns the axis until it rests

    def move_absolute(self, moves: Sequence[PositionMove]) -> None:
        with self._commanding(move.axis for move in moves):
            self._motion.move_absolute(moves)

    def move_relative(self, moves: Sequence[PositionMove]) -> None:
        with self._commanding(move.axis for move in moves):
            self._motion.move_relative(moves)

    def jog(self, moves: Sequence[VelocityMove]) -> None:
        with self._commanding(move.axis for move in moves):
            self._motion.jog(moves)

    def move_velocity(self, moves: Sequence[VelocityMove]) -> None:
        with self._commanding(move.axis for move in moves):
            self._motion.move_velocity(moves)

    def move_torque(self, moves: Sequence[TorqueMove]) -> None:
        with self._commanding(move.axis for move in moves):
            self._motion.move_torque(moves)

    def set_override(self, axis: int, percent: float) -> None:
        # Whatever this device moves the axis for: it begins no motion.
        self._owners.require_free([axis])
        self._motion.set_override(axis, percent)

    def move_linear(self, move: LinearMove) -> None:
        with self._commanding(move.axes):
            self._motion.move_linear(move)

    def move_spline(self, move: SplineMove) -> None:
        with self._commanding(move.axes):
            self._motion.move_spline(move)

    def home(self, axis: int) -> None:
        with self._commanding([axis]):
            self._motion.home(axis)

    # What changes the meaning of positions is refused while somebody else owns the axis

    def set_command_mode(self, axis: int, mode: CommandMode) -> None:
        with self._setting([axis]):
            self._motion.set_command_mode(axis, mode)

    def set_polarity(self, axis: int, polarity: int) -> None:
        with self._setting([axis]):
            self._motion.set_polarity(axis, polarity)

    def set_gear_ratio(self, axis: int, numerator: float, denominator: float) -> None:
        with self._setting([axis]):
            self._motion.set_gear_ratio(axis, numerator, denominator)

    def set_position(self, axis: int, position: float) -> None:
        self._owners.require_free([axis])
        self._motion.set_position(axis, position)

    def load_parameters(self, path: str) -> None:
        with self._setting(range(MAX_AXES)):
            self._motion.load_parameters(path)

    @contextmanager
    def _commanding(self, axes: Iterable[int]) -> Iterator[None]:
        """Own `axes`; what another purpose of this device has left at rest is given back first."""
        wanted = list(axes)
        if self._owners.fights(self._owner, wanted):
            self.status()
        with ExitStack() as owned:
            self._patiently(wanted, lambda: owned.enter_context(self._owner.commanding(wanted)))
            yield

    @contextmanager
    def _setting(self, axes: Sequence[int]) -> Iterator[None]:
        """Set what the engine lets be set at rest alone; so what it lets be set, rests."""
        self._patiently(axes, lambda: self._owners.require_free(axes))
        yield
        self._owners.rest(axes)

    def _patiently(self, axes: Sequence[int], attempt: Callable[[], None]) -> None:
        """Somebody else whose axes rest is about to give them back: that is waited for.

        Not so for axes that he keeps: whoever calls may have other things to do.
        """
        deadline = time.monotonic() + GIVING_BACK
        while True:
            try:
                return attempt()
            except AxisOwned as error:
                now = time.monotonic()
                hangs = error.owner == self._hangs and now < self._hangs_until
                if error.kept or hangs or not self._all_rest(axes):
                    raise
                if now > deadline:
                    self._hangs, self._hangs_until = error.owner, now + IN_VAIN
                    raise
            time.sleep(_LOOK_PERIOD)

    def _all_rest(self, axes: Sequence[int]) -> bool:
        return not {*axes}.intersection(self._motion.status().busy.tolist())
