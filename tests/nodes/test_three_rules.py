"""The three rules of docs/safety.md, over each way to move an axis and each way to stop it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from actuator_client import Actuators, position
from recording import Recording
from ros import COMMANDS, JOG, READY_QOS
from std_msgs.msg import Bool
from system import System
from trajectory_msgs.msg import JointTrajectoryPoint
from wmx_ros2_message.msg import ActuatorCommand, AxisState, EndMotion

from wmx_core.interface import Driver
from wmx_core.opening import open_driver

ABSOLUTE, RELATIVE, VELOCITY = COMMANDS
AXES = list(range(6))
AXIS, NAME = 0, "axis_0"
FAR, SPEED = 1e6, 1.0
QUICK = [50.0], [10.0]
RESTS = 0.011
"""A motor that is slower rests, u/s."""
WAY = 0.3
"""How far an axis with 1 u/s may go after a stop was answered, u: at 10 u/s^2 it needs 0.05 u, and
the state that is seen may be older."""
LOOK = 0.3
"""How long an axis that rests is watched, s."""


class Bench:
    """A client with one axis, which it moves and stops in every way there is."""

    def __init__(self, system: System, driver: Driver) -> None:
        self.driver = driver
        """A device that looks at the engine."""
        self.client = system.client
        self.actuators = Actuators(system.client)
        self.estop: Recording = self.client.listen("wmx/engine/estop_active", Bool, READY_QOS)
        self.goal: object = None

    # Ways to move

    def move_absolute(self) -> None:
        self.client.move(ABSOLUTE, [AXIS], [FAR], [SPEED], *QUICK)

    def move_relative(self) -> None:
        self.client.move(RELATIVE, [AXIS], [FAR], [SPEED], *QUICK)

    def velocity(self) -> None:
        self.client.must("wmx/axis/set_mode", index=[AXIS], data=[1])
        self.client.move(VELOCITY, [AXIS], [SPEED], *QUICK)

    def jog(self) -> None:
        for _ in range(8):
            self.client.move(JOG, [AXIS], [SPEED], *QUICK)
            self.client.clock.sleep(0.025)

    def actuator_position(self) -> None:
        self._execute(ActuatorCommand.POSITION, FAR, velocity=SPEED, acceleration=50.0)

    def actuator_velocity(self) -> None:
        self._execute(ActuatorCommand.VELOCITY, SPEED, acceleration=50.0)

    def effort(self) -> None:
        self._execute(ActuatorCommand.EFFORT, 5.0)

    def trajectory(self) -> None:
        here = self.client.state().pos_cmd[AXIS]
        points = [JointTrajectoryPoint(positions=[here + 0.5 * i]) for i in (1, 0)]
        points[0].time_from_start.sec, points[1].time_from_start.sec = 1, 2
        self._execute(
            ActuatorCommand.TRAJECTORY, 0.0, points=points, repeat=ActuatorCommand.REPEAT_FOREVER
        )

    def action(self) -> None:
        command = position(NAME, FAR, velocity=SPEED, acceleration=50.0)
        self.goal = self.actuators.send_goal(command)

    def _execute(self, type: int, value: float, **fields: object) -> None:
        self.actuators.accepted(NAME, type, value, **fields)

    # Ways to stop

    def stop(self) -> None:
        self.client.must("wmx/axis/stop", index=[AXIS])

    def quick_stop(self) -> None:
        self.client.must("wmx/axis/stop", index=[AXIS], data=[1])

    def stop_all(self) -> None:
        self.client.must("wmx/axis/stop")

    def emergency_stop(self) -> None:
        self.client.must("wmx/engine/estop", data=True)

    def servo_off(self) -> None:
        self.client.must("wmx/axis/set_on", index=[AXIS], data=[0])

    def stop_actuator(self) -> None:
        self._execute(ActuatorCommand.STOP, 0.0)

    def hold(self) -> None:
        self._execute(ActuatorCommand.HOLD, 0.0)

    def disarm(self) -> None:
        answer = self.actuators.disarm()
        assert answer.success, answer.message

    # What is seen

    def moving(self) -> AxisState:
        return self.client.states.next(lambda s: abs(s.actual_velocity[AXIS]) > 0.05)

    def resting(self) -> AxisState:
        return self.client.states.next(lambda s: _rests(s))

    def make_ready(self) -> None:
        """Axes rest in position mode with their servos on."""
        client = self.client
        client.must("wmx/engine/estop", data=False)
        client.must("wmx/axis/stop")
        client.must("wmx/axis/clear_alarm", index=AXES)
        client.states.next(lambda s: not any(s.velocity_cmd) and not any(_moves(s)))
        client.must("wmx/axis/set_mode", index=AXES, data=[0] * 6)
        client.must("wmx/axis/set_on", index=AXES, data=[1] * 6)
        client.states.next(lambda s: all(s.servo_on))
        client.clock.sleep(0.25)  # a stream of the test before has to pause


def _moves(state: AxisState) -> list[bool]:
    return [abs(velocity) > RESTS for velocity in state.actual_velocity]


def _rests(state: AxisState) -> bool:
    return not _moves(state)[AXIS] and state.velocity_cmd[AXIS] == 0.0


@pytest.fixture(scope="module")
def bench(system: System) -> Iterator[Bench]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", str(system.place.folder))
        driver = open_driver("fake")
        driver.engine.create_device("", "observer")
        yield Bench(system, driver)
        driver.engine.close_device()


@pytest.fixture(autouse=True)
def ready(bench: Bench) -> None:
    bench.make_ready()


MOVES = (
    Bench.move_absolute,
    Bench.move_relative,
    Bench.velocity,
    Bench.jog,
    Bench.actuator_position,
    Bench.actuator_velocity,
    Bench.effort,
    Bench.trajectory,
    Bench.action,
)
STOPS = (
    Bench.stop,
    Bench.quick_stop,
    Bench.stop_all,
    Bench.emergency_stop,
    Bench.servo_off,
    Bench.stop_actuator,
    Bench.disarm,
)
Verb = Callable[[Bench], None]


def name(verb: Verb) -> str:
    return verb.__name__


# Rule 2: a stop brings the axis to rest under control, and nothing from before it moves it after


# Each with some of the others; all pairs are in tests/unit/control/test_gate_stops.py.
PAIRS = [
    *((m, s) for i, m in enumerate(MOVES) for j, s in enumerate(STOPS) if (i + j) % 3 == 0),
    *((move, Bench.hold) for move in MOVES[4:]),
]
"""The axes of the others belong to another node: `test_a_refused_request_changes_nothing`."""


@pytest.mark.parametrize(("move", "stop"), PAIRS, ids=name)
def test_each_stop_ends_each_motion(bench: Bench, move: Verb, stop: Verb) -> None:
    move(bench)
    bench.moving()
    stop(bench)
    answered = bench.client.state().actual_pos[AXIS]
    rest = bench.resting()
    assert abs(rest.actual_pos[AXIS] - answered) < WAY
    require_rest(bench)
    if stop is Bench.emergency_stop:
        bench.client.must("wmx/engine/estop", data=False)
        require_rest(bench)


def require_rest(bench: Bench) -> None:
    """Fail when the axis leaves its place while it is watched."""
    place = bench.client.state().pos_cmd[AXIS]
    start = bench.client.clock.now()
    bench.client.clock.sleep(LOOK)
    seen = bench.client.states.since(start)
    assert seen
    assert not [s for s in seen if s.pos_cmd[AXIS] != place or s.velocity_cmd[AXIS] != 0.0]


# Rule 3: what is refused has changed nothing


@contextmanager
def servo_off(bench: Bench) -> Iterator[None]:
    bench.servo_off()
    bench.client.states.next(lambda s: not s.servo_on[AXIS])
    yield


@contextmanager
def alarm(bench: Bench) -> Iterator[None]:
    bench.client.play(f"raise_alarm: {{axis: {AXIS}, code: 0x7121}}")
    bench.client.states.next(lambda s: s.amp_alarm[AXIS])
    bench.resting()
    yield


@contextmanager
def emergency_stop(bench: Bench) -> Iterator[None]:
    bench.emergency_stop()
    bench.client.clock.sleep(0.1)  # the command of an axis follows its motor, which settles
    yield


BLOCKED = servo_off, alarm, emergency_stop


def group(bench: Bench) -> None:
    bench.actuators.group(NAME, POSITION=1.0)


def execute(type: int, value: float = 1.0, **fields: object) -> Verb:
    def ask(bench: Bench) -> None:
        bench.actuators.refused(NAME, type, value, **fields)

    ask.__name__ = f"execute_{type}"
    return ask


def goal(bench: Bench) -> None:
    handle = bench.actuators.send_goal(position(NAME, 1.0))
    assert not handle.accepted or not bench.actuators.result(handle).result.success


ORDERS = (
    Bench.move_absolute,
    Bench.move_relative,
    group,
    goal,
    execute(ActuatorCommand.POSITION),
    execute(ActuatorCommand.VELOCITY, acceleration=10.0),
    execute(ActuatorCommand.EFFORT, 0.1),
)


def picture(bench: Bench) -> list[object]:
    """What a command may change of the axis."""
    status = bench.driver.motion.status()
    shown = status.command_mode, status.pos_cmd, status.op_state, status.servo_on, status.amp_alarm
    return [values[AXIS] for values in shown]


@pytest.mark.parametrize("order", ORDERS, ids=name)
@pytest.mark.parametrize("blocked", BLOCKED, ids=lambda b: b.__name__)
def test_a_refused_request_changes_nothing(bench: Bench, blocked: Verb, order: Verb) -> None:
    with blocked(bench):
        before = picture(bench)
        start = bench.client.clock.now()
        order(bench)
        bench.actuators.ends.first(start, lambda end: end.reason == EndMotion.REFUSED)
        bench.client.clock.sleep(0.05)
        assert picture(bench) == before
        assert not bench.actuators.begins.since(start)
    bench.make_ready()
    bench.move_absolute()  # nobody owns the axis
    bench.moving()


# Rule 1: nothing starts by itself


LOSSES = {
    "the engine crashed": [("wmx/simulation/inject_faults", {"script": "[{crash_engine: {}}]"})],
    "communication was stopped": [
        ("wmx/engine/set_comm", {"data": False}),
        ("wmx/engine/set_comm", {"data": True}),
    ],
    "the device was closed": [
        ("wmx/engine/set_device", {"data": False}),
        ("wmx/engine/set_device", {"data": True}),
        ("wmx/engine/set_comm", {"data": True}),
    ],
}


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("stop", [*STOPS[:5], Bench.disarm], ids=name)
def test_what_was_stopped_stays_stopped(bench: Bench, loss: str, stop: Verb) -> None:
    client = bench.client
    bench.actuator_velocity()
    bench.moving()
    stop(bench)
    bench.resting()
    start = client.clock.now()
    for service, fields in LOSSES[loss]:
        client.must(service, **fields)
    client.attached()
    bench.actuators.meet()
    client.clock.sleep(LOOK)
    seen = client.states.since(start)
    assert seen
    assert not any(any(s.velocity_cmd) for s in seen if s.servo_on[AXIS])
    assert not any(seen[-1].servo_on), "no servo is on after the loss"
    assert bench.estop.latest().data is (stop is Bench.emergency_stop)
