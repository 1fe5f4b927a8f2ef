"""The joints of a robot: targets by sliders or typed, moved together; and each one jogged."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from nicegui import events, ui

from ...client import Motion
from ..description import numbers_of
from ..frame import Frame
from ..joint_targets import joints_in, move_of_joints
from ..numbers import NoNumber, NumberRule, number_text
from ..trajectories import follow
from .jog_buttons import HoldButton, hold_button, speed
from .number_field import NumberField, share_field

PERIOD = 0.5
"""How often the sliders of joints that are not set follow the machine, s."""
JOG_SPEED = 0.2
"""At first, rad/s or m/s."""
HELP = (
    "A joint moves to the target that is set, by its slider or as typed; one without a target "
    "stays, and its slider follows it. - and + move one joint while they are held. In rad or m."
)


class JointRow:
    """One joint: where it may go, where it shall go, and where it is."""

    def __init__(
        self,
        name: str,
        axis: int | None,
        low: float | None,
        high: float | None,
        si: float | None = 1.0,
    ) -> None:
        """Without limits the slider goes from -pi to pi, and the field takes any number.

        With one limit the other end is there, too, or half a turn beyond the limit.
        `si` is how many rad or m the unit of its axis is; None where that is not known.
        """
        self.name = name
        reach = NumberRule(
            name=name,
            low=-math.inf if low is None else low,
            high=math.inf if high is None else high,
        )
        self._low = min(-math.pi, (high or 0.0) - math.pi) if low is None else low
        self._high = max(math.pi, (low or 0.0) + math.pi) if high is None else high
        self._digits = _digits(self._high - self._low)
        ui.label(name)
        self.slider = ui.slider(
            min=self._low, max=self._high, step=10.0**-self._digits, value=self._low
        )
        # Names are data: they are given as values, never as text that is read as properties.
        self.slider.props["aria-label"] = f"{name}, {self._low:g} to {self._high:g}"
        self.slider.on("update:model-value", self._slide, throttle=0.05)
        self.field = NumberField("", None, reach)
        self.field.input.props('dense placeholder="stays"')
        self.field.input.props["aria-label"] = f"Target of {name}"
        self.field.input.on_value_change(self._type)
        shown = f'data-live="position:{axis}" data-factor="{si}"'
        live = "?" if axis is None or si is None else f"<span {shown}>…</span>"
        ui.html(f'<span class="mono">{live}</span>', sanitize=False)
        if axis is not None:
            buttons = (
                hold_button(axis, HoldButton("-", (-1,), ""), f"Jog {name} down"),
                hold_button(axis, HoldButton("+", (1,), ""), f"Jog {name} up"),
            )
            ui.html("".join(buttons), sanitize=False).classes("holds")

    @property
    def is_set(self) -> bool:
        """Whether it has a target."""
        return bool(self.field.text.strip())

    def follow(self, place: float | None) -> None:
        """Let the slider show where the joint is, unless it has a target."""
        if place is not None and not self.is_set:
            self._show(place)

    def _slide(self, event: events.GenericEventArguments) -> None:
        self.field.input.value = target_text(float(event.args), self._low, self._high)

    def _type(self) -> None:
        try:
            self._show(self.field.read())
        except NoNumber:
            return  # which the field shows

    def _show(self, place: float) -> None:
        place = min(max(place, self._low), self._high)  # as far as the slider goes
        if abs(place - float(self.slider.value or 0.0)) > 0.5 * 10.0**-self._digits:
            self.slider.value = place


def target_text(place: float, low: float, high: float) -> str:
    """The target of a joint whose slider, from `low` to `high`, was moved to `place`.

    It is rounded, but not to beyond an end: there it would be refused.
    """
    text = f"{place:.{_digits(high - low)}f}"
    return text if low <= float(text) <= high else number_text(place)


def joints(frame: Frame) -> None:
    """Make the part of the page."""
    server = frame.link.joints
    names = list(server["joint_name"])
    axes = numbers_of(frame.link.actuators)
    known = {actuator.name: actuator for actuator in frame.link.actuators}
    units = dict.fromkeys(known[name].unit for name in names if name in known)
    limits = zip(names, server["position_lower"], server["position_upper"], strict=True)
    # Controls come first, above all that may grow, and above what notices cover.
    with ui.row().classes("items-center w-full no-wrap gap-2"):
        frame.stop_all_button()
        move_button = ui.button("Move the joints", icon="play_arrow")
    with ui.row().classes("items-center w-full no-wrap gap-2"):
        forget_button = ui.button("Forget targets").props("outline")
        zero_button = ui.button("All to 0").props("outline")
    with ui.row().classes("items-center w-full no-wrap gap-2"):
        share = share_field("move joints")
        # A jog is in the units of its axis: a joint whose axis is in degrees is slower by it.
        label = f"Jog at, {' or '.join(f'{unit}/s' for unit in units) or 'u/s'}"
        speed(label, "joint-jog-speed", JOG_SPEED)
    rows = {}
    for name, low, high in limits:
        with ui.element("div").classes("joint").props('data-speeds="joint-jog-speed"'):
            si = known[name].si if name in known else None
            rows[name] = JointRow(name, axes.get(name), low, high, si)
    ui.label(HELP).classes("text-caption")

    async def move() -> None:
        targets = {name: row.field.read() for name, row in rows.items() if row.is_set}
        percent = share.read()
        order = await frame.order(
            f"move joints: {_words(targets) or 'none'} "
            f"at {number_text(percent)} % of their velocity",
            lambda: _move(frame, server, targets, percent),
        )
        if order.done:
            forget()  # what is not set again stays

    def forget() -> None:
        for row in rows.values():
            row.field.show(None)

    def zero() -> None:
        for row in rows.values():
            row.field.show(0.0)

    def update() -> None:
        now = frame.link.joint_positions
        for name, row in rows.items():
            row.follow(now.get(name))

    frame.on_click(move_button, move)
    forget_button.on_click(forget)
    zero_button.on_click(zero)
    update()
    ui.timer(PERIOD, update)


def _move(
    frame: Frame, server: Mapping[str, Any], targets: Mapping[str, float], share: float
) -> Motion:
    """Move the joints that have targets, from where they are when the order is carried out."""
    now, moving = joints_in(frame.link.actuators, frame.link.status)
    velocities = [(limit or 1.0) * share / 100.0 for limit in server["velocity_limit"]]
    trajectory = move_of_joints(list(server["joint_name"]), targets, now, moving, velocities)
    return follow(frame.link.connected, server, trajectory)


def _words(targets: Mapping[str, float]) -> str:
    return ", ".join(f"{name} to {number_text(value)}" for name, value in targets.items())


def _digits(span: float) -> int:
    """How many decimals a slider is set with: a few hundred steps over its range (rad or m)."""
    return 2 - math.floor(math.log10(span / 5.0)) if 0.0 < span < 5.0 else 2
