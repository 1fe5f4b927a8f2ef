"""The engine as a whole: communication, parameters, and time that is computed, not waited for."""

import sys
import threading
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from held_engine import HeldEngine, position_move, same, velocity_move

from wmx_core.clock import SteadyClock
from wmx_core.errors import CommandRefused, EngineLost, ErrorCode
from wmx_core.parameters.parameter_set import read_parameters
from wmx_core.values import CommandMode, MotionStatus, OperationState, TorqueMove
from wmx_sim.engine.clock import HeldClock, RunningClock, newest_cycle
from wmx_sim.engine.engine import SimulatedEngine
from wmx_sim.engine.machine.description import CONFIG, default_machine
from wmx_sim.engine.machine.wires import Bit, Wire

# Communication


def test_an_axis_goes_offline_with_its_slave_and_returns_with_it() -> None:
    held = HeldEngine().servo_on()
    held.motion.move_absolute([position_move(target=5.0)])
    held.after(0.2)
    held.fake.call("ecat", "drop_slave", 0)
    dropped = held.after(5.0)
    assert dropped.servo_offline.tolist()[:2] == [True, False]
    assert not dropped.servo_on[0]
    assert dropped.velocity_cmd[0] == 0.0
    assert dropped.pos_cmd[0] < 5.0
    with pytest.raises(CommandRefused, match=r"Error=1566 \(ServoOffline\)"):
        held.motion.set_servo(0, on=True)
    held.fake.call("ecat", "return_slave", 0)
    assert held.after(0.1).servo_offline[0]
    held.fake.call("ecat", "start_hotconnect", 0)
    assert not held.after(0.1).servo_offline.any()


# Parameters


def test_the_machine_names_the_parameters_the_engine_starts_with() -> None:
    engine = SimulatedEngine(default_machine(), HeldClock())
    shipped = read_parameters(CONFIG / "wmx_parameters_6_axes.xml")
    assert engine.call("motion", "parameters") == shipped


def test_what_is_set_while_a_file_is_read_is_not_taken_back(tmp_path: Path) -> None:
    held = HeldEngine()
    file = tmp_path / "of_axis_1.xml"
    file.write_text(held.motion.parameters().of([1]).to_xml())
    read = held.fake.readers["load_parameters"](str(file))
    held.motion.set_gear_ratio(0, 2000.0, 1.0)
    with pytest.raises(CommandRefused) as refused:
        held.fake.call("motion", *read)
    assert refused.value.code == ErrorCode.ResourceInUse
    assert held.motion.parameters().axis(0).gear_ratio_numerator == 2000.0
    held.motion.load_parameters(str(file))
    assert held.motion.parameters().axis(0).gear_ratio_numerator == 2000.0


# Time


def test_a_status_tells_the_cycle_it_belongs_to() -> None:
    held = HeldEngine()
    status = held.after(1.2345)
    assert (status.cycle, status.time) == (1234, 1.234)
    assert held.after(0.0005).cycle == 1235


def test_a_status_that_was_read_does_not_change_later() -> None:
    held = HeldEngine()
    before = held.status()
    kept = {name: np.copy(getattr(before, name)) for name in MotionStatus.__slots__}
    held.servo_on()
    held.motion.home(0)
    held.motion.move_absolute([position_move()])
    held.raise_alarm(1)
    held.after(0.1)
    for name, value in kept.items():
        np.testing.assert_array_equal(getattr(before, name), value, name)


def test_a_held_clock_does_not_go_back() -> None:
    clock = HeldClock()
    clock.advance(1.0)
    with pytest.raises(ValueError, match="back"):
        clock.advance(-0.1)
    assert newest_cycle(clock).cycle == 1000


def test_a_running_clock_runs_as_fast_as_it_is_told() -> None:
    real: Any = HeldClock()
    real.advance(5.0)
    clock = RunningClock(10.0, real=real)
    real.advance(0.2)
    instant = newest_cycle(clock)
    assert (instant.cycle, instant.time) == (2000, 2.0)
    assert instant.steady == pytest.approx(5.2)


def test_a_sleep_takes_engine_time() -> None:
    real: Any = HeldClock()
    RunningClock(10.0, real=real).sleep(0.5)
    assert real.now() == 0.05
    held = HeldClock()
    held.sleep(0.5)
    assert newest_cycle(held).cycle == 500


