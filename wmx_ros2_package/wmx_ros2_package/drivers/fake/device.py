"""A device on the simulated engine: `interface.Driver` over a `link.Link`."""

import threading
from typing import Any, cast

from ..errors import CommandRefused, ErrorCode
from ..interface import Driver, Ecat, Faults, Io, Motion
from ..parameters.parameter_set import read_parameters
from ..values import EngineState, MotionStatus
from .faults.fault_script import read_script
from .sharing.link import Link
from .sharing.process import attach


class Device:
    """Carries out `interface.Engine`, and calls the engine for the other parts."""

    def __init__(self, *, in_process: bool) -> None:
        self._in_process = in_process
        self._link: Link | None = None
        self._lock = threading.Lock()

    def create_device(self, path: str, name: str) -> None:
        with self._lock:
            if self._link is not None:
                raise CommandRefused(ErrorCode.ResourceInUse, "this device is attached already")
            self._link = attach(path, name, in_process=self._in_process)

    def close_device(self) -> None:
        with self._lock:
            link, self._link = self._link, None
        if link is not None:
            link.close()

    def start_communication(self) -> None:
        self.link.call("engine", "start_communication")

    def stop_communication(self) -> None:
        self.link.call("engine", "stop_communication")

    def state(self) -> EngineState:
        link = self._link
        return cast(EngineState, link.call("engine", "state")) if link else EngineState.IDLE

    @property
    def link(self) -> Link:
        """The way to the engine; refused with DeviceIsNull while there is none."""
        link = self._link
        if link is None:
            raise CommandRefused(ErrorCode.DeviceIsNull, "no device is attached")
        return link


class _Part:
    """One of the Protocols: whatever method is asked for is carried out by the engine."""

    def __init__(self, device: Device, name: str) -> None:
        self._device = device
        self._name = name

    def __getattr__(self, method: str) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            return self._device.link.call(self._name, method, *args, **kwargs)

        return call


class _MotionPart(_Part):
    def status(self) -> MotionStatus:
        return self._device.link.status()

    def load_parameters(self, path: str) -> None:
        # Reading takes a while: it is done by whoever asks, not under the engine's lock.
        parameters = read_parameters(path)
        typed = [parameters.axis(axis) for axis in range(self.status().axes)]
        self._device.link.call(self._name, "apply_parameters", parameters, typed)


class _FaultsPart(_Part):
    def play(self, script: str) -> None:
        # Read by whoever asks, like parameters.
        self._device.link.call(self._name, "play", read_script(script))


def open_fake(*, in_process: bool = False) -> Driver:
    """A driver on the simulated engine, which runs `in_process` this process or in its own."""
    device = Device(in_process=in_process)
    return Driver(
        name="fake",
        simulated=True,
        engine=device,
        motion=cast(Motion, _MotionPart(device, "motion")),
        io=cast(Io, _Part(device, "io")),
        ecat=cast(Ecat, _Part(device, "ecat")),
        faults=cast(Faults, _FaultsPart(device, "faults")),
    )
