"""`wmx_io_node`: digital inputs read and outputs set, by bit and by byte, as services."""

from collections.abc import Callable

from wmx_ros2_message.srv import (
    GetIoBit,
    GetIoBits,
    GetIoBytes,
    SetIoBit,
    SetIoBits,
    SetIoBytes,
)

from .. import validation
from ..node_base.context import NodeContext
from ..node_base.kind import NodeKind
from ..node_base.parameters import NoParameters
from ..validation import BadRequest


class IoServices:
    """Serves the inputs and outputs of the engine."""

    def __init__(self, node: NodeContext[NoParameters]) -> None:
        self._node = node
        self._io = io = node.driver.io
        self._serve_bit("input", "GetInBitEx", io.input_bit)
        self._serve_bit("output", "GetOutBitEx", io.output_bit)
        self._serve_bytes("input", "GetInBytesEx", io.input_bytes)
        self._serve_bytes("output", "GetOutBytesEx", io.output_bytes)
        node.create_service(
            SetIoBit,
            "wmx/io/set_output_bit",
            self.set_output_bit,
            failed=lambda r: f"SetOutBitEx failed byte={r.byte} bit={r.bit} value={r.value}.",
        )
        node.create_service(
            SetIoBytes,
            "wmx/io/set_output_bytes",
            self.set_output_bytes,
            failed=lambda r: f"SetOutBytesEx failed byte={r.byte} length={len(r.data)}.",
        )
        node.create_service(
            GetIoBits,
            "wmx/io/get_bits",
            self.get_bits,
            failed=lambda _: "Failed to read bits.",
            quiet=True,
        )
        node.create_service(
            SetIoBits, "wmx/io/set_bits", self.set_bits, failed=lambda _: "Failed to set bits."
        )

    def get_bits(self, request: GetIoBits.Request, response: GetIoBits.Response) -> str:
        """Read inputs at one time."""
        validation.bits(request.byte, request.bit)
        values = self._io.input_bits([*zip(request.byte, request.bit, strict=True)])
        response.value = [int(value) for value in values]
        return "OK"

    def set_bits(self, request: SetIoBits.Request, _: SetIoBits.Response) -> str:
        """Set outputs in one cycle."""
        validation.bits(request.byte, request.bit, request.value)
        places = [*zip(request.byte, request.bit, strict=True)]
        if len(set(places)) < len(places):
            raise BadRequest(["a bit is named more than once: must be at most once"])
        for place, value in zip(places, request.value, strict=True):
            if value not in (0, 1):
                raise BadRequest([f"value of bit {place[0]}.{place[1]} is {value}: must be 0 or 1"])
        self._io.set_output_bits(
            [(*place, bool(v)) for place, v in zip(places, request.value, strict=True)]
        )
        return f"Set {len(places)} output bits"

    def set_output_bit(self, request: SetIoBit.Request, _: SetIoBit.Response) -> str:
        """Set one output."""
        if request.value not in (0, 1):
            raise BadRequest(["Invalid value: must be 0 or 1"])
        validation.bit(request.byte, request.bit)
        self._io.set_output_bit(request.byte, request.bit, value=bool(request.value))
        return f"Set output bit {request.byte}.{request.bit} = {request.value}"

    def set_output_bytes(self, request: SetIoBytes.Request, _: SetIoBytes.Response) -> str:
        """Set a block of outputs."""
        if not request.data:
            raise BadRequest(["No data provided"])
        validation.block(request.byte, len(request.data))
        self._io.set_output_bytes(request.byte, bytes(request.data))
        return f"Set {len(request.data)} output bytes from byte {request.byte}"

    def _serve_bit(self, kind: str, call: str, read: Callable[[int, int], bool]) -> None:
        def answer(request: GetIoBit.Request, response: GetIoBit.Response) -> str:
            validation.bit(request.byte, request.bit)
            response.value = int(read(request.byte, request.bit))
            return f"{kind.title()} bit {request.byte}.{request.bit} = {response.value}"

        self._node.create_service(
            GetIoBit,
            f"wmx/io/get_{kind}_bit",
            answer,
            failed=lambda r: f"{call} failed byte={r.byte} bit={r.bit}.",
            quiet=True,
        )

    def _serve_bytes(self, kind: str, call: str, read: Callable[[int, int], bytes]) -> None:
        def answer(request: GetIoBytes.Request, response: GetIoBytes.Response) -> str:
            if request.length <= 0:
                raise BadRequest(["Invalid length: must be > 0"])
            validation.block(request.byte, request.length)
            response.data = read(request.byte, request.length)
            return f"Read {request.length} {kind} bytes from byte {request.byte}"

        self._node.create_service(
            GetIoBytes,
            f"wmx/io/get_{kind}_bytes",
            answer,
            failed=lambda r: f"{call} failed byte={r.byte} length={r.length}.",
            quiet=True,
        )


KIND = NodeKind(IoServices, not_ready="IO not initialized. Engine not ready.")
