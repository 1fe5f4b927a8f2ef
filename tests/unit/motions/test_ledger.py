"""One begin and one end for each motion, on the simulated engine with the clock in hand."""

from collections.abc import Sequence
from uuid import UUID, uuid4

import pytest
from held_engine import HeldEngine, position_move, velocity_move

from wmx_ros2_package.drivers.values import EmergencyStop, MotionStatus, VelocityMove
from wmx_ros2_package.drivers.wrapped_motion import WrappedMotion
from wmx_ros2_package.motions.endings import Ending
from wmx_ros2_package.motions.events import NO_ID, Begin, End, EndReason, MotionKind
from wmx_ros2_package.motions.ledger import TAKEN_UP, MotionLedger, MotionOver
from wmx_ros2_package.motions.recorded_motion import Description, RecordedMotion


class Watched:
    """A held engine whose axes 0 and 1 are on, and the ledger of a node that commands them."""

    def __init__(self) -> None:
        self.held = HeldEngine().servo_on(0, 1)
        self.events: list[Begin | End] = []
        self.ledger = MotionLedger("/node", self.events.append, clock=lambda: self.status().time)

    def status(self) -> MotionStatus:
        return self.held.status()

    def move(self, axis: int, target: float, id: UUID = NO_ID) -> UUID:
        self.held.motion.move_absolute([position_move(axis=axis, target=target)])
        return self.ledger.begin(
            MotionKind.POSITION, [axis], self.status(), targets=[target], arrival=1.0, id=id
        )

    def after(self, seconds: float) -> None:
        self.ledger.watch(self.held.after(seconds))

    def ends(self) -> list[End]:
        return [event for event in self.events if isinstance(event, End)]


@pytest.fixture
def watched() -> Watched:
    return Watched()


def test_a_move_begins_and_arrives(watched: Watched) -> None:
    id = watched.move(0, 1.0)
    (begin,) = watched.events
    assert isinstance(begin, Begin)
    assert (begin.id, begin.axes, begin.targets, begin.initial) == (id, (0,), (1.0,), (0.0,))
    watched.after(0.1)
    assert watched.ends() == []
    watched.after(60.0)
    (end,) = watched.ends()
    assert (end.id, end.reason, end.final) == (id, EndReason.ARRIVED, (1.0,))
    assert not watched.ledger


def test_what_its_source_reads_is_at_hand_for_who_watches(watched: Watched) -> None:
    motion = RecordedMotion(watched.held.motion, watched.ledger)
    assert watched.ledger.newest is None
    assert motion.status() is watched.ledger.newest
    watched.held.clock.advance(0.1)
    status = motion.status()
    assert watched.ledger.newest is status
    assert status.time == pytest.approx(watched.status().time)


def test_a_motion_that_has_ended_does_not_begin_again(watched: Watched) -> None:
    """Whoever refreshes a lease may do so before he learns that it has expired."""
    motion, id = RecordedMotion(watched.held.motion, watched.ledger), uuid4()
    description = Description(ids={0: id}, leased=[0])
    move = velocity_move(0, run_time=0.1)
    with motion.described(description):
        motion.jog([move])
        watched.held.clock.advance(0.05)
        motion.jog([move])
        watched.held.clock.advance(5.0)
        for _ in "nobody has seen the end", "it is known":
            with pytest.raises(MotionOver):
                motion.jog([move])
    assert watched.status().velocity_cmd[0] == 0.0
    assert [type(event) for event in watched.events] == [Begin, End]
    assert watched.ends()[0].reason is EndReason.LEASE_EXPIRED
    with motion.described(Description(ids={0: uuid4()}, leased=[0])):
        motion.jog([move])
    assert watched.ledger


def test_what_goes_on_does_not_end_while_it_is_commanded(watched: Watched) -> None:
    id = watched.move(0, 1.0)
    rests = watched.held.after(60.0)
    with watched.ledger.going_on([id]):
        watched.ledger.watch(rests)
        assert not watched.ends(), "the command may not show yet"
        assert watched.move(0, 2.0, id) == id
    assert len(watched.events) == 1
    rests = watched.held.after(60.0)
    with pytest.raises(ZeroDivisionError), watched.ledger.going_on([id]):
        raise ZeroDivisionError
    watched.ledger.watch(rests)
    assert len(watched.ends()) == 1, "without a command it ends as ever"


class LateMotion(WrappedMotion):
    """After each command so much time passes until the status that enters it is read."""

    def __init__(self, watched: Watched, delays: list[float]) -> None:
        super().__init__(watched.held.motion)
        self._watched, self._delays, self._delay = watched, delays, 0.0

    def status(self) -> MotionStatus:
        delay, self._delay = self._delay, 0.0
        if delay:
            self._watched.after(delay)
        return super().status()

    def jog(self, moves: Sequence[VelocityMove]) -> None:
        super().jog(moves)
        self._delay = self._delays.pop(0)


