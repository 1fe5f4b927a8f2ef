"""`bringup --events`: prints when the system is ready, and each motion as it begins and ends.

It is a client in a thread of its own, in the process of the nodes, as any other client is in its
own process: nothing of the nodes depends on it.
"""

import os
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from ..client import Machine, MachineError, NoSystem, NotAnswered
from .status import event_line

CHECK_PERIOD = 0.5
"""How often it is checked whether the nodes are ready, or being closed, s."""
RETRY_PERIOD = 0.2
"""How long after a failure the system is looked for again, s."""
CONNECT_TIMEOUT = 2.0
"""How long the nodes are looked for before it is checked whether they refuse to start, s."""
DEFAULT_RELEASE = "kilted"
"""The release whose wheels make installs by default."""
MOST_NAMED = 8
"""Axes that are named one by one."""
NEXT = """Next, in another terminal in this folder:
    {release}. ./env.sh
    wmx on all
    wmx move {first} 0.05 --by
    wmx watch
"""


@contextmanager
def announced(arguments: Sequence[str], nodes: Sequence[str]) -> Iterator[None]:
    """Print the events of the system that starts inside, and stop before the block is left.

    It is ready as soon as all of its `nodes` are active, and the engine communicates.
    """
    ended = threading.Event()
    namespace = next(
        (word.partition(":=")[2] for word in arguments if word.startswith("__ns:=")), ""
    )
    thread = threading.Thread(target=_announce, args=(namespace, nodes, ended), name="announcer")
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _announce(namespace: str, nodes: Sequence[str], ended: threading.Event) -> None:
    """Follow the system until it `ended`; what keeps events from being shown is printed once."""
    welcome, printed = _Welcome(nodes), ""
    while not ended.is_set():
        try:
            _follow(namespace, welcome, ended)
        except NoSystem:  # the nodes still start, or a busy machine is late
            pass
        except MachineError as error:
            if not ended.is_set() and error.text != printed:
                printed = error.text
                _print(f"bringup: no events are shown at the moment: {printed}")
        ended.wait(RETRY_PERIOD)


class _Welcome:
    """The first lines of a system, which are printed once."""

    def __init__(self, nodes: Sequence[str]) -> None:
        self._nodes = nodes
        self._printed = False

    def print_when_ready(self, machine: Machine) -> None:
        if not self._printed and _is_ready(machine, self._nodes):
            self._printed = True
            _print(_welcome(machine))


def _follow(namespace: str, welcome: _Welcome, ended: threading.Event) -> None:
    with Machine(namespace, timeout=CONNECT_TIMEOUT) as machine, machine.events() as events:
        while not ended.is_set():
            welcome.print_when_ready(machine)
            with suppress(NotAnswered):
                event = events.get(CHECK_PERIOD)
                _print(event_line(event, machine.axes))


def _is_ready(machine: Machine, nodes: Sequence[str]) -> bool:
    """Return whether all `nodes` are active, and the engine communicates."""
    try:
        states = machine.nodes.states(nodes)
        if [*states.values()] != ["active"] * len(nodes):
            return False
        machine.status()
        machine.describe()  # a node that names axes may have come after the client
    except MachineError:
        return False
    return True


def _welcome(machine: Machine) -> str:
    """Return the first line of a system: its axes, its engine, and the next command to type."""
    names = machine.axes.names
    several = ", ".join(names) if len(names) <= MOST_NAMED else f"{names[0]} to {names[-1]}"
    engine = "the simulated engine" if machine.simulated else "REAL HARDWARE"
    ready = f"\nThe system is ready: {len(names)} axes on {engine}: {several}.\n"
    release = os.environ.get("ROS", DEFAULT_RELEASE)  # as given to make
    which = "" if release == DEFAULT_RELEASE else f"ROS={release} "
    return ready + NEXT.format(release=which, first=names[0])


def _print(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
