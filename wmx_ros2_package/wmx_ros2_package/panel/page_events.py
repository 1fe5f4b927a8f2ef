"""What panel.js sends of the buttons that it has made or shows itself, and what comes of each."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from nicegui import events, ui

from .numbers import NumberRule
from .remedies import LOST, lost, question, remedy, why_no_button

if TYPE_CHECKING:
    from .frame import Frame

MOST_SHOWN = 10
"""Letters of what is no percentage."""
Sent = dict[str, Any]
_ALARM = NumberRule(name="number of an alarm", low=0, whole=True)
_PERCENT = NumberRule(name="percent", whole=True)


class PageEvents:
    """Those of one page. What is sent may be anything: it is refused, as an order that is late."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame

    def listen(self) -> None:
        """Take them from now on."""
        for name, act in {
            "clear": self._clear,
            "acknowledge": self._acknowledge,
            "resume": self._resume,
            "speed": self._set_speed,
            "keep": self._keep_control,
            "home": self._ask_to_home,
        }.items():
            ui.on(name, self._taken(act))

    def _taken(self, act: Callable[[Sent], Awaitable[None]]) -> Callable[..., Awaitable[None]]:
        async def take(event: events.GenericEventArguments) -> None:
            sent = event.args if isinstance(event.args, dict) else {}
            self._frame.clicked(sent.get("click"))
            await act(sent)

        return take

    async def _clear(self, sent: Sent) -> None:
        """Carry out what the button beside a reason stands for, or show what helps."""
        axis, link = _axis(sent), self._frame.link
        blocker = link.blocker(axis, str(sent.get("key")))
        if blocker is None:
            ui.notify("It does not block the axis any more.", position="bottom")
            return
        found = remedy(blocker)
        if found is None:
            text = why_no_button(blocker) or blocker.reason
            ui.notify(text, position="bottom", multi_line=True, timeout=9000)
            return
        label, act = found
        if blocker.code in LOST:
            self._ask_about_lost(axis, lambda: act(link.connected, axis, blocker))
        else:
            what = f"{label} (axis {axis})"
            await self._frame.order(what, lambda: act(link.connected, axis, blocker))

    def _ask_about_lost(self, axis: int, confirm: Callable[[], Any]) -> None:
        """Take an axis as it is, once a person has agreed to all that it has lost."""
        link = self._frame.link
        shown = lost(link.blockers(axis))

        def confirm_shown() -> None:
            [now] = link.connected.explain([axis])  # what is published may be a second old
            if {each.key for each in lost(now.blockers)} != {each.key for each in shown}:
                raise ValueError(f"axis {axis} has not lost what was shown: ask for it again")
            confirm()

        text = f"Axis {link.axis_labels[axis]}: {question(shown)}"
        self._frame.confirm(text, "It is right as it is", f"confirm axis {axis}", confirm_shown)

    async def _acknowledge(self, sent: Sent) -> None:
        """Note the alarms that the line has shown."""
        alarms, name = self._frame.link.alarms, self._frame.session.name
        await self._frame.order(
            "note the alarms",
            lambda: alarms.acknowledge(name, int(_ALARM.read(sent.get("number")))),
        )

    async def _resume(self, _: Sent) -> None:
        """Let what was paused go on, unless the pause was a moment ago."""
        link = self._frame.link
        await self._frame.order(
            "resume", lambda: link.connected.resume(before=link.pause.require_resumable)
        )

    async def _set_speed(self, sent: Sent) -> None:
        """Have all motions at a part of their speed."""
        percent, link = sent.get("percent"), self._frame.link
        await self._frame.order(
            f"speed {str(percent)[:MOST_SHOWN]} %",
            lambda: link.connected.set_speed(int(_PERCENT.read(percent))),
        )

    async def _keep_control(self, _: Sent) -> None:
        """Refuse who asks for the control of this page."""
        panel = self._frame.panel
        await panel.network.call(panel.orders.keep_control, self._frame.session)

    async def _ask_to_home(self, sent: Sent) -> None:
        """Show what homing an axis will do."""
        await import_module(".pages.homing", __package__).ask_to_home(self._frame, _axis(sent))


def _axis(sent: Sent) -> int:
    """The axis that a page has sent; -1 where that is none."""
    axis = sent.get("axis")
    return axis if type(axis) is int else -1  # True is an int as well
