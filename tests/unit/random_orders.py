"""Orders to three axes in any sequence, for what has to hold whatever is ordered."""

from held_engine import HeldEngine, position_move, velocity_move
from hypothesis import strategies as st

from wmx_ros2_package.drivers.errors import CommandRefused
from wmx_ros2_package.drivers.values import CommandMode

axis = st.integers(0, 2)
orders = st.one_of(
    st.tuples(st.just("set_servo"), axis, st.booleans()),
    st.tuples(st.just("move_absolute"), axis, st.floats(-5.0, 5.0)),
    st.tuples(st.just("move_relative"), axis, st.floats(-5.0, 5.0)),
    st.tuples(st.just("move_velocity"), axis, st.floats(-5.0, 5.0)),
    st.tuples(st.just("set_command_mode"), axis, st.sampled_from(CommandMode)),
    st.tuples(st.just("set_polarity"), axis, st.sampled_from([1, -1])),
    st.tuples(st.just("set_gear_ratio"), axis, st.floats(100.0, 5000.0)),
    st.tuples(st.sampled_from(["stop", "home", "clear_alarm", "raise_alarm"]), axis, st.none()),
    st.tuples(st.sampled_from(["start_communication", "stop_communication"]), axis, st.none()),
)
Script = list[tuple[int, tuple[str, int, object]]]
scripts: st.SearchStrategy[Script] = st.lists(st.tuples(st.integers(0, 1500), orders), max_size=25)
"""Milliseconds to wait, and an order: its name, its axis and its value."""


def carry_out(held: HeldEngine, name: str, axis: int, value: object) -> int:
    """Give an order; the code with which it is refused, or 0."""
    arguments: dict[str, tuple[object, ...]] = {
        "move_absolute": ([position_move(axis, value)],),  # type: ignore[arg-type]
        "move_relative": ([position_move(axis, value)],),  # type: ignore[arg-type]
        "move_velocity": ([velocity_move(axis, value)],),  # type: ignore[arg-type]
        "set_gear_ratio": (axis, value, 1.0),
        "stop": ([axis],),
        "home": (axis,),
        "clear_alarm": (axis,),
        "raise_alarm": (axis, 7),
        "set_command_mode": (axis, value),
        "set_polarity": (axis, value),
    }
    try:
        if name.endswith("communication"):
            getattr(held.engine, name)()
        elif name == "set_servo":
            held.motion.set_servo(axis, on=bool(value))
        else:
            getattr(held.motion, name)(*arguments[name])
    except CommandRefused as error:
        return error.code
    return 0
