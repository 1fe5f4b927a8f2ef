"""The SDK's log: a line a cycle of the selected values, in a file, as the vendor's writes it."""

from pathlib import Path
from typing import Any

from wmx_core.errors import CommandRefused, ErrorCode

from .files import here
from .not_simulated import NotSimulated
from .parts import NO_ERROR, Part
from .runtime import Runtime
from .sdk_commands import axes_of
from .structs import AxisSelection, inner, struct

Options = struct(
    "LogChannelOptions", samplingPeriodInCycles=1, samplingTimeMilliseconds=0.0, precision=3,
    isDelimInLastColumn=0, isRotateFile=0, maxLogFileSize=0, stopLoggingOnBufferOverflow=0,
    triggerOnCondition=0, triggerOnEventID=0,
)  # fmt: skip
FilePath = struct("LogFilePath", dirPath="", fileName="")
_AXIS_OPTIONS = inner(
    "AxisOptions", commandPos=0, feedbackPos=0, commandVelocity=0, feedbackVelocity=0
)
LogInput = struct("CoreMotionLogInput", axisSelection=AxisSelection, axisOptions=_AXIS_OPTIONS)
COLUMNS = {
    "commandPos": ("CMDPOS", "pos_cmd"),
    "feedbackPos": ("FBPOS", "actual_pos"),
    "commandVelocity": ("CMDVEL", "velocity_cmd"),
    "feedbackVelocity": ("FBVEL", "actual_velocity"),
}
POSITIONS = "pos_cmd", "actual_pos"


class Log(Part):
    """Channels of logs; paths of other machines are files in the folder of the runtime."""

    def __init__(self, runtime: Runtime, missing: NotSimulated) -> None:
        super().__init__(runtime, missing)
        self._channels: dict[int, Channel] = {}

    def _channel(self, number: int) -> "Channel":
        return self._channels.setdefault(number, Channel(self.runtime))

    def SetLogOption(self, channel: int, option: Any) -> int:
        self._channel(channel).option = option.copy()
        return NO_ERROR

    def SetCustomLog(self, channel: int, wanted: Any) -> int:
        for name, on in vars(wanted.axisOptions).items():
            if on and name not in COLUMNS and name != "elements":
                self.missing.note(f"CoreMotionLogInput.axisOptions.{name}")
        self._channel(channel).wanted = wanted.copy()
        return NO_ERROR

    def SetIOLog(self, channel: int, ins: Any, in_size: int, outs: Any, out_size: int) -> int:
        made = self._channel(channel)
        made.inputs, made.outputs = bits(ins, in_size), bits(outs, out_size)
        return NO_ERROR

    def SetLogFilePath(self, channel: int, path: Any) -> int:
        self._channel(channel).path = self.runtime.folder / here(str(path.fileName))
        return NO_ERROR

    def GetLogFilePath(self, _channel: int) -> tuple[int, Any]:
        return NO_ERROR, FilePath()

    def StartLog(self, channel: int) -> int:
        self.runtime.step()
        self._channel(channel).start()
        return NO_ERROR

    def StopLog(self, channel: int) -> int:
        if self.runtime.logs_to_rest:
            self.runtime.come_to_rest()
        self._channel(channel).stop()
        return NO_ERROR


def bits(address: Any, size: int) -> list[tuple[int, int]]:
    """Return the addresses of `size` bits from one on."""
    first = address.byte * 8 + address.bit
    return [divmod(first + i, 8) for i in range(size)]


class Channel:
    """What one log writes, while it is on."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self.option = Options()
        self.wanted = LogInput()
        self.inputs: list[tuple[int, int]] = []
        self.outputs: list[tuple[int, int]] = []
        self.path: Path | None = None
        self._rows: list[str] = []
        self._on = False

    def start(self) -> None:
        """Write from the next cycle on."""
        if not self._on:
            self._on = True
            self._rows = [self._header()]
            self._runtime.logs.append(self._write)
            self._runtime.at_end.append(self.stop)

    def stop(self) -> None:
        """Write the file; CommandRefused where that fails."""
        if not self._on:
            return
        self._on = False
        self._runtime.logs.remove(self._write)
        self._runtime.at_end.remove(self.stop)
        if self.path is None:
            return
        try:
            self.path.write_bytes("".join(f"{row}\r\n" for row in self._rows).encode())
        except OSError as error:
            detail = f"the log {self.path} is not written: {error.strerror}"
            raise CommandRefused(ErrorCode.FileOperationFailed, detail) from error

    def _quantities(self) -> list[tuple[str, str]]:
        return [COLUMNS[name] for name in COLUMNS if getattr(self.wanted.axisOptions, name)]

    def _axes(self) -> tuple[int, ...]:
        return axes_of(self.wanted.axisSelection)

    def _header(self) -> str:
        names = [f"{name}{axis}" for axis in self._axes() for name, _ in self._quantities()]
        ins = [f"in_{byte}.{bit}" for byte, bit in self.inputs]
        outs = [f"out_{byte}.{bit}" for byte, bit in self.outputs]
        return "\t".join(["CYCLE", *names, *outs, *ins])

    def _value(self, column: str, axis: int, value: float) -> float:
        return self._runtime.shown(axis, value) if column in POSITIONS else value

    def _write(self) -> None:
        status, io, places = self._runtime.status, self._runtime.io, int(self.option.precision)
        values = [
            f"{self._value(column, axis, float(getattr(status, column)[axis])):.{places}f}"
            for axis in self._axes()
            for _, column in self._quantities()
        ]
        outs = [str(int(io.output_bit(byte, bit))) for byte, bit in self.outputs]
        ins = [str(int(io.input_bit(byte, bit))) for byte, bit in self.inputs]
        self._rows.append("\t".join([str(self._runtime.cycle), *values, *outs, *ins]))
