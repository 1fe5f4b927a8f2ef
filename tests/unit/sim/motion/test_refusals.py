"""Every order that an axis refuses: with the vendor's code and name, and without any effect."""

import re
from collections.abc import Callable
from math import inf, nan

import pytest
from held_engine import HeldEngine, position_move, same, velocity_move
from numpy import nextafter

from wmx_core.errors import CommandRefused
from wmx_core.parameters.parameter_set import ParameterSet
from wmx_core.values import CommandMode, TorqueMove

Order = Callable[[HeldEngine], object]

ORDERS: dict[str, Order] = {
    "set_servo on": lambda held: held.motion.set_servo(0, on=True),
    "clear_alarm": lambda held: held.motion.clear_alarm(0),
    "set_command_mode": lambda held: held.motion.set_command_mode(0, CommandMode.VELOCITY),
    "set_polarity": lambda held: held.motion.set_polarity(0, -1),
    "set_gear_ratio": lambda held: held.motion.set_gear_ratio(0, 2.0, 1.0),
    "set_position": lambda held: held.motion.set_position(0, 1.0),
    "move_absolute": lambda held: held.motion.move_absolute([position_move()]),
    "move_relative": lambda held: held.motion.move_relative([position_move()]),
    "move_velocity": lambda held: held.motion.move_velocity([velocity_move()]),
    "home": lambda held: held.motion.home(0),
    "set_servo off": lambda held: held.motion.set_servo(0, on=False),
    "stop": lambda held: held.motion.stop([0]),
    "apply_parameters": lambda held: held.apply_set(ParameterSet.defaults(2)),
}
MOVES = ("move_absolute", "move_relative", "home")
SETTINGS = (
    "set_command_mode",
    "set_polarity",
    "set_gear_ratio",
    "set_position",
    "apply_parameters",
)


AXIS_OF_A_MOVE = re.compile(r": axis -?\d+(?=: |$)")


def test_a_refused_move_names_its_axis() -> None:
    held = HeldEngine().servo_on()
    held.motion.set_servo(1, on=False)
    with pytest.raises(CommandRefused) as refused:
        held.motion.move_absolute([position_move(0), position_move(1)])
    assert str(refused.value) == "Error=1567 (ServoOff): axis 1"
    with pytest.raises(CommandRefused) as refused:
        held.motion.move_absolute([position_move(0, acc=0.0)])
    assert str(refused.value).startswith(
        "Error=65582 (AccArgumentOutOfRange): axis 0: acc 0.0 must"
    )


def refusal(held: HeldEngine, order: Order) -> str:
    """How `order` is refused, less the axis; nothing may change because of it, then or later."""
    before, parameters = held.status(), held.motion.parameters()
    with pytest.raises(CommandRefused) as refused:
        order(held)
    assert same(held.status(), before)
    assert held.motion.parameters() is parameters
    return AXIS_OF_A_MOVE.sub("", str(refused.value))


def in_motion(held: HeldEngine) -> HeldEngine:
    held.motion.move_absolute([position_move(target=100.0)])
    held.after(1.0)
    return held


def stopping(held: HeldEngine) -> HeldEngine:
    in_motion(held).motion.stop([0])
    held.after(0.1)
    return held


@pytest.mark.parametrize("name", [name for name in ORDERS if name != "apply_parameters"])
def test_without_communication(name: str) -> None:
    held = HeldEngine(start=False)
    assert refusal(held, ORDERS[name]) == "Error=1537 (CommNotStarted)"


@pytest.mark.parametrize("name", ["move_absolute", "move_relative", "home"])
def test_with_the_servo_off(name: str) -> None:
    assert refusal(HeldEngine(), ORDERS[name]) == "Error=1567 (ServoOff)"


@pytest.mark.parametrize("name", ["set_servo on", "move_absolute", "move_relative", "home"])
def test_with_an_alarm(name: str) -> None:
    held = HeldEngine().servo_on()
    held.raise_alarm(0, 0x7121)
    text = "Error=1568 (AxisAmpAlarm): alarm code 0x7121"
    assert refusal(held, ORDERS[name]) == text


@pytest.mark.parametrize("mode", [CommandMode.VELOCITY, CommandMode.TORQUE])
@pytest.mark.parametrize("name", MOVES)
def test_position_orders_outside_position_mode(name: str, mode: CommandMode) -> None:
    held = HeldEngine().servo_on(mode=mode)
    assert refusal(held, ORDERS[name]) == "Error=65571 (NotPosMode)"


