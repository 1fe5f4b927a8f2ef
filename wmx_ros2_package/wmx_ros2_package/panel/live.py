"""The newest status to each browser, ten times a second, and its answer.

A browser is sent the next frame when it has answered the last one: a slow one gets fewer, and
always the newest. A frame is written once for all browsers. The answer carries the number of the
frame, and what is held: so a held button counts only while both ways are quick.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Any

import numpy as np
from starlette.websockets import WebSocket, WebSocketDisconnect

from ..client import MotionBegin, Status
from ..diagnosis.blockers import Blocker, BlockerCode
from .access import VIEWER
from .json_numbers import numbers
from .machine_link import MachineLink, Published
from .orders import Orders
from .remedies import IN_HEADER, LIMITS, MOVES, STOPS, remedy
from .safety.held_buttons import HOLD_LEASE
from .safety.page_control import PageSession
from .safety.pause import what_waits

PERIOD = 0.1
FRESH = HOLD_LEASE
"""An answer to a frame that is older, s, proves nothing."""
TOO_SLOW = (
    f"A button is held, and the connection is too slow for that: answers take over {FRESH:g} s."
)
FLAGS = (
    "servo_on",
    "alarm",
    "homed",
    "home_switch",
    "negative_limit",
    "positive_limit",
    "at_rest",
)
"""The bits of a frame's `flags`, from the lowest on."""
KEPT = {*MOVES, BlockerCode.FOLLOWING}
"""Why an axis belongs to what moves it, also while it rests."""
_BITS = 1 << np.arange(len(FLAGS))
_log = logging.getLogger("wmx_panel")


@dataclass(slots=True)
class _Viewer:
    """One connection of a page."""

    session: PageSession
    answered: int
    """The number of the frame that its browser has answered last."""


class Live:
    """Writes frames, and serves them. It belongs to the thread of the network."""

    def __init__(self, link: MachineLink, orders: Orders) -> None:
        self._link = link
        self._orders = orders
        self._heartbeat = orders.heartbeat
        self._frame = "{}"
        self._written = 0
        """The heartbeat of the newest frame that was written for a viewer."""
        self._news = asyncio.Condition()
        self._viewers = 0

    async def run(self) -> None:
        """Write frames for ever."""
        said = ""
        while True:
            try:
                self._write(monotonic())
            except Exception as error:  # without the next round nothing would end any more
                if repr(error) != said:  # which comes ten times a second
                    _log.exception("no frame can be written")
                said = repr(error)
            async with self._news:
                self._news.notify_all()
            await asyncio.sleep(PERIOD)

    def _write(self, now: float) -> None:
        """End what is to end by now, and write a frame."""
        self._orders.expire(now)
        self._heartbeat.beat(now)
        if self._viewers:
            self._frame = json.dumps(self.content(), separators=(",", ":"))
            self._written = self._heartbeat.number

    async def serve(self, socket: WebSocket, find: Callable[[str], PageSession | None]) -> None:
        """Send frames to one browser, until it leaves."""
        await socket.accept()
        session = find(socket.query_params.get("client", ""))
        if session is None or (socket.scope.get(VIEWER) and not session.viewer):
            await socket.close(4404, "no such page")
            return
        self._viewers += 1
        session.connections += 1
        sent = self._written  # which may be of long ago
        # Of this connection: one before, which the browser has left, may be noticed to end later.
        viewer = _Viewer(session, sent)
        answers = asyncio.create_task(self._read(socket, viewer))
        try:
            while not answers.done():
                async with self._news:
                    await self._news.wait()
                if viewer.answered < sent or self._written == sent:
                    continue
                sent = self._written
                error = TOO_SLOW if session.too_slow else self._orders.jog_error(session)
                own = self._own(session) | {"jog": error}
                await socket.send_text(f"[{self._frame},{json.dumps(own)}]")
        except (WebSocketDisconnect, RuntimeError):
            pass
        finally:
            answers.cancel()
            self._viewers -= 1
            session.connections -= 1
            if session.gone:  # else what is held may be held by the connection after this one
                self._orders.hold(session, None)

    def _own(self, session: PageSession) -> dict[str, Any]:
        """What concerns one page."""
        control = self._orders.control
        me = session is control.holder
        return {
            "me": me,
            "viewer": session.viewer,
            "asked": me and control.asker is not None,
            "control": self._orders.words(session),
        }

    async def _read(self, socket: WebSocket, viewer: _Viewer) -> None:
        """Take answers until the browser leaves, or sends what is none."""
        try:
            while True:
                self._see(viewer, json.loads(await socket.receive_text()))
        except (WebSocketDisconnect, RuntimeError, ArithmeticError, LookupError):
            return
        except (ValueError, TypeError, AttributeError):
            return

    def _see(self, viewer: _Viewer, answer: dict[str, Any]) -> None:
        """Take an answer, unless it comes so late that it may be of another time."""
        session, viewer.answered = viewer.session, int(answer["n"])
        now = monotonic()
        fresh = self._heartbeat.age(viewer.answered, now) <= FRESH
        session.too_slow = not fresh and bool(answer.get("hold"))
        if not fresh:
            return
        session.answered_at = now
        self._orders.hold(session, answer.get("hold"))

    def content(self) -> dict[str, Any]:
        link = self._link
        status, published = link.status, link.current
        speed = None if link.lost else link.pause.speed
        holder = self._orders.control.holder
        paused = speed is not None and speed.paused
        jogged = {self._orders.jogged_axis: f"it is jogged by {holder}"}
        content: dict[str, Any] = {
            "n": self._heartbeat.number,
            "generation": link.generation,
            "problem": link.problem,
            "simulated": link.simulated,
            "estop": published.estop,
            "stopped": link.emergency_stop.words,
            "releasable": link.emergency_stop.releasable,
            "speed": speed.percent if speed is not None else None,
            "paused": paused,
            "waits": what_waits(waiting(published, status), link.units) if paused else "",
            "resumable": link.pause.resumable and not published.estop,
            "engine": published.engine,
            "network": published.network if status is not None else "unknown",
            "holder": str(holder) if holder else self._other_holder(),
            "alarms": link.alarms.words,
            "acknowledge": link.alarms.to_acknowledge,
            "restarted": link.alarms.restarted,
            "owners": movers(published, status),
            "explained": bool(published.explanations),
            "blocks": {
                axis: [
                    _shown(blocker, jogged.get(axis), link.units.get(axis, ""))
                    for blocker in explanation.blockers
                ]
                for axis, explanation in published.explanations.items()
                if explanation.blocked
            },
        }
        if status is not None:
            flags = _BITS @ np.array([getattr(status, name) for name in FLAGS])
            command, position, velocity = (
                numbers(each, 5) for each in (status.command, status.position, status.velocity)
            )
            content |= {
                "time": round(status.time, 3),
                "command": command,
                "position": position,
                "velocity": velocity,
                "torque": numbers(status.torque, 2),
                "flags": flags.tolist(),
            }
        return content

    def _other_holder(self) -> str:
        other = self._link.panels.holder
        return f"{other}, at another panel" if other else ""


