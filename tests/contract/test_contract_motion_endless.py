"""Motion: jog in position mode and velocity moves in velocity mode, which go on for ever."""

from collections.abc import Callable
from dataclasses import dataclass

import moves
import pytest
from backends import Backend
from textbook import Order, to_rest, to_velocity

from wmx_ros2_package.drivers.values import CommandMode, OperationState


@dataclass(frozen=True)
class Kind:
    """An endless order, the mode it needs, the state it shows."""

    order: str
    mode: CommandMode
    state: OperationState

    def give(self, backend: Backend, *velocities: float, **limits: float) -> Callable[[], None]:
        """Orders x, y, ... to go at `velocities`."""
        endless = [
            moves.at(axis, velocity, **limits)
            for axis, velocity in zip(backend.axes, velocities, strict=False)
        ]
        return lambda: getattr(backend.motion, self.order)(endless)

    def start(self, backend: Backend, *velocities: float, **limits: float) -> Order:
        """Switch on in the right mode and go."""
        backend.servo_on(mode=self.mode)
        return backend.order(self.give(backend, *velocities, **limits))


@pytest.fixture(params=["jog", "velocity"])
def kind(request: pytest.FixtureRequest) -> Kind:
    if request.param == "jog":
        return Kind("jog", CommandMode.POSITION, OperationState.JOG)
    return Kind("move_velocity", CommandMode.VELOCITY, OperationState.VELOCITY)


@pytest.mark.parametrize("velocity", [2.0, -2.0, 0.25])
def test_it_reaches_its_velocity_and_keeps_it(
    backend: Backend, kind: Kind, velocity: float
) -> None:
    order = kind.start(backend, velocity, acc=8.0)
    due = to_velocity(velocity, acc=8.0, dec=moves.DEC)
    backend.follows(order, due, [0.0, 0.01, 0.1, 0.2, 0.25, 0.3, 0.6], backend.x)


def test_the_operation_state_tells_of_it(backend: Backend, kind: Kind) -> None:
    kind.start(backend, 0.5)
    status = backend.advance(0.3)
    assert status.op_state[backend.x] == kind.state
    assert status.op_state[backend.y] == OperationState.IDLE
    assert not status.motion_complete[backend.x]


def test_the_motor_follows(backend: Backend, kind: Kind) -> None:
    kind.start(backend, 1.0)
    status = backend.advance(0.6)
    near = pytest.approx(1.0, rel=max(1e-6, backend.tolerance))
    assert status.actual_velocity[backend.x] == near


CHANGES = {"faster": 2.0, "slower": 0.5, "back": -1.0, "to rest": 0.0, "the same": 1.0}


@pytest.mark.parametrize("change", CHANGES)
def test_a_new_velocity_takes_over(backend: Backend, kind: Kind, change: str) -> None:
    """It speeds up with acc, slows down with dec, and turns round through rest."""
    kind.start(backend, 1.0)
    backend.advance(0.2)
    order = backend.order(kind.give(backend, CHANGES[change]))
    due = to_velocity(CHANGES[change], acc=moves.ACC, dec=moves.DEC)
    backend.follows(order, due, [0.0, 0.02, 0.05, 0.11, 0.15, 0.3], backend.x)


def test_at_velocity_zero_it_ends(backend: Backend, kind: Kind) -> None:
    kind.start(backend, 1.0)
    backend.advance(0.2)
    kind.give(backend, 0.0)()
    assert backend.at_rest().velocity_cmd[backend.x] == 0.0


def test_axes_go_together(backend: Backend, kind: Kind) -> None:
    order = kind.start(backend, 1.0, -0.5)
    due = to_velocity(1.0, acc=moves.ACC, dec=moves.DEC)
    seen = backend.follows(order, due, [0.01, 0.02, 0.3], backend.x)
    assert seen[-1].velocity_cmd[backend.y] == pytest.approx(-0.5, abs=backend.tolerance)
    assert (seen[0].op_state[list(backend.axes)] == kind.state).all()


def test_a_stop_slows_it_down_with_its_deceleration(backend: Backend, kind: Kind) -> None:
    kind.start(backend, 2.0, dec=5.0)
    backend.advance(0.3)
    order = backend.order(lambda: backend.motion.stop([backend.x]))
    seen = backend.follows(order, to_rest(5.0), [0.0, 0.1, 0.2, 0.38, 0.45], backend.x)
    assert seen[1].op_state[backend.x] == OperationState.STOP
    assert seen[-1].op_state[backend.x] == OperationState.IDLE
