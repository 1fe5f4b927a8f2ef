"""What clears a blocker: the order behind the button beside each reason why an axis does not move.

The code of the blocker chooses it; `diagnosis/blockers.py` lists the codes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from wmx_core.values import EcState

from ..client import Machine
from ..diagnosis.blockers import Blocker
from ..diagnosis.blockers import BlockerCode as Code

STEP_OFF_LIMIT = 0.1
"""How far an axis is moved off its limit, u, as the machine's explanation suggests."""

Clear = Callable[[Machine, int, Blocker], Any]


def remedy(blocker: Blocker) -> tuple[str, Clear] | None:
    """The button that clears `blocker`, and what it does for an axis; None where no order does."""
    return _REMEDIES.get(blocker.code)


def lost(blockers: Sequence[Blocker]) -> list[Blocker]:
    """Those of `blockers` that a person has to look at: the axis is not as it was."""
    return [each for each in blockers if each.code in LOST]


def question(blockers: Sequence[Blocker]) -> str:
    """What a person is asked before an axis that has lost all this is taken as it is."""
    return f"{'; '.join(each.reason for each in blockers)}. {AS_IT_IS}"


def why_no_button(blocker: Blocker) -> str:
    """Why no button clears `blocker`; empty where one does, and where its code is not known."""
    return _NO_BUTTON.get(blocker.code, "")


def _activate_node(machine: Machine, _axis: int, blocker: Blocker) -> Any:
    return machine.nodes.change(blocker.node.rpartition("/")[2], "activate")


def _off_limit(machine: Machine, axis: int, blocker: Blocker) -> Any:
    way = -STEP_OFF_LIMIT * blocker.direction
    return machine.axes[axis].move_by(way, velocity=0.1, acceleration=1.0)


def _hot_connect(machine: Machine, _axis: int, blocker: Blocker) -> None:
    machine.network.hot_connect(max(blocker.master, 0))


def _bring_to_op(machine: Machine, _axis: int, blocker: Blocker) -> None:
    machine.network.bring_to(blocker.slave, EcState.OP, master=blocker.master)


def _start(machine: Machine, _axis: int, _blocker: Blocker) -> Any:
    return machine.engine.start()


def _confirm(machine: Machine, axis: int, _blocker: Blocker) -> Any:
    return machine.axes[axis].confirm()


def _clear(machine: Machine, axis: int, _blocker: Blocker) -> Any:
    return machine.axes[axis].clear()


def _stop(machine: Machine, axis: int, _blocker: Blocker) -> Any:
    return machine.axes[axis].stop()


STOPS = Code.OWNED, Code.BUSY
"""What a stop clears, which needs no control."""
LIMITS = Code.LIMIT_SWITCH, Code.SOFT_LIMIT
LOST = Code.PARAMETERS_LOST, Code.MODE_LOST, Code.REFERENCE_LOST, Code.POSITION_OUTPUT_LOST
AS_IT_IS = (
    "Look at the units, the direction, the limits and the position of the axis: it moves by those "
    "that it has now. To set it again instead, home it or load its parameters."
)
_REMEDIES: dict[Code | str, tuple[str, Clear]] = {
    Code.NODE_INACTIVE: ("Activate node", _activate_node),
    Code.NO_ENGINE: ("Start engine", _start),
    Code.NOT_COMMUNICATING: ("Start network", _start),
    Code.TIME_HELD: ("Let time run", lambda machine, _, __: machine.simulation.run()),
    Code.SLAVE_BEHIND_BREAK: ("Hot connect", _hot_connect),
    Code.SLAVE_OFFLINE: ("Hot connect", _hot_connect),
    Code.DRIVE_OFFLINE: ("Hot connect", _hot_connect),
    Code.SLAVE_NOT_OP: ("Bring to OP", _bring_to_op),
    Code.DRIVE_ALARM: ("Clear alarm", _clear),
    Code.FOLLOWING_ERROR: ("Clear alarm", _clear),
    Code.SERVO_OFF: ("Switch on", lambda machine, axis, _: machine.axes[axis].on()),
    Code.OUT_OF_POSITION: ("Switch off", lambda machine, axis, _: machine.axes[axis].off()),
    Code.MODE: ("Position mode", lambda machine, axis, _: machine.axes[axis].set_mode("position")),
    **dict.fromkeys(LIMITS, (f"Move off it by {STEP_OFF_LIMIT:g}", _off_limit)),
    **dict.fromkeys(STOPS, ("Stop it", _stop)),
    Code.FOLLOWING: ("Release the gear", _stop),
    **dict.fromkeys(LOST, ("Confirm ...", _confirm)),
}
MOVES = Code.OWNED, Code.BUSY, Code.SLOWING_DOWN
"""Of an axis that just moves, which is no fault."""
IN_HEADER = Code.EMERGENCY_STOP, Code.EMERGENCY_STOP_FINAL, Code.PAUSED
"""What the header of every page clears: one button for the whole machine."""
_NO_BUTTON: dict[Code | str, str] = {
    **dict.fromkeys(IN_HEADER, "The header of the page has the button that ends it."),
    Code.NO_LICENCE: "The vendor's licence is installed on the computer of the engine.",
    Code.NO_SUCH_AXIS: "The machine has fewer axes than it was asked for.",
    Code.SHARED_NAME: "Two machines would carry out one command: end or rename one of them.",
    Code.SHARED_FILE_LOST: "The nodes put it back once its folder is there and writable.",
    Code.SLOWING_DOWN: "It comes to rest by itself: wait.",
    Code.STOP_INPUT: "It protects people: look there first. It ends when its input goes off.",
}
"""What no order of the panel clears, and why."""
