"""When a stream may move axes, and when it has to pause first."""

from math import inf
from uuid import UUID

import numpy as np
import pytest

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_ros2_package.control.leases import PATIENCE, SUSPENSION, Lease, MustPause, StreamLeases
from wmx_ros2_package.control.request import End, EndReason
from wmx_sim.engine.clock import HeldClock

PERIOD = 0.05
TIMEOUT = 0.2


class Stream:
    """A stream of commands on a lease, 20 times a second."""

    def __init__(self, timeout: float) -> None:
        self.stopped = np.zeros(4)
        self.lease = Lease([1, 2], timeout, stopped=lambda: self.stopped)
        self.now = 100.0

    def send(self, sent: float | None = None) -> bool:
        """Whether a command may move the axes."""
        try:
            self.lease.refresh(self.now if sent is None else sent)
        except MustPause:
            return False
        return True

    def hold(self, seconds: float) -> list[bool]:
        """Which of the commands of so many seconds may."""
        return [self.step() for _ in range(round(seconds / PERIOD))]

    def step(self) -> bool:
        may = self.send()
        self.now += PERIOD
        return may

    def why(self) -> str:
        with pytest.raises(MustPause) as error:
            self.lease.refresh(self.now)
        return error.value.detail


@pytest.fixture
def stream() -> Stream:
    return Stream(TIMEOUT)


def test_a_stream_moves_its_axes_for_as_long_as_it_goes_on(stream: Stream) -> None:
    assert not stream.lease.active
    assert all(stream.hold(10.0))
    assert stream.lease.active


@pytest.mark.parametrize("axis", [1, 2])
def test_what_was_stopped_stays_stopped_until_the_stream_pauses(stream: Stream, axis: int) -> None:
    stream.hold(1.0)
    stream.stopped[axis] = stream.now
    assert not any(stream.hold(5.0))
    assert not stream.lease.active
    with pytest.raises(MustPause, match="it was stopped") as error:
        stream.lease.refresh(stream.now)
    assert error.value.code == ErrorCode.NotIdleState
    stream.now += TIMEOUT + 0.001
    assert all(stream.hold(1.0))


@pytest.mark.parametrize("axis", [0, 3])
def test_a_stop_of_other_axes_does_not_end_it(stream: Stream, axis: int) -> None:
    stream.hold(1.0)
    stream.stopped[axis] = stream.now
    assert all(stream.hold(1.0))


def test_a_stop_from_before_its_first_command_does_not_end_it(stream: Stream) -> None:
    stream.stopped[:] = stream.now - 0.001
    assert all(stream.hold(1.0))


def test_a_stop_in_the_moment_of_its_first_command_ends_it(stream: Stream) -> None:
    stream.stopped[1] = stream.now
    assert not stream.send()


def test_commands_that_are_read_late_are_no_pause(stream: Stream) -> None:
    """A pause is a gap between the times at which they were sent."""
    stream.hold(1.0)
    stream.stopped[1] = stream.now
    late = [stream.now + PERIOD * i for i in range(20)]
    stream.now += 5.0
    assert not any(stream.send(sent) for sent in late)


@pytest.mark.parametrize(("gap", "expected"), [(TIMEOUT - 0.001, False), (TIMEOUT + 0.001, True)])
def test_a_pause_is_longer_than_the_timeout(stream: Stream, gap: float, *, expected: bool) -> None:
    stream.hold(1.0)
    stream.lease.end("an alarm")
    stream.send()
    stream.now += gap
    assert stream.send() is expected


def test_an_older_command_does_not_begin_a_pause(stream: Stream) -> None:
    """Messages of two publishers may overtake each other."""
    stream.hold(1.0)
    stream.lease.end("an alarm")
    stream.send()
    stream.send(stream.now - TIMEOUT)
    stream.now += TIMEOUT / 2
    assert not stream.send()


def test_a_command_to_stand_is_a_pause(stream: Stream) -> None:
    stream.hold(1.0)
    stream.stopped[1] = stream.now
    stream.hold(1.0)
    stream.lease.clear()
    assert not stream.lease.active
    assert all(stream.hold(1.0)), "the stop was before the command that begins it anew"
    stream.stopped[1] = stream.now
    assert not any(stream.hold(1.0)), "and one that is after it counts"


def test_a_stream_that_stands_has_no_motion_to_end(stream: Stream) -> None:
    stream.hold(1.0)
    stream.lease.clear()
    stream.lease.end("an alarm of another motion")
    assert all(stream.hold(1.0))


def test_a_lease_that_was_cleared_begins_a_new_run(stream: Stream) -> None:
    stream.lease.run_time = 1.0
    stream.hold(0.9)
    stream.lease.clear()
    assert all(stream.hold(0.9))


