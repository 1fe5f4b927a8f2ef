"""The limits of the shipped system: its simulated motors follow what they allow."""

from pathlib import Path

import pytest
import yaml
from held_engine import HeldEngine, position_move, velocity_move

from wmx_core.parameters.mistakes import counted
from wmx_core.values import MotionStatus
from wmx_ros2_package.nodes.actuators.parameters import ActuatorNodeParameters
from wmx_ros2_package.robots.catalogue import CONFIG
from wmx_sim.engine.machine.description import default_machine, load_machine

SECTIONS = yaml.safe_load((CONFIG / "wmx_ros2.yaml").read_text())
LIMITS = SECTIONS["/**/wmx_actuator_node"]["ros__parameters"]
DEFAULTS = ActuatorNodeParameters()
[VELOCITY], [ACCELERATION] = DEFAULTS.velocity_max, DEFAULTS.acceleration_max
RATES = {"velocity": VELOCITY, "acc": ACCELERATION, "dec": ACCELERATION}


def shipped() -> HeldEngine:
    held = HeldEngine(machine=default_machine())
    return held.servo_on(0)


def followed(held: HeldEngine, seconds: float) -> MotionStatus:
    for _ in range(int(seconds * 100)):
        assert not held.after(0.01).following_error_alarm[0]
    return held.status()


@pytest.mark.parametrize("file", sorted(CONFIG.glob("fake_network*.yaml")), ids=lambda f: f.stem)
def test_the_named_axes_of_a_shipped_machine_are_in_radians(file: Path) -> None:
    """They are actuators in rad, whatever the machine's parameters make of that."""
    held = HeldEngine(machine=load_machine(file))
    assert counted(held.motion.parameters(), range(len(LIMITS["names"]))) == []


def test_the_motor_follows_the_fastest_move() -> None:
    held = shipped()
    held.motion.move_absolute([position_move(target=30.0, **RATES)])
    assert abs(followed(held, 1.0).actual_pos[0] - 30.0) < 1e-3


def test_the_motor_follows_the_fastest_reversal_and_its_stop() -> None:
    held = shipped()
    for direction in 1.0, -1.0, 0.001:
        held.motion.jog([velocity_move(**{**RATES, "velocity": direction * VELOCITY})])
        followed(held, 0.5)
    assert held.status().servo_on[0]
