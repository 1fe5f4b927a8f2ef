"""The simulated SDK as a module that any process can import: all of them share one engine.

`WMX3ApiPython.py` in a folder of the SDK's, and nothing more than an import of this. The engine
behind it is a process of its own, which the first device starts.
"""

import os
import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

from checked_sdk import CheckedSdk

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_sim.engine.clock import HeldClock, RunningClock
from wmx_sim.engine.engine import SimulatedEngine
from wmx_sim.engine.machine.description import default_machine
from wmx_sim.engine.motion.profile import hold
from wmx_sim.sdk.enums import SURFACE
from wmx_sim.server.engine_client import EngineClient
from wmx_sim.server.starting import attach

MODULE = "from shared_sdk import sdk\n\nglobals().update(vars(sdk))\n"


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Ctrl-C waits until a call is over, as it does for one into the SDK's library."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[tuple[Any, ...]] = []
    before = signal.signal(signal.SIGINT, lambda *args: came.append(args))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if came and callable(before):
        before(*came[0])


class SharedEngine:
    """The engine at the default device path, once a device is attached."""

    def __init__(self) -> None:
        self.clock = RunningClock()
        self._client: EngineClient | None = None
        self._at_first = SimulatedEngine(default_machine(), HeldClock())
        """What a status is read from before a device is attached."""

    def attach(self, path: str) -> None:
        self._client = attach(path, f"sdk {os.getpid()}")

    def close(self) -> None:
        client, self._client = self._client, None
        if client:
            client.close()

    def try_read(self) -> None:
        """Return nothing: each status is called for."""

    def call(self, part: str, method: str, *args: Any, **kwargs: Any) -> Any:
        with uninterrupted():
            return self._carry_out(part, method, *args, **kwargs)

    def _carry_out(self, part: str, method: str, *args: Any, **kwargs: Any) -> Any:
        if method == "status":
            return self._client.status() if self._client else self._at_first.try_read()
        if self._client is None:
            raise CommandRefused(ErrorCode.DeviceIsNull)
        if method == "course":  # which only the engine's own process can say
            return 0.0, hold(0.0)
        if method == "apply_parameters":
            with TemporaryDirectory() as folder:
                file = Path(folder) / "parameters.xml"
                file.write_text(args[0].to_xml())
                return self._client.call("motion", "load_parameters", str(file))
        return self._client.call(part, method, *args, **kwargs)


def install(folder: Path) -> None:
    """Put the module where the backend looks for it, below the SDK's root `folder`."""
    (folder / "lib").mkdir(parents=True)
    (folder / "lib" / "WMX3ApiPython.py").write_text(MODULE)


def devices(vendor: CheckedSdk) -> tuple[Any]:
    """All devices; that of this process by the name that it has given itself."""
    (found,) = vendor.real("WMX3Api.GetAllDevices")
    for index in range(found.count):
        device = found.GetDevices(index)
        if device.name == f"sdk {os.getpid()}":
            device.name = "".join(name for (name,) in vendor.called("WMX3Api.SetDeviceName")[-1:])
    return (found,)


def shared(surface: Mapping[str, Any] = SURFACE) -> CheckedSdk:
    """The module over the engine that all processes share."""
    engine = SharedEngine()
    vendor = CheckedSdk(engine, surface)
    vendor.play("WMX3Api.CreateDevice", lambda _, path, *more: engine.attach("/opt/wmx3"))
    vendor.play("WMX3Api.CloseDevice", lambda _: engine.close())
    vendor.play("WMX3Api.GetAllDevices", devices)
    return vendor.play("WMX3Api.GetWatchdog", lambda _: (10_000, 0))


vendor = shared()
sdk = SimpleNamespace(**vars(vendor.sdk))
