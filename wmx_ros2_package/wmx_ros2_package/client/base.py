"""The base of a machine: a robot on two wheels."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotInTime
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from math import atan2, inf, nan
from typing import Any

from geometry_msgs.msg import Twist, TwistStamped
from nav_msgs.msg import Odometry

from wmx_core.clock import ProcessClock

from ..bases.differential import WHEEL_UNITS
from ..control.request import EndReason, MotionKind
from ..diagnosis.blockers import BlockerCode
from .axes import Axes, Axis
from .commands import finite, positive
from .description import WHEEL_UNIT, parameters, running_name
from .errors import START_ROBOT, NotReady, Refused
from .events import Result
from .link import nothing
from .motion import Motion
from .motions import result_when_ended
from .session import PASSING, Session
from .states import STATUS_TIMEOUT

_NODE = "diff_drive_controller"
STREAM_PERIOD = 0.05
"""Between two commands of a drive, s: a fifth of the time that one holds as shipped."""
BEGIN_TIMEOUT = 2.0
"""A drive that has not begun after this time will not, s: what forbids it is still in force."""
MOVING = {*PASSING, BlockerCode.FOLLOWING}
"""What blocks wheels that move."""
LAPSED = "the base slowed down: its commands came no more, or those of another client had it rest"


@dataclass(frozen=True, slots=True)
class Pose:
    """Where the base is, since its node was configured."""

    x: float
    """m, forward of where it began."""
    y: float
    """m, to the left."""
    heading: float
    """rad, counterclockwise, -pi to pi."""


class Base:
    """A base on two wheels; its wheels are axes of the machine, too."""

    def __init__(self, session: Session) -> None:
        """NoPart where no `diff_drive_controller` runs."""
        self._session = session
        self._node = running_name(session.link, _NODE, start=START_ROBOT.format("base"))
        names = ("cmd_vel_topic", "use_stamped_vel", "encoder_odometry_topic")
        self._topic, self._stamped, odometry = parameters(session.link, self._node, *names)
        left, right, self._radius, self._distance = parameters(
            session.link, self._node, "left_axis", "right_axis", "wheel_radius", "wheel_to_wheel"
        )
        unit, self._timeout = parameters(session.link, self._node, WHEEL_UNIT, "cmd_vel_timeout")
        self._unit = WHEEL_UNITS[unit]
        self._most_linear, self._hardest_linear = self._limits("linear")
        self._most_angular, self._hardest_angular = self._limits("angular")
        self.wheels = Axes(session, [Axis(session, left), Axis(session, right)])
        """The left and the right wheel."""
        self._odometry: Any = None
        self._came_at = -inf
        self._news = session.link.clock.condition()
        session.link.subscribe(Odometry, odometry, self._see)

    @property
    def pose(self) -> Pose:
        """Where the base is; NotReady where its odometry is not published, or no more."""
        link = self._session.link
        link.require_open()
        self._session.require_no_other()
        with self._news:
            if not self._is_fresh():
                link.require_other_thread()
            if not self._news.wait_for(self._is_fresh, timeout=link.timeout):
                raise NotReady("the odometry of the base is not published")
            pose = self._odometry.pose.pose
        return Pose(
            pose.position.x,
            pose.position.y,
            heading_of(pose.orientation),
        )

    def check(self, *, velocity: float | None = None, turning: float | None = None) -> None:
        """ValueError for a `velocity` that `forward` refuses, or a `turning` that `turn` does."""
        _allowed(self._most_linear, velocity, 0.2, "velocity", "m/s")
        _allowed(self._most_angular, turning, 0.5, "turning", "rad/s")

    def forward(
        self, distance: float, *, velocity: float | None = None, acceleration: float | None = None
    ) -> Motion:
        """Go straight on by `distance` (m; backward below 0) at `velocity` (m/s; 0.2 without).

        `acceleration` is in m/s^2, 0.5 without. The wheels are moved by their positions, so it ends
        exactly. ValueError above the limits of the base; what is not given keeps them.
        """
        by = finite(distance, "distance") / self._radius
        velocity = _allowed(self._most_linear, velocity, 0.2, "velocity", "m/s")
        acceleration = _allowed(self._hardest_linear, acceleration, 0.5, "acceleration", "m/s^2")
        return self._turn_wheels(by, by, velocity / self._radius, acceleration / self._radius)

    def turn(
        self, angle: float, *, velocity: float | None = None, acceleration: float | None = None
    ) -> Motion:
        """Turn on the spot by `angle` (rad, counterclockwise) at `velocity` (rad/s; 0.5 without).

        `acceleration` is in rad/s^2, 1 without. ValueError as by `forward`.
        """
        gear = self._distance / (2.0 * self._radius)
        angle = finite(angle, "angle")
        velocity = _allowed(self._most_angular, velocity, 0.5, "velocity", "rad/s")
        acceleration = _allowed(self._hardest_angular, acceleration, 1.0, "acceleration", "rad/s^2")
        return self._turn_wheels(-angle * gear, angle * gear, velocity * gear, acceleration * gear)

    def drive(
        self, linear: float, angular: float = 0.0, *, before: Callable[[], object] = nothing
    ) -> Motion:
        """Drive at `linear` (m/s) and `angular` (rad/s) until the handle is canceled.

        Refused while the wheels move, also where they slow down: wait for the end of what moved
        them. `before` is called just before the base is commanded, and again and again until it is
        known to have begun: what it raises is raised, and the base does not begin, or slows down.

        As a context manager it drives as long as the block. The base slows down by itself when
        the commands, twenty a second, do not come any more, and does not go on: not even where
        this process was suspended, and goes on itself. That ends it as LEASE_EXPIRED. ValueError
        above the highest velocity of the base, to which its node would limit a command in silence.
        """
        session, link = self._session, self._session.link
        linear = _within(self._most_linear, finite(linear, "linear"), "linear", "m/s")
        angular = _within(self._most_angular, finite(angular, "angular"), "angular", "rad/s")
        if not (linear or angular):
            raise ValueError("linear and angular are 0: one of them must not be")
        topic = link.publisher(TwistStamped if self._stamped else Twist, self._topic)
        session.require_one_system()
        link.require_one(self._node)
        # A stop that frees the wheels could not be told from one that the drive is to come after.
        # The machine says what moves them: a status may be one of before, and encoders have noise.
        found = session.explain(self.wheels.numbers)
        if any(not MOVING.isdisjoint(explanation.codes) for explanation in found):
            raise Refused("the wheels move: must rest", remedy=session.remedy(self.wheels.numbers))

        def pause() -> None:
            topic.publish(self._message(0.0, 0.0))

        expecting = session.expected(MotionKind.STREAM, self.wheels.numbers)
        with expecting as expected, ExitStack() as beginning:
            before()
            pause()  # what was refused before has to pause
            beginning.callback(pause)
            go_on = in_time(
                lambda: topic.publish(self._message(linear, angular)), self._timeout, link.clock
            )
            period = min(STREAM_PERIOD, self._timeout / 4.0)
            beginning.callback(link.create_timer(period, go_on))
            latest = link.clock.now() + BEGIN_TIMEOUT
            while not expected.first.done():
                if link.clock.now() >= latest:
                    beginning.close()  # before what takes a while is asked
                    remedy = session.remedy(self.wheels.numbers)
                    raise Refused("the base does not begin to drive", remedy=remedy)
                before()
                with suppress(NotInTime):
                    link.clock.result(expected.first, period)
            motion = expected.first.result()
            streaming = beginning.pop_all()
        motion.ended.add_done_callback(lambda _: streaming.close())
        ended: Future[Result] = Future()
        ended.set_running_or_notify_cancel()
        canceled = False

        def cancel() -> None:
            nonlocal canceled
            canceled = True
            streaming.close()

        def end(done: Future[Result]) -> None:
            result = done.result()
            if result.arrived and not canceled:
                result = replace(result, reason=EndReason.LEASE_EXPIRED, message=LAPSED)
            session.states.outdate()  # before what waits for the end goes on, and reads a status
            ended.set_result(result)

        result_when_ended([motion]).add_done_callback(end)
        return Motion(
            f"drive at {linear:g} m/s and {angular:g} rad/s",
            ended,
            cancel=cancel,
            progress=lambda: nan,
            check=session.check,
            remedy=lambda: session.remedy(self.wheels.numbers, after_motion=True),
            clock=link.clock,
        )

    def _limits(self, direction: str) -> tuple[float, float]:
        """The greatest velocity and acceleration ahead (m) or about (rad); 0 is no limit.

        A move speeds up as hard as it slows down, so the lesser of both counts.
        """
        names = (f"max_{direction}_{each}" for each in ("velocity", "acceleration", "deceleration"))
        velocity, *hard = parameters(self._session.link, self._node, *names)
        return velocity, min(filter(None, hard), default=0.0)

    def _turn_wheels(
        self, left: float, right: float, velocity: float, acceleration: float
    ) -> Motion:
        """Move the wheels by so much from where they are commanded to be, rad."""
        velocity, acceleration = velocity / self._unit, acceleration / self._unit
        starts = self._session.commanded(self.wheels.numbers)
        targets = [start + by / self._unit for start, by in zip(starts, (left, right), strict=True)]
        return self.wheels.move(targets, velocity=velocity, acceleration=acceleration)

    def _message(self, linear: float, angular: float) -> Any:
        twist = Twist()
        twist.linear.x, twist.angular.z = linear, angular
        return TwistStamped(twist=twist) if self._stamped else twist

    def _see(self, odometry: Any) -> None:
        with self._news:
            self._odometry, self._came_at = odometry, self._session.link.clock.now()
            self._news.notify_all()

    def _is_fresh(self) -> bool:
        return self._session.link.clock.now() - self._came_at < STATUS_TIMEOUT


def heading_of(orientation: Any) -> float:
    """The angle of a quaternion about the vertical, rad, -pi to pi; of either sign, as both are."""
    z, w = orientation.z, orientation.w
    return atan2(2.0 * z * w, w * w - z * z)


def _within(most: float, value: float, name: str, unit: str) -> float:
    """`value`, which is `most` at most either way; 0 is no limit."""
    if most and abs(value) > most:
        raise ValueError(f"{name} is {value:g}: must be from {-most:g} to {most:g} {unit}")
    return value


def _allowed(most: float, value: float | None, usual: float, name: str, unit: str) -> float:
    """`value`, and without one what is `usual`, within `most`; 0 is no limit."""
    if value is None:
        return min(usual, most or usual)
    if most and positive(value, name) > most:
        raise ValueError(f"{name} is {value:g}: must be {most:g} {unit} or less")
    return positive(value, name)


def in_time(
    command: Callable[[], object], timeout: float, clock: ProcessClock
) -> Callable[[], None]:
    """What commands a base, until once the last command is `timeout` seconds ago.

    The base has slowed down by then, and perhaps somebody has stopped it. To its node the commands
    of a process that was suspended are those of a stream that has paused, and may begin anew.
    """
    commanded_at = clock.now()

    def go_on() -> None:
        nonlocal commanded_at
        now = clock.now()
        if now - commanded_at < timeout:
            command()
            commanded_at = now

    return go_on
