"""Starting and ending communication: signals, which the engine follows some seconds later.

Calls that wait for it hold Python's interpreter, so that no other thread of the process could stop
an axis then. With a wait of 0 they only signal (API reference, StartCommunication and
StopCommunication), and the state is polled.
"""

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.values import EngineState

from .session import SdkSession

RETRY_DELAY = 0.5
"""How long to wait before an engine is asked again that has refused, s."""
POLL_PERIOD = 0.02
"""How often the state is read, s."""
NOT_YET = (ErrorCode.StartCommunicationError, ErrorCode.SystemInitializationNotDone)


def start_communication(session: SdkSession, timeout: float) -> None:
    """Start communication within `timeout` seconds, or raise the last refusal.

    In Idle the engine takes the signal and does nothing, so it is given again. In Running it may
    need some seconds more to reach the network, and answers StartCommunicationError until then (API
    reference, StartCommunication). The device stays attached while it is asked again: an engine
    ends with its last device, and the next one would have to start from the beginning.
    """
    clock = session.time
    deadline = clock.now() + timeout
    while True:
        idle = session.state() is EngineState.IDLE
        refused = None
        try:
            session.api.StartCommunication(0)
        except CommandRefused as error:
            refused = error
            if error.code not in NOT_YET:
                raise _explained(session, error) from None
        again = clock.now() + RETRY_DELAY if idle or refused else deadline
        if _becomes(session, communicating=True, deadline=min(again, deadline)):
            return
        if again + RETRY_DELAY >= deadline:
            state = session.state().name
            refused = refused or CommandRefused(
                ErrorCode.CommNotStartedInSpecifiedTime, f"the engine is still in state {state}"
            )
            raise _explained(session, refused) from None


def stop_communication(session: SdkSession, timeout: float) -> None:
    """End communication within `timeout` seconds, else CommNotStoppedInSpecifiedTime."""
    session.api.StopCommunication(0)
    if not _becomes(session, communicating=False, deadline=session.time.now() + timeout):
        detail = f"the engine still communicates after {timeout:g} s"
        raise CommandRefused(ErrorCode.CommNotStoppedInSpecifiedTime, detail)


def _becomes(session: SdkSession, *, communicating: bool, deadline: float) -> bool:
    """Whether the engine communicates, or not, by `deadline`."""
    while (session.state() is EngineState.COMMUNICATING) is not communicating:
        if session.time.now() >= deadline:
            return False
        session.time.sleep(min(POLL_PERIOD, max(1e-3, deadline - session.time.now())))
    return True


def _explained(session: SdkSession, refused: CommandRefused) -> CommandRefused:
    """With an invalid licence communication may not start (user manual, System status)."""
    status = session.core.GetStatus()
    if not status.invalidLicenseError:
        return refused
    detail = ", ".join(filter(None, (refused.detail, "the engine has no valid licence")))
    return CommandRefused(refused.code, detail, refused.name)
