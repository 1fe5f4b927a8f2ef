"""The way of a tool that is jogged: straight on, or turning about its origin. Pure, without ROS.

The whole way that one press may go is computed before it begins, as positions of the joints over
time. So it is known at the start how far the joints can go, and a tool never leaves its line: it is
brought to rest on it. Each step of the joints follows from the Jacobian by damped least squares,
and is mended until the tool is on its line; where that fails the step is made smaller. Where a
joint would be too fast the tool is slower. Near a singular pose the way ends, so far before the
poses in which none begins that each way can be gone back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from wmx_core.values import Floats

from .chain import Chain, Pose, rotation_about, turn_between

STEPS = 120
"""How many steps the longest way has: 40 ms of computing, which the press waits for."""
LONGEST_TIME = 20.0
"""How long the tool moves for one press at most, s."""
LONGEST_WAYS = 1.0, 3.0
"""How far it goes at most: m, rad."""
RAMP = 0.3
"""How long it takes to the asked speed, and from there to rest, s."""
DAMPING = 1e-3
"""Below this a direction counts as none in which the joints can move the tool, m a rad."""
TURN_LENGTH = 0.2
"""A turn of 1 rad counts as much as so many m."""
TOLERANCE = 5e-4
"""How far the tool may be from its line, m; for turns in 1/TURN_LENGTH of that."""
POSSIBLE = 0.05
"""The share of a step that damping may miss where a way begins."""
STILL_POSSIBLE = 0.005
"""The share on the way, or twice that of its begin, unless it becomes less: so the way back can
begin where a way ends."""
STEPS_BACK = 12
"""How many tries a step back from the end of a way has."""
MENDS = 4
"""How often a step is mended."""
BENT = 0.2
"""By which share a step may differ from what the Jacobian has at both of its ends."""
SMALLEST = 1e-4
"""No step is halved below this, m or rad, and near the begin below an eighth of it."""
WORTH_TELLING = 0.9
"""The share below which the page says that the tool is slowed down."""
NO_CHANGE = 1e-9
"""What is less is no move of a joint, rad or m."""
SHORTEST = 1e-4
"""A way that is shorter, m or rad, is none."""


class NoWay(ValueError):
    """The tool cannot be moved so; the text has the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JointLimits:
    """Of the joints of a chain, in their order: rad or m, and rad/s or m/s."""

    low: Floats
    high: Floats
    speed: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolMove:
    """Which way a tool is to go."""

    turn: bool
    """About the axis, else along it."""
    axis: int
    """0, 1 or 2: x, y or z."""
    way: int
    """1 or -1."""
    of_tool: bool
    """Whether the axis is that of the tool, else that of the root."""
    speed: float
    """m/s or rad/s, above 0."""

    def direction(self, start: Pose) -> Floats:
        """The axis in the frame of the root, (3,)."""
        axis = np.eye(3)[self.axis] * float(self.way)
        found: Floats = start.rotation @ axis if self.of_tool else axis
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolWay:
    """The joints over time, from where they are until they rest."""

    times: Floats
    """(points,), s, from 0 on."""
    positions: Floats
    """(points, joints), rad or m."""
    length: float
    """How far the tool goes, m or rad."""
    end: str
    """Why it goes no further, in words."""
    slowed: str
    """What it is slower for than it was asked to be, in words; empty where it is not."""


def tool_way(
    chain: Chain, start: Sequence[float] | Floats, move: ToolMove, limits: JointLimits
) -> ToolWay:
    """The way of the link of `chain` with its joints at `start`; NoWay with the reason."""
    positions, gone, end = _follow(chain, np.array(start, dtype=float), move, limits)
    if not gone[-1] >= SHORTEST:
        raise NoWay(end)
    times, slowed = _times(chain, positions, gone, move.speed, limits)
    return ToolWay(times=times, positions=positions, length=float(gone[-1]), end=end, slowed=slowed)


