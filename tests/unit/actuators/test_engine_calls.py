"""Commands to actuators: what they mean for the engine, and each rule that refuses them."""

from dataclasses import replace
from math import inf, nan
from types import SimpleNamespace
from typing import Any

import pytest
from held_engine import HeldEngine, velocity_move

from wmx_core.values import TorqueMove
from wmx_ros2_package.actuators.command import Command, CommandType
from wmx_ros2_package.actuators.description import Actuator
from wmx_ros2_package.actuators.engine_calls import RunTimes, engine_call
from wmx_ros2_package.validation import BadRequest

VELOCITY, EFFORT = CommandType.VELOCITY, CommandType.EFFORT
ELBOW = Actuator(
    name="elbow",
    axis=1,
    position_min=-1.0,
    position_max=2.0,
    velocity_max=3.0,
    acceleration_max=10.0,
    effort_max=50.0,
    velocity=0.5,
    acceleration=2.0,
    effort_per_percent=0.5,
)
WRIST = Actuator(name="wrist", axis=0)
ACTUATORS = {"elbow": ELBOW, "wrist": WRIST}
MOVE = Command(name="elbow", type=CommandType.POSITION, value=1.0)


def test_a_position_takes_the_defaults_of_its_actuator(held: HeldEngine) -> None:
    made = engine_call([MOVE], ACTUATORS, held.status())
    made.start(held.motion)
    assert (made.axes, made.targets) == ((1,), (1.0,))
    assert held.after(1.0).velocity_cmd[1] == pytest.approx(0.5)
    assert held.after(60.0).pos_cmd[1] == 1.0


@pytest.mark.parametrize(
    ("seconds", "speed"),
    [(2.0, 0.0), (40.0, 0.0), (5.0, 0.4), (1.25, 1.5), (40.0, 1.5), (3.0, 2.5), (5.0, -1.0)],
)
def test_a_duration_is_when_it_arrives(held: HeldEngine, seconds: float, speed: float) -> None:
    """From any speed: one that is too high for the time or the way, or leads away from it."""
    held.motion.set_position(1, -0.5)
    if speed:
        held.motion.jog([velocity_move(1, speed, acc=1e3, dec=1e3)])
        held.after(0.1)
    command = replace(MOVE, duration=seconds)
    engine_call([command], ACTUATORS, held.status()).start(held.motion)
    before, after = held.after(seconds - 0.01), held.after(0.02)
    assert not before.motion_complete[1]
    assert before.pos_cmd[1] != 1.0
    assert (after.pos_cmd[1], after.velocity_cmd[1]) == (1.0, 0.0)


def test_what_stands_at_its_target_arrives_with_the_others(held: HeldEngine) -> None:
    wrist = Command(name="wrist", type=CommandType.POSITION, velocity=1.0, duration=2.0)
    made = engine_call([replace(MOVE, duration=2.0), wrist], ACTUATORS, held.status())
    made.start(held.motion)
    assert held.after(2.01).pos_cmd.tolist() == [0.0, 1.0]


def test_too_short_a_duration_is_refused_with_the_shortest(held: HeldEngine) -> None:
    command = replace(MOVE, duration=0.5)
    with pytest.raises(BadRequest, match=r"duration of 'elbow': 0\.5 s is too short.*1\.41421 s"):
        engine_call([command], ACTUATORS, held.status())


def test_several_start_in_the_same_cycle(held: HeldEngine) -> None:
    wrist = Command(name="wrist", type=CommandType.POSITION, value=-1.0)
    engine_call([MOVE, wrist], ACTUATORS, held.status()).start(held.motion)
    moving = held.after(0.1)
    assert moving.pos_cmd[1] > 0.0 > moving.pos_cmd[0]


def test_a_velocity_ends_after_its_duration(held: HeldEngine) -> None:
    command = Command(name="wrist", type=CommandType.VELOCITY, value=-1.0, duration=2.0)
    engine_call([command], ACTUATORS, held.status()).start(held.motion)
    assert held.after(1.9).velocity_cmd[0] == pytest.approx(-1.0)
    assert held.after(1.5).velocity_cmd[0] == 0.0


