"""`bringup --events`: prints when the system is ready, and each motion as it begins and ends.

The nodes of the process are asked directly: a client beside them would cost a third of the memory
and of the time that they take. What nodes of other processes do is printed by `wmx events`.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from wmx_core.clock import STEADY, ProcessClock
from wmx_core.units import DEGREE

from ..actuators.description import Actuator
from ..control.request import Begin, End, EndReason
from ..node_base.common_parameters import OwnUnits
from ..node_base.context import NodeContext
from ..node_base.refusals import NotReady
from ..node_base.traits import EngineRole
from ..nodes.actuators.parameters import ActuatorNodeParameters
from .event_lines import Names, Units, begin_line, end_line
from .refused_lines import RefusedLines

CHECK_PERIOD = 0.5
"""How often it is checked whether the nodes are ready, s."""
MOST_KEPT = 10_000
"""Of lines that wait to be printed; the oldest are dropped."""
DEFAULT_RELEASE = "kilted"
"""The release whose wheels make installs by default."""
NAMED = {1.0: "rad", DEGREE: "deg"}
"""The unit of axes by how many rad it is."""
MOST_NAMED = 8
"""Axes that are named one by one."""


class Announcer:
    """Prints of the nodes that it `watch`es; it is ready once all of `names` are."""

    def __init__(self, names: Collection[str], clock: ProcessClock = STEADY) -> None:
        self._names = names
        self._nodes: dict[str, NodeContext[Any]] = {}
        self._lines: deque[str] = deque(maxlen=MOST_KEPT)
        self._refused = RefusedLines(clock.now)
        self._changed = clock.condition()
        self._ended = False
        self._thread = threading.Thread(target=self._run, name="announcer")

    def watch(self, node: NodeContext[Any]) -> None:
        """Print the motions of a node that has been configured."""
        self._nodes[node.name] = node
        if node.kind.role is not EngineRole.NONE:
            node.tracker.listen(partial(self._take, node))

    def start(self) -> None:
        """Begin to print, in a thread: nothing of the nodes waits for a terminal."""
        self._thread.start()

    def end(self) -> None:
        """Print what waits, and end the thread."""
        with self._changed:
            self._ended = True
            self._changed.notify()
        self._thread.join()

    def _take(self, node: NodeContext[Any], event: Begin | End) -> None:
        """Keep the line of an event; in the thread of the node that publishes it."""
        refused = isinstance(event, End) and event.reason is EndReason.REFUSED
        with self._changed:
            if refused and not self._refused.admits():
                self._changed.notify()
                return
        line = line_of(event, node.ros_time.at(event.time) * 1e-9, self._known())
        with self._changed:
            self._lines.append(line)
            self._changed.notify()

    def _run(self) -> None:
        ready = False
        while True:
            with self._changed:
                if not self._lines and not self._ended:
                    patient = ready and not self._refused.left_out
                    self._changed.wait(None if patient else CHECK_PERIOD)
                summary = self._refused.summary()
                lines = [*filter(None, [summary]), *self._lines]
                self._lines.clear()
                ended = self._ended
            for line in lines:
                _print(line)
            if ended:
                return
            if not ready and self._is_ready():
                ready = True
                _print(self._welcome())

    def _is_ready(self) -> bool:
        """Whether all nodes are active, and attached to an engine that communicates."""
        nodes = dict(self._nodes)
        try:
            for name in self._names:
                if not nodes[name].active:
                    return False
                nodes[name].require_engine()
        except (KeyError, NotReady):
            return False
        return any(node.engine_axes for node in nodes.values())

    def _known(self) -> tuple[Names, Units]:
        """The names and the units of the axes, as far as nodes of this process have them."""
        parameters = [node.parameters for node in list(self._nodes.values())]
        found: dict[int, Actuator] = {}
        for each in parameters:
            if isinstance(each, ActuatorNodeParameters):
                found |= {actuator.axis: actuator for actuator in each.actuators().values()}
        units = {axis: actuator.unit for axis, actuator in found.items()}
        for each in parameters:
            if isinstance(each, OwnUnits):
                units |= {axis: NAMED.get(of, "u") for axis, of in each.axis_units().items()}
        count = max((node.engine_axes for node in list(self._nodes.values())), default=0)
        names = {axis: found[axis].name if axis in found else str(axis) for axis in range(count)}
        return names, units

    def _welcome(self) -> str:
        """The first lines of a system: its axes, its engine, and the next commands to type."""
        names = [*self._known()[0].values()]
        several = ", ".join(names) if len(names) <= MOST_NAMED else f"{names[0]} to {names[-1]}"
        node = next(node for node in self._nodes.values() if node.kind.role is not EngineRole.NONE)
        engine = "the simulated engine" if node.driver.simulated else "REAL HARDWARE"
        file = node.ownership.file
        stopped = file is not None and file.emergency_stop is not None
        ready = f"\nThe system is ready: {len(names)} axes on {engine}: {several}.\n"
        return ready + next_commands(names[0], node.full_name.rpartition("/")[0], stopped=stopped)


@contextmanager
def announced(nodes: Collection[str]) -> Iterator[Announcer]:
    """Print the events of the system that starts inside, and stop before the block is left.

    It is ready as soon as all of its `nodes` are active, and the engine communicates.
    """
    announcer = Announcer(nodes)
    announcer.start()
    try:
        yield announcer
    finally:
        announcer.end()


def next_commands(axis: str, namespace: str, *, stopped: bool) -> str:
    """What can be typed in another terminal, so that it reaches this system and no other one."""
    release = os.environ.get("ROS", DEFAULT_RELEASE)  # as given to make
    domain = os.environ.get("ROS_DOMAIN_ID", "")
    place = f" -n {namespace}" if namespace.strip("/") else ""
    lines = ["Next, in another terminal in this folder:"]
    if domain not in ("", "0"):
        lines.append(f"    export ROS_DOMAIN_ID={domain}")
    lines.append(f"    {'' if release == DEFAULT_RELEASE else f'ROS={release} '}. ./env.sh")
    if stopped:
        lines.append(f"    wmx release{place}    # an emergency stop is still active")
    lines += [
        f"    wmx on all{place}",
        f"    wmx move {axis} 0.05 --by{place}",
        f"    wmx watch{place}",
    ]
    return "\n".join([*lines, ""])


def line_of(event: Begin | End, at: float, known: tuple[Names, Units]) -> str:
    """The line of an event that happened `at` (s since the epoch)."""
    names, units = known
    if isinstance(event, Begin):
        what = event.kind, event.targets, event.source
        return begin_line(at, *what, event.axes, event.names, names=names, units=units)
    ended = event.reason, event.message, event.final, event.source
    return end_line(at, *ended, event.axes, event.names, names=names, units=units)


def _print(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
