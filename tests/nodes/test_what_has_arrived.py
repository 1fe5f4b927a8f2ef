"""Rule 4 of docs/safety.md: what is answered is what the motor did, by each way to move it."""

from collections.abc import Callable, Iterator, Sequence

import pytest
import system as systems
from actuator_client import Actuators, position
from held_system import HeldSystem, held_system
from motion_events import IN_POSITION
from ros import COMMANDS, JOG
from system import System
from trajectory_msgs.msg import JointTrajectoryPoint
from wmx_ros2_message.msg import ActuatorCommand, ActuatorCommands, EndMotion
from wmx_ros2_message.srv import ExplainAxes

from wmx_ros2_package.control.motion_ends import InPosition

ABSOLUTE, RELATIVE, *_ = COMMANDS
AXES = list(range(6))
AXIS, NAME = 0, "axis_0"
WAY = 0.3
"""How far each command moves, u: no following error alarm comes before."""
QUICK = [2.0], [20.0], [20.0]
TIMEOUT = InPosition().timeout
END = 0.02
"""Where the machine that is blocked has its end, motor revolutions."""
RESTS = 0.011
"""A motor that is slower rests, u/s."""


class Bench:
    """A client that moves one axis in every way that has a target or an end of its own."""

    def __init__(self, system: System) -> None:
        self.client = system.client
        self.actuators = Actuators(system.client)
        self.goal: object = None

    @property
    def here(self) -> float:
        return self.client.state().pos_cmd[AXIS]

    def move_absolute(self) -> None:
        self.client.move(ABSOLUTE, [AXIS], [self.here + WAY], *QUICK)

    def move_relative(self) -> None:
        self.client.move(RELATIVE, [AXIS], [WAY], *QUICK)

    def jog(self) -> None:
        for _ in range(8):
            self.client.move(JOG, [AXIS], [1.0], [20.0], [20.0])
            self.client.clock.sleep(0.025)

    def service(self) -> None:
        self.actuators.execute(NAME, ActuatorCommand.POSITION, self.here + WAY, **_quick())

    def topic(self) -> None:
        command = position(NAME, self.here + WAY)
        self.actuators.topic.publish(ActuatorCommands(commands=[command]))

    def group(self) -> None:
        self.actuators.group(NAME, POSITION=self.here + WAY)

    def velocity_for_a_time(self) -> None:
        command = ActuatorCommand(
            name=NAME, type=ActuatorCommand.VELOCITY, value=1.0, acceleration=20.0
        )
        command.duration.nanosec = 300_000_000
        self.actuators.topic.publish(ActuatorCommands(commands=[command]))

    def trajectory(self) -> None:
        point = JointTrajectoryPoint(positions=[self.here + WAY])
        point.time_from_start.nanosec = 400_000_000
        self.actuators.execute(NAME, ActuatorCommand.TRAJECTORY, points=[point])

    def action(self) -> None:
        self.goal = self.actuators.send_goal(position(NAME, self.here + WAY))

    # What becomes of it

    def freeze(self, *, frozen: bool = True) -> None:
        verb = "freeze" if frozen else "free"
        self.client.play(f"{verb}_encoder: {{axis: {AXIS}}}")

    def make_ready(self) -> None:
        """All axes stand at 0, as their servos hold them."""
        client = self.client
        self.freeze(frozen=False)
        client.must("wmx/axis/stop")
        client.states.next(lambda s: not any(abs(v) > RESTS for v in s.actual_velocity))
        client.must("wmx/axis/set_on", index=AXES, data=[0] * 6)
        client.must("wmx/axis/clear_alarm", index=AXES)
        client.must("wmx/axis/set_on", index=AXES, data=[1] * 6)
        client.states.next(lambda s: all(s.servo_on))
        client.move(ABSOLUTE, [AXIS], [0.0], *QUICK)
        client.states.next(
            lambda s: abs(s.actual_pos[AXIS]) < IN_POSITION and s.motion_complete[AXIS]
        )
        client.clock.sleep(0.3)  # a stream of the test before has to pause

    def end(self, move: "Verb") -> EndMotion:
        """How the motion ends that `move` begins."""
        start = self.client.clock.now()
        move(self)
        begin = self.actuators.begins.first(start, lambda b: list(b.axes) == [AXIS])
        return self.actuators.end_of(begin.command_id)

    def explanation(self) -> str:
        answer = self.client.must("wmx/axis/explain", index=[AXIS])
        assert isinstance(answer, ExplainAxes.Response)
        return str(answer.explanations[0])


