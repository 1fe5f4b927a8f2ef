"""The driver `fake`: calls of `proxies` and the status go by its `Device` to `engine_client`."""

import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from wmx_core.errors import CommandRefused, DriverUnavailable, ErrorCode
from wmx_core.interface import Driver
from wmx_core.options import DriverOptions, require_watchdog
from wmx_core.values import EngineState, MotionStatus

from .engine.engine_copy import exact_copy
from .engine.motion.history import HistoryReader, StatusSpan
from .engine.proxies import (
    EcatProxy,
    EngineProxy,
    FaultsProxy,
    IoProxy,
    MotionProxy,
    ReactionsProxy,
    StatesProxy,
)
from .server.engine_client import EngineClient
from .server.starting import (
    attach,
    attach_hosting,
    attach_private,
    is_machine_file,
    require_files,
    require_hosting,
)

Attach = Callable[[str, str], EngineClient]
"""Attaches a device to the engine at a device path, under a name."""


def open_fake(options: DriverOptions) -> Driver:
    """Return a driver on the simulated engine, which runs where `options` have it.

    DriverUnavailable if this process is to host an engine that runs in another one; refused when
    the device path can name no machine.
    """
    is_machine_file(options.device_path)
    if options.in_process:
        return driver_on(partial(attach_private, clock=options.clock))
    if not options.hosts_engine:
        return driver_on(attach)
    try:
        require_hosting(options.device_path)
    except CommandRefused as refused:
        if refused.code == ErrorCode.ResourceInUse:  # other reasons may have gone by then
            raise DriverUnavailable(refused.code, refused.detail) from None
    return driver_on(partial(attach_hosting, clock=options.clock))


def driver_on(attach: Attach) -> Driver:
    """Return a driver whose device is attached by `attach`."""
    device = Device(attach)
    return Driver(
        name="fake",
        simulated=True,
        engine=device,
        motion=MotionProxy(device.call, status=lambda: device.client.status()),
        io=IoProxy(device.call),
        ecat=EcatProxy(device.call),
        reactions=ReactionsProxy(device.call),
        faults=FaultsProxy(device.call),
        require_files=require_files,
        history=lambda: _History(device),
        copy=lambda axes: exact_copy(StatesProxy(device.call).copy(list(axes)), axes),
    )


class _Detached:
    """The client of a device that is not attached: all is refused with DeviceIsNull."""

    def call(self, part: str, method: str, /, *args: Any, **kwargs: Any) -> Any:
        raise CommandRefused(ErrorCode.DeviceIsNull, "no device is attached")

    def status(self) -> MotionStatus:
        raise CommandRefused(ErrorCode.DeviceIsNull, "no device is attached")

    def close(self) -> None:
        """There is nothing to close."""


_DETACHED = _Detached()


class Device(EngineProxy):
    """Carries out `interface.Engine`; the other parts reach the engine through its `call`."""

    def __init__(self, attach: Attach) -> None:
        super().__init__(self.call)
        self._attach = attach
        self.client: EngineClient = _DETACHED
        """The way to the engine."""
        self._lock = threading.Lock()

    def create_device(self, path: str, name: str) -> None:
        with self._lock:
            if self.client is not _DETACHED:
                raise CommandRefused(ErrorCode.ResourceInUse, "this device is attached already")
            self.client = self._attach(path, name)

    def close_device(self) -> None:
        with self._lock:
            client, self.client = self.client, _DETACHED
        client.close()

    def set_watchdog(self, timeout: float) -> None:
        # The connection of a dead process ends with it: its device is closed at once.
        require_watchdog(timeout)
        super().state()  # as every call does: refused without a device, lost with the engine

    def state(self) -> EngineState:
        return EngineState.IDLE if self.client is _DETACHED else super().state()

    def call(self, part: str, method: str, /, *args: Any, **kwargs: Any) -> Any:
        """See `SimulatedEngine.call`; refused with DeviceIsNull without a device."""
        return self.client.call(part, method, *args, **kwargs)


class _History:
    """Reads what the engine keeps of every cycle."""

    def __init__(self, device: Device) -> None:
        self._proxy = StatesProxy(device.call)
        self._reader = HistoryReader()

    def read(self) -> list[StatusSpan]:
        return list(self._reader.spans(self._proxy.history(self._reader.number)))