class Line:
    """What the tool shall be on."""

    def __init__(self, chain: Chain, joints: Floats, move: ToolMove) -> None:
        self.chain, self.turn = chain, move.turn
        self.start = chain.pose(joints)
        self.direction = move.direction(self.start)
        self.scale = np.array([1.0] * 3 + [TURN_LENGTH] * 3)
        ahead = [np.zeros(3), self.direction] if move.turn else [self.direction, np.zeros(3)]
        self.wanted = self.scale * np.concatenate(ahead)


class Place:
    """One place on the way, or near it."""

    def __init__(self, line: Line, joints: Floats, gone: float) -> None:
        pose, jacobian = line.chain.pose_and_jacobian(joints)
        self.joints, self.gone = joints, gone
        self.jacobian = line.scale[:, None] * jacobian
        self.off = line.scale * _off(line.start, pose, line.direction, gone, turn=line.turn)
        self.rate = _damped(self.jacobian, line.wanted)
        missed = np.linalg.norm(line.wanted - self.jacobian @ self.rate)
        self.missed = float(missed / np.linalg.norm(line.wanted))
        """The share of a small step that is missed."""


def _follow(
    chain: Chain, joints: Floats, move: ToolMove, limits: JointLimits
) -> tuple[Floats, Floats, str]:
    """The joints at each step of the way, how far the tool has gone there, and why it ends."""
    found, why = _places(chain, joints, move, limits, 3 * STEPS)
    back = replace(move, way=-move.way)
    while len(found) > 1:
        try:
            if len(_places(chain, found[-1].joints, back, limits, STEPS_BACK)[0]) > 1:
                break
        except NoWay:
            pass
        found.pop()  # from where no way leads back
    return np.array([each.joints for each in found]), np.array([each.gone for each in found]), why


def _places(
    chain: Chain, joints: Floats, move: ToolMove, limits: JointLimits, tries: int
) -> tuple[list[Place], str]:
    """The places on the way, as far as so many tries lead, and why it ends."""
    line = Line(chain, joints, move)
    at = Place(line, joints, 0.0)
    if at.missed > POSSIBLE:
        raise NoWay(_impossible(chain, move))
    longest = min(move.speed * LONGEST_TIME, LONGEST_WAYS[move.turn])
    most_missed = min(max(STILL_POSSIBLE, 2.0 * at.missed), POSSIBLE)
    found, step, why = [at], longest / STEPS, ""
    for _ in range(tries):
        if why or at.gone >= longest - SHORTEST:
            break
        smallest = SMALLEST if at.gone > 20.0 * SMALLEST else SMALLEST / 8.0
        there, why = _step(line, at, step, limits)
        if there is None and step > 2.0 * smallest:
            step, why = step / 2.0, ""
            continue
        if there is None or (there.missed > most_missed and there.missed > at.missed):
            why = f"{chain.link} would leave its line near a singular pose"
            if at.gone < SHORTEST:
                why = f"{why}: move a joint first"
            break
        if there.gone > at.gone:
            found.append(there)
            at = there
        step = min(2.0 * step, longest / STEPS, longest - at.gone)
    return found, why or "one press goes no further"


def _step(line: Line, at: Place, step: float, limits: JointLimits) -> tuple[Place | None, str]:
    """Return the place a step further on, or where a joint is at its limit, and which joint.

    The place is None if there is none near it.
    """
    mend = _damped(at.jacobian, at.off)
    there = Place(line, at.joints + step * at.rate + mend, at.gone + step)
    for _ in range(MENDS):
        if np.linalg.norm(there.off) < TOLERANCE / 10.0:
            break
        there = Place(line, there.joints + _damped(there.jacobian, there.off), there.gone)
    change = there.joints - at.joints
    change[np.abs(change) < NO_CHANGE] = 0.0
    share, why = _room(line.chain, at.joints, change, limits)
    there = Place(line, at.joints + share * change, at.gone + share * step)
    change = there.joints - at.joints
    expected = share * (0.5 * step * (at.rate + there.rate) + mend)
    bent = np.linalg.norm(change - expected) > BENT * np.linalg.norm(expected) + TOLERANCE
    if bent or np.linalg.norm(there.off) > TOLERANCE:
        return None, ""
    return there, why


