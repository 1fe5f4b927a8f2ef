"""Ends a process that has done its work but cannot end, because something in it hangs.

The middleware may wait for itself for ever while a process leaves (Fast DDS issue 6502), and it
may do so with the interpreter's lock in its hand, so no Python can help. A timer of the C library
does: its thread calls `_exit` with the exit code.
"""

import ctypes
import faulthandler
import signal
import sys
from typing import Any

_CLOCK_MONOTONIC = 1
_SIGEV_THREAD = 2
_WORDS_BEFORE = 0.5
"""How long before the end its reason is written, s: on a busy machine a thread comes late."""


class _Sigevent(ctypes.Structure):
    """`struct sigevent` of Linux: what a timer does."""

    _fields_ = (
        ("value", ctypes.c_void_p),
        ("signal", ctypes.c_int),
        ("notify", ctypes.c_int),
        ("function", ctypes.c_void_p),
        ("attributes", ctypes.c_void_p),
        ("padding", ctypes.c_char * 64),
    )


class _Timespec(ctypes.Structure):
    _fields_ = (("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long))


class _Itimerspec(ctypes.Structure):
    _fields_ = (("interval", _Timespec), ("value", _Timespec))


class ExitGuard:
    """Ends the process with an exit code at a time; the last call counts.

    Where the system is not Linux it does nothing.
    """

    def __init__(self) -> None:
        self._timers: list[ctypes.c_void_p] = []

    def end_within(self, seconds: float, code: int, reason: str) -> None:
        """End the process in `seconds` with `code`, saying `reason`, unless it has ended by then.

        The C library writes the reason, and puts the name of the program before it.
        """
        if sys.platform != "linux":
            return
        self.call_off()
        libc = ctypes.CDLL(None)
        # A copy that nobody frees: the timer outlives the interpreter and all that it owns.
        libc.strdup.restype = ctypes.c_void_p
        words = libc.strdup(reason.replace("%", "%%").encode())
        self._call_in(seconds - _WORDS_BEFORE, libc.warnx, words)
        self._call_in(seconds, libc._exit, code)

    def wait_for_the_end(self) -> None:
        """Have a thread that crashes from now on wait for the end, so that the exit code is right.

        The middleware may crash while it is being destroyed; its thread sleeps instead.
        """
        if sys.platform != "linux":
            return
        faulthandler.disable()  # as Python ends it would put back what it has found
        libc = ctypes.CDLL(None)
        libc.signal.argtypes = ctypes.c_int, ctypes.c_void_p
        sleep = ctypes.cast(libc.pause, ctypes.c_void_p)
        for number in (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT):
            libc.signal(number, sleep)

    def call_off(self) -> None:
        """Let the process go on."""
        for timer in self._timers:
            ctypes.CDLL(None).timer_delete(timer)
        self._timers.clear()

    def _call_in(self, seconds: float, function: Any, argument: int | None) -> None:
        """Call a function of the C library with one argument, from a thread of its own."""
        libc = ctypes.CDLL(None)
        event = _Sigevent(
            value=argument,
            notify=_SIGEV_THREAD,
            function=ctypes.cast(function, ctypes.c_void_p).value,
        )
        timer = ctypes.c_void_p()
        if libc.timer_create(_CLOCK_MONOTONIC, ctypes.byref(event), ctypes.byref(timer)):
            raise OSError(f"timer_create: {ctypes.get_errno()}")
        whole, rest = divmod(max(0.001, seconds), 1.0)
        due = _Itimerspec(value=_Timespec(int(whole), int(rest * 1e9)))
        libc.timer_settime(timer, 0, ctypes.byref(due), None)
        self._timers.append(timer)
