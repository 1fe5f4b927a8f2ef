"""Motions in whole cycles against the library ruckig, which knows nothing of ours.

ruckig finds the quickest motion within limits. Ours keeps to whole cycles, so it is

- never quicker than ruckig's within the limits that were asked for, and hardly slower;
- where nothing forces a turn, the very motion that ruckig makes of the limits that ours took:
  the velocity it got to, and the rates of its first and its last phase.

ruckig bounds the signed acceleration, we bound speeding up and slowing down. So a move is put
together from stages in which the two mean the same: changes of velocity with one rate, and a
move from a state that is not moving away, reckoned in its own direction. ruckig works with
absolute tolerances (1e-8), so it is asked in numbers around 1 and answers are scaled.
"""

from dataclasses import dataclass
from math import ceil, copysign, inf
from typing import NamedTuple

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from trapezoids import to_position, to_velocity

from wmx_sim.engine.motion.profile import Profile, at, duration

ruckig = pytest.importorskip("ruckig")

SAMPLES = 50
PRECISION = 1e-9
CYCLE = 0.001
"""s, of our time."""
TIME_RESOLUTION = 1e-12
"""Of the time in a profile, relative to its duration: what summing its parts leaves of a double."""

rates = st.floats(0.01, 100.0)
velocities = st.one_of(st.just(0.0), st.floats(0.01, 100.0), st.floats(-100.0, -0.01))
distances = st.one_of(st.just(0.0), st.floats(0.001, 1000.0), st.floats(-1000.0, -0.001))
starts = st.just(0.0)
"""The shortest way to stop is 5e-7, of which a double leaves too little elsewhere."""
units = st.tuples(st.floats(-9.0, 9.0), st.floats(-3.0, 3.0)).map(
    lambda exponents: (10.0 ** exponents[0], 10.0 ** exponents[1])
)
"""How many of our units make ruckig's unit of length and of time."""


@dataclass
class Oracle:
    """A motion from a state on, as ruckig sees it, in the direction `sign`."""

    position: float
    velocity: float
    sign: float = 1.0

    def __post_init__(self) -> None:
        self.stages: list[tuple[float, ruckig.Trajectory]] = []
        self.duration = 0.0
        self.span = abs(self.position)

    def change_velocity(self, target: float, rate: float) -> None:
        order = self._order(max_velocity=inf, up=rate, down=rate)
        order.control_interface = ruckig.ControlInterface.Velocity
        order.target_velocity = [self.sign * target]
        self._follow(order)

    def change_position(self, target: float, max_velocity: float, acc: float, dec: float) -> None:
        self.sign = copysign(1.0, target - self.position)
        order = self._order(max_velocity=max_velocity, up=acc, down=dec)
        order.target_position = [self.sign * target]
        order.target_velocity = [0.0]
        self._follow(order)

    def at(self, time: float) -> tuple[float, float]:
        *earlier, last = self.stages
        for stage in earlier:
            if time <= stage[1].duration:
                break
            time -= stage[1].duration
        else:
            stage = last
        sign, trajectory = stage
        (position,), (velocity,), _ = trajectory.at_time(time)
        return sign * position, sign * velocity

    def _order(self, *, max_velocity: float, up: float, down: float) -> "ruckig.InputParameter":
        order = ruckig.InputParameter(1)
        order.current_position = [self.sign * self.position]
        order.current_velocity = [self.sign * self.velocity]
        order.max_velocity = [max_velocity]
        order.max_acceleration, order.min_acceleration = [up], [-down]
        order.max_jerk = [inf]
        return order

    def _follow(self, order: "ruckig.InputParameter") -> None:
        trajectory = ruckig.Trajectory(1)
        assert ruckig.Ruckig(1).calculate(order, trajectory) == ruckig.Result.Working
        self.stages.append((self.sign, trajectory))
        self.duration += trajectory.duration
        self.position, self.velocity = self.at(self.duration)
        self.span = max(self.span, abs(self.position))


