"""The stand-in as a module that any process can import: all of them share one simulated engine.

`WMX3ApiPython.py` in a folder of the SDK's, and nothing more than an import of this. An engine
behind it is a process of its own, which the first device starts.
"""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

from stand_in import StandIn

from wmx_ros2_package.drivers.errors import CommandRefused, ErrorCode
from wmx_ros2_package.drivers.fake.clock import RunningClock
from wmx_ros2_package.drivers.fake.sharing.link import Link
from wmx_ros2_package.drivers.fake.sharing.process import attach

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
        self._link: Link | None = None

    def attach(self, path: str) -> None:
        self._link = attach(path, f"sdk {os.getpid()}")

    def close(self) -> None:
        link, self._link = self._link, None
        if link:
            link.close()

    def call(self, part: str, method: str, *args: Any, **kwargs: Any) -> Any:
        with uninterrupted():
            return self._carry_out(part, method, *args, **kwargs)

    def _carry_out(self, part: str, method: str, *args: Any, **kwargs: Any) -> Any:
        if self._link is None:
            raise CommandRefused(ErrorCode.DeviceIsNull)
        if method == "status":
            return self._link.status()
        if method == "apply_parameters":  # which only the engine's own process may
            with TemporaryDirectory() as folder:
                file = Path(folder) / "parameters.xml"
                file.write_text(args[0].to_xml())
                return self._link.call("motion", "load_parameters", str(file))
        return self._link.call(part, method, *args, **kwargs)


def install(folder: Path) -> None:
    """Put the module where the backend looks for it, below the SDK's root `folder`."""
    (folder / "lib").mkdir(parents=True)
    (folder / "lib" / "WMX3ApiPython.py").write_text(MODULE)


engine = SharedEngine()
world = StandIn(engine)
world.play("WMX3Api.CreateDevice", lambda w, path, *_: engine.attach("/opt/wmx3"))
world.play("WMX3Api.CloseDevice", lambda w: engine.close())
world.play("WMX3Api.GetWatchdog", lambda w: (10_000, 0))
sdk = SimpleNamespace(**vars(world.sdk))
