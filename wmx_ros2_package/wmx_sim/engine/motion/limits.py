"""Limit switches and soft limits: refuses commands that go further; tells when one comes on.

A limit acts once, as it comes on while the commanded motion goes its way; its type is how. As
long as it is on, commands that go further its way are refused, others are not. Hard limit switches
watch the motor, soft limits the command, and only of an axis that is homed; near limit switches
are bits of the input image. An engine reads switches once a communication cycle.
Source: the vendor's manual, pages "Hardware Limit Switch", "Near and External Limit Switch",
"Clearing the Limit Switch" and "Limit Parameters".
"""

from collections.abc import Iterator
from math import inf

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.io_range import bit_of
from wmx_core.parameters.axis_parameters import AxisParameters
from wmx_core.values import LimitType

from ..clock import CYCLE, cycle_after
from ..machine.description import AxisModel
from .curve import Curve
from .drive import Drive, State


class Limit:
    """One limit of one direction: on where the position is beyond `level`."""

    def __init__(self, name: str, direction: int, code: ErrorCode, *, of_command: bool) -> None:
        self.name = name
        self.direction = direction
        self.code = code
        self.type = LimitType.NONE
        self.level = inf * direction
        self.on = False
        """As the engine saw it last."""
        self.latched = False
        """Whether it has switched the servo off, and stays on until the servo comes on again."""
        self._looked = -inf
        self._of_command = of_command

    def is_on(self, state: State) -> bool:
        """Return whether it is on in `state`."""
        position = state.command if self._of_command else state.position
        return self.direction * (position - self.level) > 0.0

    def next_look(self, time: float, command: Curve, actual: Curve, duration: float) -> float:
        """Return when, within `duration` from `time` on, the engine finds it changed; or inf."""
        if abs(self.level) == inf:
            changes = inf if self.on is (self.direction * self.level < 0.0) else 0.0
        else:
            curve = command if self._of_command else actual
            above = (self.direction > 0) is not self.on
            changes = (curve.first_above if above else curve.first_below)(self.level, duration)
        return max(cycle_after(time + changes), self._looked + CYCLE)

    def look(self, time: float, state: State) -> bool:
        """Return whether the engine finds, at `time`, that it has come on."""
        was_on, self.on, self._looked = self.on, self.is_on(state), time
        return self.on and not was_on


class Limits:
    """All limits of one axis."""

    def __init__(self, model: AxisModel, drive: Drive) -> None:
        self._model = model
        self._drive = drive
        self.hard = {
            +1: Limit("positive limit switch", +1, ErrorCode.AxisHardLimit, of_command=False),
            -1: Limit("negative limit switch", -1, ErrorCode.AxisHardLimit, of_command=False),
        }
        self.soft = {
            +1: Limit("positive soft limit", +1, ErrorCode.AxisSoftLimit, of_command=True),
            -1: Limit("negative soft limit", -1, ErrorCode.AxisSoftLimit, of_command=True),
        }
        self._near = {
            +1: Limit("positive near limit switch", +1, ErrorCode.AxisNearLimit, of_command=False),
            -1: Limit("negative near limit switch", -1, ErrorCode.AxisNearLimit, of_command=False),
        }
        self._all = tuple(
            limit for limits in (self.hard, self.soft, self._near) for limit in limits.values()
        )
        self._stuck: dict[int, bool] = {}

    def __iter__(self) -> Iterator[Limit]:
        return iter(self._all)

    def changing(self) -> list[Limit]:
        """Return those that may be found changed: at a place, or not as they will always be."""
        return [
            limit
            for limit in self._all
            if -inf < limit.level < inf or limit.on is not (limit.direction * limit.level < 0.0)
        ]

    def configure(self, p: AxisParameters, inputs: bytes, *, homed: bool) -> None:
        """Put `p` in force for an axis that is `homed` or not, with `inputs` as they are."""
        for limits, common, positive, negative in (
            (self.hard, p.ls_type, p.positive_ls_type, p.negative_ls_type),
            (
                self.soft,
                p.soft_limit_type,
                p.positive_soft_limit_type,
                p.negative_soft_limit_type,
            ),
            (self._near, p.near_ls_type, p.near_positive_ls_type, p.near_negative_ls_type),
        ):
            separate = common is LimitType.SEPARATE
            limits[+1].type = positive if separate else common
            limits[-1].type = negative if separate else common
        self._place_hard()
        # A position that is less than half a count is rounding.
        half_a_count = self._drive.scale.resolution / 2.0
        for direction, position in ((+1, p.soft_limit_positive), (-1, p.soft_limit_negative)):
            present = homed and position and self.soft[direction].type is not LimitType.NONE
            level = position + direction * half_a_count if present else direction * inf
            self.soft[direction].level = level
        for limit in self._all:
            if limit.latched:
                limit.level = limit.direction * -inf
        for direction, byte, bit, inverted in (
            (+1, p.near_positive_ls_byte, p.near_positive_ls_bit, p.invert_near_positive_ls),
            (-1, p.near_negative_ls_byte, p.near_negative_ls_bit, p.invert_near_negative_ls),
        ):
            wired = self._near[direction].type is not LimitType.NONE
            closed = wired and bit_of(inputs, byte, bit) is not inverted
            self._near[direction].level = direction * (-inf if closed else inf)

    def stick(self, direction: int, on: bool | None) -> None:
        """Let the limit switch of `direction` be stuck, or free again (None)."""
        if on is None:
            self._stuck.pop(direction, None)
        else:
            self._stuck[direction] = on
        self._place_hard()

    @property
    def use_inputs(self) -> bool:
        """Whether a bit of the input image is a limit switch of this axis."""
        return any(limit.type is not LimitType.NONE for limit in self._near.values())

    def present(self, direction: int) -> bool:
        """Return whether the machine has a limit switch in `direction`."""
        return direction in self._stuck or abs(self.hard[direction].level) < inf

    def require_free_way(self, direction: float, state: State, *, but: Limit | None = None) -> None:
        """Refuse a command that goes further the way of a limit that is on, `but` one."""
        for limit in self:
            if (
                limit is not but
                and limit.type is not LimitType.NONE
                and limit.direction * direction > 0.0
                and limit.is_on(state)
            ):
                raise CommandRefused(limit.code, f"the {limit.name} is on")

    def in_the_way(self, course: Curve, duration: float) -> Iterator[Limit]:
        """Return those that were seen on, and whose way a command by `course` goes further."""
        for limit in self._all:
            if limit.on and limit.type is not LimitType.NONE:
                further = course.first_above if limit.direction > 0 else course.first_below
                if further(course.p, duration) < inf:
                    yield limit

    def _place_hard(self) -> None:
        model = self._model
        switches = self._drive.scale.span(model.negative_limit_switch, model.positive_limit_switch)
        for direction, place in ((+1, switches.high), (-1, switches.low)):
            if direction in self._stuck:
                place = direction * (-inf if self._stuck[direction] else inf)
            self.hard[direction].level = place