@pytest.mark.parametrize("mode", [CommandMode.POSITION, CommandMode.TORQUE])
def test_velocity_orders_outside_velocity_mode(mode: CommandMode) -> None:
    held = HeldEngine().servo_on(mode=mode)
    assert refusal(held, ORDERS["move_velocity"]) == "Error=65572 (NotVelocityMode)"


@pytest.mark.parametrize("name", ["move_absolute", "move_relative"])
def test_position_moves_while_stopping(name: str) -> None:
    held = stopping(HeldEngine().servo_on())
    assert refusal(held, ORDERS[name]) == "Error=65562 (NotIdleOrPosOrJogState): in STOP state"


def test_velocity_moves_while_stopping() -> None:
    held = HeldEngine().servo_on(mode=CommandMode.VELOCITY)
    held.motion.move_velocity([velocity_move()])
    held.after(1.0)
    held.motion.stop([0])
    text = "Error=65560 (NotIdleOrVelocityState): in STOP state"
    assert refusal(held, ORDERS["move_velocity"]) == text


def test_homing_in_motion() -> None:
    held = in_motion(HeldEngine().servo_on())
    assert refusal(held, ORDERS["home"]) == "Error=1546 (NotIdleState): in POS state"


@pytest.mark.parametrize("name", SETTINGS)
def test_settings_in_motion(name: str) -> None:
    held = in_motion(HeldEngine().servo_on())
    assert refusal(held, ORDERS[name]) == "Error=1546 (NotIdleState): axis 0 is in POS state"


def test_parameters_are_refused_while_any_axis_moves() -> None:
    held = HeldEngine().servo_on()
    held.motion.move_absolute([position_move(1)])
    text = "Error=1546 (NotIdleState): axis 1 is in POS state"
    assert refusal(held, ORDERS["apply_parameters"]) == text


@pytest.mark.parametrize("axis", [-1, 2, 128, 2**31])
@pytest.mark.parametrize(
    "order",
    [
        lambda held, axis: held.motion.set_servo(axis, on=True),
        lambda held, axis: held.motion.set_servo(axis, on=False),
        lambda held, axis: held.motion.clear_alarm(axis),
        lambda held, axis: held.motion.set_command_mode(axis, CommandMode.VELOCITY),
        lambda held, axis: held.motion.set_polarity(axis, -1),
        lambda held, axis: held.motion.set_gear_ratio(axis, 2.0, 1.0),
        lambda held, axis: held.motion.move_absolute([position_move(0), position_move(axis)]),
        lambda held, axis: held.motion.move_relative([position_move(0), position_move(axis)]),
        lambda held, axis: held.motion.move_velocity([velocity_move(axis)]),
        lambda held, axis: held.motion.stop([axis]),
        lambda held, axis: held.motion.home(axis),
    ],
)
def test_an_axis_that_is_not_there(order: Callable[[HeldEngine, int], None], axis: int) -> None:
    held = HeldEngine().servo_on()
    assert refusal(held, lambda held: order(held, axis)) == "Error=1547 (AxisOutOfRange)"


def test_a_stop_of_an_unknown_axis_stops_nothing() -> None:
    held = in_motion(HeldEngine().servo_on())
    assert "AxisOutOfRange" in refusal(held, lambda held: held.motion.stop([0, 2]))


POSITION = "Error=65580 (PositionArgumentOutOfRange): target {} must be within"
RATE_CODES = {
    "velocity": "Error=65581 (VelocityArgumentOutOfRange)",
    "acc": "Error=65582 (AccArgumentOutOfRange)",
    "dec": "Error=65583 (DecArgumentOutOfRange)",
}
BAD_RATES = [nan, inf, -inf, -1.0, 0.0, 1e-10, 2e15]


@pytest.mark.parametrize("target", [nan, inf, -inf, 2e15, -2e15])
@pytest.mark.parametrize("order", ["move_absolute", "move_relative"])
def test_targets_out_of_range(order: str, target: float) -> None:
    held = HeldEngine().servo_on()
    moves = [position_move(0), position_move(1, target)]
    text = refusal(held, lambda held: getattr(held.motion, order)(moves))
    assert text.startswith(POSITION.format(target)), "and the good move of axis 0 did not start"


def test_a_relative_target_counts_from_where_the_axis_is() -> None:
    held = HeldEngine().servo_on()
    held.motion.move_absolute([position_move(0, 9e14, velocity=1e15, acc=1e15, dec=1e15)])
    assert held.after(10.0).pos_cmd[0] == 9e14
    order = lambda held: held.motion.move_relative([position_move(0, 2e14)])  # noqa: E731
    assert "PositionArgumentOutOfRange" in refusal(held, order)


