"""Looking at an engine's axes from outside: the same as asking the engine, or nothing."""

import os
import threading
from collections.abc import Callable
from typing import Any, ClassVar, get_type_hints

import numpy as np
import pytest
from cases import cases
from descriptors import descriptors
from held_engine import HeldEngine, same, velocity_move
from hypothesis import given, settings
from hypothesis import strategies as st
from random_orders import Script, carry_out, machine_with_ends, scripts

from wmx_core.values import Flags, Floats, Ints, MotionStatus, OperationState
from wmx_sim.server import mapped_status
from wmx_sim.server.mapped_status import MappedStatus


def window(held: HeldEngine) -> MappedStatus:
    fake = held.fake
    return MappedStatus(os.dup(fake.shared_state.fd), fake.axes, fake.clock)  # type: ignore[arg-type]


@pytest.mark.long
@settings(max_examples=cases(200))
@given(scripts, st.integers(0, 3000))
def test_what_is_seen_is_what_the_engine_would_answer(script: Script, later: int) -> None:
    held = machine_with_ends()
    looking = window(held)
    for wait, order in [*script, (later, ("stop", 0, None))]:
        held.clock.advance(wait / 1000)
        seen = looking.read()
        asked = held.fake.call("motion", "status")
        assert seen is None or (same(seen, asked) and seen.time == asked.time)
        carry_out(held, *order)
        asked = held.fake.call("motion", "status")
        seen = looking.read()
        assert seen is not None, "nothing is due any more"
        assert same(seen, asked)
        assert (seen.cycle, seen.time) == (asked.cycle, asked.time)


def test_what_is_due_is_for_the_engine_to_do() -> None:
    held = HeldEngine()
    looking = window(held)
    held.motion.set_servo(0, on=True)
    held.clock.advance(0.049)
    assert looking.read() is not None
    held.clock.advance(0.001)
    assert looking.read() is None
    assert held.status().servo_on[0]
    seen = looking.read()
    assert seen is not None
    assert seen.servo_on[0]


def test_what_is_scripted_is_for_the_engine_to_do() -> None:
    held = HeldEngine()
    looking = window(held)
    held.play("[{after: 50, raise_alarm: {axis: 1, code: 7}}]")
    held.clock.advance(0.0499)
    assert looking.read() is not None
    held.clock.advance(0.0001)
    assert looking.read() is None
    assert held.status().alarm_code.tolist() == [0, 7]
    seen = looking.read()
    assert seen is not None
    assert seen.alarm_code.tolist() == [0, 7]


def test_a_board_that_is_being_written_is_not_looked_at() -> None:
    held = HeldEngine()
    looking = window(held)
    with held.fake.shared_state.writing():
        assert looking.read() is None
    assert looking.read() is not None


def test_the_board_is_being_written_while_the_engine_is_called() -> None:
    held = HeldEngine()
    looking = window(held)
    held.fake.call("faults", "play_entries", [Onlooker(looking)])
    assert Onlooker.seen == [None]


class Onlooker:
    """A fault of a script that looks through a window while the script is being judged."""

    seen: ClassVar[list[object]] = []

    def __init__(self, looking: MappedStatus) -> None:
        self._looking = looking

    def faults(self) -> dict[str, Any]:
        self.seen.append(self._looking.read())
        return {}


def test_a_refused_order_leaves_the_board_readable() -> None:
    held = HeldEngine()
    looking = window(held)
    with pytest.raises(Exception, match="ServoOff"):
        held.motion.home(0)
    assert looking.read() is not None


class Rewritten:
    """The memory of a state that is written again while it is copied, so many times."""

    def __init__(self, held: HeldEngine, times: int) -> None:
        self._held, self.times = held, times
        self._memory = np.frombuffer(held.fake.shared_state.record, np.uint8)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        copied = self._memory.copy()
        if self.times:
            self.times -= 1
            with self._held.fake.shared_state.writing():
                self._held.fake.shared_state.alarm_code[1] += 1
        return copied


@pytest.mark.parametrize(("times", "is_read"), [(0, True), (1, True), (2, True), (3, False)])
def test_a_copy_of_two_states_is_not_used(times: int, is_read: bool) -> None:
    held = HeldEngine()
    looking = window(held)
    looking.written = Rewritten(held, times)  # type: ignore[assignment]
    seen = looking.read()
    assert (seen is not None) is is_read
    if seen is not None:
        assert seen.alarm_code.tolist() == held.status().alarm_code.tolist() == [0, times]


def test_on_another_processor_the_engine_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mapped_status, "IN_ORDER", False)
    looking = window(HeldEngine())
    assert looking.read() is None
    looking.close()


def test_a_state_of_another_size_is_none() -> None:
    held = HeldEngine()
    with pytest.raises((ValueError, OSError)):
        MappedStatus(os.dup(held.fake.shared_state.fd), 128, held.fake.clock)  # type: ignore[arg-type]


def test_a_window_that_is_closed_shows_nothing_and_holds_nothing() -> None:
    held = HeldEngine()
    with descriptors() as count:
        files = count()
        looking = window(held)
        assert looking.read() is not None
        looking.close()
        looking.close()
        assert looking.read() is None
        assert count() == files


def test_the_engine_cannot_be_changed_through_a_window() -> None:
    held = HeldEngine()
    seen = window(held).read()
    assert seen is not None
    for name, kind in get_type_hints(MotionStatus).items():
        if kind in (Flags, Ints, Floats):
            with pytest.raises(ValueError, match="read-only"):
                getattr(seen, name)[:] = 1


class InterruptedClock:
    """A clock at whose first look something else happens first."""

    def __init__(self, held: HeldEngine, meanwhile: Callable[[], None]) -> None:
        self.steady, self.rate = held.clock.steady, held.clock.rate
        self._held, self._meanwhile = held, meanwhile

    def now_ns(self) -> int:
        meanwhile, self._meanwhile = self._meanwhile, lambda: None
        meanwhile()
        return self._held.clock.now_ns()


def interrupted(held: HeldEngine, meanwhile: Callable[[], None]) -> MappedStatus:
    """A window whose first look is interrupted between its copy and its time."""
    clock = InterruptedClock(held, meanwhile)
    return MappedStatus(os.dup(held.fake.shared_state.fd), 2, clock)  # type: ignore[arg-type]


def test_a_status_shows_what_was_commanded_before_its_time() -> None:
    held = HeldEngine().servo_on()

    def meanwhile() -> None:
        held.motion.jog([velocity_move()])
        held.clock.advance(0.02)

    seen = interrupted(held, meanwhile).read()
    assert seen is not None
    assert seen.op_state[0] == OperationState.JOG
    assert same(seen, held.status())


def test_threads_that_look_at_once_look_one_after_the_other() -> None:
    held = HeldEngine()
    waits: list[bool] = []

    def meanwhile() -> None:
        other.start()
        other.join(0.2)
        waits.append(other.is_alive())

    looking = interrupted(held, meanwhile)
    other = threading.Thread(target=looking.read)
    seen = looking.read()
    other.join()
    assert waits == [True]
    assert seen is not None
    assert same(seen, held.status())
