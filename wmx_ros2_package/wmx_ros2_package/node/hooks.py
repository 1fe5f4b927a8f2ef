"""What a node and its features do when its life changes.

They are called in the order in which they were given when something begins, and in the opposite
order when it ends.
"""

from collections.abc import Callable, Iterable
from functools import partial

Hook = Callable[[], None]


class Hooks:
    """The hooks of one node."""

    def __init__(self) -> None:
        self.on_attach: list[Hook] = []
        self.on_detach: list[Hook] = []
        self.on_activate: list[Hook] = []
        self.on_deactivate: list[Hook] = []
        self.on_cleanup: list[Hook] = []
        self.on_silence: list[Callable[[bool], None]] = []

    def attach(self) -> None:
        """The device is attached; a hook that fails detaches what was attached."""
        try:
            for hook in self.on_attach:
                hook()
        except Exception:
            self.detach()
            raise

    def detach(self) -> None:
        """The device will be closed."""
        call_all(reversed(self.on_detach))

    def activate(self) -> None:
        """The node becomes active; a hook that fails deactivates what was activated."""
        try:
            for hook in self.on_activate:
                hook()
        except Exception:
            self.deactivate()
            raise

    def deactivate(self) -> None:
        """The node becomes inactive."""
        call_all(reversed(self.on_deactivate))

    def silence(self, begins: bool) -> None:
        """Nothing is heard of the engine node any more, or something again."""
        call_all([partial(hook, begins) for hook in self.on_silence])

    def cleanup(self) -> None:
        """The node lets go of what it has."""
        call_all(reversed(self.on_cleanup))


def call_all(hooks: Iterable[Callable[[], object]]) -> None:
    """Call every one of `hooks`; the first error is raised when all have been called."""
    first: Exception | None = None
    for hook in hooks:
        try:
            hook()
        except Exception as error:
            first = first or error
    if first is not None:
        raise first
