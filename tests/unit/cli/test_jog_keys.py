"""How long a key counts as held that a terminal repeats."""

from types import SimpleNamespace
from typing import Any

import pytest

from wmx_ros2_package.cli.jog import HELD, REPEATED, Held
from wmx_sim.engine.clock import HeldClock


class Jogs:
    """An axis that notes its jogs."""

    def __init__(self) -> None:
        self.done: list[str] = []

    def jog(self, velocity: float, acceleration: float | None) -> Any:
        self.done.append(f"{velocity:+g}")
        return SimpleNamespace(
            done=False, cancel=lambda: self.done.append("let go"), wait=lambda: None
        )


@pytest.mark.parametrize(("repeats", "longest"), [(0, HELD), (1, REPEATED), (5, REPEATED)])
def test_a_key_that_is_repeated_no_more_is_let_go(repeats: int, longest: float) -> None:
    clock, axis = HeldClock(), Jogs()
    held = Held(axis, None, clock.now)  # type: ignore[arg-type]
    for _ in range(1 + repeats):
        held.press("+", 0.1)
    for share in 0.5, 0.4:
        clock.advance(share * longest)
        held.press("", 0.1)
    assert axis.done == ["+0.1"]
    clock.advance(0.2 * longest)
    held.press("", 0.1)
    assert axis.done == ["+0.1", "let go"]


def test_the_other_key_lets_the_first_go() -> None:
    axis = Jogs()
    held = Held(axis, None, HeldClock().now)  # type: ignore[arg-type]
    assert not held.press("+", 0.1)
    assert held.press("-", 0.1), "which lasts until the axis rests"
    assert axis.done == ["+0.1", "let go"], "it may be let go itself by now"
    assert not held.press("-", 0.1)
    assert axis.done == ["+0.1", "let go", "-0.1"]