def movers(published: Published, status: Status | None) -> dict[int, str]:
    """Who moves each axis, as far as it moves, or the machine says that something keeps it.

    Begins and ends of motions may be lost, or be too many for a panel that comes later.
    """
    rests: Any = () if status is None else status.at_rest

    def moves(axis: int) -> bool:
        explained = published.explanations.get(axis)
        kept = explained is not None and not KEPT.isdisjoint(explained.codes)
        return kept or axis >= len(rests) or not rests[axis]

    return {axis: who for axis, who in published.owners.items() if moves(axis)}


def waiting(published: Published, status: Status | None) -> list[MotionBegin]:
    """The open motions, but for those whose axes are known to rest and to belong to nothing.

    The end of such a motion has been lost, or was one too many for a panel that came later.
    """

    def is_free(axis: int) -> bool:
        explained = published.explanations.get(axis)
        if explained is None or status is None or axis >= len(status.at_rest):
            return False
        return KEPT.isdisjoint(explained.codes) and bool(status.at_rest[axis])

    return [each for each in published.open_motions if not all(map(is_free, each.axes))]


def _shown(blocker: Blocker, jogged: str | None, unit: str) -> tuple[str, str, str, bool, bool]:
    """A reason, what the button beside it is called, and which blocker it stands for.

    The name is empty where the header has the button, and where `jogged` has words for it. Then,
    whether the axis just moves, which is no fault, and whether the button is a stop.
    """
    moves = blocker.code in MOVES
    if moves and jogged:
        return jogged, "", blocker.key, True, False
    found = remedy(blocker)
    name = found[0] if found else "" if blocker.code in IN_HEADER else "How?"
    if blocker.code in LIMITS:
        name = f"{name} {unit}".rstrip()
    return blocker.reason, name, blocker.key, moves, blocker.code in STOPS
