"""How fast axes move in the whole system: the override, and the pause."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wmx_ros2_message.msg import SystemSpeed
from wmx_ros2_message.srv import SetSpeed

from ..control.axis_file.records import FULL_SPEED, LEAST_SPEED, Speed
from .checked import real
from .errors import NotReady
from .session import Session

SERVICE, TOPIC = "wmx/engine/set_speed", "wmx/engine/speed"
PAUSE_TIMEOUT = 10.0
"""How long the answer to a pause may take, s: it comes when all axes rest."""


def read_speed(session: Session) -> Speed:
    """What clients have set; NotReady where nothing is published of it."""
    session.require_no_other()
    session.link.require_other_thread()
    found: list[Speed] = []
    came = session.link.clock.event()

    def see(message: Any) -> None:
        found.append(Speed(message.percent, message.paused))
        came.set()

    end = session.link.subscribe(SystemSpeed, TOPIC, see, depth=1, keeps=True)
    try:
        if not came.wait(session.link.timeout):
            raise NotReady(f"{TOPIC} is silent: the engine node does not run, or has no engine")
    finally:
        end()
    return found[-1]


def set_speed(session: Session, percent: int) -> None:
    """Have all motions at `percent` of the speed that is asked for."""
    if not real(percent, "percent").is_integer():
        raise ValueError(f"percent is {percent!r}: must be a whole number")
    if not LEAST_SPEED <= percent <= FULL_SPEED:
        raise ValueError(f"percent is {percent}: must be {LEAST_SPEED} to {FULL_SPEED}")
    action = SetSpeed.Request.OVERRIDE
    session.require_own()
    session.call_once(SetSpeed, SERVICE, action=action, percent=int(percent))


def pause(session: Session) -> None:
    """Bring all that moves to rest where it can go on from; of several systems in each."""
    action, timeout = SetSpeed.Request.PAUSE, max(PAUSE_TIMEOUT, session.link.timeout)
    session.request(SetSpeed, SERVICE, (), to_all=True, timeout=timeout, action=action)


def resume(session: Session, before: Callable[[], object]) -> None:
    """Let what was paused go on; sent once: a second request could end a pause that is newer."""
    session.require_own()
    session.call_once(SetSpeed, SERVICE, before=before, action=SetSpeed.Request.RESUME)
