"""Motion: homing by every type. Afterwards the home position is at the physical mark.

The machine's marks are known, see `simulation`. Where the position of a mark went is proven with
the home switch, which is at a known distance from each: it is approached from below, and its edge
has to be at the position that follows.
"""

from collections.abc import Mapping

import moves
import pytest
import simulation
from backends import Backend

from wmx_core.values import HomeType, OperationState

SWITCH_FROM, SWITCH_TO = simulation.HOME_SWITCH
LIMIT, Z = simulation.LIMIT, simulation.Z_PULSE
POSITIVE, NEGATIVE = 0, 1
HOME = 5.0
"""HomeParam/HomePosition."""
NEAR = 0.004
"""What homing may be off, u: a mark that is seen moving at 2 u/s is known to the cycle."""

MARKS = {
    # type and direction: where x starts, and which mark becomes home
    (HomeType.CURRENT_POS, POSITIVE): (0.5, 0.5),
    (HomeType.CURRENT_POS, NEGATIVE): (-0.5, -0.5),
    (HomeType.HS, POSITIVE): (0.0, SWITCH_FROM),
    (HomeType.HS, NEGATIVE): (1.8, SWITCH_TO),
    (HomeType.LS, POSITIVE): (0.0, LIMIT),
    (HomeType.LS, NEGATIVE): (0.0, -LIMIT),
    (HomeType.Z_PULSE, POSITIVE): (0.0, Z),
    (HomeType.Z_PULSE, NEGATIVE): (0.0, Z - 1.0),
    (HomeType.HS_Z_PULSE, POSITIVE): (0.0, Z + 1.0),
    (HomeType.HS_Z_PULSE, NEGATIVE): (1.8, Z),
    (HomeType.HS_REVERSE_Z_PULSE, POSITIVE): (0.0, Z),
    (HomeType.HS_REVERSE_Z_PULSE, NEGATIVE): (1.8, Z + 1.0),
    (HomeType.LS_REVERSE_Z_PULSE, POSITIVE): (0.0, Z + 1.0),
    (HomeType.LS_REVERSE_Z_PULSE, NEGATIVE): (0.0, Z - 2.0),
    (HomeType.MECHANICAL_END_DETECTION, POSITIVE): (1.5, simulation.END),
    (HomeType.MECHANICAL_END_DETECTION, NEGATIVE): (-1.5, -simulation.END),
}


@pytest.fixture
def axis_model() -> Mapping[str, object]:
    return {**simulation.SWITCHES, **simulation.ENDS}


def prepare(backend: Backend, home_type: HomeType, direction: int, **other: float) -> None:
    """Servos on, and x ready to home; its motor follows without lag."""
    parameters = {
        "HomeParam_HomeType": home_type,
        "HomeParam_HomeDir": direction,
        "HomeParam_HomePosition": HOME,
        "HomeParam_MechanicalEndDetectionPosDiff": 0.1,
        "HomeParam_MechanicalEndDetectionTimeMilliseconds": 20,
        "HomeParam_MechanicalEndDetectionIgnoreLS": 1,
        "AxisParam_VelocityFeedforwardGain": 100,
    }
    backend.load(**parameters | other)
    backend.servo_on()


def go(backend: Backend, position: float) -> None:
    backend.motion.move_absolute([moves.to(backend.x, position)])
    backend.at_rest()


def finds_home_switch_at(backend: Backend, expected: float) -> None:
    """See to it that x, coming from below, finds its home switch at a position."""
    go(backend, expected - 0.02)
    backend.motion.jog([moves.at(backend.x, 0.2)])
    before, after = backend.edge(lambda status: status.home_switch[backend.x])
    backend.motion.stop([backend.x])
    backend.at_rest()
    assert before.actual_pos[backend.x] - NEAR <= expected <= after.actual_pos[backend.x] + NEAR


@pytest.mark.parametrize(
    ("home_type", "direction"),
    MARKS,
    ids=[f"{kind.name}-{'negative' if way else 'positive'}" for kind, way in MARKS],
)
def test_home_is_at_its_mark(backend: Backend, home_type: HomeType, direction: int) -> None:
    start, mark = MARKS[home_type, direction]
    prepare(backend, home_type, direction)
    go(backend, start)
    backend.home()
    status = backend.motion.status()
    assert status.op_state[backend.x] == OperationState.IDLE
    assert status.pos_cmd[backend.x] == pytest.approx(HOME, abs=NEAR)
    assert status.pos_cmd[backend.y] == pytest.approx(0.0, abs=1e-9), "another axis keeps its own"
    assert not status.home_done[backend.y]
    finds_home_switch_at(backend, HOME + SWITCH_FROM - mark)


def test_the_home_switch_shows_between_its_edges(backend: Backend) -> None:
    prepare(backend, HomeType.CURRENT_POS, POSITIVE)
    for position, on in ((0.95, False), (1.05, True), (1.15, True), (1.25, False), (1.05, True)):
        go(backend, position)
        status = backend.until(lambda status: status.motion_complete[backend.x], cycles=20)
        assert bool(status.home_switch[backend.x]) is on
    assert not backend.motion.status().home_switch[backend.y]


def test_a_shift_moves_home_on(backend: Backend) -> None:
    """In the homing direction where it is positive."""
    prepare(backend, HomeType.HS, POSITIVE, HomeParam_HomeShiftDistance=0.3)
    backend.home()
    assert backend.motion.status().pos_cmd[backend.x] == pytest.approx(HOME, abs=NEAR)
    finds_home_switch_at(backend, HOME - 0.3)


@pytest.mark.parametrize("start", [1.1, 1.9], ids=["on it", "beyond it"])
def test_the_home_switch_is_found_from_elsewhere(backend: Backend, start: float) -> None:
    """From on it by going back first; from beyond it by turning round at the limit switch."""
    prepare(backend, HomeType.HS, POSITIVE)
    go(backend, start)
    backend.home()
    assert backend.motion.status().servo_on[backend.x]
    finds_home_switch_at(backend, HOME)


def test_the_limit_switch_behind_still_limits_a_homing(backend: Backend) -> None:
    """Homing forwards from on the switch goes back first; the limit there does what its type says.

    Here the way back is longer than the way to the negative limit switch.
    """
    prepare(backend, HomeType.HS, POSITIVE, HomeParam_HomingReverseDistance=5.0)
    go(backend, 1.1)
    backend.motion.home(backend.x)
    status = backend.at_rest()
    assert not status.home_done[backend.x]
    assert status.negative_ls[backend.x]


def test_homing_runs_as_fast_as_its_parameters_say(backend: Backend) -> None:
    prepare(backend, HomeType.HS, POSITIVE)
    backend.motion.home(backend.x)
    fastest = 0.0
    status = backend.motion.status()
    while not status.home_done[backend.x]:
        fastest = max(fastest, abs(float(status.velocity_cmd[backend.x])))
        assert status.op_state[backend.x] == OperationState.HOME
        status = backend.wait_for_cycle(status.cycle + 1)
    assert any(fastest == pytest.approx(speed) for speed in (2.0, 0.5)), "fast or slow"
