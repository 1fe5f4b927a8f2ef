"""The parameters of the axes: WMX parameter files that are loaded, and what is in force."""

from contextlib import suppress
from typing import Any

from wmx_ros2_message.srv import GetWmxParams, LoadWmxParams

from wmx_core.errors import ParameterFileError
from wmx_core.parameters.dump import describe_axis
from wmx_core.parameters.mistakes import doubts
from wmx_core.parameters.parameter_set import ParameterSet, read_parameters

from ...node_base.context import NodeContext
from ...node_base.handlers import AnswerMode
from ...validation import NothingAsked, known_axes
from .settings import at_rest


class ParameterFiles:
    """The parameter files of `node`."""

    def __init__(self, node: NodeContext[Any]) -> None:
        self._node = node
        node.create_service(
            LoadWmxParams,
            "wmx/params/load",
            self.load,
            failed=lambda _: "Failed to load params:",
            run=AnswerMode.ASIDE,
        )
        node.create_service(
            LoadWmxParams,
            "wmx/params/change",
            self.change,
            failed=lambda _: "Failed to change params:",
            run=AnswerMode.ASIDE,
        )
        node.create_service(
            GetWmxParams,
            "wmx/params/get",
            self.show,
            failed=lambda _: "Failed to get params:",
            # Hardware writes them all into a file first.
            run=AnswerMode.NOW if node.driver.simulated else AnswerMode.ASIDE,
            quiet=True,
        )
        node.create_service(
            GetWmxParams,
            "wmx/params/export",
            self.export,
            failed=lambda _: "Failed to export params:",
            run=AnswerMode.ASIDE,
            quiet=True,
        )

    def load(self, request: LoadWmxParams.Request, _: LoadWmxParams.Response) -> str:
        """Apply a parameter file."""
        node, path = self._node, _named(request.file_path, "load")
        at_rest(node, range(node.engine_axes), lambda: node.gate.load_parameters(path))
        with suppress(ParameterFileError):  # the file is gone already
            self.warn_of_suspicious(read_parameters(path))
        return f"Loaded params from: {path}"

    def change(self, request: LoadWmxParams.Request, _: LoadWmxParams.Response) -> str:
        """Give axes the elements that a parameter file holds; all others stay as they are."""
        node, path = self._node, _named(request.file_path, "change")
        at_rest(node, range(node.engine_axes), lambda: node.gate.change_parameters(path))
        return f"Changed params as in: {path}"

    def export(self, request: GetWmxParams.Request, response: GetWmxParams.Response) -> str:
        """Return all that is in force of axes, with every digit, as the text of a file."""
        wanted = known_axes(request.index, self._node.engine_axes)
        parameters = self._node.driver.motion.parameters()
        response.params_dump = [parameters.of(axis for (axis,) in wanted).to_xml()]
        return "OK"

    def show(self, request: GetWmxParams.Request, response: GetWmxParams.Response) -> str:
        """Show the parameters of axes."""
        wanted = known_axes(request.index, self._node.engine_axes)
        parameters = self._node.driver.motion.parameters()
        for (axis,) in wanted:
            response.params_dump += describe_axis(parameters, axis)
        return "OK"

    def warn_of_suspicious(self, parameters: ParameterSet) -> None:
        """Log what in `parameters` is probably a mistake."""
        for doubt in doubts(parameters, self._node.engine_axes):
            self._node.log.warning(f"Parameters: {doubt}")


def _named(path: str, verb: str) -> str:
    """The path of a file; NothingAsked where it names none."""
    if not path:
        raise NothingAsked([f"Failed to {verb} params: file_path is empty: must name a file"])
    return path