def test_a_lease_that_is_over_before_its_refreshing_is_entered_has_one_end(
    watched: Watched,
) -> None:
    motion, id = RecordedMotion(LateMotion(watched, [0.0, 1.0]), watched.ledger), uuid4()
    for _ in "begun", "refreshed":
        with motion.described(Description(ids={0: id}, leased=[0])):
            motion.jog([velocity_move(0, run_time=0.02)])
    watched.after(60.0)
    begin, end = watched.events
    assert isinstance(begin, Begin)
    assert isinstance(end, End)
    assert begin.id == end.id == id


def test_what_goes_on_ends_though_its_command_was_never_entered(watched: Watched) -> None:
    id = watched.move(0, 1.0)
    watched.held.after(60.0)
    with watched.ledger.going_on([id]):
        pass  # and then nobody could read the status
    watched.after(1.0)
    assert len(watched.ends()) == 1


def test_of_two_commands_that_go_on_with_one_motion_the_last_may_be_refused(
    watched: Watched,
) -> None:
    id = watched.move(0, 1.0)
    first, second = watched.ledger.going_on([id]), watched.ledger.going_on([id])
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert not second.__exit__(ZeroDivisionError, ZeroDivisionError(), None)
    watched.after(60.0)
    assert len(watched.ends()) == 1


def test_a_move_shorter_than_a_sample_is_not_missed(watched: Watched) -> None:
    watched.move(0, 1e-9)
    watched.after(1.0)
    (end,) = watched.ends()
    assert end.reason is EndReason.ARRIVED


def test_a_status_from_before_the_command_ends_nothing(watched: Watched) -> None:
    before = watched.status()
    watched.move(0, 1.0)
    watched.ledger.watch(before)
    assert watched.ends() == []


def test_what_takes_over_is_named(watched: Watched) -> None:
    first, second = watched.move(0, 1.0), watched.move(0, 2.0)
    (end,) = watched.ends()
    assert (end.id, end.reason, end.replaced_by) == (first, EndReason.REPLACED, second)
    watched.after(60.0)
    assert [end.reason for end in watched.ends()] == [EndReason.REPLACED, EndReason.ARRIVED]


def test_what_arrived_before_anybody_looked_is_not_replaced(watched: Watched) -> None:
    motion = RecordedMotion(watched.held.motion, watched.ledger)
    for target in 1.0, 2.0:
        motion.move_absolute([position_move(target=target)])
        watched.held.after(60.0)
    assert [end.reason for end in watched.ends()] == [EndReason.ARRIVED]
    assert watched.ends()[0].final == (1.0,)


def test_a_stop_says_who_stopped(watched: Watched) -> None:
    watched.move(0, 1.0)
    watched.after(0.1)
    watched.ledger.mark([0], EndReason.CANCELED, "taken back")
    watched.held.motion.stop([0])
    watched.after(60.0)
    (end,) = watched.ends()
    assert (end.reason, end.message) == (EndReason.CANCELED, "taken back")
    assert end.final == (watched.status().pos_cmd[0],)


def test_a_stop_by_somebody_else_is_a_stop(watched: Watched) -> None:
    watched.move(0, 1.0)
    watched.after(0.1)
    watched.held.motion.quick_stop([0])
    watched.after(60.0)
    assert watched.ends()[0].reason is EndReason.STOPPED


def test_an_alarm_names_its_code(watched: Watched) -> None:
    watched.move(0, 1.0)
    watched.after(0.1)
    watched.held.raise_alarm(0, 0x7121)
    watched.after(60.0)
    (end,) = watched.ends()
    assert (end.reason, end.code) == (EndReason.ALARM, 0x7121)
    assert "0x7121" in end.message


@pytest.mark.parametrize("sign", [1, -1])
def test_a_soft_limit(sign: int) -> None:
    watched = Watched()
    watched.held.apply(soft_limit_type=3, soft_limit_positive=1.0, soft_limit_negative=-1.0)
    watched.held.motion.set_position(0, 0.0)  # soft limits are those of an axis that is homed
    watched.held.motion.jog([velocity_move(velocity=sign * 1.0)])
    watched.ledger.begin(
        MotionKind.JOG, [0], watched.status(), targets=[float("nan")], arrival=None
    )
    watched.after(10.0)
    (end,) = watched.ends()
    side = "positive" if sign > 0 else "negative"
    assert (end.reason, end.message) == (EndReason.LIMIT, f"{side} soft limit of axis 0")


def test_a_servo_that_goes_off(watched: Watched) -> None:
    watched.move(0, 1.0)
    watched.after(0.1)
    watched.held.motion.set_servo(0, on=False)
    watched.after(60.0)
    assert watched.ends()[0].reason is EndReason.SERVO_OFF


