"""Keeps an eye on what has begun: looks at the engine every few cycles while there is something."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from ..drivers.errors import EngineLost, WmxError
from ..drivers.values import MotionStatus
from ..node.context import NodeContext
from ..node.refusals import NotReady

PERIOD = 0.005
"""How often it is looked, s: a few communication cycles."""

Task = Callable[[MotionStatus], bool]
"""Does what is due in a status; true as long as there is something left to do."""


class Keeper:
    """Calls the tasks of `node` in a thread of its own, while the device is attached.

    A task that the engine refuses something is called again: what it sees to, a limit or a lease,
    does not become less urgent by that.
    """

    def __init__(self, node: NodeContext[Any]) -> None:
        self._node = node
        self._tasks: list[Task] = []
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        node.on_attach(self._attach)
        node.on_detach(self._detach)

    def keep(self, task: Task) -> None:
        """Call `task` until it is done, or the device is detached."""
        with self._lock:
            self._tasks.append(task)
        self._wake.set()

    def _attach(self) -> None:
        self._stopped.clear()
        self._thread = threading.Thread(
            target=self._run, name=f"{self._node.name}-keeper", daemon=True
        )
        self._thread.start()

    def _detach(self) -> None:
        self._stopped.set()
        self._wake.set()
        if self._thread is not None:
            self._thread.join()
        with self._lock:
            self._tasks.clear()

    def _run(self) -> None:
        while not self._stopped.is_set():
            self._wake.wait()
            self._wake.clear()
            while self._tasks and not self._stopped.wait(PERIOD):
                self._look()

    def _look(self) -> None:
        try:
            status = self._node.driver.motion.status()
        except EngineLost as error:
            self._node.lose_engine(error)
            return
        except WmxError as error:
            self._complain(error)
            return
        for task in list(self._tasks):
            if not self._goes_on(task, status):
                with self._lock:
                    if task in self._tasks:
                        self._tasks.remove(task)

    def _goes_on(self, task: Task, status: MotionStatus) -> bool:
        try:
            return task(status)
        except NotReady:  # detaching ends it
            return True
        except EngineLost as error:
            self._node.lose_engine(error)
            return True
        except WmxError as error:
            self._complain(error)
            return True
        except Exception as error:
            self._node.say_error(f"Looking after motions: {error!r}")
            return False

    def _complain(self, error: WmxError) -> None:
        self._node.log.error(f"Looking after motions: {error}", throttle_duration_sec=1.0)
