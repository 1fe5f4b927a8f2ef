"""What a replay is compared by: feedback, refusals and ends of motions."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import inf, isnan
from typing import Any

import numpy as np

from wmx_core.values import REST_VELOCITY, MotionStatus

from ..control.motion_ends import Doing, ending, is_over
from ..control.request import Begin, EndReason, MotionKind
from ..recordings.script import RecordedCommand, RecordedMotion

FEEDBACK = (
    *("pos_cmd", "velocity_cmd", "actual_pos", "actual_velocity", "actual_torque"),
    "following_error",
)
COMMANDED = FEEDBACK[:2]
_CREEP = REST_VELOCITY * 0.02
"""How far motors that rest may go, u, in the time between a status and the end that it shows."""
MOST_DIFFERENCES = 20
"""So many are printed; they are all counted."""
_BY_THE_MACHINE = EndReason.ALARM, EndReason.SERVO_OFF, EndReason.EMERGENCY_STOP, EndReason.ARRIVED


@dataclass(slots=True)
class Differences:
    """Where a replay is not as the recording."""

    texts: list[tuple[int, str]] = field(default_factory=list)
    """When (ns), and what: of feedback the first one of each field, then ends and refusals."""
    count: int = 0
    greatest: dict[str, float] = field(default_factory=dict)
    """The greatest difference of each field of the status, in its unit."""

    def add(self, stamp: int, text: str) -> None:
        """Count a difference."""
        self.count += 1
        if len(self.texts) < MOST_DIFFERENCES:
            self.texts.append((stamp, text))


@dataclass(slots=True)
class Replay:
    """What came of a replay."""

    commands: int = 0
    refusals: int = 0
    """Commands that were refused, there and here."""
    ends: int = 0
    """Ends of motions that were compared."""
    statuses: int = 0
    equal: int = 0
    """Statuses that are equal to the last bit."""
    first: int = 0
    """The stamp of the first status that was compared, ns since the epoch."""
    last: int = 0
    left_out: list[str] = field(default_factory=list)
    """What of the recording was not replayed, and why."""
    differences: Differences = field(default_factory=Differences)


class Comparison:
    """Compares a replay with the recorded `motions`, and counts in `found`."""

    def __init__(
        self, found: Replay, motions: Iterable[RecordedMotion], tolerance: float, *, simulated: bool
    ) -> None:
        """Of a machine that was not `simulated` the feedback is not judged, the command is."""
        self.found = found
        self._motions = deque(sorted(motions, key=lambda motion: motion.ended))
        self._tolerance = tolerance
        self._judged_on = simulated
        self._before: tuple[MotionStatus, MotionStatus] | None = None
        """What was there and here in the cycle that was compared before."""

    def compare_answer(self, command: RecordedCommand, code: int, words: str) -> None:
        """Compare the answer to `command` with `code` and `words` of a refusal here, or none."""
        self.found.commands += 1
        self.found.refusals += bool(code and command.code)
        if code != command.code:
            there = f"refused with {command.code}" if command.code else "taken"
            here = f"refused here: {words}" if code else "is taken here"
            self.found.differences.add(
                command.stamp, f"{command.method} of {command.source} was {there}, and {here}"
            )

    def compare(self, stamp: int, there: MotionStatus, here: MotionStatus) -> None:
        """Compare what was, at `stamp` (ns), with what is `here` in the same cycle."""
        found, differences = self.found, self.found.differences
        found.statuses += 1
        found.last = stamp
        equal = True
        for name in FEEDBACK:
            a, b = getattr(there, name), getattr(here, name)
            if np.array_equal(a, b, equal_nan=True):
                continue
            equal = False
            same = (a == b) | (np.isnan(a) & np.isnan(b))
            away = np.abs(np.where(same, 0.0, a) - np.where(same, 0.0, b))
            away[np.isnan(away)] = inf
            worst = int(away.argmax())
            before = differences.greatest.get(name, 0.0)
            differences.greatest[name] = max(before, float(away[worst]))
            judged = self._judged_on or name in COMMANDED
            if judged and before <= self._tolerance < away[worst]:
                text = f"{name} of axis {worst} was {a[worst]:.9g}, and is {b[worst]:.9g} here"
                differences.add(stamp, text)
        found.equal += equal
        while self._motions and self._motions[0].ended * 1e9 <= stamp:
            motion = self._motions.popleft()
            # The axes may do something else in the cycle after an end, or in the same one.
            for was, now in ((there, here), self._before or (there, here)):
                if _has_ended(motion.begin, was):
                    self._compare_end(motion, now)
                    break
        self._before = there, here

    def _compare_end(self, motion: RecordedMotion, here: MotionStatus) -> None:
        begin, stamp = motion.begin, int(motion.ended * 1e9)
        if begin.time * 1e9 < self.found.first or motion.reason is EndReason.REPLACED:
            return
        self.found.ends += 1
        what = f"{begin.kind.name} of axes {[*begin.axes]} ended: {motion.reason.name}"
        if not _has_ended(begin, here):
            self.found.differences.add(stamp, f"{what}, and goes on here")
            return
        if motion.reason in _BY_THE_MACHINE and not any(map(isnan, begin.targets)):
            reason = ending(begin, here).reason
            if reason is not motion.reason:
                self.found.differences.add(stamp, f"{what}, and here: {reason.name}")
                return
        if not self._judged_on:
            return  # an end has the places of motors, which are others on another machine
        places = [float(here.actual_pos[axis]) for axis in begin.axes]
        away = max((abs(a - b) for a, b in zip(motion.final, places, strict=True)), default=0.0)
        if here.op_state[list(begin.axes)].any():
            return  # it slows down still, and where it ends up is compared with the statuses
        if away > max(self._tolerance, _CREEP) and away < inf:
            at = ", ".join(f"{place:.9g}" for place in motion.final)
            own = ", ".join(f"{place:.9g}" for place in places)
            self.found.differences.add(stamp, f"{what} at {at}, and at {own} here")


def _has_ended(begin: Begin, status: MotionStatus) -> bool:
    return begin.kind is MotionKind.HOLD or is_over(begin, Doing.of(status), stopped=True)


def outline(found: Replay) -> dict[str, Any]:
    """What came of a replay, for programs."""
    return {
        "commands": found.commands,
        "refusals": found.refusals,
        "ends": found.ends,
        "statuses": found.statuses,
        "equal": found.equal,
        "left_out": found.left_out,
        "differences": [{"time": at, "text": text} for at, text in found.differences.texts],
        "difference_count": found.differences.count,
        "greatest": found.differences.greatest,
    }
