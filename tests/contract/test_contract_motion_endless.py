"""Motion: jog in position mode and velocity moves in velocity mode, which go on for ever."""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, nan

import moves
import pytest
from backends import Backend
from textbook import Order, to_rest, to_velocity

from wmx_core.errors import ErrorCode
from wmx_core.values import CommandMode, OperationState


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


@pytest.mark.over_process("jog", "move_velocity", each="kind")
@pytest.mark.parametrize("velocity", [2.0, -2.0, 0.25])
def test_it_reaches_its_velocity_and_keeps_it(
    backend: Backend, kind: Kind, velocity: float
) -> None:
    order = kind.start(backend, velocity, acc=8.0)
    due = to_velocity(velocity, acc=8.0, dec=moves.DEC)
    *_, last = backend.follows(order, due, [0.0, 0.01, 0.1, 0.2, 0.25, 0.3, 0.6], backend.x)
    assert (last.op_state[backend.x], last.op_state[backend.y]) == (kind.state, OperationState.IDLE)
    assert not last.motion_complete[backend.x]
    last = backend.advance(0.3)
    near = pytest.approx(velocity, rel=max(1e-6, backend.tolerance))
    assert last.actual_velocity[backend.x] == near, "the motor follows"


CHANGES = {"faster": 2.0, "slower": 0.5, "back": -1.0, "to rest": 0.0, "the same": 1.0}


@pytest.mark.parametrize("change", CHANGES)
def test_a_new_velocity_takes_over(backend: Backend, kind: Kind, change: str) -> None:
    """It speeds up with acc, slows down with dec, and turns round through rest."""
    kind.start(backend, 1.0)
    backend.advance(0.2)
    order = backend.order(kind.give(backend, CHANGES[change]))
    due = to_velocity(CHANGES[change], acc=moves.ACC, dec=moves.DEC)
    backend.follows(order, due, [0.0, 0.02, 0.05, 0.11, 0.15, 0.3], backend.x)
    if not CHANGES[change]:
        assert backend.at_rest().velocity_cmd[backend.x] == 0.0, "it ends"


def test_axes_go_together(backend: Backend, kind: Kind) -> None:
    order = kind.start(backend, 1.0, -0.5)
    due = to_velocity(1.0, acc=moves.ACC, dec=moves.DEC)
    seen = backend.follows(order, due, [0.01, 0.02, 0.3], backend.x)
    assert seen[-1].velocity_cmd[backend.y] == pytest.approx(-0.5, abs=backend.tolerance)
    assert (seen[0].op_state[list(backend.axes)] == kind.state).all()


# Run times


def ended(backend: Backend, kind: Kind, start: Order, run_time: float, dec: float) -> None:
    """The move slows down with `dec` from `run_time` after its start on, and is over then."""
    running, slowing = backend.edge(
        lambda status: status.op_state[backend.x] == OperationState.STOP
    )
    assert running.op_state[backend.x] == kind.state
    cycles = round(run_time * (backend.clock_rate or 1.0) / backend.cycle_time)
    assert slowing.cycle >= start.starts[0] + cycles - 1
    assert running.cycle <= start.starts[-1] + cycles + 1
    rest = backend.until(lambda status: status.op_state[backend.x] == OperationState.IDLE)
    assert rest.velocity_cmd[backend.x] == 0.0
    if backend.exact:
        speed = abs(running.velocity_cmd[backend.x])
        way = abs(rest.pos_cmd[backend.x] - running.pos_cmd[backend.x])
        slack = 2.0 * speed * backend.cycle_time
        assert way == pytest.approx(speed**2 / (2.0 * dec), abs=slack)


@pytest.mark.parametrize("velocity", [1.0, -2.0])
def test_it_ends_by_itself_after_its_run_time(
    backend: Backend, kind: Kind, velocity: float
) -> None:
    order = kind.start(backend, velocity, run_time=0.4)
    due = to_velocity(velocity, acc=moves.ACC, dec=moves.DEC)
    backend.follows(order, due, [0.0, 0.02, 0.2], backend.x)
    ended(backend, kind, order, 0.4, moves.DEC)


