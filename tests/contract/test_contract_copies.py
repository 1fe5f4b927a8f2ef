"""Copies of axes: what is commanded to one moves nothing, and says what the engine then does."""

import moves
import pytest
from backends import Backend

from wmx_core.errors import CommandRefused
from wmx_sim.copies import copy_of


@pytest.mark.over_process
def test_a_copy_arrives_where_the_axis_then_does(powered: Backend) -> None:
    status = powered.motion.status()
    copy = copy_of(powered.driver, [powered.x])
    assert copy.exact is (powered.driver.copy is not None)
    copy.motion.move_absolute([moves.to(powered.x, 0.5)])
    courses = []
    while not courses or copy.motion.status().busy.size:
        copy.run(copy.motion.status().cycle + 5000)
        courses.append(copy.course())
    assert courses[-1].command[-1, 0] == pytest.approx(0.5, abs=1e-9)
    assert powered.motion.status().pos_cmd[powered.x] == status.pos_cmd[powered.x], "nothing moves"
    powered.motion.move_absolute([moves.to(powered.x, 0.5)])
    powered.at_rest()
    final = powered.motion.status().pos_cmd[powered.x]
    assert final == pytest.approx(courses[-1].command[-1, 0], abs=powered.tolerance)


def test_a_copy_refuses_what_the_engine_refuses(backend: Backend) -> None:
    copy = copy_of(backend.driver, [backend.x])
    codes = []
    for motion in (copy.motion, backend.motion):
        with pytest.raises(CommandRefused) as refused:
            motion.move_absolute([moves.to(backend.x, 1.0)])
        codes.append(refused.value.code)
    assert codes[0] == codes[1]


def test_an_axis_that_is_not_there_is_not_copied(backend: Backend) -> None:
    with pytest.raises(CommandRefused):
        copy_of(backend.driver, [127])
