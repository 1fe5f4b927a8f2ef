"""The one loop of a node that reads the status: what it calls, when, and what it does not read."""

import threading
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from held_engine import HeldEngine
from supervisor_loop import Loop

from wmx_core.clock import STEADY
from wmx_core.errors import CommandRefused, EngineLost, ErrorCode, WmxError
from wmx_core.values import MotionStatus
from wmx_ros2_package.control.supervisor import ERROR_PERIOD, IDLE_PERIOD, Supervisor


def cycles(samples: list[MotionStatus]) -> list[int]:
    return [sample.cycle for sample in samples]


def test_feeds_of_different_rates_share_samples(loop: Loop) -> None:
    fast: list[MotionStatus] = []
    slow: list[MotionStatus] = []
    loop.supervisor.add_sink(slow.append, 10.0, name="slow")
    loop.supervisor.add_sink(fast.append, 100.0, name="fast")
    loop.run(1.0)
    assert (len(fast), len(slow)) == (101, 11)
    assert set(np.diff(cycles(fast))) == {10}
    assert set(cycles(slow)) < set(cycles(fast))
    assert loop.reads == 101


def test_samples_begin_with_a_communication_cycle(loop: Loop) -> None:
    """Whenever the loop was started, and however long its work takes."""
    samples: list[float] = []
    loop.held.clock.advance(0.0004)

    def sink(_: MotionStatus) -> None:
        samples.append(loop.now())
        loop.held.clock.advance(0.0023)

    loop.supervisor.add_sink(sink, 100.0, name="state")
    loop.run(0.5)
    offsets = {round(sample % 0.001, 5) for sample in samples[1:]}
    assert offsets <= {0.0, 0.001}
    assert len(samples) == 51


def test_what_takes_longer_than_its_period_leaves_deadlines_out(loop: Loop) -> None:
    samples: list[MotionStatus] = []

    def sink(status: MotionStatus) -> None:
        samples.append(status)
        loop.held.clock.advance(0.025)

    loop.supervisor.add_sink(sink, 100.0, name="state")
    loop.run(0.3)
    assert set(np.diff(cycles(samples))) == {30}


def test_what_has_no_rate_has_every_sample_that_is_read_after_the_others(loop: Loop) -> None:
    seen: list[str] = []
    loop.supervisor.add_sink(lambda _: seen.append("each"), name="each")
    loop.supervisor.add_sink(lambda _: seen.append("due"), 50.0, name="due")
    loop.supervisor.add_sink(lambda _: seen.append("last"), name="last")
    loop.run(0.11)
    assert seen == ["due", "each", "last"] * 6


def test_samples_in_between_put_off_no_task_that_gets_every_one(loop: Loop) -> None:
    """A motion is followed as soon as before once the trajectory that had it sampled is over."""
    seen: list[float] = []

    def follow(_: MotionStatus) -> bool:
        seen.append(loop.now())
        return True

    ends_at = loop.now() + 1.0
    loop.supervisor.ensure_task("motions", follow, 0.01, every=True)
    loop.supervisor.add_task("trajectory", lambda _: loop.now() < ends_at, 0.002)
    loop.run(2.0)
    assert np.diff(seen).max() <= 0.0101
    assert len(seen) == pytest.approx(600, abs=10)


def test_a_publisher_without_subscribers_is_looked_at_ten_times_a_second(loop: Loop) -> None:
    began = loop.now()
    looks: list[float] = []
    samples: list[MotionStatus] = []

    def look() -> bool:
        looks.append(loop.now())
        return len(looks) > 10

    loop.supervisor.add_sink(samples.append, 500.0, name="state", wanted=look)
    loop.run(2.0)
    assert np.diff(looks).min() == pytest.approx(IDLE_PERIOD, abs=1e-4)
    assert len(looks) == 20
    assert samples[0].time == pytest.approx(began + 1.0, abs=0.01)
    assert len(samples) == pytest.approx(500, abs=5)
    assert loop.reads == len(samples) + 1


def test_while_the_engine_does_not_communicate_feeds_are_not_called_but_tasks_are(
    loop: Loop,
) -> None:
    calls: Counter[str] = Counter()
    loop.held.engine.stop_communication()
    loop.supervisor.add_sink(lambda _: calls.update(["feed"]), 100.0, name="feed")
    loop.supervisor.add_sink(lambda _: calls.update(["each"]), name="each")
    loop.supervisor.add_sink(lambda _: calls.update(["state"]), 100.0, name="state", offline=True)
    loop.supervisor.add_task("task", lambda _: not calls.update(["task"]))
    loop.run(0.1)
    assert set(calls) == {"task", "state"}
    loop.held.engine.start_communication()
    loop.run(0.1)
    assert calls["feed"] == 11
    assert calls["each"] >= 11


