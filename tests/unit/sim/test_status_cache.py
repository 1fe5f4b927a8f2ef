"""What rests is read once, and that shows in nothing but the cost."""

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cases import cases
from held_engine import PARAMETERS, HeldEngine, position_move, same, velocity_move
from hypothesis import given, settings
from hypothesis import strategies as st
from random_orders import Script, carry_out, scripts

from wmx_core.errors import CommandRefused
from wmx_core.reactions import TouchProbe
from wmx_core.values import CommandMode, EcState, MotionStatus, TorqueMove
from wmx_sim.engine.clock import newest_cycle
from wmx_sim.engine.motion.curve import FADED, Curve
from wmx_sim.engine.motion.status_reading import Reading
from wmx_sim.engine.proxies import METHODS, MotionProxy
from wmx_sim.engine.status_cache import StatusCache
from wmx_sim.server.mapped_status import MappedStatus

DECAY = 51 / 40
"""How long an error takes to fade with the test machine's gain, and be over, s."""


def look(held: HeldEngine) -> MotionStatus:
    seen = held.fake.try_read()
    assert seen is not None
    return seen


def is_used_again(held: HeldEngine, after: float = 0.001) -> bool:
    """Whether the sample `after` seconds from now is the present one with another time."""
    first = look(held)
    held.clock.advance(after)
    second = look(held)
    assert second.cycle == first.cycle + round(1000 * after)
    assert second.time == pytest.approx(first.time + after, abs=1e-9)
    return second.pos_cmd is first.pos_cmd and second.motion_complete is first.motion_complete


@pytest.mark.long
@settings(max_examples=cases(200))
@given(scripts, st.integers(0, 3000))
def test_a_sample_is_what_is_computed_for_its_time(script: Script, later: int) -> None:
    """To the last bit, whoever looked before."""
    held = HeldEngine(3).servo_on()
    seen_often = StatusCache(held.fake.shared_state)
    for wait, order in [*script, (later, ("stop", 0, None)), (3000, ("stop", 0, None))]:
        for part in 0.3, 0.3, 0.4:
            held.clock.advance(part * wait / 1000)
            held.status()  # what is due is done
            now = newest_cycle(held.clock)
            sample, asked = seen_often.take(now), MotionProxy(held.fake.call).status()
            values = Reading(held.fake.shared_state).at(now.time)
            computed = MotionStatus(time=now.steady, cycle=now.cycle, **values)
            assert sample is not None
            assert same(sample, computed)
            assert same(asked, computed)
            assert (sample.time, sample.cycle) == (computed.time, computed.cycle)
        carry_out(held, *order)


def test_an_axis_at_rest_is_read_once() -> None:
    held = HeldEngine().servo_on()
    held.after(DECAY)
    assert is_used_again(held)
    assert is_used_again(held, after=3600.0)


def test_in_motion_samples_share_what_is_only_written() -> None:
    held = HeldEngine().servo_on()
    held.motion.move_absolute([position_move(0, 1.0)])
    held.clock.advance(0.1)
    first = look(held)
    assert look(held) is first, "it is the same cycle"
    held.clock.advance(0.01)
    second = look(held)
    assert second.pos_cmd[0] > first.pos_cmd[0]
    shared = "servo_on", "amp_alarm", "alarm_code", "op_state", "command_mode", "target"
    assert all(getattr(second, name) is getattr(first, name) for name in shared)
    held.motion.stop([0])
    assert look(held).op_state is not second.op_state


def test_orders_that_change_nothing_leave_a_sample_as_it_is() -> None:
    held = HeldEngine().servo_on()
    held.after(DECAY)
    before = look(held)
    held.motion.set_servo(0, on=True)
    held.motion.stop([0, 1])
    with pytest.raises(CommandRefused):
        held.motion.move_velocity([velocity_move(0, 0.5)])
    assert look(held).pos_cmd is before.pos_cmd
    held.motion.set_servo(0, on=False)
    assert look(held).servo_on.tolist() == [False, True]


def test_rest_begins_when_the_error_has_faded() -> None:
    held = HeldEngine().servo_on()
    held.motion.move_absolute([position_move(target=1.0)])
    held.after(0.5)
    assert not is_used_again(held)
    while held.status().velocity_cmd[0]:
        held.clock.advance(0.001)
    held.clock.advance(DECAY - 0.01)
    assert not is_used_again(held)
    held.clock.advance(0.01)
    assert is_used_again(held)
    at_rest = look(held)
    assert at_rest.following_error.tolist() == [0.0, 0.0]
    assert at_rest.actual_pos.tolist() == at_rest.pos_cmd.tolist() == [1.0, 0.0]
    assert not np.count_nonzero([at_rest.actual_velocity, at_rest.actual_torque])


def test_the_drive_reckons_with_the_same_end_of_a_decay() -> None:
    fading = Curve(1.0, d=1.0, rate=40.0)
    late, over = (FADED - 0.01) / 40.0, (FADED + 0.01) / 40.0
    assert 0.0 < fading.after(late).d < 1e-21
    assert fading.after(over).d == 0.0
    lasting = fading._replace(p=0.0)
    assert 0.0 < lasting.at(late) < 1e-21
    assert lasting.at(over) == lasting.slope().at(over) == 0.0


