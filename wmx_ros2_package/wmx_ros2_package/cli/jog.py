"""`wmx jog`: an axis runs as long as a key is held, or for a given time.

Each motion is a lease of the client library: the axis slows down when the key is let go, when
Ctrl-C ends the program, and by itself when the program dies.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from .arguments import add_system, number, positive
from .completion import complete_axes
from .connection import connected, select_one
from .failures import wrong
from .keyboard import keys
from .progress import follow
from .terminal import Terminal, shown

if TYPE_CHECKING:
    from ..client import Axis, Motion

HELD = 0.6
"""A key that was not repeated for so long, s, is let go. Terminals repeat a key for the first time
after about half a second, and then thirty times a second."""
REPEATED = 0.15
"""The same once it has been repeated, s."""
STEP = 1.25
"""How much faster or slower one press makes it."""
PERIOD = 0.05
DEFAULT_VELOCITY = 0.1
QUIT = "q", "\x1b", "\x04"
HELP = "hold -> or <- to move, up and down: faster, slower; q ends"


def add_jog(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    add = parser.add_argument
    complete_axes(add("axis", help="number or name"))
    add("--velocity", type=number, metavar="V", default=DEFAULT_VELOCITY,
        help="u/s, signed with --for (default %(default)s)")  # fmt: skip
    add("--acceleration", type=positive, metavar="A", help="u/s^2; that of the actuator without")
    add("--for", dest="seconds", type=positive, metavar="S", help="run so long, with no key")
    add_system(parser)
    parser.epilog = HELP
    parser.set_defaults(run=run_jog)


def run_jog(out: Terminal, options: argparse.Namespace) -> None:
    """Jog one axis; it rests when this returns, however it does."""
    if not options.velocity:
        raise wrong("--velocity must not be 0")
    with connected(out, options) as machine:
        axis = select_one(machine, options.axis)
        if options.seconds:
            motion = axis.jog(
                options.velocity, acceleration=options.acceleration, duration=options.seconds
            )
            follow(out, motion, axis.name)
        else:
            _by_keys(out, axis, options, machine.clock.now)
        place = axis.position
        out.show(
            {"axis": axis.number, "name": axis.name, "position": place},
            lambda: f"{axis.name} is at {shown(place)} {axis.unit}",
        )


def _by_keys(
    out: Terminal, axis: Axis, options: argparse.Namespace, now: Callable[[], float]
) -> None:
    velocity = abs(options.velocity)
    quits = False
    held = Held(axis, options.acceleration, now)
    with keys() as key:
        out.say(HELP)
        try:
            while not quits and (pressed := key(PERIOD)) not in QUIT:
                if pressed in ("faster", "slower"):
                    velocity *= STEP if pressed == "faster" else 1.0 / STEP
                if held.press(pressed if pressed in ("+", "-") else "", velocity):
                    # What was typed until the axis rested is over; a key that is held comes again.
                    meanwhile = [*iter(partial(key, 0.0), "")]
                    quits = any(typed in QUIT for typed in meanwhile)
                _draw(out, axis, velocity)
        finally:
            held.let_go()
    out.say("")


class Held:
    """The motion that a held key stands for: begun, reversed, and canceled when it is let go."""

    def __init__(self, axis: Axis, acceleration: float | None, now: Callable[[], float]) -> None:
        self._axis = axis
        self._acceleration = acceleration
        self._now = now
        self._motion: Motion | None = None
        self._sign = ""
        self._until = 0.0

    def press(self, sign: str, velocity: float) -> bool:
        """Take note that the key `sign` was pressed or repeated; empty: that none was.

        Return whether it has let go another one, which lasts until the axis rests: `sign` begins
        nothing then, for by now it may be let go as well.
        """
        now, motion = self._now(), self._motion
        if motion is None:
            if sign:
                self._sign, self._until = sign, now + HELD
                self._motion = self._axis.jog(
                    velocity if sign == "+" else -velocity, acceleration=self._acceleration
                )
            return False
        if sign == self._sign and not motion.done:
            self._until = now + REPEATED
            return False
        if not sign and now <= self._until:
            return False
        self.let_go()
        return True

    def let_go(self) -> None:
        """Let the axis slow down, and wait until it rests; raise what ended it before."""
        motion, self._motion = self._motion, None
        if motion is not None:
            motion.cancel()
            motion.wait()


def _draw(out: Terminal, axis: Axis, velocity: float) -> None:
    """Draw one line over the last one: where the axis is, and how fast the next key is."""
    if out.live:
        status = axis.status
        print(
            f"\r{axis.name}: {status.position:10.4f} {axis.unit} "
            f"{status.velocity:9.4f} {axis.unit}/s   key: {velocity:.4g} {axis.unit}/s ",
            end="",
            flush=True,
        )