Verb = Callable[[Bench], None]
MOVES: Sequence[Verb] = (
    Bench.move_absolute,
    Bench.move_relative,
    Bench.service,
    Bench.topic,
    Bench.group,
    Bench.velocity_for_a_time,
    Bench.trajectory,
    Bench.action,
)


def _quick() -> dict[str, float]:
    return {"velocity": 2.0, "acceleration": 20.0}


def name(verb: Verb) -> str:
    return verb.__name__


MACHINES = {"right": {}, "blocked": {"positive_end": END}, "late": {"position_gain": 6.0}}


@pytest.fixture(scope="module", params=MACHINES)
def machine(request: pytest.FixtureRequest) -> str:
    kind: str = request.param
    return kind


@pytest.fixture(scope="module")
def system(machine: str) -> Iterator[HeldSystem]:
    """A machine whose motors do what they should, are blocked on their way, or come late."""
    with systems.place() as place:
        file = place.machine(**MACHINES[machine])
        with held_system(place, f"device_path:={file}") as system:
            system.ready()
            yield system


@pytest.fixture(scope="module")
def bench(system: HeldSystem) -> Bench:
    return Bench(system)


@pytest.fixture(autouse=True)
def ready(bench: Bench) -> None:
    bench.make_ready()


@pytest.mark.parametrize("move", MOVES, ids=name)
def test_an_end_is_what_the_motor_did(bench: Bench, machine: str, move: Verb) -> None:
    end = bench.end(move)
    state = bench.client.state()
    off = abs(state.pos_cmd[AXIS] - state.actual_pos[AXIS])
    if machine == "blocked":
        assert_not_arrived(bench, end, off)
    else:
        assert end.reason == EndMotion.ARRIVED, end.message
        assert off <= IN_POSITION
        assert abs(state.actual_velocity[AXIS]) <= RESTS
        assert "nothing blocks motion" in bench.explanation()
    assert end.final_position[0] == pytest.approx(state.actual_pos[AXIS], abs=IN_POSITION)
    if move is Bench.action:
        answer = bench.actuators.result(bench.goal).result
        assert answer.success is (machine != "blocked")
        assert end.message in answer.message


on_the_right_one = pytest.mark.parametrize("machine", ["right"], indirect=True, scope="module")


def assert_not_arrived(bench: Bench, end: EndMotion, off: float) -> None:
    """That the end says how far off the motor is, and that it is explained at the same time."""
    assert end.reason == EndMotion.NOT_ARRIVED, (end.reason, end.message)
    words = end.message.split()
    assert end.message.startswith("axis 0: the motor is ")
    assert float(words[5]) == pytest.approx(off, abs=0.05)
    assert "its motor stands" in bench.explanation()


def test_a_jog_ends_with_its_lease_where_its_motor_is(bench: Bench, machine: str) -> None:
    end = bench.end(Bench.jog)
    assert end.reason == EndMotion.LEASE_EXPIRED
    state = bench.client.state()
    assert end.final_position[0] == pytest.approx(state.actual_pos[AXIS], abs=0.01)
    assert abs(state.actual_velocity[AXIS]) <= RESTS or machine == "late"


@pytest.mark.long
def test_a_dry_run_says_the_same(bench: Bench, machine: str) -> None:
    plan = bench.actuators.plan(position(NAME, bench.here + WAY))
    assert plan.accepted, plan.message
    [motion] = plan.motions
    end = bench.end(Bench.service)
    assert motion.reason == end.reason
    assert (end.reason == EndMotion.NOT_ARRIVED) is (machine == "blocked")


@pytest.mark.long
@on_the_right_one
def test_a_motor_that_stands_elsewhere_is_not_where_its_command_is_declared(bench: Bench) -> None:
    bench.freeze()
    bench.client.move(ABSOLUTE, [AXIS], [WAY], *QUICK)
    bench.client.clock.sleep(TIMEOUT + 1.0)
    before = bench.client.state()
    message = bench.client.refused("wmx/axis/reference", index=[AXIS], position=[0.0])
    assert "its motor stands 0.3" in message or "its motor stands 0.29" in message
    after = bench.client.state()
    for field in "pos_cmd", "actual_pos", "home_done":
        assert list(getattr(after, field)) == list(getattr(before, field))
