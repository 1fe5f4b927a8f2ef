"""Orders to three axes in any sequence, for what has to hold whatever is ordered.

The machine has switches and mechanical ends within reach, and motors that are soon at the end of
their speed and torque.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from held_engine import MODEL, HeldEngine, position_move, velocity_move
from hypothesis import strategies as st

from wmx_core.errors import CommandRefused
from wmx_core.values import (
    CommandMode,
    EmergencyStop,
    Gearing,
    HomeType,
    LimitType,
    LinearMove,
    SplineMove,
    TorqueMove,
)

POSITION, VELOCITY, TORQUE = CommandMode.POSITION, CommandMode.VELOCITY, CommandMode.TORQUE
AXES = 3
SWITCH, END = 3.0, 3.5
"""Where limit switches and mechanical ends are, revolutions either side of the start."""
TOP_SPEED = 3.0
"""Revolutions per second."""
WITH_ENDS = replace(
    MODEL,
    z_pulse=0.25,
    home_switch_from=1.0,
    home_switch_to=1.5,
    positive_limit_switch=SWITCH,
    negative_limit_switch=-SWITCH,
    positive_end=END,
    negative_end=-END,
)
PARAMETERS: Mapping[str, float] = {
    "max_motor_speed": 60.0 * TOP_SPEED,
    "max_torque_limit": 15.0,
    "ls_dec": 10.0,
    "ls_slow_dec": 4.0,
    "emergency_stop_dec": 30.0,
    "homing_velocity_slow": 0.5,
    "homing_velocity_fast": 2.0,
    "homing_velocity_slow_acc": 20.0,
    "homing_velocity_slow_dec": 20.0,
    "homing_velocity_fast_acc": 20.0,
    "homing_velocity_fast_dec": 20.0,
    "home_shift_velocity": 2.0,
    "home_shift_acc": 20.0,
    "home_shift_dec": 20.0,
    "mechanical_end_error": 0.1,
    "mechanical_end_milliseconds": 20.0,
}

SIMULATED_HOME_TYPES = (
    *(HomeType.CURRENT_POS, HomeType.Z_PULSE, HomeType.HS, HomeType.HS_Z_PULSE),
    *(HomeType.HS_REVERSE_Z_PULSE, HomeType.LS, HomeType.LS_REVERSE_Z_PULSE),
    HomeType.MECHANICAL_END_DETECTION,
)

axis = st.integers(0, AXES - 1)
positions = st.floats(-5.0, 5.0)
run_times = st.floats(0.001, 2.0)
nothing = st.none()
changes = st.fixed_dictionaries(
    {},
    optional={
        "home_position": positions,
        "home_shift_distance": st.floats(-1.0, 1.0),
        "homing_reverse_distance": st.floats(0.0, 2.0),
        "max_reverse_distance_from_limit_switch": st.floats(0.0, 2.0),
        "mechanical_end_ignores_limit_switch": st.integers(0, 1),
        "mechanical_end_torque_limit": st.floats(0.0, 20.0),
        "ls_type": st.sampled_from(LimitType),
        "positive_ls_type": st.integers(0, 5),
        "soft_limit_type": st.sampled_from(LimitType),
        "soft_limit_positive": positions,
        "soft_limit_negative": positions,
        "near_ls_type": st.sampled_from(LimitType),
        "following_error_type": st.integers(0, 1),
        "following_error_moving": st.floats(0.0, 0.2),
        "following_error_stopped": st.floats(0.0, 0.2),
        "velocity_feedforward_gain": st.floats(0.0, 120.0),
        "max_torque_limit": st.floats(0.0, 100.0),
        "max_motor_speed": st.floats(0.0, 60.0 * TOP_SPEED),
    },
)
values: Mapping[str, st.SearchStrategy[Any]] = {
    "set_servo": st.booleans(),
    "move_absolute": positions,
    "move_relative": positions,
    "jog": positions,
    "move_velocity": positions,
    "move_torque": st.floats(-20.0, 20.0),
    "move_linear": st.one_of(st.tuples(positions), st.tuples(positions, positions)),
    "move_spline": st.lists(st.tuples(positions, positions), min_size=1, max_size=4),
    "timed_jog": st.tuples(positions, run_times),
    "timed_torque": st.tuples(st.floats(-20.0, 20.0), run_times),
    "set_override": st.floats(0.0, 200.0),
    "start_gearing": st.sampled_from([1.0, -0.5, 1e-3]),
    "set_command_mode": st.sampled_from(CommandMode),
    "set_polarity": st.sampled_from([1, -1]),
    "set_gear_ratio": st.floats(100.0, 5000.0),
    "set_position": positions,
    "apply_parameters": changes,
    "stop": nothing,
    "quick_stop": nothing,
    "emergency_stop": st.sampled_from(EmergencyStop),
    "release_emergency_stop": nothing,
    "home": st.tuples(st.sampled_from(SIMULATED_HOME_TYPES), st.integers(0, 1)),
    "clear_alarm": nothing,
    "raise_alarm": nothing,
    "stick_switch": st.tuples(
        st.sampled_from(["home", "positive", "negative"]), st.sampled_from([True, False, None])
    ),
    "freeze_encoder": st.booleans(),
    "force_input": st.booleans(),
    "start_communication": nothing,
    "stop_communication": nothing,
}
"""Every order by its name, and what it may be given."""
Script = list[tuple[int, tuple[str, int, Any]]]
MOVES = (
    *("move_absolute", "move_relative", "jog", "move_velocity", "move_torque"),
    *("move_linear", "move_spline", "home"),
)
OFTEN = "set_servo", "release_emergency_stop", "quick_stop", "quick_stop", "start_gearing"
orders = st.sampled_from([*values, *MOVES, *MOVES, *OFTEN]).flatmap(
    lambda name: st.tuples(st.just(name), axis, values[name])
)
scripts: st.SearchStrategy[Script] = st.lists(st.tuples(st.integers(0, 1500), orders), max_size=25)
"""Milliseconds to wait, and an order: its name, its axis and its value."""


def machine_with_ends() -> HeldEngine:
    """The machine, with its servos on and at rest."""
    return HeldEngine(AXES, model=WITH_ENDS, **PARAMETERS).servo_on()


def in_mode(held: HeldEngine, mode: CommandMode, *axes: int) -> HeldEngine:
    """Bring `axes` into `mode`, or be refused where one of them does not rest."""
    for axis in axes:
        if held.status().command_mode[axis] != mode:
            held.motion.set_command_mode(axis, mode)
    return held


def move_absolute(held: HeldEngine, axis: int, target: float) -> None:
    in_mode(held, POSITION, axis).motion.move_absolute([position_move(axis, target)])


def move_relative(held: HeldEngine, axis: int, target: float) -> None:
    in_mode(held, POSITION, axis).motion.move_relative([position_move(axis, target)])


def jog(held: HeldEngine, axis: int, velocity: float) -> None:
    in_mode(held, POSITION, axis).motion.jog([velocity_move(axis, velocity)])


def timed_jog(held: HeldEngine, axis: int, given: tuple[float, float]) -> None:
    velocity, run_time = given
    in_mode(held, POSITION, axis).motion.jog([velocity_move(axis, velocity, run_time=run_time)])


def move_velocity(held: HeldEngine, axis: int, velocity: float) -> None:
    in_mode(held, VELOCITY, axis).motion.move_velocity([velocity_move(axis, velocity)])


def move_torque(held: HeldEngine, axis: int, torque: float) -> None:
    in_mode(held, TORQUE, axis).motion.move_torque([TorqueMove(axis=axis, torque=torque)])


def timed_torque(held: HeldEngine, axis: int, given: tuple[float, float]) -> None:
    torque, run_time = given
    move = TorqueMove(axis=axis, torque=torque, run_time=run_time)
    in_mode(held, TORQUE, axis).motion.move_torque([move])


def start_gearing(held: HeldEngine, axis: int, ratio: float) -> None:
    """Let `axis` follow the next one."""
    master = (axis + 1) % AXES
    gearing = Gearing(slave=axis, master=master, ratio=ratio)
    in_mode(held, POSITION, axis, master).motion.start_gearing([gearing])


def move_linear(held: HeldEngine, axis: int, targets: tuple[float, ...]) -> None:
    """Move `axis`, and perhaps the next one, along a line."""
    axes = tuple((axis + i) % AXES for i in range(len(targets)))
    line = LinearMove(axes=axes, targets=targets, velocity=2.0, acc=10.0, dec=5.0)
    in_mode(held, POSITION, *axes).motion.move_linear(line)


def move_spline(held: HeldEngine, axis: int, points: list[tuple[float, float]]) -> None:
    """Move `axis` and the next one through `points`, half a second apart."""
    axes = axis, (axis + 1) % AXES
    way = np.array([held.status().pos_cmd[list(axes)], *points])
    spline = SplineMove(axes=axes, times=np.arange(len(way)) / 2.0, positions=way)
    in_mode(held, POSITION, *axes).motion.move_spline(spline)


def home(held: HeldEngine, axis: int, kind: tuple[HomeType, int]) -> None:
    home_type, direction = kind
    held.apply(home_type=home_type, home_direction=direction)
    in_mode(held, POSITION, axis).motion.home(axis)


CARRY_OUT: Mapping[str, Callable[[HeldEngine, int, Any], None]] = {
    "set_servo": lambda held, axis, on: held.motion.set_servo(axis, on=on),
    "move_absolute": move_absolute,
    "move_relative": move_relative,
    "jog": jog,
    "move_velocity": move_velocity,
    "move_torque": move_torque,
    "move_linear": move_linear,
    "move_spline": move_spline,
    "home": home,
    "timed_jog": timed_jog,
    "timed_torque": timed_torque,
    "set_override": lambda held, axis, percent: held.motion.set_override(axis, percent),
    "start_gearing": start_gearing,
    "set_command_mode": lambda held, axis, mode: held.motion.set_command_mode(axis, mode),
    "set_polarity": lambda held, axis, polarity: held.motion.set_polarity(axis, polarity),
    "set_gear_ratio": lambda held, axis, ratio: held.motion.set_gear_ratio(axis, ratio, 1.0),
    "set_position": lambda held, axis, position: held.motion.set_position(axis, position),
    "apply_parameters": lambda held, _, changes: held.apply(**changes),
    "stop": lambda held, axis, _: held.motion.stop([axis]),
    "quick_stop": lambda held, axis, _: held.motion.quick_stop([axis]),
    "emergency_stop": lambda held, _, level: held.motion.emergency_stop(level),
    "release_emergency_stop": lambda held, *_: held.motion.release_emergency_stop(),
    "clear_alarm": lambda held, axis, _: held.motion.clear_alarm(axis),
    "raise_alarm": lambda held, axis, _: held.raise_alarm(axis, 7),
    "stick_switch": lambda held, axis, value: held.fake.call(
        "motion", "stick_switch", axis, *value
    ),
    "freeze_encoder": lambda held, axis, frozen: held.fake.call(
        "motion", "freeze_encoder", axis, frozen=frozen
    ),
    "force_input": lambda held, _, value: held.fake.call(
        "io", "force_input_bit", 0, 0, value=value
    ),
    "start_communication": lambda held, *_: held.engine.start_communication(),
    "stop_communication": lambda held, *_: held.engine.stop_communication(),
}


def carry_out(held: HeldEngine, name: str, axis: int, value: Any) -> int:
    """Give an order; the code with which it is refused, or 0."""
    try:
        CARRY_OUT[name](held, axis, value)
    except CommandRefused as error:
        return error.code
    return 0
