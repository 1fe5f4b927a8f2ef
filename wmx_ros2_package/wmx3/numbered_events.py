"""Events of the engine by fixed numbers, so that every process finds what another one has set.

| numbers      | what                                                                |
|--------------|---------------------------------------------------------------------|
| 255 and less | dead man by emergency stop: axis 0 has the last two, see `dead_man` |
| 256 to 287   | stop inputs, see `stop_inputs`                                      |
| 511 and less | dead man by stop, as those by emergency stop                        |

Programs that let the engine choose a number most likely get low ones.
"""

from typing import Any

from wmx_core.errors import CommandRefused, ErrorCode

from .session import SdkSession

TRIES = 10
"""How often an event is set or removed, where another with its number is just being removed."""
RETRY_DELAY = 0.005
"""s."""
NOT_THERE = "IDNotDefined", "EventNotDefined"
"""What an engine answers of an event that it does not have, by the names of its errors."""


def put_event(session: SdkSession, when: Any, then: Any, number: int) -> None:
    """Have the event, enabled, in place of the one that is left there, if there is one."""
    for attempt in range(TRIES):
        try:
            session.events.SetEvent_ID(when, then, number)
            break
        except CommandRefused as refused:
            if refused.code == ErrorCode.NoSupportedFunction or attempt == TRIES - 1:
                raise
        if attempt == 0:
            remove_event(session, number)
        session.time.sleep(RETRY_DELAY)
    session.events.EnableEvent(number, 1)


def remove_event(session: SdkSession, number: int) -> None:
    """Have no event of this number; refused where it stays."""
    for attempt in range(TRIES):
        try:
            session.events.EnableEvent(number, 0)
            session.events.RemoveEvent(number)
            return
        except CommandRefused as refused:
            # So is one that is not there; that it is refused so is what the names say.
            if refused.name in NOT_THERE or not _is_there(session, number):
                return
            if attempt == TRIES - 1:
                raise
        session.time.sleep(RETRY_DELAY)


def _is_there(session: SdkSession, number: int) -> bool:
    try:
        session.events.GetEventModuleId(number)
    except CommandRefused:
        return False
    return True
