"""Tasks of a supervisor."""

from collections import Counter

import numpy as np
import pytest
from supervisor_loop import Loop

from wmx_core.values import MotionStatus
from wmx_ros2_package.control.supervisor import TASK_PERIOD


def test_a_task_is_called_until_it_is_over(loop: Loop) -> None:
    called: list[float] = []

    def task(_: MotionStatus) -> bool:
        called.append(loop.now())
        return len(called) < 10

    loop.supervisor.add_task("task", task)
    loop.run(1.0)
    assert len(called) == 10
    assert np.diff(called) == pytest.approx([TASK_PERIOD] * 9)
    assert loop.reads <= 11


@pytest.mark.parametrize("period", [0.001, 0.05])
def test_a_task_has_its_own_period(loop: Loop, period: float) -> None:
    called: list[float] = []
    loop.supervisor.add_task("task", lambda _: not called.append(loop.now()), period)
    loop.run(0.5)
    assert np.diff(called) == pytest.approx([period] * (len(called) - 1), abs=1e-4)
    assert len(called) == round(0.5 / period) + 1


def test_a_task_that_is_called_early_is_not_called_again_when_it_is_due(loop: Loop) -> None:
    called: list[float] = []
    loop.supervisor.add_sink(lambda _: None, 1000.0, name="state")
    loop.supervisor.add_task("task", lambda _: not called.append(loop.now()))
    loop.run(0.5)
    assert len(called) == round(0.5 / TASK_PERIOD) + 1


def test_a_task_may_say_when_it_is_called_again(loop: Loop) -> None:
    called: list[float] = []

    def task(_: MotionStatus) -> float:
        called.append(loop.now())
        return loop.now() + 0.0123

    loop.supervisor.add_task("task", task)
    loop.run(0.1)
    assert np.diff(called) == pytest.approx([0.0123] * (len(called) - 1), abs=2e-4)
    assert len(called) == 9


def test_a_task_may_have_every_sample_that_is_read(loop: Loop) -> None:
    called: list[float] = []
    loop.supervisor.add_sink(lambda _: None, 100.0, name="state")
    loop.supervisor.ensure_task("task", lambda _: not called.append(loop.now()), 1.0, every=True)
    loop.run(0.5)
    assert len(called) == 51
    assert loop.reads == 51


def test_a_task_that_comes_later_is_called_at_once(loop: Loop) -> None:
    called: list[float] = []

    def feed(_: MotionStatus) -> None:
        if loop.now() > began + 0.55 and not called:
            loop.supervisor.add_task("task", lambda _: called.append(loop.now()))
            called.append(loop.now())

    began = loop.now()
    loop.supervisor.add_sink(feed, 1.0, name="slow")
    loop.run(1.5)
    given, begun = called
    assert begun == pytest.approx(given, abs=1e-6)


def test_there_is_one_task_of_a_name_that_is_kept(loop: Loop) -> None:
    """Whoever asks for it while it runs finds it there, also from within, and wakes nothing."""
    calls: Counter[str] = Counter()

    def task(_: MotionStatus) -> bool:
        calls["task"] += 1
        loop.supervisor.ensure_task("kept", task, 0.1)
        return True

    def ensure(_: MotionStatus) -> None:
        loop.supervisor.ensure_task("other", lambda _: not calls.update(["other"]), 0.1)

    for _ in range(3):
        loop.supervisor.ensure_task("kept", task, 0.1)
    loop.supervisor.add_sink(ensure, 100.0, name="whoever asks")
    loop.run(1.0)
    assert (calls, loop.puts) == ({"task": 11, "other": 11}, 11 + 2)


def test_a_kept_task_that_is_asked_for_as_it_ends_is_called_again(loop: Loop) -> None:
    calls: list[float] = []

    def task(_: MotionStatus) -> bool:
        calls.append(loop.now())
        if len(calls) < 3:
            loop.supervisor.ensure_task("kept", task, 0.1)
        return False

    loop.supervisor.ensure_task("kept", task, 0.1)
    loop.run(0.5)
    assert len(calls) == 3


@pytest.mark.parametrize("within", [False, True])
def test_a_kept_task_is_called_again_after_the_loop_has_stopped(loop: Loop, within: bool) -> None:
    calls: list[float] = []

    def task(_: MotionStatus) -> bool:
        calls.append(loop.now())
        if within:
            loop.supervisor.stop()
        return True

    loop.supervisor.ensure_task("kept", task, 0.1)
    loop.run(0.05)
    loop.supervisor.stop()
    loop.supervisor.ensure_task("kept", task, 0.1)
    loop.run(0.05)
    assert len(calls) == 2


def test_tasks_end_with_the_loop(loop: Loop) -> None:
    called: list[float] = []
    loop.supervisor.add_task("task", lambda _: not called.append(loop.now()))
    loop.run(0.1)
    count = len(called)
    loop.supervisor.stop()
    loop.run(0.1)
    assert len(called) == count


def test_feeds_go_on_when_the_loop_is_started_again(loop: Loop) -> None:
    samples: list[MotionStatus] = []
    loop.supervisor.add_sink(samples.append, 10.0, name="state")
    loop.run(0.5)
    loop.supervisor.stop()
    loop.run(0.5)
    assert len(samples) == 12