def _off(start: Pose, now: Pose, direction: Floats, gone: float, *, turn: bool) -> Floats:
    """How far from its line the tool is, (6,): what leads back to it."""
    if turn:
        place, rotation = start.position, rotation_about(direction, gone) @ start.rotation
    else:
        place, rotation = start.position + gone * direction, start.rotation
    return np.concatenate([place - now.position, turn_between(rotation, now.rotation)])


def _damped(jacobian: Floats, way: Floats) -> Floats:
    """The least change of the joints that comes nearest to `way`, by damped least squares."""
    square = jacobian @ jacobian.T + DAMPING**2 * np.eye(6)
    change: Floats = jacobian.T @ np.linalg.solve(square, way)
    return change


def _room(chain: Chain, joints: Floats, change: Floats, limits: JointLimits) -> tuple[float, str]:
    """The share of `change` until a joint is at its limit, and which; one outside may come back."""
    ahead = np.where(change > 0.0, limits.high, limits.low)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(change == 0.0, np.inf, np.maximum((ahead - joints) / change, 0.0))
    first = int(shares.argmin())
    if shares[first] >= 1.0:
        return 1.0, ""
    unit = "m" if chain.prismatic[first] else "rad"
    return float(shares[first]), f"{chain.joints[first]} is at its limit, {ahead[first]:g} {unit}"


def _impossible(chain: Chain, move: ToolMove) -> str:
    what = f"turn about {'xyz'[move.axis]}" if move.turn else f"move along {'xyz'[move.axis]}"
    of = chain.link if move.of_tool else chain.root
    count = len(chain.joints)
    why = (
        f"its {count} joints allow no such move alone"
        if count < 6
        else "this pose is singular: move a joint first"
    )
    return f"{chain.link} cannot {what} of {of} here: {why}"


def _times(
    chain: Chain, positions: Floats, gone: Floats, speed: float, limits: JointLimits
) -> tuple[Floats, str]:
    """When each step is reached, from rest to rest, and what the tool is slowed down for.

    No joint is faster than its limit; within RAMP the tool gets to the speed that it may have, and
    the joints to theirs.
    """
    steps = np.diff(gone)
    rates = np.diff(positions, axis=0) / steps[:, None]
    with np.errstate(divide="ignore"):
        fastest = limits.speed / np.abs(rates)  # of the tool, (steps, joints)
        bends = np.abs(np.diff(rates, axis=0)) / (0.5 * (steps[1:] + steps[:-1]))[:, None]
        bent = np.sqrt(limits.speed / RAMP / bends)
    allowed = np.minimum(fastest.min(axis=1), speed)
    inner = np.minimum(np.minimum(allowed[:-1], allowed[1:]), bent.min(axis=1))
    speeds = np.concatenate([[0.0], inner, [0.0]])
    gains = 2.0 * steps * allowed / RAMP  # of the square of the speed within each step
    for i, gain in enumerate(gains):
        speeds[i + 1] = min(speeds[i + 1], np.sqrt(speeds[i] ** 2 + gain))
    for i in range(len(gains) - 1, -1, -1):
        speeds[i] = min(speeds[i], np.sqrt(speeds[i + 1] ** 2 + gains[i]))
    if len(steps) == 1:
        return np.array([0.0, max(2.0 * steps[0] / allowed[0], RAMP)]), ""
    times = np.concatenate([[0.0], np.cumsum(2.0 * steps / (speeds[:-1] + speeds[1:]))])
    return times, _slowed(chain, fastest, speed, limits)


def _slowed(chain: Chain, fastest: Floats, speed: float, limits: JointLimits) -> str:
    at, joint = np.unravel_index(int(fastest.argmin()), fastest.shape)
    if fastest[at, joint] >= WORTH_TELLING * speed:
        return ""
    unit = "m/s" if chain.prismatic[joint] else "rad/s"
    return (
        f"slower on the way: {chain.joints[joint]} goes at {limits.speed[joint]:.3g} {unit} at most"
    )
