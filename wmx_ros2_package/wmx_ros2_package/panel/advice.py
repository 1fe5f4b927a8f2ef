"""What is wrong, and what helps, in the terms of the panel: where to look, not what to type."""

from __future__ import annotations

from wmx_core.errors import RefusalCode

from ..client import MachineError, NotAnswered, NotConnected

OVERVIEW = "Overview says what blocks an axis, and which button clears it."
PAUSED = "The header of the page has the button that resumes."
NOT_CONNECTED = "The panel looks for the system by itself, and finds it when it is started."
NOT_ANSWERED = "Diagnostics shows which part of the system is missing or busy."


def words(error: Exception) -> str:
    """What is wrong."""
    if isinstance(error, OSError) and error.strerror:
        name = f"{error.filename}: " if error.filename else ""
        return f"{name}{error.strerror}"
    return str(getattr(error, "text", "") or error) or type(error).__name__


def advice(error: Exception) -> str:
    """What helps; empty where nothing of the panel does.

    The remedies that come with an error are commands for a terminal.
    """
    if isinstance(error, NotConnected):
        return NOT_CONNECTED
    if isinstance(error, NotAnswered):
        return NOT_ANSWERED
    if isinstance(error, MachineError) and error.code == RefusalCode.PAUSED:
        return PAUSED
    return OVERVIEW if isinstance(error, MachineError) and error.remedy else ""
