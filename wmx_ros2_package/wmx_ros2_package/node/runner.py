"""Runs nodes until SIGINT or SIGTERM, then closes them in order and exits.

The main thread waits for the signal and a thread of its own spins, so that a signal never
interrupts a callback half way: the nodes are still being served while they close, and a second
signal changes nothing.
"""

import ctypes
import gc
import os
import signal
import sys
import threading
import traceback
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from socket import socketpair
from typing import NoReturn

import rclpy
from rclpy.exceptions import ParameterException
from rclpy.executors import Executor
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future
from rclpy.utilities import remove_ros_args

from ..drivers.errors import WmxError
from ..validation import BadRequest
from .discovery import use_profile
from .executors import make_executor
from .exit_guard import ExitGuard
from .kind import AnyKind
from .managed_node import ManagedNode
from .shared_memory import clear_half_made_ports

STOP_SIGNALS = {signal.SIGINT, signal.SIGTERM}
_SPIN_PERIOD = 3600.0
"""A finite deadline, s: EventsExecutor.spin() of Kilted burns a core waiting without one."""

_START_TIMEOUT = 120.0
"""Nodes that are not made by then never are: something hangs, s."""
_EXIT_TIMEOUT = 3.0
"""How long the process may take to end when its nodes are closed, s: launch loses patience at 5."""
_HANGS = "it is ended without waiting for the middleware"

_SWITCH_INTERVAL = 0.0002
"""How long a busy thread may keep Python from the others, s. At Python's own 5 ms a parameter file
that was read cost AxisState 82 of 300 messages, at a tenth of that about 35. And at this, on a
quiet machine, more than 99 % of joint states at 500 Hz are of the cycle in which they are due."""


def run(*kinds: AnyKind, in_process: bool = False) -> int:
    """Run nodes of these kinds, with a simulated engine `in_process` if it has to be started.

    The process ends with them; `run` returns where nothing was to be started. The exit code is 1 if
    they cannot be made, or if one of them cannot be closed, and 2 for arguments that are none of
    ROS.
    """
    stop = _StopSignal()
    try:
        strangers = remove_ros_args(sys.argv)[1:]
    except RuntimeError:  # arguments of ROS that are wrong: `rclpy.init` says how
        strangers = []
    if strangers:
        return _show_usage(strangers)
    guard = ExitGuard()
    guard.end_within(_START_TIMEOUT, 1, f"the nodes do not come into being: {_HANGS}")
    nodes: list[ManagedNode] = []
    try:
        if reason := _make(nodes, kinds, in_process=in_process):
            guard.end_within(_EXIT_TIMEOUT, 1, f"no node runs but the process stays: {_HANGS}")
            print(f"{Path(sys.argv[0]).name}: {reason}", file=sys.stderr, flush=True)
            code = 1
        else:
            guard.call_off()
            sys.setswitchinterval(_SWITCH_INTERVAL)
            code = _served(nodes, stop, guard)
    except BaseException:
        guard.end_within(_EXIT_TIMEOUT, 1, f"the nodes have failed but the process stays: {_HANGS}")
        raise
    finally:
        guard.wait_for_the_end()
        have_left = _leave(nodes)
        stop.forget()
    return _end(code) if have_left else code


def _end(code: int) -> NoReturn:
    """End the process, whose nodes have left DDS, without taking the rest of it apart.

    For that Python and the middleware need a third of a second, half of it processor time, and
    the middleware may hang.
    """
    for stream in filter(None, (sys.stdout, sys.stderr)):
        with suppress(OSError, ValueError):  # nobody reads it any more, or it is closed
            stream.flush()
    ctypes.CDLL(None).fflush(None)  # what the C library has kept back
    os._exit(code)


