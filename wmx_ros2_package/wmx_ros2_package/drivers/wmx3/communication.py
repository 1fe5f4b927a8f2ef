"""Starting communication, which an engine that has only just started refuses for a while."""

from ..errors import CommandRefused, ErrorCode
from ..values import EngineState
from .session import Session

RETRY_DELAY = 0.5
"""How long to wait before the engine is asked again, s."""
NOT_YET = (ErrorCode.StartCommunicationError, ErrorCode.SystemInitializationNotDone)


def start_communication(session: Session, timeout: float) -> None:
    """Start communication within `timeout` seconds, or raise the last refusal.

    In Idle the engine takes the order and does nothing. In Running it may need some seconds more
    to reach the network, and answers StartCommunicationError meanwhile (API reference,
    StartCommunication). The device stays attached while it is asked again: an engine ends with its
    last device, and the next one would have to start from the beginning.
    """
    clock = session.time
    deadline = clock.now() + timeout
    while True:
        try:
            session.api.StartCommunication(max(1, round(1000.0 * (deadline - clock.now()))))
            state = session.state()
            if state is EngineState.COMMUNICATING:
                return
            code = ErrorCode.CommNotStartedInSpecifiedTime
            refused = CommandRefused(code, f"the engine is still in state {state.name}")
        except CommandRefused as error:
            refused = error
            if error.code not in NOT_YET:
                raise _explained(session, error) from None
        if clock.now() + RETRY_DELAY >= deadline:
            raise _explained(session, refused) from None
        clock.sleep(RETRY_DELAY)


def _explained(session: Session, refused: CommandRefused) -> CommandRefused:
    """With an invalid licence communication does not start at all (user manual, System status)."""
    status = session.core.GetStatus()
    if not status.invalidLicenseError:
        return refused
    detail = ", ".join(filter(None, (refused.detail, "the engine has no valid licence")))
    return CommandRefused(refused.code, detail, refused.name)
