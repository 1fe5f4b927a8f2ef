"""One EtherCAT slave by itself: its state machine and its object dictionary.

State machine: ETG.1000.6, with the AL status codes of table 11. A slave steps up one state at a
time, steps down to any, and enters and leaves Boot by Init alone. It refuses any other request by
staying where it is, with the error bit and the AL status code; the next request acknowledges that.

A slave that is sent process data watches over it (SyncManager watchdog, registers 0x0400 and
0x0420): when none has come for 100 ms in Op it goes to Safeop with code 0x001B. One without
outputs notices nothing (ABB, "FECA-01 User's manual", sync manager watchdog).
"""

from enum import IntEnum

from wmx_core.errors import UNNUMBERED, CommandRefused
from wmx_core.values import EcState

from ..machine.description import SlaveDescription
from .object_dictionary import ObjectDictionary

WATCHDOG_CYCLES = 100
"""100 ms, Beckhoff's default, in communication cycles."""

STEP_UP = EcState.INIT, EcState.PREOP, EcState.SAFEOP, EcState.OP

TRANSITIONS = {
    EcState.INIT: {EcState.PREOP, EcState.BOOT},
    EcState.PREOP: {EcState.INIT, EcState.SAFEOP},
    EcState.SAFEOP: {EcState.INIT, EcState.PREOP, EcState.OP},
    EcState.OP: {EcState.INIT, EcState.PREOP, EcState.SAFEOP},
    EcState.BOOT: {EcState.INIT},
}
"""Where a slave goes from each state, other than where it is."""

HAS_MAILBOX = frozenset({EcState.PREOP, EcState.SAFEOP, EcState.OP})
"""States in which a slave answers SDOs; the mailbox of Boot is for firmware."""


class AlStatusCode(IntEnum):
    """Why a slave refused or left a state; ETG.1000.6, table 11."""

    NO_ERROR = 0x0000
    INVALID_STATE_CHANGE = 0x0011
    """There is no way from the state it is in to the requested one."""
    UNKNOWN_STATE = 0x0012
    """The requested number is no state."""
    SYNC_MANAGER_WATCHDOG = 0x001B
    """No process data came in time."""


class SlaveRefused(CommandRefused):
    """A slave itself refuses: `name` of the vendor's errors, and its AL status or abort code."""

    def __init__(self, name: str, detail: str, slave_code: int) -> None:
        super().__init__(UNNUMBERED, detail, name)
        self.slave_code = int(slave_code)


class Slave:
    """A slave with `dictionary` that its master has found and given an address."""

    def __init__(self, description: SlaveDescription, dictionary: ObjectDictionary) -> None:
        self.dictionary = dictionary
        self._has_outputs = bool(description.axes or description.output_size)
        self._start_state = EcState[description.start_state]
        """How far it goes at most; Op once communication has started it."""
        self.power_up()
        self.configured = True
        """Whether it has an address; one that lost power has to be found again."""

    def power_up(self) -> None:
        """Begin in Init; what was written to the dictionary is forgotten."""
        self.state = self.requested = EcState.INIT
        self.al_status_code = AlStatusCode.NO_ERROR
        self.configured = False
        self.dictionary.forget()

    def request(self, state: EcState) -> AlStatusCode:
        """Go to `state`, or refuse; also acknowledges an earlier error."""
        self.requested = state
        if state not in TRANSITIONS:
            self.al_status_code = AlStatusCode.UNKNOWN_STATE
        elif state is not self.state and state not in TRANSITIONS[self.state]:
            self.al_status_code = AlStatusCode.INVALID_STATE_CHANGE
        else:
            self.state = state
            self.al_status_code = AlStatusCode.NO_ERROR
        return self.al_status_code

    def start(self, state: EcState) -> None:
        """Be configured by the master, which begins at Init and steps up to `state`."""
        self.configured = True
        last = min(STEP_UP.index(state), STEP_UP.index(self._start_state))
        if state is EcState.OP:
            self._start_state = EcState.OP
        for step in STEP_UP[: last + 1]:
            self.request(step)

    def miss_process_data(self, cycles: int) -> None:
        """No process data has come for `cycles`."""
        if self._has_outputs and self.state is EcState.OP and cycles >= WATCHDOG_CYCLES:
            self.state = EcState.SAFEOP
            self.al_status_code = AlStatusCode.SYNC_MANAGER_WATCHDOG
