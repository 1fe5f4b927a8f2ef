"""Warns of an engine without a licence, which ends communication by itself."""

from math import inf
from typing import Any

from wmx_core.values import MotionStatus

from ...node_base.context import NodeContext

LICENCE_WARNINGS = 60.0, 600.0
"""Before an engine without a licence ends communication, s; increasing."""
NO_LICENCE = "the engine has no valid licence"


class LicenceWarnings:
    """Logs warnings of `node` about the engine's licence."""

    def __init__(self, node: NodeContext[Any]) -> None:
        self._node = node
        self.missing = False
        """Whether the engine had no licence when it was looked at last."""
        self._warned = inf
        """Which of LICENCE_WARNINGS was logged last."""

    def check(self, status: MotionStatus) -> None:
        """Log that the licence is missing, once, and again when the engine soon stops because."""
        was_missing, self.missing = self.missing, status.invalid_licence
        if not status.invalid_licence:
            return
        left = status.licence_left
        due = next((when for when in LICENCE_WARNINGS if left <= when), inf)
        if not was_missing or due < self._warned:
            end = "does not start communication, or ends it"
            if status.communicating and left < inf:
                end = f"ends communication by itself in {left / 60.0:.0f} min"
            self._node.log.error(f"{NO_LICENCE}: it {end}")
        self._warned = due