def test_a_run_time_too_short_for_its_velocity(backend: Backend, kind: Kind) -> None:
    """It speeds up until then, no longer."""
    order = kind.start(backend, 3.0, run_time=0.3, acc=5.0)
    due = to_velocity(3.0, acc=5.0, dec=moves.DEC)
    backend.follows(order, due, [0.0, 0.1, 0.25], backend.x)
    ended(backend, kind, order, 0.3, moves.DEC)


def test_a_run_time_that_is_renewed_again_and_again(backend: Backend, kind: Kind) -> None:
    """As a stick does it that is held: the axis keeps its velocity until it is let go."""
    kind.start(backend, 1.0, run_time=0.2)
    backend.advance(0.1)
    for _ in range(6):
        order = backend.order(kind.give(backend, 1.0, run_time=0.2))
        status = backend.advance(0.1)
        assert status.velocity_cmd[backend.x] == pytest.approx(1.0, abs=backend.tolerance)
        assert status.op_state[backend.x] == kind.state
    ended(backend, kind, order, 0.2, moves.DEC)


def test_a_velocity_that_is_led_in_steps(backend: Backend, kind: Kind) -> None:
    """Each step of 0.1 s is done when the next one begins; the last velocity ends by itself."""
    led = {"acc": 2.0, "run_time": 0.4, "in_steps": True}
    kind.start(backend, 0.2, **led)
    for velocity, after in [(0.2, 0.4), (0.4, 0.6), (0.6, 0.8), (0.8, 0.8)]:
        status = backend.advance(0.101 * (backend.clock_rate or 1.0))
        assert status.velocity_cmd[backend.x] == pytest.approx(velocity, abs=backend.tolerance)
        order = backend.order(kind.give(backend, after, **led))
    ended(backend, kind, order, 0.4, moves.DEC)


def test_a_new_move_has_its_own_run_time(backend: Backend, kind: Kind) -> None:
    kind.start(backend, 1.0, run_time=0.2)
    backend.advance(0.1)
    kind.give(backend, 1.0)()
    assert backend.advance(0.5 * (backend.clock_rate or 1.0)).op_state[backend.x] == kind.state


def test_a_stop_comes_before_the_run_time(backend: Backend, kind: Kind) -> None:
    kind.start(backend, 1.0, run_time=2.0)
    backend.advance(0.2)
    backend.motion.stop([backend.x])
    assert backend.at_rest().velocity_cmd[backend.x] == 0.0


def test_moves_that_start_together_all_have_a_run_time_or_none(
    backend: Backend, kind: Kind
) -> None:
    backend.servo_on(mode=kind.mode)
    mixed = [moves.at(backend.x, 1.0, run_time=0.5), moves.at(backend.y, 1.0)]
    with backend.refuses(ErrorCode.RunTimeArgumentOutOfRange):
        getattr(backend.motion, kind.order)(mixed)


@pytest.mark.parametrize("run_time", [-0.1, nan, inf])
def test_what_is_no_run_time(harmless: Backend, kind: Kind, run_time: float) -> None:
    harmless.servo_on(mode=kind.mode)
    with harmless.refuses(ErrorCode.TimeArgumentOutOfRange):
        kind.give(harmless, 1.0, run_time=run_time)()


def test_a_stop_slows_it_down_with_its_deceleration(backend: Backend, kind: Kind) -> None:
    kind.start(backend, 2.0, dec=5.0)
    backend.advance(0.3)
    order = backend.order(lambda: backend.motion.stop([backend.x]))
    seen = backend.follows(order, to_rest(5.0), [0.0, 0.1, 0.2, 0.38, 0.45], backend.x)
    assert seen[1].op_state[backend.x] == OperationState.STOP
    assert seen[-1].op_state[backend.x] == OperationState.IDLE
