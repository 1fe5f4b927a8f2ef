"""A driver on the vendor's SDK: the life of the engine, and the parts that share its device."""

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from wmx_core.clock import STEADY, Clock
from wmx_core.errors import CommandRefused, EngineLost, ErrorCode, WmxError
from wmx_core.interface import Driver
from wmx_core.options import DriverOptions, require_watchdog
from wmx_core.values import EngineState

from .communication import start_communication, stop_communication
from .ecat import WmxEcat
from .events import DeadMan
from .io import WmxIo
from .loading import describe, load_sdk
from .motion import WmxMotion
from .own_process import Aside, here, in_a_process
from .privileges import explained
from .reactions import WmxReactions
from .sdk import Sdk, Trace
from .session import SdkSession

BEGINNING = ErrorCode.SystemInitializationNotDone, ErrorCode.StatusChannelGettingInitialData
"""What an engine answers, and its status, while they begin."""
BUSY = (ErrorCode.StartProcessLockError,)
"""What an engine answers to which another process is just attaching: no device was created."""
NOT_RUNNING = ErrorCode.IMLibIsNotRunning, ErrorCode.SystemIsNoRunning
"""What says without a device that no engine runs; anything else may be for want of a device."""
RETRY_DELAY = 0.1
"""How long such an engine is left alone, s."""


def open_wmx3(options: DriverOptions, trace: Trace | None = None) -> Driver:
    """A driver on the installed SDK; DriverUnavailable when there is none."""
    module = load_sdk(options.device_path)
    driver = driver_on(module, options, trace=trace, aside=in_a_process(options))
    return replace(driver, made_of=describe(module))


def driver_on(
    module: Any,
    options: DriverOptions,
    time: Clock = STEADY,
    *,
    trace: Trace | None = None,
    aside: Aside = here,
) -> Driver:
    """A driver on `module`, the vendor's or one of the same surface, by this machine's `time`.

    With `trace` every call of the SDK goes through that. `aside` makes those that take long.
    """
    sdk = Sdk(module, trace) if trace else Sdk(module)
    engine = WmxEngine(sdk, options, time)
    return Driver(
        name="wmx3",
        simulated=False,
        engine=engine,
        motion=WmxMotion(engine.session, aside),
        io=WmxIo(engine.session),
        ecat=WmxEcat(engine.session, aside),
        reactions=WmxReactions(engine.session),
        times_torques=False,
        stops_every_mode=False,
    )


class WmxEngine:
    """Carries out `interface.Engine`."""

    def __init__(self, sdk: Sdk, options: DriverOptions, time: Clock) -> None:
        self._sdk = sdk
        self._options = options
        self._time = time
        self._timeout = round(1000 * options.timeout)
        self._session: SdkSession | None = None
        self._asks_without_device = False
        """Whether the SDK is known to tell the state of the engine without a device."""
        self._life = threading.Lock()
        """One change of the device at a time; nothing else waits for it."""
        self._feeding = threading.Lock()

    def create_device(self, path: str, name: str) -> None:
        with self._life:
            if self._session is not None:
                raise CommandRefused(ErrorCode.ResourceInUse, "this device is attached already")
            session = SdkSession(self._sdk, self._time)
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
                try:
                    session.api.CloseDevice()
                except EngineLost:
                    pass  # and the device with it
                except CommandRefused:
                    self._session = session
                    raise

    def start_communication(self) -> None:
        session = self.session()
        if self.state() is not EngineState.COMMUNICATING:
            start_communication(session, self._options.timeout)
        session.count_axes()

    def stop_communication(self) -> None:
        session = self.session()
        if self.state() is EngineState.COMMUNICATING:
            stop_communication(session, self._options.timeout)

    def set_watchdog(self, timeout: float) -> None:
        # Fed by a thread of the SDK as long as the process lives, whatever Python does.
        require_watchdog(timeout)
        self.session().api.SetWatchdog(round(1000.0 * timeout))

    def feed_dead_man(self, axes: Sequence[int], timeout: float) -> None:
        session = self.session()
        with self._feeding:
            session.own(DeadMan).feed(axes, timeout)

    def state(self) -> EngineState:
        session = self._session
        return EngineState.IDLE if session is None else session.state()

    def session(self) -> SdkSession:
        """The attached device; refused with DeviceIsNull while there is none."""
        session = self._session
        if session is None:
            raise CommandRefused(ErrorCode.DeviceIsNull, "no device is attached")
        return session

    def _attach(self, session: SdkSession, path: str, name: str) -> None:
        if not self._options.starts_engine and not self._may_run(session):
            raise CommandRefused(ErrorCode.SystemIsNoRunning, f"no engine runs at {path!r}")

        def create() -> None:
            kind = self._sdk.DeviceType.DeviceTypeNormal
            try:
                session.api.CreateDevice(path, kind, self._timeout, *self._cores())
            except CommandRefused as refused:
                # The device may be there, and closing it would end the engine that begins with it.
                if refused.code not in BEGINNING:
                    raise

        self._once_taken(session, BUSY, create)
        self._once_taken(
            session, BEGINNING, lambda: session.api.SetDeviceName(name), session.count_axes
        )
        if not self._options.starts_engine:
            self._asks_without_device |= self._is_told_without_device(session)

    def _may_run(self, session: SdkSession) -> bool:
        """Whether an engine may run, before there is a device, which would start one.

        Idle says that none does only where the SDK is known to tell the truth without a device: it
        may be what its object begins with, and a program that stops axes must not believe that.
        """
        try:
            number = session.api.GetEngineStatus().state
        except WmxError as error:
            return error.code not in NOT_RUNNING
        state = session.enums.engine_states.ours.get(number)
        idle = state is EngineState.IDLE and self._asks_without_device
        return not idle and state is not EngineState.SHUTDOWN

    def _is_told_without_device(self, session: SdkSession) -> bool:
        """Whether the SDK tells the state of the engine of `session` also without a device."""
        theirs = self._sdk.EngineState
        try:
            state = session.api.GetEngineStatus().state
            bare = SdkSession(self._sdk, self._time).api.GetEngineStatus().state
        except WmxError:
            return False
        return bool(state == bare and state in (theirs.Running, theirs.Communicating))

    def _once_taken(
        self, session: SdkSession, passing: Sequence[ErrorCode], *acts: Callable[[], object]
    ) -> None:
        """Call each of `acts` until it is not refused for a `passing` reason, or time is over."""
        deadline = session.time.now() + self._options.timeout
        for act in acts:
            self._until_taken(session, passing, act, deadline)

    def _until_taken(
        self,
        session: SdkSession,
        passing: Sequence[ErrorCode],
        act: Callable[[], object],
        deadline: float,
    ) -> None:
        while True:
            try:
                act()
                return
            except CommandRefused as refused:
                if refused.code not in passing or session.time.now() >= deadline:
                    raise explained(refused) from None
            session.time.sleep(RETRY_DELAY)

    def _cores(self) -> tuple[int, ...]:
        """The last arguments of CreateDevice, which are left out where they are the defaults."""
        cores = self._options.core, self._options.affinity
        return () if cores == (-1, 0) else cores