def test_without_feeds_and_tasks_hardly_anything_is_read(loop: Loop) -> None:
    loop.run(10.0)
    assert loop.reads <= 2
    assert loop.woken == pytest.approx(100, abs=2)


def test_it_wakes_ten_times_a_second_also_while_it_reads(loop: Loop) -> None:
    loop.supervisor.add_sink(lambda _: None, 100.0, name="state")
    loop.run(1.0)
    assert loop.woken == pytest.approx(10, abs=2)


@pytest.mark.parametrize(
    "error", [CommandRefused(ErrorCode.CommNotStarted), EngineLost(ErrorCode.DeviceIsNull, "gone")]
)
def test_it_goes_on_when_what_it_wakes_raises(loop: Loop, error: WmxError) -> None:
    samples: list[MotionStatus] = []
    loop.supervisor.add_sink(samples.append, 100.0, name="state")
    loop.wake_error = error
    loop.run(1.0)
    assert len(samples) == pytest.approx(100, abs=2)
    found = loop.lost if isinstance(error, EngineLost) else [e for _, e in loop.errors]
    assert found[0] is error


# What goes wrong


def test_what_raises_hurts_no_other_and_is_reported_once_a_second(loop: Loop) -> None:
    samples: list[MotionStatus] = []

    def broken(_: MotionStatus) -> bool:
        raise RuntimeError("a bug")

    loop.supervisor.add_sink(broken, 100.0, name="broken feed")
    loop.supervisor.add_sink(samples.append, 100.0, name="its publisher", wanted=lambda: 1 / 0)
    loop.supervisor.add_task("broken task", broken)
    loop.supervisor.add_sink(samples.append, 100.0, name="state")
    loop.run(2.5 * ERROR_PERIOD)
    assert len(samples) == 251
    counts = Counter(name for name, _ in loop.errors)
    assert counts == {"broken feed": 3, "its publisher": 3, "broken task": 3}


def test_a_communication_that_ends_while_a_sample_is_used_is_no_error(loop: Loop) -> None:
    def read_an_input(_: MotionStatus) -> None:
        loop.held.engine.stop_communication()
        loop.held.io.input_bit(0, 0)

    loop.supervisor.add_sink(read_an_input, 100.0, name="an input")
    loop.run(0.1)
    assert loop.errors == []


def test_an_engine_that_is_lost_is_reported_and_asked_again_ten_times_a_second(
    loop: Loop,
) -> None:
    def lost() -> MotionStatus:
        raise EngineLost(ErrorCode.IMLibIsNotRunning)

    samples: list[MotionStatus] = []
    loop.supervisor.add_sink(samples.append, 500.0, name="state")
    read, loop.read = loop.read, lost
    loop.run(1.0)
    assert (samples, loop.errors) == ([], [])
    assert len(loop.lost) == pytest.approx(10, abs=1)
    loop.read = read
    loop.run(0.1)
    assert samples


def test_a_task_may_find_that_the_engine_is_lost(loop: Loop) -> None:
    def task(_: MotionStatus) -> bool:
        raise EngineLost(ErrorCode.IMLibIsNotRunning)

    loop.supervisor.add_task("task", task)
    loop.run(0.02)
    assert len(loop.lost) == 5
    assert loop.errors == []


def test_a_status_that_cannot_be_read_is_reported(loop: Loop) -> None:
    loop.read = lambda: 1 / 0  # type: ignore[assignment, return-value]
    loop.supervisor.add_sink(lambda _: None, 500.0, name="state")
    loop.run(0.5)
    assert {name for name, _ in loop.errors} == {"reading the status"}
    assert loop.reads == pytest.approx(5, abs=1)


# The thread


@pytest.mark.timeout(60)
def test_it_has_a_thread_of_its_own_which_has_ended_when_it_is_stopped() -> None:
    status = replace(HeldEngine().status(), time=STEADY.now())
    names: list[str] = []
    called = threading.Event()
    supervisor = Supervisor(
        "node",
        lambda: status,
        on_lost=print,
        on_error=print,
        prepare=lambda: names.append("prepared"),
    )
    supervisor.stop()

    def task(_: MotionStatus) -> None:
        names.append(threading.current_thread().name)
        called.set()

    supervisor.add_task("task", task)
    supervisor.start()
    assert called.wait(10.0)
    supervisor.stop()
    assert names == ["prepared", "node-supervisor"]
    assert "node-supervisor" not in {thread.name for thread in threading.enumerate()}
    supervisor.stop()


@pytest.mark.timeout(60)
def test_a_task_may_stop_the_loop_that_calls_it() -> None:
    status = HeldEngine().status()
    stopped = threading.Event()
    supervisor = Supervisor("node", lambda: status, on_lost=print, on_error=print)

    def task(_: MotionStatus) -> bool:
        supervisor.stop()
        stopped.set()
        return True

    supervisor.add_task("task", task)
    supervisor.start()
    assert stopped.wait(10.0)
