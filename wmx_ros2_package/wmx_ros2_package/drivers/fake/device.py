"""A device on the simulated engine: `interface.Driver` over a `link.Link`."""

import threading
from typing import Any

from ..errors import CommandRefused, ErrorCode
from ..interface import Driver
from ..options import require_watchdog
from ..values import EngineState, MotionStatus
from .proxies import EcatProxy, EngineProxy, FaultsProxy, IoProxy, MotionProxy
from .sharing.link import Link
from .sharing.process import attach


class Device(EngineProxy):
    """Carries out `interface.Engine`; its `call` is the way of the other parts to the engine."""

    def __init__(self, *, in_process: bool) -> None:
        super().__init__(self.call)
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

    def set_watchdog(self, timeout: float) -> None:
        # The connection of a dead process ends with it: its device is closed at once.
        require_watchdog(timeout)
        super().state()  # as every call does: refused without a device, lost with the engine

    def state(self) -> EngineState:
        return super().state() if self._link else EngineState.IDLE

    def call(self, part: str, method: str, /, *args: Any, **kwargs: Any) -> Any:
        """See `FakeEngine.call`; refused with DeviceIsNull without a device."""
        return self.link.call(part, method, *args, **kwargs)

    @property
    def link(self) -> Link:
        """The way to the engine; refused with DeviceIsNull while there is none."""
        link = self._link
        if link is None:
            raise CommandRefused(ErrorCode.DeviceIsNull, "no device is attached")
        return link


class _Motion(MotionProxy):
    """Looks at the status where the link can, instead of calling for it."""

    def __init__(self, device: Device) -> None:
        super().__init__(device.call)
        self._device = device

    def status(self) -> MotionStatus:
        return self._device.link.status()


def open_fake(*, in_process: bool = False) -> Driver:
    """A driver on the simulated engine, which runs `in_process` this process or in its own."""
    device = Device(in_process=in_process)
    return Driver(
        name="fake",
        simulated=True,
        engine=device,
        motion=_Motion(device),
        io=IoProxy(device.call),
        ecat=EcatProxy(device.call),
        faults=FaultsProxy(device.call),
    )
