"""How long a key counts as held that a terminal repeats."""

import os
import pty
import select
import sys
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest
from command_line import Shell

from wmx_ros2_package.cli.jog import HELD, REPEATED, Held
from wmx_sim.engine.clock import HeldClock

UP, DOWN, RIGHT = b"\x1b[A", b"\x1b[B", b"\x1b[C"


class Jogs:
    """An axis that notes its jogs, and where they end by themselves."""

    ends = False

    def __init__(self) -> None:
        self.done: list[str] = []

    def jog(self, velocity: float, acceleration: float | None) -> Any:
        self.done.append(f"{velocity:+g}")
        return SimpleNamespace(
            done=self.ends, cancel=lambda: self.done.append("let go"), wait=lambda: None
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


def test_a_jog_that_has_ended_is_let_go_though_its_key_is_held() -> None:
    """Which raises what has ended it, such as a limit."""
    axis = Jogs()
    axis.ends = True
    held = Held(axis, None, HeldClock().now)  # type: ignore[arg-type]
    assert not held.press("+", 0.1)
    assert held.press("+", 0.1)
    assert axis.done == ["+0.1", "let go"]


@pytest.mark.parametrize(("arrow", "velocity"), [(UP, 0.125), (DOWN, 0.08)])
def test_up_is_faster_and_down_slower(
    shell: Shell,
    machine: MagicMock,
    monkeypatch: pytest.MonkeyPatch,
    arrow: bytes,
    velocity: float,
) -> None:
    typed, terminal = pty.openpty()
    keys = [arrow, RIGHT, b"q"]

    def now() -> float:
        """Each key is typed once the one before was read: of two at once the last one counts."""
        if keys:
            os.write(typed, keys.pop(0))
            select.select([terminal], [], [])  # the kernel hands it over a little later
        return 0.0

    machine.clock.now = now
    machine.session.status.return_value = [SimpleNamespace(command=0.0, position=0.0)]
    with os.fdopen(terminal) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        shell.done("jog", "0", "--velocity", "0.1")
    os.close(typed)
    [commands, *_] = machine.session.begin.call_args.args
    assert commands[0]["value"] == pytest.approx(velocity)
