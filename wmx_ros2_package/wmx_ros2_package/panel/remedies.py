"""What clears a blocker: the order behind the button beside each reason why an axis does not move.

The machine words its reasons in `diagnosis/explanations.py`, each with a command for a terminal;
here is the same as an order of the panel.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from ..client import Machine

STEP_OFF_LIMIT = 0.1
"""How far an axis is moved off its limit, u, as the machine's explanation suggests."""

Clear = Callable[[Machine, int, str], Any]


@lru_cache(maxsize=1000)
def remedy(reason: str) -> tuple[str, Clear] | None:
    """The button that clears `reason`, and what it does; None where no order does."""
    return next((entry[1:] for entry in _REMEDIES if re.search(entry[0], reason)), None)


def why_no_button(reason: str) -> str:
    """Why no button clears `reason`; empty where one does, and where nothing is known of it."""
    return next((why for pattern, why in _NO_BUTTON if re.search(pattern, reason)), "")


def _change_node(transition: str) -> Clear:
    """What configures or activates the node that a reason begins with."""

    def change(machine: Machine, axis: int, reason: str) -> Any:
        name = reason.split(" ", 1)[0]
        return machine.nodes.change(name.rpartition("/")[2], transition)

    return change


def _off_limit(machine: Machine, axis: int, reason: str) -> Any:
    way = (
        -STEP_OFF_LIMIT
        if "positive limit" in reason or "positive soft" in reason
        else STEP_OFF_LIMIT
    )
    return machine.axes[axis].move_by(way, velocity=0.1, acceleration=1.0)


def _hot_connect(machine: Machine, axis: int, reason: str) -> None:
    master = re.search(r"of master (\d+)", reason)
    machine.network.hot_connect(int(master[1]) if master else 0)


_REMEDIES: tuple[tuple[str, str, Clear], ...] = (
    ("time of the simulated", "Let time run", lambda m, axis, _: m.simulation.run()),
    ("emergency stop", "Release the stop", lambda m, axis, _: m.release()),
    ("alarm", "Clear alarm", lambda m, axis, _: m.axes[axis].clear()),
    ("servo is off", "Switch on", lambda m, axis, _: m.axes[axis].on()),
    (" mode: ", "Position mode", lambda m, axis, _: m.axes[axis].set_mode("position")),
    ("offline|broken line|not OP|not reached", "Hot connect", _hot_connect),
    ("limit( switch)? is on", "Move off it", _off_limit),
    (
        "owned by|it is (homing|slowing|on a line|in an|turning)",
        "Stop it",
        lambda m, axis, _: m.axes[axis].stop(),
    ),
    ("following another axis", "Release the gear", lambda m, axis, _: m.axes[axis].stop()),
    (" is unconfigured$", "Configure node", _change_node("configure")),
    (" is inactive$", "Activate node", _change_node("activate")),
    ("no engine", "Start engine", lambda m, axis, _: m.engine.start()),
    (
        "does not communicate",
        "Start network",
        lambda m, axis, _: m.engine.start(),
    ),
)
_NO_BUTTON: tuple[tuple[str, str], ...] = (
    ("^its stop input", "It stops the axis to protect people: look there first."),
    ("no valid licence", "The vendor's licence is installed on the computer of the engine."),
    ("the engine has no axis", "The machine has fewer axes than it was asked for."),
    (" is (activating|configuring|deactivating|cleaning)", "The node is on its way: wait."),
    (" is (finalized|shuttingdown|errorprocessing|unknown)", "The node has to be restarted."),
)
"""What no order of the panel clears, and why."""