def test_the_machine_says_how_fast_time_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    now_ns = 5_000_000_000
    monkeypatch.setattr(SteadyClock, "now_ns", lambda _: now_ns)
    engine = SimulatedEngine(replace(default_machine(), clock_rate=0.5))
    now_ns += 3_000_000_000
    status = engine.call("motion", "status")
    assert (status.cycle, status.time) == (1500, 8.0)


@pytest.mark.parametrize("rate", [0.5, 20.0])
def test_what_ends_motions_by_itself_is_in_steady_time(rate: float) -> None:
    real: Any = HeldClock()
    engine = SimulatedEngine(default_machine(), RunningClock(rate, real=real))
    engine.call("engine", "start_communication")
    for axis in range(3):
        engine.call("motion", "set_servo", axis, on=True)
    engine.call("motion", "set_command_mode", 2, CommandMode.TORQUE)
    real.advance(10.0)
    engine.call("engine", "feed_dead_man", [0], 1.0)
    engine.call("motion", "jog", [velocity_move(0, 0.1)])
    engine.call("motion", "jog", [velocity_move(1, 0.1, run_time=1.0)])
    engine.call("motion", "move_torque", [TorqueMove(axis=2, torque=1.0, run_time=1.0)])
    states = []
    for _ in range(2):
        real.advance(0.9)
        states.append(engine.call("motion", "status").op_state[:3].tolist())
    assert states[0] == [OperationState.JOG, OperationState.JOG, OperationState.TRQ]
    assert not {OperationState.JOG, OperationState.TRQ}.intersection(states[1])


def test_a_run_of_a_slow_engine_ends_no_earlier_than_it_is_to() -> None:
    """Its cycle began up to 10 ms before the command, which counts from its own time."""
    real: Any = HeldClock()
    engine = SimulatedEngine(default_machine(), RunningClock(0.1, real=real))
    engine.call("engine", "start_communication")
    engine.call("motion", "set_servo", 0, on=True)
    real.advance(10.009)
    engine.call("motion", "jog", [velocity_move(0, 0.1, run_time=1.0)])
    real.advance(0.999)
    assert engine.call("motion", "status").op_state[0] == OperationState.JOG
    real.advance(0.02)
    assert engine.call("motion", "status").op_state[0] != OperationState.JOG


class CountingClock(HeldClock):
    """A clock that knows how often it was looked at."""

    looks = 0

    def now_ns(self) -> int:
        self.looks += 1
        return super().now_ns()


def test_an_idle_engine_does_nothing() -> None:
    """No thread of its own, no look at the clock, and years of rest take no step."""
    clock, threads = CountingClock(), threading.active_count()
    engine = SimulatedEngine(default_machine(), clock)
    engine.call("engine", "start_communication")
    for axis in range(6):
        engine.call("motion", "set_servo", axis, on=True)
    clock.advance(1.0)
    rest = engine.call("motion", "status")
    looks = clock.looks
    clock.advance(1e8)
    steps = 0

    def count(frame: object, event: str, arg: object) -> None:
        nonlocal steps
        steps += event == "call"

    sys.setprofile(count)
    try:
        later = engine.call("motion", "status")
    finally:
        sys.setprofile(None)
    assert same(later, rest)
    assert steps < 100, "reading the state does not go through the time that passed"
    assert (clock.looks, threading.active_count()) == (looks + 1, threads)


# The end


def test_nothing_happens_to_an_engine_that_has_crashed() -> None:
    """What was scripted for later, or goes over a wire, dies with it."""
    wire = Wire(output=Bit(0, 0), input=Bit(0, 0), delay=0.005)
    held = HeldEngine(wiring=(wire,))
    held.play("[{after: 2, crash_engine: {}}, {after: 3, raise_alarm: {axis: 0, code: 7}}]")
    held.io.set_output_bit(0, 0, value=True)
    held.clock.advance(1.0)
    for _ in range(2):
        with pytest.raises(EngineLost):
            held.engine.state()
    assert held.fake.shared_state.alarm_code.tolist() == [0, 0]
    assert held.fake.shared_state.next_due == -inf, "whoever reads has to ask, and learns it"
    assert held.fake.try_read() is None
    assert held.fake.events.next_cycle == inf