def test_it_lasts_no_longer_than_its_run_time(stream: Stream) -> None:
    stream.lease.run_time = 2.0
    through = stream.hold(5.0)
    assert sum(through) == pytest.approx(40, abs=1)
    assert through == sorted(through, reverse=True)
    assert "2 s" in stream.why()
    stream.now += TIMEOUT + 0.001
    assert all(stream.hold(1.9))


def test_what_is_left_is_the_timeout_or_the_rest_of_the_run_time(stream: Stream) -> None:
    assert stream.lease.left(stream.now) == TIMEOUT
    stream.lease.run_time = 1.0
    began = stream.now
    stream.hold(0.5)
    assert stream.lease.left(began + 0.5) == TIMEOUT
    assert stream.lease.left(began + 0.95) == pytest.approx(0.05)
    assert stream.lease.left(began + 3.0) == 0.001, "an engine takes no less"
    assert Lease([0], 0.0).left(stream.now) == inf


def test_without_a_timeout_each_command_stands_for_itself() -> None:
    stream = Stream(0.0)
    assert all(stream.hold(1.0))
    stream.stopped[1] = stream.now - 0.001
    assert stream.send()
    stream.lease.end("an alarm")
    stream.now += 0.001
    assert stream.send()


def test_what_ended_an_idle_stream_does_not_count(stream: Stream) -> None:
    stream.lease.end("an alarm of long ago")
    assert stream.send()


def test_what_was_denied_has_to_pause(stream: Stream) -> None:
    stream.lease.reject(stream.now, "the engine refused it")
    assert not stream.lease.active
    assert not any(stream.hold(1.0))
    assert "the engine refused it" in stream.why()
    stream.now += TIMEOUT + 0.001
    assert stream.send()


def test_a_stream_that_was_silent_long_before_an_interruption_has_paused(stream: Stream) -> None:
    stream.hold(1.0)
    stream.lease.interrupt("another engine", stream.now + 10.0)
    assert not stream.send(stream.now + 10.0 + TIMEOUT)
    stream.lease.interrupt("another engine", stream.now)
    assert stream.send(stream.now + 10.0 + 3 * TIMEOUT)


def test_an_interruption_of_long_ago_shortens_no_pause(stream: Stream) -> None:
    stream.hold(1.0)
    stream.lease.interrupt("another engine", stream.now - 50.0)
    assert not stream.send()


# All leases of a node


@pytest.fixture
def clock() -> HeldClock:
    clock = HeldClock()
    clock.advance(100.0)
    return clock


@pytest.fixture
def leases(clock: HeldClock) -> StreamLeases:
    return StreamLeases(clock)


def end(reason: EndReason, *axes: int, message: str = "") -> End:
    return End(
        id=UUID(int=1), source="/n", axes=axes, time=0.0, final=(), reason=reason, message=message
    )


def test_an_interruption_ends_every_stream_and_those_that_come_after_it(
    leases: StreamLeases, clock: HeldClock
) -> None:
    moving, idle = leases.add([0], TIMEOUT), leases.add([0], TIMEOUT)
    moving.refresh(clock.now())
    stopped: list[str] = []
    leases.on_interrupted(stopped.append)
    leases.interrupt("the reason")
    assert stopped == ["the reason"]
    for lease in (moving, idle, leases.add([1], TIMEOUT)):
        assert not lease.active
        with pytest.raises(MustPause, match="the reason"):
            lease.refresh(clock.now() + TIMEOUT)
        lease.refresh(clock.now() + 3 * TIMEOUT)


def test_what_was_sent_before_the_node_attached_begins_nothing(
    leases: StreamLeases, clock: HeldClock
) -> None:
    """While a stream goes on, a node that attaches does not let it move by itself."""
    lease = leases.add([0], TIMEOUT)
    clock.advance(60.0)
    leases.unserved_at = clock.now()  # a command came while there was no engine
    clock.advance(PERIOD)
    leases.attach()
    with pytest.raises(MustPause, match="attached"):
        lease.refresh(clock.now())
    lease.refresh(clock.now() + TIMEOUT + 0.001)


def test_a_stream_that_begins_after_the_node_attached_needs_no_pause(
    leases: StreamLeases, clock: HeldClock
) -> None:
    lease = leases.add([0], TIMEOUT)
    clock.advance(60.0)
    leases.attach()
    lease.refresh(clock.now())


@pytest.mark.parametrize(("asleep", "suspended"), [(0.49, False), (0.51, True)])
def test_a_process_that_was_suspended_ends_its_streams(
    leases: StreamLeases, clock: HeldClock, asleep: float, *, suspended: bool
) -> None:
    lease = leases.add([0], 10.0)
    lease.refresh(clock.now())
    stopped: list[str] = []
    leases.on_interrupted(stopped.append)
    clock.advance(asleep)
    sent = clock.now() - 0.001
    leases.detect_suspension()
    assert bool(stopped) is suspended is not lease.active
    if not suspended:
        leases.require_sent_after_suspension(sent)
        return
    with pytest.raises(CommandRefused, match=r"suspended for 0\.5 s"):
        leases.require_sent_after_suspension(sent)
    leases.require_sent_after_suspension(clock.now())
    assert len(stopped) == 1, "it is found once"


