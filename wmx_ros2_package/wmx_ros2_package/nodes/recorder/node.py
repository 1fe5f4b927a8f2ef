"""`wmx_recorder_node`: keeps the last seconds in memory, and writes files when it matters."""

from std_srvs.srv import Trigger

from ...node_base.context import NodeContext
from ...node_base.handlers import AnswerMode
from ...node_base.kind import NodeKind
from ...recordings.errors import RecordingError, require_mcap
from ...recordings.ring import Ring
from ...validation import BadRequest
from .clock import WallClock
from .parameters import RecorderParameters
from .saving import BY_REQUEST, Saver
from .sources import Sources
from .triggers import ENGINE


class Recorder:
    """Keeps the last seconds in memory, and writes files when a trigger comes."""

    def __init__(self, node: NodeContext[RecorderParameters]) -> None:
        try:
            require_mcap()
        except RecordingError as error:
            raise BadRequest([str(error)]) from None
        p = node.parameters
        wall = WallClock(node.clock)
        self._node = node
        self._ring = Ring(p.seconds, p.memory_megabytes << 20)
        sources = Sources(node, self._ring, wall, lambda found: self._saver.trigger(found))
        self._saver = Saver(node, self._ring, sources, wall)
        node.create_service(
            Trigger, "wmx/recorder/save", self.save, run=AnswerMode.ASIDE, always=True
        )
        self._attached = False
        node.on_activate.append(self._saver.start)
        node.on_deactivate.append(self._saver.stop)
        node.on_attached.append(self._attach)
        node.on_detach.append(self._detach)

    def save(self, request: Trigger.Request, _: Trigger.Response) -> str:
        """Write what is in memory now; the message is the path of the file."""
        try:
            return str(self._saver.save([(BY_REQUEST, "it was asked for")]))
        except RecordingError as error:
            raise BadRequest([str(error)]) from None

    def _attach(self) -> None:
        self._attached = True

    def _detach(self) -> None:
        """A node that could not attach has lost nothing."""
        if self._attached and not self._node.deactivating.is_set():
            self._saver.trigger((ENGINE, "the engine is lost, or does not communicate"))
        self._attached = False


KIND = NodeKind(
    Recorder,
    RecorderParameters,
    not_ready="Recorder not initialized. Engine not ready.",
)
