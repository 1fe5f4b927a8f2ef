"""The life of the engine: a device that is attached to it, and communication.

Calls that wait for communication hold Python's interpreter, so that no other thread of the process
could stop an axis then. With a wait of 0 they only signal (API reference, StartCommunication and
StopCommunication), and the state, which follows some seconds later, is polled.

What the engine needs of the process that starts it is named when that fails (source:
movensys/wmx-ros2-doc, system_requirements and troubleshooting).
"""

import os
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress

from wmx_core.clock import Clock
from wmx_core.errors import CommandRefused, EngineLost, ErrorCode, WmxError
from wmx_core.options import DriverOptions, require_watchdog
from wmx_core.values import EngineState

from .events import DeadMan
from .sdk import Sdk
from .session import SdkSession

BEGINNING = ErrorCode.SystemInitializationNotDone, ErrorCode.StatusChannelGettingInitialData
"""What an engine answers, and its status, while they begin."""
BUSY = ErrorCode.StartProcessLockError, ErrorCode.CreateDeviceLockError
"""What an engine answers while another process attaches to it or lets go of it: no device was
created."""
NOT_RUNNING = ErrorCode.IMLibIsNotRunning, ErrorCode.SystemIsNoRunning
"""What says without a device that no engine runs; anything else may be for want of a device."""
RETRY_DELAY = 0.1
"""How long such an engine is left alone, s."""
START_AGAIN = 0.5
"""How long to wait before an engine is asked again to communicate that has refused, s."""
POLL_PERIOD = 0.02
"""How often the state is read, s."""
NOT_YET = (ErrorCode.StartCommunicationError, ErrorCode.SystemInitializationNotDone)
NOT_ROOT = (
    "this process is not root, as the engine needs it to be for real time and its network "
    'interface (sudo env PYTHONPATH="$PYTHONPATH" LD_LIBRARY_PATH="$LD_LIBRARY_PATH" ...; sudo '
    "takes LD_LIBRARY_PATH away, also where it is asked to preserve it)"
)
LOCKED = (
    "another WMX application may be starting or ending, or the vendor's wmx-gateway (port 5050) "
    "holds it; if there is none, one that was killed has left the lock, which goes with a restart "
    "of the machine"
)
OTHER_VERSION = (
    "the engine is of another version than the SDK in this process: they have to be of one "
    "installation, and the binding built to its headers (make sdk SDK=/opt/wmx3)"
)
OF_VERSIONS = {"IMVersionMismatch", "ModuleVersionMismatch", "VersionCheckError"}
"""What the SDK answers, by the names, to an engine of another version than its own."""


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
            _start_communication(session, self._options.timeout)
        session.count_axes()

    def stop_communication(self) -> None:
        session = self.session()
        if self.state() is EngineState.COMMUNICATING:
            _stop_communication(session, self._options.timeout)

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
            while True:
                try:
                    act()
                    break
                except CommandRefused as refused:
                    if refused.code not in passing or session.time.now() >= deadline:
                        raise _explained(refused) from None
                session.time.sleep(RETRY_DELAY)

    def _cores(self) -> tuple[int, ...]:
        """The last arguments of CreateDevice, which are left out where they are the defaults."""
        cores = self._options.core, self._options.affinity
        return () if cores == (-1, 0) else cores


def _start_communication(session: SdkSession, timeout: float) -> None:
    """Start communication within `timeout` seconds, or raise the last refusal.

    In Idle the engine takes the signal and does nothing, so it is given again. In Running it may
    need some seconds more to reach the network, and answers StartCommunicationError until then (API
    reference, StartCommunication). The device stays attached while it is asked again: an engine
    ends with its last device, and the next one would have to start from the beginning.
    """
    clock = session.time
    deadline = clock.now() + timeout
    while True:
        idle = session.state() is EngineState.IDLE
        refused = None
        try:
            session.api.StartCommunication(0)
        except CommandRefused as error:
            refused = error
            if error.code not in NOT_YET:
                raise _with_licence(session, error) from None
        again = clock.now() + START_AGAIN if idle or refused else deadline
        if _becomes(session, communicating=True, deadline=min(again, deadline)):
            return
        if again + START_AGAIN >= deadline:
            state = session.state().name
            refused = refused or CommandRefused(
                ErrorCode.CommNotStartedInSpecifiedTime, f"the engine is still in state {state}"
            )
            raise _with_licence(session, refused) from None


def _stop_communication(session: SdkSession, timeout: float) -> None:
    """End communication within `timeout` seconds, else CommNotStoppedInSpecifiedTime."""
    session.api.StopCommunication(0)
    if not _becomes(session, communicating=False, deadline=session.time.now() + timeout):
        detail = f"the engine still communicates after {timeout:g} s"
        raise CommandRefused(ErrorCode.CommNotStoppedInSpecifiedTime, detail)


def _becomes(session: SdkSession, *, communicating: bool, deadline: float) -> bool:
    """Whether the engine communicates, or not, by `deadline`."""
    while (session.state() is EngineState.COMMUNICATING) is not communicating:
        if session.time.now() >= deadline:
            return False
        session.time.sleep(min(POLL_PERIOD, max(1e-3, deadline - session.time.now())))
    return True


def _with_licence(session: SdkSession, refused: CommandRefused) -> CommandRefused:
    """With an invalid licence communication may not start (user manual, System status)."""
    if not session.core.GetStatus().invalidLicenseError:
        return refused
    return refused.more("the engine has no valid licence")


def _explained(refused: CommandRefused) -> CommandRefused:
    """A refused device, with what may be the reason."""
    reasons = [LOCKED] if refused.code == ErrorCode.CreateDeviceLockError else []
    reasons += [OTHER_VERSION] if refused.name in OF_VERSIONS else []
    if os.geteuid() != 0:
        reasons.append(NOT_ROOT)
    return refused.more(*reasons)