@pytest.mark.parametrize("level", EmergencyStop)
def test_an_emergency_stop(watched: Watched, level: EmergencyStop) -> None:
    watched.move(0, 1.0)
    watched.after(0.1)
    watched.held.motion.emergency_stop(level)
    watched.after(60.0)
    assert watched.ends()[0].reason is EndReason.EMERGENCY_STOP


def test_communication_that_stops(watched: Watched) -> None:
    watched.move(0, 1.0)
    watched.after(0.1)
    watched.held.engine.stop_communication()
    watched.after(1.0)
    assert watched.ends()[0].reason is EndReason.ENGINE_LOST


def test_a_node_that_ends_leaves_nothing_open(watched: Watched) -> None:
    watched.move(0, 1.0)
    watched.move(1, 1.0)
    watched.ledger.end_all(EndReason.NODE_ENDED, "the node was deactivated", watched.status())
    assert [end.reason for end in watched.ends()] == [EndReason.NODE_ENDED] * 2
    assert not watched.ledger


def test_a_refused_command_has_an_end_alone(watched: Watched) -> None:
    id = uuid4()
    assert watched.ledger.refuse([0], "velocity is -1: must be positive", id=id) == id
    (end,) = watched.events
    assert isinstance(end, End)
    assert (end.reason, end.final) == (EndReason.REFUSED, ())


def test_an_endless_motion_ends_with_its_stop(watched: Watched) -> None:
    watched.held.motion.jog([velocity_move()])
    watched.ledger.begin(
        MotionKind.JOG, [0], watched.status(), targets=[float("nan")], arrival=None
    )
    watched.after(1000.0)
    assert watched.ends() == []
    watched.ledger.mark([0], EndReason.LEASE_EXPIRED)
    watched.held.motion.stop([0])
    watched.after(60.0)
    assert watched.ends()[0].reason is EndReason.LEASE_EXPIRED


def test_a_hold_lasts_until_something_ends_it(watched: Watched) -> None:
    watched.held.motion.jog([velocity_move()])
    watched.held.after(0.5)
    watched.held.motion.stop([0])
    watched.ledger.begin(
        MotionKind.HOLD, [0], watched.status(), targets=[float("nan")], arrival=None
    )
    for _ in range(3):
        watched.after(10.0)
    assert watched.ends() == []
    watched.held.motion.set_servo(0, on=False)
    watched.after(TAKEN_UP)
    assert watched.ends()[0].reason is EndReason.SERVO_OFF


def test_a_hold_that_is_stopped_ends_at_rest(watched: Watched) -> None:
    watched.ledger.begin(
        MotionKind.HOLD, [0], watched.status(), targets=[float("nan")], arrival=None
    )
    watched.after(1.0)
    watched.ledger.mark([0], EndReason.CANCELED, "taken back")
    watched.held.motion.stop([0])
    watched.after(TAKEN_UP)
    assert watched.ends()[0].reason is EndReason.CANCELED


def test_a_motion_to_a_limit_ends_with_it(watched: Watched) -> None:
    limit = Ending(EndReason.LIMIT, 0, "position_max of 'elbow', 2")
    watched.held.motion.jog([velocity_move()])
    id = watched.ledger.begin(
        MotionKind.VELOCITY, [0], watched.status(), targets=[float("nan")], arrival=None
    )
    watched.after(0.5)
    watched.held.motion.move_absolute([position_move(target=2.0)])
    again = watched.ledger.begin(
        MotionKind.VELOCITY,
        [0],
        watched.status(),
        targets=[2.0],
        arrival=None,
        id=id,
        arrives=limit,
    )
    watched.after(60.0)
    (end,) = watched.ends()
    assert (again, end.id, end.reason, end.message) == (id, id, limit.reason, limit.message)


def test_a_motion_of_several_commands_is_one(watched: Watched) -> None:
    id = UUID(int=7)
    for target in (0.1, 0.2):
        watched.held.motion.move_absolute([position_move(target=target)])
        watched.ledger.begin(
            MotionKind.TRAJECTORY,
            [0],
            watched.status(),
            targets=[0.2],
            arrival=None,
            id=id,
            kept=True,
        )
        watched.after(10.0)
    assert watched.ends() == []
    assert watched.ledger.runs(id)
    watched.ledger.finish(id)
    watched.after(0.1)
    (end,) = watched.ends()
    assert (len(watched.events), end.id, end.reason) == (2, id, EndReason.ARRIVED)


def test_a_stop_ends_a_motion_of_several_commands(watched: Watched) -> None:
    id = UUID(int=7)
    watched.held.motion.jog([velocity_move()])
    watched.ledger.begin(
        MotionKind.TRAJECTORY,
        [0],
        watched.status(),
        targets=[1.0],
        arrival=None,
        id=id,
        kept=True,
    )
    watched.after(1.0)
    watched.ledger.mark([0], EndReason.STOPPED)
    assert not watched.ledger.runs(id)
    watched.held.motion.stop([0])
    watched.after(10.0)
    assert watched.ends()[0].reason is EndReason.STOPPED