def _served(nodes: Sequence[ManagedNode], stop: "_StopSignal", guard: ExitGuard) -> int:
    """Serve the nodes until they are told to stop, and close them: the exit code."""
    executor = make_executor()
    for node in nodes:
        executor.add_node(node)
    finished: Future[None] = Future()
    spinner = threading.Thread(target=_spin, args=(executor, finished), name="spin")
    spinner.start()
    try:
        for node in nodes:
            if node.autostart:
                node.activate()
        gc.freeze()  # a full collection takes 7 ms, and next to nothing without what stays

        stop.wait()
    finally:
        closed = [_closed(node) for node in reversed(nodes)]
        code = 0 if all(closed) else 1
        # Axes rest and devices are closed: from here on nothing is worth waiting for.
        guard.end_within(
            _EXIT_TIMEOUT, code, f"the nodes are closed but the process stays: {_HANGS}"
        )
        guard.wait_for_the_end()
        executor.create_task(finished.set_result, None)
        spinner.join()
        executor.shutdown()
    return code


def _leave(nodes: list[ManagedNode]) -> bool:
    """Destroy the nodes, so that others see at once that they have gone; whether that succeeded.

    What Python has made of a node refers to itself in circles; only when all of it is collected
    does the node leave DDS.
    """
    have_left = True
    while nodes:
        try:
            nodes.pop().destroy_node()
        except Exception:
            traceback.print_exc()
            have_left = False
    gc.unfreeze()
    gc.collect()
    rclpy.try_shutdown()
    return have_left


def _show_usage(arguments: Sequence[str]) -> int:
    """Nothing is started by a call that asks for help, or that is mistyped."""
    name = Path(sys.argv[0]).name
    asked = bool({"-h", "--help"}.intersection(arguments))
    stream = sys.stdout if asked else sys.stderr
    if not asked:
        print(f"{name}: {arguments[0]!r} is no argument of ROS", file=stream)
    print(f"usage: {name} [--ros-args -p PARAMETER:=VALUE --params-file FILE ...]", file=stream)
    return 0 if asked else 2


def _make(nodes: list[ManagedNode], kinds: Sequence[AnyKind], *, in_process: bool) -> str:
    """Fill `nodes` with new ones, configured if they start by themselves; or why that cannot be."""
    try:
        use_profile()
        for path in clear_half_made_ports():
            print(f"removed {path}: a process died while it made it", file=sys.stderr)
        rclpy.init(args=sys.argv, signal_handler_options=SignalHandlerOptions.NO)
        for kind in kinds:
            nodes.append(ManagedNode(kind, in_process=in_process))
        for node in nodes:
            if node.autostart:
                node.configure()
    except (WmxError, BadRequest, ParameterException, RuntimeError) as error:
        # A RuntimeError is how rclpy refuses arguments, such as a file that does not exist.
        return str(error) or type(error).__name__
    return ""


def _closed(node: ManagedNode) -> bool:
    """Whether the node could be closed; one that could not must not leave the others open."""
    try:
        node.close()
    except Exception:
        traceback.print_exc()
        return False
    return True


class _StopSignal:
    """The first SIGINT or SIGTERM; more of them change nothing, whichever thread gets them.

    Threads started from now on leave the signals to the main thread. Libraries have started
    threads of their own by now, so blocking alone would let a second SIGTERM end the process
    there: there are handlers too, and a socket on which they wake the main thread.
    """

    def __init__(self) -> None:
        self._reader, self._writer = socketpair()
        self._writer.setblocking(False)
        signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        for number in STOP_SIGNALS:
            signal.signal(number, lambda *_: None)
        signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)

    def wait(self) -> None:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
        self._reader.recv(1)

    def forget(self) -> None:
        """Ignore the signals from now on: Python takes handlers away while it ends."""
        for number in STOP_SIGNALS:
            signal.signal(number, signal.SIG_IGN)


def _spin(executor: Executor, finished: "Future[None]") -> None:
    while not finished.done():
        try:
            executor.spin_until_future_complete(finished, timeout_sec=_SPIN_PERIOD)
        except Exception:
            # A callback that fails must not take the other callbacks with it.
            traceback.print_exc()