def run(leases: StreamLeases, clock: HeldClock, seconds: float) -> None:
    """Let a process run for `seconds`, as its supervisor shows."""
    for _ in range(round(seconds / SUSPENSION)):
        clock.advance(SUSPENSION)
        leases.detect_suspension()


@pytest.mark.parametrize("lost", [True, False])
def test_a_heartbeat_may_be_the_first_that_a_process_reads_when_it_goes_on(
    leases: StreamLeases, clock: HeldClock, *, lost: bool
) -> None:
    clock.advance(3.0)
    sent = clock.now() - 2.5
    leases.on_heartbeat_change(lost=lost)
    with pytest.raises(CommandRefused, match=r"suspended for 3\.0 s"):
        leases.require_sent_after_suspension(sent, PATIENCE)


def test_a_heartbeat_counts_as_lost_although_streams_cannot_be_ended(
    leases: StreamLeases, clock: HeldClock
) -> None:
    def stop(_: str) -> None:
        raise CommandRefused(ErrorCode.NotIdleState, "the engine is gone")

    stopped: list[str] = []
    for each in stopped.append, stop, stopped.append:
        leases.on_interrupted(each)
    clock.advance(3.0)
    with pytest.raises(CommandRefused, match="gone"):
        leases.on_heartbeat_change(lost=True)
    assert len(stopped) == 2, "the others end all the same"
    with pytest.raises(MustPause):
        leases.require_heartbeat()


def test_a_request_is_waited_for_with_patience(leases: StreamLeases, clock: HeldClock) -> None:
    clock.advance(PATIENCE + 1.0)
    leases.require_sent_after_suspension(clock.now() - PATIENCE + 0.01, PATIENCE)
    with pytest.raises(CommandRefused, match=r"suspended for 3\.0 s"):
        leases.require_sent_after_suspension(clock.now() - PATIENCE - 0.01, PATIENCE)


def test_who_runs_is_patient_with_a_clock_that_is_behind(
    leases: StreamLeases, clock: HeldClock
) -> None:
    for _ in range(100):
        clock.advance(0.1)
        leases.require_sent_after_suspension(clock.now() - 60.0, PATIENCE)


def test_a_node_that_attaches_was_not_suspended(leases: StreamLeases, clock: HeldClock) -> None:
    """While it is not attached, it has no loop that would show that it runs."""
    clock.advance(60.0)
    leases.attach()
    leases.require_sent_after_suspension(clock.now() - 1.0)


def test_without_a_heartbeat_there_are_no_leases(leases: StreamLeases, clock: HeldClock) -> None:
    lease = leases.add([0], TIMEOUT)
    lease.refresh(clock.now())
    leases.require_heartbeat()
    run(leases, clock, 10.0)
    leases.on_heartbeat_change(lost=True)
    assert (leases.heartbeat_lost, lease.active) == (True, False)
    with pytest.raises(MustPause) as error:
        leases.require_heartbeat()
    assert error.value.code == ErrorCode.NotIdleState
    leases.require_sent_after_suspension(clock.now() - 1.0)
    run(leases, clock, 10.0)
    with pytest.raises(MustPause, match="no leases"):  # however long its stream has paused
        lease.refresh(clock.now())
    leases.on_heartbeat_change(lost=False)
    leases.require_heartbeat()
    with pytest.raises(MustPause, match="heartbeat"):
        lease.refresh(clock.now() + TIMEOUT)
    lease.refresh(clock.now() + 3 * TIMEOUT)


OWN = EndReason.ARRIVED, EndReason.LEASE_EXPIRED, EndReason.REPLACED, EndReason.REFUSED


@pytest.mark.parametrize("reason", EndReason)
def test_only_its_own_end_lets_a_stream_go_on_without_a_pause(
    leases: StreamLeases, clock: HeldClock, reason: EndReason
) -> None:
    one, other = leases.add([0, 1], TIMEOUT), leases.add([2], TIMEOUT)
    one.refresh(clock.now())
    other.refresh(clock.now())
    leases.on_motion_end(end(reason, 5, 1))
    assert one.active is (reason in OWN)
    assert other.active
    if reason not in OWN:
        with pytest.raises(MustPause, match=reason.name.lower()):
            one.refresh(clock.now())


def test_the_message_of_an_end_says_why_a_stream_has_to_pause(
    leases: StreamLeases, clock: HeldClock
) -> None:
    lease = leases.add([0], TIMEOUT)
    lease.refresh(clock.now())
    leases.on_motion_end(end(EndReason.ALARM, 0, message="axis 0: alarm 0x7121"))
    with pytest.raises(MustPause, match="axis 0: alarm 0x7121"):
        lease.refresh(clock.now())
