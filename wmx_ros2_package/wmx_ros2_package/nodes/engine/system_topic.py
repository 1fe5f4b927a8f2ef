"""The id of the system, by which commands name the one that they are for."""

from __future__ import annotations

from typing import Any

from unique_identifier_msgs.msg import UUID as UuidMessage  # noqa: N811

from ...messages.motions import uuid_message
from ...node_base.attachment import READY_PERIOD
from ...node_base.context import NodeContext
from ...node_base.qos import latched


class SystemTopic:
    """`wmx/engine/system` of `node`: the id, once a second while the node has a device.

    It is published as the device is created, too, so that a command that needs it can be sent as
    soon as the system is ready.
    """

    def __init__(self, node: NodeContext[Any]) -> None:
        self._node = node
        self._publisher = node.create_publisher(UuidMessage, "wmx/engine/system", latched())
        node.create_timer(READY_PERIOD, self.publish)

    def publish(self) -> None:
        """Publish the id, if there is one; any thread may call."""
        if (id := self._node.ownership.system_id) is not None:
            self._publisher.publish(uuid_message(id))
