"""`wmx_io_node`: digital inputs read and outputs set, by bit and by byte, as services."""

from collections.abc import Callable
from typing import Any

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
        self._io = io = node.driver.io
        node.create_service(
            GetIoBit, "wmx/io/get_input_bit", **_bit("In", io.input_bit), quiet=True
        )
        node.create_service(
            GetIoBit, "wmx/io/get_output_bit", **_bit("Out", io.output_bit), quiet=True
        )
        node.create_service(
            GetIoBytes, "wmx/io/get_input_bytes", **_bytes("In", io.input_bytes), quiet=True
        )
        node.create_service(
            GetIoBytes, "wmx/io/get_output_bytes", **_bytes("Out", io.output_bytes), quiet=True
        )
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
        """Set outputs in one call."""
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
        self._io.set_output_bit(request.byte, request.bit, value=bool(request.value))
        return f"Set output bit {request.byte}.{request.bit} = {request.value}"

    def set_output_bytes(self, request: SetIoBytes.Request, _: SetIoBytes.Response) -> str:
        """Set a block of outputs."""
        if not request.data:
            raise BadRequest(["No data provided"])
        self._io.set_output_bytes(request.byte, bytes(request.data))
        return f"Set {len(request.data)} output bytes from byte {request.byte}"


def _bit(way: str, read: Callable[[int, int], bool]) -> dict[str, Any]:
    """Return how a service reads one bit, and words a refusal; `way` is "In" or "Out"."""

    def answer(request: GetIoBit.Request, response: GetIoBit.Response) -> str:
        response.value = int(read(request.byte, request.bit))
        return f"{way}put bit {request.byte}.{request.bit} = {response.value}"

    return {
        "answer": answer,
        "failed": lambda r: f"Get{way}BitEx failed byte={r.byte} bit={r.bit}.",
    }


def _bytes(way: str, read: Callable[[int, int], bytes]) -> dict[str, Any]:
    """Return the same of a service that reads bytes."""

    def answer(request: GetIoBytes.Request, response: GetIoBytes.Response) -> str:
        if request.length <= 0:
            raise BadRequest(["Invalid length: must be > 0"])
        response.data = read(request.byte, request.length)
        return f"Read {request.length} {way.lower()}put bytes from byte {request.byte}"

    return {
        "answer": answer,
        "failed": lambda r: f"Get{way}BytesEx failed byte={r.byte} length={r.length}.",
    }


KIND = NodeKind(IoServices, not_ready="IO not initialized. Engine not ready.")