def test_what_rounding_has_left_of_a_velocity_stops_the_axis(held: HeldEngine) -> None:
    """The engine would refuse it, and the axis go on as before."""
    for value in 1.0, 0.3 - 3 * 0.1:
        command = Command(name="wrist", type=CommandType.VELOCITY, value=value)
        engine_call([command], ACTUATORS, held.status()).start(held.motion)
        status = held.after(0.5)
    assert status.velocity_cmd[0] == 0.0


@pytest.mark.parametrize(
    ("duration", "timed", "run_time"), [(2.0, True, 2.0), (0.0, True, 1.0), (2.0, False, 0.0)]
)
def test_an_effort_is_a_part_of_the_rated_torque(
    held: HeldEngine, duration: float, timed: bool, run_time: float
) -> None:
    run_times, moves = RunTimes(seconds=1.0, timed_efforts=timed), list[TorqueMove]()
    command = Command(name="elbow", type=EFFORT, value=10.0, duration=duration)
    motion: Any = SimpleNamespace(move_torque=moves.extend)
    made = engine_call([command], ACTUATORS, held.status(), run_times)
    made.start(motion)
    assert moves == [TorqueMove(axis=1, torque=20.0, run_time=run_time)]
    assert (made.run_times, run_times.lasts(command)) == ((run_time,), duration or 1.0)
    assert replace(run_times, renewed=True).lasts(command) == (duration or inf)


@pytest.mark.parametrize(("decelerate", "rest"), [(True, 0.26), (False, 0.2)])
def test_a_stop_is_hard_or_gentle(held: HeldEngine, decelerate: bool, rest: float) -> None:
    engine_call([MOVE], ACTUATORS, held.status()).start(held.motion)
    held.after(1.0)
    stop = Command(name="elbow", type=CommandType.STOP, decelerate=decelerate)
    engine_call([stop], ACTUATORS, held.status()).start(held.motion)
    assert held.after(rest).velocity_cmd[1] == 0.0


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"name": "knee"}, "there is no actuator 'knee': must be one of elbow, wrist"),
        ({"type": 9}, r"type is 9: must be 1 \(POSITION\) to 6 \(STOP\)"),
        ({"value": 2.5}, "value of 'elbow' is 2.5: must be -1 to 2"),
        ({"value": nan}, "value of 'elbow' is nan: must be finite"),
        ({"velocity": 4.0}, "velocity of 'elbow' is 4.0: must be 0 to 3"),
        ({"velocity": -1.0}, "velocity of 'elbow' is -1.0: must be 0 to 3"),
        ({"acceleration": 11.0}, "acceleration of 'elbow' is 11.0: must be 0 to 10"),
        ({"duration": -1.0}, "duration of 'elbow' is -1.0: must be 0 to inf"),
        ({"duration": inf}, "duration of 'elbow' is inf: must be finite"),
        (
            {"type": CommandType.VELOCITY, "value": -3.5},
            "value of 'elbow' is -3.5: must be -3 to 3",
        ),
        (
            {"type": CommandType.EFFORT, "value": 51.0},
            "value of 'elbow' is 51.0: must be -50 to 50",
        ),
    ],
)
def test_what_breaks_a_rule_is_refused_by_value_and_rule(
    held: HeldEngine, changes: dict[str, object], reason: str
) -> None:
    with pytest.raises(BadRequest, match=reason):
        engine_call([replace(MOVE, **changes)], ACTUATORS, held.status())  # type: ignore[arg-type]


def test_what_is_wrong_with_several_actuators_is_one_reason(held: HeldEngine) -> None:
    both = [replace(MOVE, name=name, value=nan) for name in ("elbow", "wrist")]
    with pytest.raises(BadRequest) as refusal:
        engine_call(both, ACTUATORS, held.status())
    assert str(refusal.value) == "value of 'elbow', 'wrist' is nan: must be finite"


def test_what_cannot_start_together_is_refused(held: HeldEngine) -> None:
    with pytest.raises(BadRequest, match="'elbow' is named 2 times"):
        engine_call([MOVE, MOVE], ACTUATORS, held.status())
    velocity = Command(name="wrist", type=CommandType.VELOCITY, value=1.0)
    with pytest.raises(BadRequest, match="POSITION and VELOCITY cannot start in the same cycle"):
        engine_call([MOVE, velocity], ACTUATORS, held.status())
    with pytest.raises(BadRequest, match="there are 0 commands"):
        engine_call([], ACTUATORS, held.status())