class Move(NamedTuple):
    """A move in ruckig's units, and how many of ours make one of length and one of time."""

    position: float
    velocity: float
    distance: float
    max_velocity: float
    acc: float
    dec: float
    unit: tuple[float, float] = (1.0, 1.0)

    def ours(self) -> Profile:
        """What we make of it."""
        length, time = self.unit
        speed, rate = length / time, length / time**2
        return to_position(
            self.position * length,
            self.velocity * speed,
            (self.position + self.distance) * length,
            max_velocity=self.max_velocity * speed,
            acc=self.acc * rate,
            dec=self.dec * rate,
        )

    def oracle(self) -> Oracle | None:
        """Stop first where the target lies behind or too near, then move to it.

        What slows down first takes whole cycles: it decides where the rest begins. None where a
        rounding decides whether the target is too near.
        """
        position, velocity, distance, *limits = self[:-1]
        target, cycle = position + distance, CYCLE / self.unit[1]
        stop = Oracle(position, velocity)
        stop.change_velocity(0.0, in_cycles(abs(velocity), self.dec, cycle))
        overshoot = (stop.position - target) * copysign(1.0, velocity)
        if velocity != 0.0 and overshoot != 0.0 and abs(overshoot) <= 1e-9 * stop.span:
            return None
        if velocity != 0.0 and overshoot == 0.0:
            return stop
        if velocity != 0.0 and overshoot > 0.0:
            stop.change_position(target, *limits)
            return stop
        oracle = Oracle(position, velocity)
        if abs(velocity) > self.max_velocity:
            slowly = in_cycles(abs(velocity) - self.max_velocity, self.dec, cycle)
            oracle.change_velocity(copysign(self.max_velocity, velocity), slowly)
        oracle.change_position(target, *limits)
        return oracle


def in_cycles(change: float, rate: float, cycle: float) -> float:
    """The rate at which a velocity changes in whole cycles, at most `rate`."""
    return change / (ceil(change / rate / cycle - 1e-9) * cycle) if change else rate


class Change(NamedTuple):
    """Likewise, a change of velocity."""

    position: float
    velocity: float
    target: float
    acc: float
    dec: float
    unit: tuple[float, float] = (1.0, 1.0)

    def ours(self) -> Profile:
        """What we make of it."""
        length, time = self.unit
        speed, rate = length / time, length / time**2
        start = self.position * length, self.velocity * speed
        return to_velocity(*start, self.target * speed, acc=self.acc * rate, dec=self.dec * rate)

    def oracle(self) -> Oracle:
        """The quickest one; a change of direction goes through rest."""
        oracle = Oracle(self.position, self.velocity)
        if self.velocity * self.target < 0.0:
            oracle.change_velocity(0.0, self.dec)
            oracle.velocity = 0.0
        faster = abs(self.target) > abs(oracle.velocity)
        oracle.change_velocity(self.target, self.acc if faster else self.dec)
        return oracle

    def at_the_rates_of(self, ours: Profile) -> Oracle:
        """What ruckig makes of the same changes at the rates that ours took."""
        length, time = self.unit
        oracle = Oracle(self.position, self.velocity)
        for segment in ours[:-1]:
            end = self.target if segment is ours[-2] else 0.0
            oracle.change_velocity(end, abs(segment.acceleration) / (length / time**2))
            oracle.velocity = end
        if not oracle.stages:
            oracle.change_velocity(self.target, 1.0)
        return oracle


def hardly_slower(
    ours: Profile, oracle: Oracle, time: float, phases: int, sooner: float = 0.0
) -> None:
    """As quick as ruckig's, or slower by less than a cycle for each of `phases`.

    A cycle more to slow down in, from above the velocity that was asked for, leads farther: what
    is left of the way is that many cycles shorter, `sooner`.
    """
    quickest = oracle.duration * time
    rounding = PRECISION * quickest
    earliest, latest = quickest - sooner * CYCLE, quickest + phases * CYCLE
    assert earliest - rounding <= duration(ours) <= latest + rounding


def compare(ours: Profile, oracle: Oracle, length: float, time: float, *rates: float) -> None:
    """Same duration, and the same position and velocity all along."""
    times = [n / SAMPLES * oracle.duration for n in range(SAMPLES + 1)]
    states = [oracle.at(each) for each in times]
    speed = max(abs(velocity) for _, velocity in states)
    rounding = 1e-15 * speed / min(rates)  # of a velocity, felt in time
    assert duration(ours) / time == pytest.approx(oracle.duration, rel=PRECISION, abs=rounding)
    blur = TIME_RESOLUTION * oracle.duration
    for each, (position, velocity) in zip(times, states, strict=True):
        our_position, our_velocity = at(ours, each * time)
        assert our_position / length == pytest.approx(
            position, rel=0.0, abs=PRECISION * oracle.span + speed * blur
        )
        assert our_velocity * time / length == pytest.approx(
            velocity, rel=0.0, abs=PRECISION * speed + max(rates) * blur
        )


