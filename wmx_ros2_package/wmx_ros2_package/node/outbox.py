"""What is told of motions a moment later, so that nobody who waits for an answer waits for it.

Making the message of a begin and publishing it costs more than the smallest service does as a
whole. A thread of its own does that, in the order in which things happened.
"""

import threading
import time
import traceback
from collections.abc import Callable
from queue import SimpleQueue

DELAY = 0.001
"""How long after it happened a thing is told, s: an answer is sent by then."""

Tell = Callable[[], object]


class Outbox:
    """Tells what it is given, in order; nothing of it is lost but by a process that is killed."""

    def __init__(self, name: str) -> None:
        self._waiting: SimpleQueue[tuple[float, Tell] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def add(self, tell: Tell) -> None:
        """Call `tell` in a moment; any thread may call."""
        self._waiting.put((time.monotonic() + DELAY, tell))

    def flush(self) -> None:
        """Returns when all that was added before is told."""
        told = threading.Event()
        self._waiting.put((0.0, told.set))
        while self._thread.is_alive() and not told.wait(0.1):
            pass

    def close(self) -> None:
        """Likewise, and ends the thread."""
        self._waiting.put(None)
        self._thread.join()

    def _run(self) -> None:
        while waiting := self._waiting.get():
            due, tell = waiting
            if (left := due - time.monotonic()) > 0.0:
                time.sleep(left)
            try:
                tell()
            except Exception:
                # What cannot be told must not keep the rest from being told.
                traceback.print_exc()
