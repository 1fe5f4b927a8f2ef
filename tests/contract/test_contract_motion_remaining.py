"""Motion: where a motion ends, and in how long, is shown while it lasts."""

from math import inf

import moves
import numpy as np
import pytest
from backends import Backend
from textbook import duration, to_position

from wmx_core.values import CommandMode

CYCLES = 2e-3
"""How far a remaining time may be from the textbook's, s."""


def test_a_move_tells_its_end(powered: Backend) -> None:
    x, move = powered.x, moves.to(powered.x, 1.0)
    powered.motion.move_absolute([move])
    begun = powered.motion.status()
    late = (begun.pos_cmd[x] / moves.VELOCITY) + 0.1 if not powered.exact else 0.0
    whole = duration(to_position(1.0, **moves.LIMITS))
    assert begun.target[x] == pytest.approx(1.0, abs=powered.tolerance)
    assert begun.remaining[x] == pytest.approx(whole, abs=CYCLES + late)
    later = powered.advance(0.3)
    passed = (later.cycle - begun.cycle) * powered.cycle_time
    assert later.remaining[x] == pytest.approx(begun.remaining[x] - passed, abs=CYCLES)


def test_a_relative_move_tells_where_it_ends(powered: Backend) -> None:
    x = powered.x
    powered.motion.move_absolute([moves.to(x, 0.5)])
    powered.at_rest()
    powered.motion.move_relative([moves.to(x, 0.25)])
    assert powered.motion.status().target[x] == pytest.approx(0.75, abs=powered.tolerance)


def test_an_axis_at_rest_has_nothing_before_it(powered: Backend) -> None:
    powered.motion.move_absolute([moves.to(powered.x, 0.1)])
    rest = powered.at_rest()
    assert rest.remaining[powered.x] == 0.0
    assert np.isnan(rest.target[powered.x])


def test_a_jog_has_no_end(powered: Backend) -> None:
    powered.motion.jog([moves.at(powered.x)])
    jogging = powered.motion.status()
    assert jogging.remaining[powered.x] == inf
    assert np.isnan(jogging.target[powered.x])


def test_a_stop_tells_its_end(powered: Backend) -> None:
    x = powered.x
    powered.motion.jog([moves.at(x)])
    powered.advance(0.5)
    powered.motion.stop([x])
    stopping = powered.motion.status()
    assert 0.0 < stopping.remaining[x] <= moves.VELOCITY / moves.DEC + CYCLES
    assert powered.at_rest().pos_cmd[x] == pytest.approx(stopping.target[x], abs=1e-6)


def test_a_torque_has_no_end(powered: Backend) -> None:
    powered.motion.set_command_mode(powered.x, CommandMode.TORQUE)
    powered.motion.move_torque([moves.torque(powered.x, 10.0)])
    assert powered.motion.status().remaining[powered.x] == inf
