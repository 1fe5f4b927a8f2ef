"""Motion: moves that take over from each other in quick succession, as a stream of positions does.

What `joint_position_controller` rests on: a move begins with the velocity of the one before, all
axes of a command in the same cycle, and what was commanded last is carried out to its end, whoever
lives. So each command of a stream has its own stop in it.
"""

import numpy as np
import pytest
from backends import Backend

from wmx_core.values import MotionStatus, PositionMove

SPEEDS = 0.8, -0.2
"""u/s, of x and y."""
RISE = 0.1
"""How long the axes take to their speed, and to rest from it, s."""
COMMANDS = 40
MOST_COMMANDS = 2000
"""Of a stream that comes too late again and again, because its computer has other things to do."""
PAUSE = 0.005
"""Between two commands, s."""
AHEAD = 0.05
"""How far a command reaches beyond where the axes are, s of their speed."""


def command(backend: Backend, here: MotionStatus) -> list[PositionMove]:
    """Go on at the speeds for AHEAD, then come to rest."""
    return [
        PositionMove(
            axis=axis,
            target=float(here.pos_cmd[axis]) + speed * (AHEAD + RISE / 2.0),
            velocity=abs(speed),
            acc=abs(speed) / RISE,
            dec=abs(speed) / RISE,
        )
        for axis, speed in zip((backend.x, backend.y), SPEEDS, strict=True)
    ]


@pytest.mark.over_process
def test_moves_in_quick_succession_make_one_motion_that_ends_by_itself(powered: Backend) -> None:
    axes = [powered.x, powered.y]
    seen, last = [], []

    def cruises() -> bool:
        speeds = np.array([status.velocity_cmd[axes] for status in seen[-5:]])
        return speeds == pytest.approx(np.array([SPEEDS] * 5), rel=0.05)

    most = COMMANDS if powered.exact else MOST_COMMANDS
    while len(seen) < COMMANDS or not cruises():
        assert len(seen) < most, "it never has its speed for five commands"
        last = command(powered, powered.motion.status())
        powered.motion.move_absolute(last)
        seen.append(powered.advance(PAUSE))
    while not (seen[-1].velocity_cmd[axes] == 0.0).all():
        seen.append(powered.advance(PAUSE))
    assert seen[-1].pos_cmd[axes].tolist() == pytest.approx(
        [move.target for move in last], abs=powered.tolerance
    )

    velocities = np.array([status.velocity_cmd[axes] for status in seen])
    cycles = np.diff([status.cycle for status in seen])[:, np.newaxis]
    most = np.abs(SPEEDS) / RISE * (cycles + 1) * powered.cycle_time  # phases are whole cycles
    assert (np.abs(np.diff(velocities, axis=0)) <= most * 1.2).all(), "no velocity jumps"


def test_the_last_move_is_carried_out_when_the_device_that_gave_it_has_gone(
    powered: Backend,
) -> None:
    other = powered.open()
    other.engine.create_device(powered.path, "contract stream")
    for _ in range(10):
        last = command(powered, other.motion.status())
        other.motion.move_absolute(last)
        powered.advance(PAUSE)
    other.engine.close_device()
    status = powered.at_rest()
    assert [status.pos_cmd[move.axis] for move in last] == pytest.approx(
        [move.target for move in last], abs=powered.tolerance
    )
