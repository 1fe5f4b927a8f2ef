"""A base on a held engine, as its node drives it."""

from collections.abc import Callable, Iterator

from held_engine import HeldEngine

from wmx_core.interface import Motion
from wmx_core.values import CommandMode, MotionStatus, VelocityMove
from wmx_ros2_package.bases.differential import Base, Twist
from wmx_ros2_package.bases.drive import BaseDrive
from wmx_ros2_package.bases.speed import Speed, SpeedLimits

PERIOD = 0.01
BASE = Base(wheel_radius=0.1, wheel_distance=0.5)
AXES = [1, 0]


class Robot:
    """A base of a held engine, whose node looks 100 times a second."""

    def __init__(
        self,
        *,
        mode: CommandMode = CommandMode.POSITION,
        limits: SpeedLimits | None = None,
        motion_of: Callable[[HeldEngine], Motion] = lambda held: held.motion,
    ) -> None:
        """`motion_of` commands the engine in the place of its own interface."""
        self.held = HeldEngine(velocity_feedforward_gain=100.0).servo_on(mode=mode)
        self.motion = motion_of(self.held)
        limits = limits or SpeedLimits()
        self.drive = BaseDrive(
            BASE,
            AXES,
            Speed(limits, acc_time=0.5, dec_time=0.5),
            Speed(limits, acc_time=0.5, dec_time=0.5),
            period=PERIOD,
            timeout=0.25,
            acc_time=0.5,
            dec_time=0.5,
            latency=0.02,
        )
        self.override = 1.0
        """That of the system."""
        self.time = 100.0
        self.braked_at: list[float] = []

    def step(self, *, alive: bool = True) -> MotionStatus:
        """One look of the node, unless it is not `alive`, and the time to the next."""
        if alive:
            status = self.motion.status()
            if self.drive.brake_without_commands(self.time):
                self.braked_at.append(self.time)
            self.command(self.drive.step(self.time, status, self.override))
        self.time += PERIOD
        return self.held.after(PERIOD)

    def command(self, moves: list[VelocityMove]) -> None:
        if moves and self.drive.mode is CommandMode.POSITION:
            self.motion.jog(moves)
        elif moves:
            self.motion.move_velocity(moves)

    def run(
        self, seconds: float, twist: Twist | None = None, *, alive: bool = True
    ) -> Iterator[MotionStatus]:
        """The states while a client commands `twist` 20 times a second, or nothing."""
        for i in range(round(seconds / PERIOD)):
            if twist is not None and i % 5 == 0:
                self.drive.set_target(self.time, twist)
            yield self.step(alive=alive)

    def drives(self, seconds: float, *twist: float, alive: bool = True) -> MotionStatus:
        *_, last = self.run(seconds, Twist(*twist) if twist else None, alive=alive)
        return last
