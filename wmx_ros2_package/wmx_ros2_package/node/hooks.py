"""The callbacks of a node's parts for its transitions and for attaching to the engine.

They are called in the order in which they were given when something begins, and in the opposite
order when it ends.
"""

from collections.abc import Callable, Iterable

Hook = Callable[[], None]


class Hooks:
    """The hooks of one node."""

    def __init__(self) -> None:
        self.on_attach: list[Hook] = []
        self.on_attached: list[Hook] = []
        self.on_let_go: list[Hook] = []
        self.on_detach: list[Hook] = []
        self.on_activate: list[Hook] = []
        self.on_deactivate: list[Hook] = []

    def attach(self) -> None:
        """The device is attached; raises what the first hook raises that fails."""
        for hook in self.on_attach:
            hook()

    def attached(self) -> None:
        """Axes may be commanded; raises what the first hook raises that fails."""
        for hook in self.on_attached:
            hook()

    def let_go(self) -> None:
        """The axes are about to be stopped."""
        call_all(reversed(self.on_let_go))

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
