"""Runs nodes until SIGINT, SIGTERM or SIGHUP, then closes them in order.

The main thread waits for the signal and a thread of its own spins, so that a signal never
interrupts a callback half way: the nodes are still served while they close, and a second signal
changes nothing.

The middleware may wait for itself for ever while a process starts or leaves (Fast DDS issue 6502).
`faulthandler` then prints what every thread does, and ends the process with 1; it needs no lock of
the interpreter for that.
"""

import faulthandler
import gc
import signal
import stat
import sys
import threading
import traceback
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import TimeoutError as NotInTime
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from socket import socketpair

import rclpy
from rclpy.exceptions import ParameterException
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future
from rclpy.utilities import remove_ros_args

from wmx_core.errors import WmxError

from ..validation import BadRequest
from . import rclpy_compat
from .clock import ROS, NodeClock
from .domain.discovery import remove_half_made_ports, use_profile
from .kind import AnyKind
from .managed_node import ManagedNode, Watch, unwatched
from .parameter_overrides import NO_KINDS, check_overrides
from .traits import EngineRole
from .tuning import tune_process

START_TIMEOUT = 120.0
"""Nodes that are not made by then never are: something hangs, s."""
CLOSE_TIMEOUT = 28.0
"""How long the engine node may take to be closed, and all others together before it, s: axes slow
down for five, harder for ten more, and a real network may take ten to stop."""
EXIT_TIMEOUT = 8.0
"""How long nodes that are closed may take to leave DDS, s: it takes a second where ten others are
busy on two processors. It is needed twice, well within what our launch files give."""
PORTS_PERIOD = 10.0
"""How often half made ports of other programs are removed, s: a node that sends to one waits there,
and so does the end of its process."""


def run(
    kinds: Mapping[str, AnyKind],
    *,
    hosts_engine: bool = False,
    others: Mapping[str, AnyKind] = NO_KINDS,
    watch: Watch = unwatched,
) -> int:
    """Run nodes of these names and kinds; with `hosts_engine` a simulated engine in this process.

    Files of parameters may be for nodes of `others`, too, which run elsewhere. `watch` gets each
    node when it is configured.

    The exit code is 0 when all were closed after a signal, 1 if they cannot be made, or one of them
    cannot be closed, and 2 for arguments that are none of ROS.
    """
    if (code := _wrong_arguments()) is not None:
        return code
    stop = _StopSignal()
    group = NodeGroup()
    code = 1
    try:
        with _ended_within(START_TIMEOUT):
            reason = group.make(
                sys.argv, kinds, hosts_engine=hosts_engine, others=others, watch=watch
            )
        if reason:
            print(f"{_program()}: {reason}", file=sys.stderr, flush=True)
        else:
            tune_process()
            code = serve(group, stop)
    finally:
        with _ended_within(EXIT_TIMEOUT):
            group.leave()
        stop.ignore()
    return code


