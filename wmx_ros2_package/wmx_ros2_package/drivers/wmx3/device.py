"""A driver on the vendor's SDK: the life of the engine, and the parts that share its device."""

import threading
from contextlib import suppress
from typing import Any

from ..errors import CommandRefused, EngineLost, ErrorCode, WmxError
from ..interface import Driver
from ..options import DriverOptions, require_watchdog
from ..values import EngineState
from .communication import start_communication
from .ecat import WmxEcat
from .io import WmxIo
from .loading import load_sdk
from .motion import WmxMotion
from .privileges import explained
from .sdk import Sdk
from .session import Session
from .steady_time import SteadyTime, Time


def open_wmx3(options: DriverOptions) -> Driver:
    """A driver on the installed SDK; DriverUnavailable when there is none."""
    return driver_on(load_sdk(options.device_path), options)


def driver_on(module: Any, options: DriverOptions, time: Time | None = None) -> Driver:
    """A driver on `module`, the vendor's or one of the same surface, by this machine's `time`."""
    engine = WmxEngine(Sdk(module), options, time or SteadyTime())
    return Driver(
        name="wmx3",
        simulated=False,
        engine=engine,
        motion=WmxMotion(engine.session),
        io=WmxIo(engine.session),
        ecat=WmxEcat(engine.session),
        times_torques=False,
    )


class WmxEngine:
    """Carries out `interface.Engine`."""

    def __init__(self, sdk: Sdk, options: DriverOptions, time: Time) -> None:
        self._sdk = sdk
        self._options = options
        self._time = time
        self._timeout = round(1000 * options.timeout)
        self._session: Session | None = None
        self._life = threading.Lock()
        """One change of the device at a time; nothing else waits for it."""

    def create_device(self, path: str, name: str) -> None:
        with self._life:
            if self._session is not None:
                raise CommandRefused(ErrorCode.ResourceInUse, "this device is attached already")
            session = Session(self._sdk, self._time)
            try:
                self._attach(session, path or self._options.device_path, name)
            except BaseException:
                # Also one that was not created: it may have been, before an error was answered.
                with suppress(WmxError):
                    session.api.CloseDevice()
                raise
            self._session = session

    def close_device(self) -> None:
        with self._life:
            session, self._session = self._session, None
            if session is not None:
                with suppress(EngineLost):  # and the device with it
                    session.api.CloseDevice()

    def start_communication(self) -> None:
        session = self.session()
        if self.state() is not EngineState.COMMUNICATING:
            start_communication(session, self._options.timeout)
        session.count_axes()

    def stop_communication(self) -> None:
        session = self.session()
        if self.state() is EngineState.COMMUNICATING:
            session.api.StopCommunication(self._timeout)

    def set_watchdog(self, timeout: float) -> None:
        # Fed by a thread of the SDK as long as the process lives, whatever Python does.
        require_watchdog(timeout)
        self.session().api.SetWatchdog(round(1000.0 * timeout))

    def state(self) -> EngineState:
        session = self._session
        return EngineState.IDLE if session is None else session.state()

    def session(self) -> Session:
        """The attached device; refused with DeviceIsNull while there is none."""
        session = self._session
        if session is None:
            raise CommandRefused(ErrorCode.DeviceIsNull, "no device is attached")
        return session

    def _attach(self, session: Session, path: str, name: str) -> None:
        kind = self._sdk.DeviceType.DeviceTypeNormal
        try:
            session.api.CreateDevice(path, kind, self._timeout, *self._cores())
        except CommandRefused as refused:
            raise explained(refused) from None
        session.api.SetDeviceName(name)
        session.count_axes()

    def _cores(self) -> tuple[int, ...]:
        """The last arguments of CreateDevice, which are left out where they say nothing."""
        cores = self._options.core, self._options.affinity
        return () if cores == (-1, 0) else cores
