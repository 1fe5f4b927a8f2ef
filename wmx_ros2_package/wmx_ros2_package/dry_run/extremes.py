"""What is seen of the courses of axes: extremes, limits that are met, and a path of some times."""

from math import inf

import numpy as np

from wmx_core.values import Course, Floats

from ..control.conditions import AMP_ALARM, FOLLOWING_ERROR, LIMITS

_MET = (*LIMITS, AMP_ALARM, FOLLOWING_ERROR)


class Seen:
    """The extremes of courses, and a path of `samples` times at most."""

    def __init__(self, axes: int, samples: int) -> None:
        self.low, self.high = np.full(axes, inf), np.full(axes, -inf)
        names = "velocity", "acceleration", "jerk", "torque", "following_error"
        self.greatest = {name: np.zeros(axes) for name in names}
        self.in_position = [-1] * axes
        """Since which cycle each motor is in position; -1 where it is not."""
        self.met: list[list[tuple[int, str]]] = [[] for _ in range(axes)]
        self._before: Course | None = None
        self._samples = samples
        self._stride = 1
        self._first = -1
        self._kept: list[tuple[int, Floats, Floats]] = []
        self._last: tuple[int, Floats, Floats] | None = None

    def take(self, course: Course) -> None:
        np.minimum(self.low, course.command.min(axis=0), out=self.low)
        np.maximum(self.high, course.command.max(axis=0), out=self.high)
        for name in ("velocity", "torque", "following_error"):
            top = np.abs(getattr(course, name)).max(axis=0)
            np.maximum(self.greatest[name], top, out=self.greatest[name])
        for name, top in (("acceleration", course.top_acceleration), ("jerk", course.top_jerk)):
            np.maximum(self.greatest[name], top, out=self.greatest[name])
        self._see_limits(course)
        self._see_places(course)
        if self._samples:
            self._keep(course)
        self._before = course

    def _see_limits(self, course: Course) -> None:
        for condition in _MET:
            now = getattr(course, condition.flag)
            was = np.vstack(
                [getattr(self._before, condition.flag)[-1:] if self._before else now[:1], now[:-1]]
            )
            for row, i in np.argwhere(now & ~was).tolist():
                words = condition.words
                if condition in LIMITS:
                    words += f", met at {course.motor[row, i]:.6g} u"
                elif condition is FOLLOWING_ERROR:
                    words += f" ({course.following_error[row, i]:.6g} u)"
                self.met[i].append((int(course.cycles[row]), words))

    def _see_places(self, course: Course) -> None:
        for i, there in enumerate(course.motion_complete.T):
            away = np.flatnonzero(~there)
            if away.size == 0:
                if self.in_position[i] < 0:
                    self.in_position[i] = int(course.cycles[0])
            elif away[-1] + 1 < len(there):
                self.in_position[i] = int(course.cycles[away[-1] + 1])
            else:
                self.in_position[i] = -1

    def _keep(self, course: Course) -> None:
        if self._first < 0:
            self._first = int(course.cycles[0])
        chosen = np.flatnonzero((course.cycles - self._first) % self._stride == 0)
        columns = course.cycles[chosen], course.command[chosen], course.motor[chosen]
        self._kept += zip(columns[0].tolist(), *columns[1:], strict=True)
        self._last = int(course.cycles[-1]), course.command[-1], course.motor[-1]
        while len(self._kept) >= max(self._samples, 2):
            self._stride *= 2
            self._kept = [row for row in self._kept if (row[0] - self._first) % self._stride == 0]

    def paths(self, first: int, cycle_time: float) -> dict[str, Floats]:
        """The fields of `Outcome`, times counted from cycle `first`."""
        rows = list(self._kept)
        if self._last is not None and rows[-1][0] != self._last[0]:
            rows.append(self._last)
        rows = rows[-self._samples :]
        axes = len(self.low)
        return {
            "times": np.array([(row[0] - first) * cycle_time for row in rows]),
            "paths": np.array([row[1] for row in rows]).reshape(-1, axes),
            "motors": np.array([row[2] for row in rows]).reshape(-1, axes),
        }