@contextmanager
def _ended_within(seconds: float) -> Iterator[None]:
    """End the process with 1 when what is done inside takes longer than `seconds`."""
    faulthandler.dump_traceback_later(seconds, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


def serve(group: "NodeGroup", stop: "_StopSignal") -> int:
    """Serve the nodes until a signal, and close them: the exit code."""
    try:
        group.start()
        while not stop.wait(PORTS_PERIOD):
            remove_half_made_ports()
    finally:
        remove_half_made_ports()
        closed = group.close()
        gc.unfreeze()  # see `tune_process`: the nodes are to be collected
        with _ended_within(EXIT_TIMEOUT):
            group.end_spinning()
    return 0 if closed else 1


class NodeGroup:
    """Nodes of this process, which one thread serves."""

    def __init__(self) -> None:
        self.nodes: list[ManagedNode] = []
        self._clock: NodeClock = ROS
        self._finished: Future[None] = Future()

    def make(
        self,
        arguments: Sequence[str],
        kinds: Mapping[str, AnyKind],
        *,
        hosts_engine: bool,
        others: Mapping[str, AnyKind],
        watch: Watch = unwatched,
        clock: NodeClock = ROS,
    ) -> str:
        """Make the nodes, and configure those that start by themselves; or why that cannot be."""
        self._clock = clock
        overrides = check_overrides(arguments, kinds, others)
        try:
            overrides.require_right()
            use_profile()
            rclpy.init(args=overrides.arguments, signal_handler_options=SignalHandlerOptions.NO)
            for name, kind in kinds.items():
                self.nodes.append(
                    ManagedNode(name, kind, hosts_engine=hosts_engine, watch=watch, clock=clock)
                )
            for problem in overrides.problems:
                self.nodes[0].get_logger().warning(problem)
            for note in overrides.notes:
                self.nodes[0].get_logger().info(note)
            for node in self._autostarted():
                node.configure()
        except (WmxError, BadRequest, ParameterException, RuntimeError) as error:
            # A RuntimeError is how rclpy refuses arguments, such as a file that does not exist.
            return str(error) or type(error).__name__
        finally:
            overrides.remove_files()
        return ""

    def start(self) -> None:
        """Begin to serve the nodes, and activate those that start by themselves."""
        self._executor = rclpy_compat.make_executor()
        for node in self.nodes:
            self._executor.add_node(node)
        spin = partial(rclpy_compat.spin, self._executor, self._finished)
        self._spinner = threading.Thread(target=spin, name="spin")
        self._spinner.start()
        for node in self._autostarted():
            node.activate()

    def close(self) -> bool:
        """Close the nodes, served until then, the engine node last; return whether all could be.

        All others are closed beside each other: what one of them waits for, such as a call of the
        engine that hangs, leaves no axis of another one moving.
        """
        engine = [node for node in self.nodes if node.kind.role is EngineRole.OWNER]
        others = [node for node in reversed(self.nodes) if node not in engine]
        return all([*self._closed(others), *self._closed(engine)])

    def _closed(self, nodes: Sequence[ManagedNode]) -> Iterator[bool]:
        """Close `nodes`; whether each could be, which leaves none of the others open."""
        deadline = self._clock.now() + CLOSE_TIMEOUT
        for node in nodes:
            node.begin_to_close()
        for node in nodes:
            try:
                node.close(max(0.0, deadline - self._clock.now()))
            except NotInTime:
                print(f"{node.get_name()} is not closed in time", file=sys.stderr, flush=True)
                faulthandler.dump_traceback()
                yield False
            except Exception:
                traceback.print_exc()
                yield False
            else:
                yield True

    def end_spinning(self) -> None:
        """Serve them no longer."""
        self._executor.create_task(self._finished.set_result, None)
        self._spinner.join()
        self._executor.shutdown()

    def leave(self) -> None:
        """Destroy the nodes, so that others see at once that they have gone.

        What Python has made of a node refers to itself in circles; only when all of it is collected
        does the node leave DDS.
        """
        while self.nodes:
            try:
                self.nodes.pop().destroy_node()
            except Exception:
                traceback.print_exc()
        gc.collect()
        rclpy.try_shutdown()

    def _autostarted(self) -> list[ManagedNode]:
        return [node for node in self.nodes if node.autostart]


def _wrong_arguments() -> int | None:
    """The exit code for arguments with which nothing is to be started; None for others."""
    for path in _parameter_files():
        if path.exists() and not stat.S_ISREG(path.stat().st_mode):
            # rclpy would open it, and wait for ever where that is a pipe.
            print(f"{_program()}: {path} must be a regular file", file=sys.stderr)
            return 1
    try:
        arguments = remove_ros_args(sys.argv)[1:]
    except RuntimeError:  # arguments of ROS that are wrong: the error of `rclpy.init` names them
        return None
    if not arguments:
        return None
    asked = bool({"-h", "--help"}.intersection(arguments))
    stream = sys.stdout if asked else sys.stderr
    if not asked:
        print(f"{_program()}: {arguments[0]!r} is no argument of ROS", file=stream)
    usage = "[--ros-args -p PARAMETER:=VALUE --params-file FILE ...]"
    print(f"usage: {_program()} {usage}", file=stream)
    return 0 if asked else 2


def _parameter_files() -> list[Path]:
    following = zip(sys.argv, sys.argv[1:], strict=False)
    return [Path(path) for option, path in following if option == "--params-file"]


def _program() -> str:
    return Path(sys.argv[0]).name


def stop_signals() -> set[signal.Signals]:
    """The signals that end the nodes.

    SIGHUP comes when a terminal is closed, or a connection to it is lost; not where that is ignored
    already, as `nohup` asks for.
    """
    numbers = {signal.SIGINT, signal.SIGTERM}
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        numbers.add(signal.SIGHUP)
    return numbers


class _StopSignal:
    """The first of the signals that end; more of them change nothing, whichever thread gets them.

    Threads started from now on leave the signals to the main thread. Libraries have started
    threads of their own by now, so blocking alone would let a second SIGTERM end the process
    there: there are handlers too, and a socket on which they wake the main thread.
    """

    def __init__(self) -> None:
        self._reader, self._writer = socketpair()
        self._writer.setblocking(False)
        signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        self._numbers = stop_signals()
        for number in self._numbers:
            signal.signal(number, lambda *_: None)
        signal.pthread_sigmask(signal.SIG_BLOCK, self._numbers)

    def wait(self, seconds: float) -> bool:
        """Wait for a signal; whether it has come within `seconds`."""
        signal.pthread_sigmask(signal.SIG_UNBLOCK, self._numbers)
        self._reader.settimeout(seconds)
        try:
            self._reader.recv(1)
        except TimeoutError:
            return False
        return True

    def ignore(self) -> None:
        """Ignore the signals from now on: Python takes handlers away while it ends."""
        for number in self._numbers:
            signal.signal(number, signal.SIG_IGN)
