"""What tests of the client library wait for, and how a wait is interrupted."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from ros import eventually

from wmx_ros2_package.client import Machine
from wmx_ros2_package.client.link import Link


def until(machine: Machine, condition: Callable[[], Any], what: str) -> Any:
    """What `condition` gives once it is true, by the clock of `machine`."""
    return eventually(condition, what, clock=machine.clock)


@contextmanager
def interrupted_wait(link: Link, patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Ctrl-C comes once a wait for an answer is over."""
    wait = link.wait

    def interrupted(*given: Any, **options: Any) -> None:
        wait(*given, **options)
        raise KeyboardInterrupt

    with patch.context() as patched:
        patched.setattr(link, "wait", interrupted)
        with pytest.raises(KeyboardInterrupt):
            yield
