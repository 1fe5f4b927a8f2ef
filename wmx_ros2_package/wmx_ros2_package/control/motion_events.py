"""Begins and ends of motions on their way to those who listen, each in its turn."""

import threading
from collections import deque
from collections.abc import Callable

from .request import Begin, End

Listener = Callable[[Begin | End], None]


class MotionEvents:
    """Calls listeners with events, in the order in which these were added; any thread may call.

    An event may be added while a lock is held. Nobody holds one who publishes: a listener may
    command.
    """

    def __init__(self) -> None:
        self._listeners: list[Listener] = []
        self._waiting: deque[Begin | End] = deque()
        self._publishing = threading.RLock()
        """Of the order in which events are published."""
        self._calling = False
        """Whether listeners are being called."""

    def listen(self, listener: Listener) -> None:
        """Call `listener` with every event from now on."""
        self._listeners.append(listener)

    def add(self, event: Begin | End) -> None:
        """Have `event` published after those before it."""
        self._waiting.append(event)

    def publish(self) -> None:
        """Call the listeners with what was added."""
        if not self._waiting:
            return
        with self._publishing:
            if self._calling:  # a listener has commanded: the others get the event before first
                return
            self._calling = True
            try:
                while self._waiting:
                    event = self._waiting.popleft()
                    for listener in self._listeners:
                        listener(event)
            finally:
                self._calling = False