def taken(ours: Profile, length: float, time: float) -> tuple[float, float, float]:
    """The velocity that a move from rest took, and the rates it reached and left it with."""
    *_, braking, _ = ours
    speed, rate = length / time, length / time**2
    return (
        abs(braking.velocity) / speed,
        abs(ours[0].acceleration) / rate,
        abs(braking.acceleration) / rate,
    )


@given(st.builds(Move, starts, velocities, distances, rates, rates, rates, units))
@example(Move(0.0, 0.0, 10.0, 2.0, 4.0, 1.0))
@example(Move(1.0, 2.0, 10.0, 2.0, 4.0, 1.0))  # elsewhere
@example(Move(-7.0, 2.0, 1.0, 2.0, 4.0, 1.0))
@example(Move(0.0, 2.0, 2.0, 2.0, 4.0, 1.0))  # stops at the target to the last bit
@example(Move(0.0, 2.0, 1.9995, 2.0, 4.0, 1.0))  # just too fast to stop
@example(Move(0.0, 2.0, 2.0005, 2.0, 4.0, 1.0))  # just not
@example(Move(0.0, 9.0, 50.0, 2.0, 4.0, 1.0))  # faster than the velocity
@example(Move(0.0, 9.0, 40.0, 2.0, 4.0, 1.0))  # that, and too fast to stop
@example(Move(0.0, -100.0, -100.0, 1.625, 1.0, 50.0))  # that, and stops at the target
@example(Move(0.0, -3.0, -1.0, 2.0, 4.0, 1.0))  # too fast to stop, mirrored
@example(Move(0.0, -3.0, 20.0, 2.0, 4.0, 1.0))  # away from the target
@example(Move(0.0, 0.0, 1.0, 2.0, 4.0, 1.0, (1e-9, 1.0)))  # tiny
@example(Move(0.0, 0.0, 1.0, 2.0, 4.0, 1.0, (1e9, 1.0)))  # huge
def test_a_move_to_a_position(move: Move) -> None:
    oracle = move.oracle()
    assume(oracle is not None)
    too_fast = abs(move.velocity) / move.max_velocity
    sooner = too_fast if too_fast > 1.0 else 0.0
    hardly_slower(move.ours(), oracle, move.unit[1], phases=3, sooner=sooner)


@given(st.builds(Move, starts, st.just(0.0), distances, rates, rates, rates, units))
@example(Move(0.0, 0.0, 10.0, 2.0, 4.0, 1.0))
@example(Move(3.0, 0.0, -0.1, 2.0, 4.0, 1.0))  # a triangle, elsewhere
@example(Move(0.0, 0.0, 1.0, 2.0, 4.0, 1.0, (1e9, 1.0)))  # huge
def test_a_move_from_rest_is_the_quickest_within_what_it_took(move: Move) -> None:
    ours = move.ours()
    if len(ours) > 1:
        velocity, acc, dec = taken(ours, *move.unit)
        assert velocity <= move.max_velocity * (1 + PRECISION)
        assert acc <= move.acc * (1 + PRECISION)
        assert dec <= move.dec * (1 + PRECISION)
        oracle = Oracle(move.position, 0.0)
        oracle.change_position(move.position + move.distance, velocity, acc, dec)
        compare(ours, oracle, *move.unit, acc, dec)


@given(st.builds(Change, starts, velocities, velocities, rates, rates, units))
@example(Change(0.0, 2.0, -3.0, 4.0, 1.0))
@example(Change(5.0, 2.0, -3.0, 4.0, 1.0))  # elsewhere
@example(Change(0.0, -2.0, -3.0, 4.0, 1.0))
@example(Change(0.0, -3.0, -2.0, 4.0, 1.0))
def test_a_change_of_velocity(change: Change) -> None:
    ours = change.ours()
    hardly_slower(ours, change.oracle(), change.unit[1], phases=2)
    apart = abs(change.velocity - change.target)
    assume(apart == 0.0 or apart > 1e-3)  # or ruckig takes them for one
    compare(ours, change.at_the_rates_of(ours), *change.unit, change.acc, change.dec)


@given(st.floats(1e-3, 1e3), rates, rates, rates)
def test_far_from_zero_a_move_keeps_its_length_and_time(
    distance: float, max_velocity: float, acc: float, dec: float
) -> None:
    start = 1e9
    target = start + distance
    ours = to_position(start, 0.0, target, max_velocity=max_velocity, acc=acc, dec=dec)
    oracle = Oracle(0.0, 0.0)
    oracle.change_position(target - start, max_velocity, acc, dec)
    hardly_slower(ours, oracle, 1.0, phases=2)