@pytest.mark.parametrize("value", BAD_RATES)
@pytest.mark.parametrize("name", RATE_CODES)
@pytest.mark.parametrize("order", ["move_absolute", "move_relative"])
def test_position_moves_with_arguments_out_of_range(order: str, name: str, value: float) -> None:
    held = HeldEngine().servo_on()
    moves = [position_move(0), position_move(1, **{name: value})]
    text = refusal(held, lambda held: getattr(held.motion, order)(moves))
    assert text == f"{RATE_CODES[name]}: {name} {value} must be within 1e-09 to 1e+15"


@pytest.mark.parametrize(
    ("name", "value"),
    [(name, value) for name in ("acc", "dec") for value in BAD_RATES]
    + [("velocity", value) for value in (nan, inf, -inf, 1e-10, -1e-10, 2e15, -2e15)],
)
def test_velocity_moves_with_arguments_out_of_range(name: str, value: float) -> None:
    held = HeldEngine().servo_on(mode=CommandMode.VELOCITY)
    moves = [velocity_move(0), velocity_move(1, **{name: value})]
    text = refusal(held, lambda held: held.motion.move_velocity(moves))
    assert text.startswith(f"{RATE_CODES[name]}: {name} ")


@pytest.mark.parametrize("order", ["move_absolute", "move_relative", "move_velocity"])
def test_an_axis_named_twice(order: str) -> None:
    mode = CommandMode.VELOCITY if order == "move_velocity" else CommandMode.POSITION
    held = HeldEngine().servo_on(mode=mode)
    make = velocity_move if order == "move_velocity" else position_move
    moves = [make(0), make(1), make(0)]
    text = refusal(held, lambda held: getattr(held.motion, order)(moves))
    assert text == "Error=1549 (DuplicateAxis)"


def test_one_refused_axis_keeps_the_others_from_starting() -> None:
    held = HeldEngine().servo_on(0)
    moves = [position_move(0), position_move(1)]
    text = refusal(held, lambda held: held.motion.move_absolute(moves))
    assert text == "Error=1567 (ServoOff)"
    assert held.after(1.0).pos_cmd.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    "name", ["set_servo on", "clear_alarm", "move_absolute", "move_relative", "home"]
)
def test_a_drive_that_is_not_on_the_network(name: str) -> None:
    held = HeldEngine()
    held.fake.call("ecat", "drop_slave", 0)
    held.engine.stop_communication()
    held.engine.start_communication()
    assert held.status().servo_offline.tolist() == [True, False]
    assert refusal(held, ORDERS[name]) == "Error=1566 (ServoOffline)"


@pytest.mark.parametrize("magnitude", [1e-9, 1e15])
@pytest.mark.parametrize("name", ["velocity", "acc", "dec"])
def test_the_ends_of_the_range_of_a_magnitude_are_taken(name: str, magnitude: float) -> None:
    held = HeldEngine().servo_on()
    held.motion.move_absolute([position_move(**{name: magnitude})])
    beyond = nextafter(magnitude, 0.0 if magnitude < 1.0 else inf)
    with pytest.raises(CommandRefused, match=f"{name} .* must be within 1e-09 to 1e\\+15"):
        held.motion.move_absolute([position_move(1, **{name: beyond})])


@pytest.mark.parametrize("target", [1e15, -1e15])
def test_the_ends_of_the_range_of_positions_are_taken(target: float) -> None:
    held = HeldEngine().servo_on()
    held.motion.move_absolute([position_move(target=target, velocity=1e15, acc=1e15, dec=1e15)])
    assert held.after(10.0).pos_cmd[0] == target
    with pytest.raises(CommandRefused, match=r"target .* must be within"):
        held.motion.move_absolute([position_move(1, target=nextafter(target, target * 2.0))])


@pytest.mark.parametrize("torque", [20.0, -20.0])
def test_the_torque_limit_itself_is_taken(torque: float) -> None:
    held = HeldEngine(max_torque_limit=20.0).servo_on(mode=CommandMode.TORQUE)
    held.motion.move_torque([TorqueMove(axis=0, torque=torque)])
    with pytest.raises(CommandRefused, match="must be within -20 to 20"):
        held.motion.move_torque([TorqueMove(axis=1, torque=nextafter(torque, 2.0 * torque))])