def test_one_axis_that_moves_is_enough() -> None:
    held = HeldEngine(3).servo_on()
    held.motion.set_command_mode(2, CommandMode.VELOCITY)
    held.motion.move_velocity([velocity_move(2, 0.5)])
    held.after(60.0)
    assert not is_used_again(held), "it moves steadily, and for ever"
    held.motion.stop([2])
    held.after(60.0)
    assert is_used_again(held)


def test_an_axis_that_speeds_up_for_long_moves() -> None:
    held = HeldEngine().servo_on()
    held.motion.move_absolute([position_move(target=100.0, velocity=10.0, acc=0.1)])
    held.after(10.0)
    assert not is_used_again(held)


def test_a_motor_moves_whose_command_rests() -> None:
    held = HeldEngine().servo_on()
    held.fake.call("motion", "freeze_encoder", 0, frozen=True)
    held.motion.move_absolute([position_move(target=20.0, velocity=40.0, acc=100.0, dec=100.0)])
    held.after(10.0)
    assert is_used_again(held), "the encoder shows nothing of it"
    held.fake.call("motion", "freeze_encoder", 0, frozen=False)
    held.after(0.05)
    assert not is_used_again(held)
    assert look(held).velocity_cmd[0] == 0.0


def test_a_motor_that_torque_turns_moves() -> None:
    held = HeldEngine().servo_on(mode=CommandMode.TORQUE)
    held.motion.move_torque([TorqueMove(axis=1, torque=5.0)])
    held.after(60.0)
    assert not is_used_again(held)


def test_it_is_not_at_rest_before_it_counts_as_arrived() -> None:
    held = HeldEngine(**{**PARAMETERS, "delayed_pos_set_milliseconds": 20_000.0}).servo_on()
    held.motion.move_absolute([position_move(target=1.0)])
    done = held.after(20.79)  # the command takes 0.8 s
    assert not done.motion_complete[0]
    assert not is_used_again(held)
    held.clock.advance(0.01)
    assert look(held).motion_complete[0]
    assert is_used_again(held)


@pytest.mark.parametrize(
    "change",
    [
        lambda held: held.raise_alarm(1),
        lambda held: held.motion.set_servo(0, on=False),
        lambda held: held.engine.stop_communication(),
        lambda held: held.ecat.set_slave_state(0, 0, EcState.PREOP),
        lambda held: held.play("[{drop_slave: {slave: 1}}]"),
    ],
)
def test_what_is_changed_shows_at_once(change: Callable[[HeldEngine], None]) -> None:
    held = HeldEngine().servo_on()
    held.after(DECAY)
    before = look(held)
    change(held)
    seen = held.fake.try_read() or held.status()
    assert not same(seen, before)
    assert same(seen, held.status())


READING = {method for (_, method), declared in METHODS.items() if declared.reads}
QUESTIONS: dict[str, tuple[str, tuple[Any, ...]]] = {
    "state": ("engine", ()),
    "devices": ("engine", ()),
    "status": ("motion", ()),
    "course": ("motion", (0,)),
    "history": ("motion", (0,)),
    "copy": ("motion", ([0],)),
    "parameters": ("motion", ()),
    "network_state": ("ecat", (0,)),
    "read_register": ("ecat", (0, 0, 0x130, 2)),
    "read_sdo": ("ecat", (0, 0, 0x6064, 0, 4)),
    "input_bit": ("io", (0, 0)),
    "input_bytes": ("io", (0, 8)),
    "input_bits": ("io", (((0, 0), (5, 7)),)),
    "output_bit": ("io", (0, 0)),
    "output_bytes": ("io", (0, 8)),
    "time": ("faults", ()),
    "touched": ("reactions", ((0,),)),
}


@pytest.mark.parametrize("method", sorted(READING))
def test_a_question_leaves_the_board_alone(method: str) -> None:
    held = HeldEngine().servo_on()
    held.motion.move_absolute([position_move(target=100.0)])
    held.after(0.2)
    held.ecat.set_slave_state(0, 1, EcState.PREOP)
    held.reactions.set_touch_probes([], [TouchProbe(axis=0, address=0, bit=0, value=True)])
    shared, (part, arguments) = held.fake.shared_state, QUESTIONS[method]
    looking = MappedStatus(os.dup(shared.fd), held.fake.axes, held.fake.clock)  # type: ignore[arg-type]
    looking.read()
    before = shared.record.tobytes()
    held.clock.advance(0.003)
    held.fake.call(part, method, *arguments)
    assert shared.record.tobytes() == before


def test_what_came_due_is_written_whoever_asks() -> None:
    held = HeldEngine()
    held.motion.set_servo(0, on=True)
    before = held.fake.shared_state.sequence.item()
    held.clock.advance(0.05)
    held.engine.state()
    assert held.fake.shared_state.sequence.item() == before + 2
    assert look(held).servo_on.tolist() == [True, False]
