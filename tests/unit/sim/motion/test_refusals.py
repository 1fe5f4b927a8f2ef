"""What the simulated engine refuses beyond what every driver has to (see tests/contract).

Each refusal has the vendor's code and name, and no effect, then or later.
"""

from collections.abc import Callable
from math import inf

import pytest
from held_engine import HeldEngine, position_move, same, velocity_move
from numpy import nextafter

from wmx_core.errors import CommandRefused
from wmx_core.values import CommandMode, TorqueMove

Order = Callable[[HeldEngine], object]

ORDERS: dict[str, Order] = {
    "set_servo on": lambda held: held.motion.set_servo(0, on=True),
    "clear_alarm": lambda held: held.motion.clear_alarm(0),
    "move_absolute": lambda held: held.motion.move_absolute([position_move()]),
    "move_relative": lambda held: held.motion.move_relative([position_move()]),
    "home": lambda held: held.motion.home(0),
}
"""Orders that a drive has to be reached for."""


def refusal(held: HeldEngine, order: Order) -> str:
    """How `order` is refused; nothing may change because of it."""
    before, parameters = held.status(), held.motion.parameters()
    with pytest.raises(CommandRefused) as refused:
        order(held)
    assert same(held.status(), before)
    assert held.motion.parameters() is parameters
    return str(refused.value)


def test_a_refused_move_names_its_axis() -> None:
    held = HeldEngine().servo_on(0)
    text = refusal(
        held, lambda held: held.motion.move_absolute([position_move(0), position_move(1)])
    )
    assert text == "Error=1567 (ServoOff): axis 1"
    text = refusal(held, lambda held: held.motion.move_absolute([position_move(0, acc=0.0)]))
    assert text.startswith("Error=65582 (AccArgumentOutOfRange): axis 0: acc 0.0 must")


@pytest.mark.parametrize("name", ORDERS)
def test_a_drive_that_is_not_on_the_network(name: str) -> None:
    held = HeldEngine()
    held.fake.call("ecat", "drop_slave", 0)
    held.engine.stop_communication()
    held.engine.start_communication()
    assert held.status().servo_offline.tolist() == [True, False]
    assert "Error=1566 (ServoOffline)" in refusal(held, ORDERS[name])


def test_a_relative_target_counts_from_where_the_axis_is() -> None:
    held = HeldEngine().servo_on()
    held.motion.move_absolute([position_move(0, 9e14, velocity=1e15, acc=1e15, dec=1e15)])
    assert held.after(10.0).pos_cmd[0] == 9e14
    order = lambda held: held.motion.move_relative([position_move(0, 2e14)])  # noqa: E731
    assert "PositionArgumentOutOfRange" in refusal(held, order)


@pytest.mark.parametrize("magnitude", [1e-9, 1e15])
@pytest.mark.parametrize("name", ["velocity", "acc", "dec"])
def test_the_ends_of_the_range_of_a_magnitude_are_taken(name: str, magnitude: float) -> None:
    held = HeldEngine().servo_on()
    held.motion.move_absolute([position_move(**{name: magnitude})])
    beyond = nextafter(magnitude, 0.0 if magnitude < 1.0 else inf)
    with pytest.raises(CommandRefused, match=f"{name} .* must be within 1e-09 to 1e\\+15"):
        held.motion.move_absolute([position_move(1, **{name: beyond})])


@pytest.mark.parametrize("velocity", [1e-10, -1e-10, 2e15, -2e15])
def test_an_endless_move_rests_or_has_a_speed_within_the_range(velocity: float) -> None:
    held = HeldEngine().servo_on(mode=CommandMode.VELOCITY)
    moves = [velocity_move(0), velocity_move(1, velocity)]
    text = refusal(held, lambda held: held.motion.move_velocity(moves))
    assert "Error=65581 (VelocityArgumentOutOfRange)" in text


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
