"""The service that explains why axes do not move."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from wmx_ros2_message.srv import ExplainAxes

from wmx_core.values import MAX_AXES

from ...diagnosis.explanations import ONE_SYSTEM, SEVERAL_SYSTEMS, blockers, explanation
from ...messages.blockers import blocker_message
from ...messages.motions import uuid_message
from ...node_base.context import NodeContext
from ...node_base.handlers import AnswerMode
from ...validation import BadRequest, rows
from .snapshots import snapshot_of

READY_TOPIC = "wmx/core_motion/ready"
"""The node of this name in every system publishes it."""


class Explain:
    """The service `wmx/axis/explain` of `node`, answered whether there is an engine or not.

    Without one there are so many axes as the parameter `axis_count` says.
    """

    def __init__(self, node: NodeContext[Any]) -> None:
        self._node = node
        node.create_service(
            ExplainAxes,
            "wmx/axis/explain",
            self.explain,
            run=AnswerMode.ASIDE,
            quiet=True,
            always=True,
        )

    def explain(self, request: ExplainAxes.Request, response: ExplainAxes.Response) -> str:
        """Say all that blocks each axis, and the command that clears it.

        The answer has the id of the system, and whether another one has the same names.
        """
        wanted = _wanted(request.index)
        snapshot = snapshot_of(self._node)
        status = snapshot.status
        count = status.axes if status is not None else self._node.parameters.axis_count
        axes = wanted or range(count)
        response.other_systems = len(self._node.graph.publishers(READY_TOPIC)) > 1
        if not response.other_systems:  # else every name is shared
            snapshot = replace(snapshot, shared_names=self._node.graph.shared_servers())
        found = blockers(axes, snapshot)
        response.blockers = [blocker_message(each) for each in found]
        response.explanations = [explanation(axis, found, snapshot) for axis in axes]
        if (system := self._node.ownership.system_id) is not None:
            response.system_id = uuid_message(system)
        return SEVERAL_SYSTEMS if response.other_systems else ONE_SYSTEM


def _wanted(index: Sequence[int]) -> list[int]:
    """The axes asked about, none for all; what no engine has is no axis."""
    wanted = [axis for (axis,) in rows(index)] if index else []
    for axis in wanted:
        if not 0 <= axis < MAX_AXES:
            raise BadRequest([f"index names axis {axis}: must be 0 to {MAX_AXES - 1}"])
    return wanted
