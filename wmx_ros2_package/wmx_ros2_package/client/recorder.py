"""The recorder of a machine: a file of what it keeps in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcl_interfaces.srv import GetParameterTypes
from std_srvs.srv import Trigger

from .description import parameters
from .errors import START_RECORDER, refusal

if TYPE_CHECKING:
    from .session import Session

_NODE, _SAVE = "wmx_recorder_node", "wmx/recorder/save"
SAVE_TIMEOUT = 60.0
"""How long the recorder may take to write a file, s."""


def save_recording(session: Session) -> str:
    """Have the recorder write a file, and return its path.

    It is asked once, for it would write a second file.
    """
    link = session.link
    parameters(link, _NODE, "folder", start=START_RECORDER)
    first = GetParameterTypes, f"{_NODE}/get_parameter_types"
    answer = link.ask_after(first, Trigger, _SAVE, Trigger.Request(), SAVE_TIMEOUT)
    if not answer.success:
        raise refusal(answer.message)
    return str(answer.message)
