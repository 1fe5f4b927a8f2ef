"""Wires: an input follows its output after its delay, exactly, whoever looks and when."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import pytest
from cases import cases
from held_engine import HeldEngine
from hypothesis import given, settings
from hypothesis import strategies as st

from wmx_core.reactions import PositionOutput
from wmx_sim.engine.machine.wires import Bit, Wire
from wmx_sim.engine.motion.axes import Axes

GRIPPER, CLOSED, OPEN, AT_ONCE = Bit(2, 0), Bit(5, 1), Bit(5, 2), Bit(6, 7)
WIRING = (
    Wire(output=GRIPPER, input=CLOSED, delay=0.030),
    Wire(output=GRIPPER, input=OPEN, delay=0.010, inverted=True),
    Wire(output=Bit(3, 7), input=AT_ONCE),
)


Told = list[tuple[int, bytes]]


@contextmanager
def listening() -> Iterator[Told]:
    """When the axes of an engine that is made meanwhile are told of inputs, and of which."""
    told: Told = []

    def follow_inputs(axes: Axes, image: bytes) -> None:
        told.append((axes.status().cycle, image[5:7]))

    with patch.object(Axes, "follow_inputs", follow_inputs):
        yield told


def engine() -> HeldEngine:
    return HeldEngine(wiring=WIRING)


def inputs(held: HeldEngine) -> tuple[bool, bool, bool]:
    return tuple(held.io.input_bit(*bit) for bit in (CLOSED, OPEN, AT_ONCE))  # type: ignore[return-value]


def cycles(held: HeldEngine, count: int, bit: Bit = CLOSED) -> str:
    """One input in each of the next `count` cycles, this one first."""
    seen = ""
    for _ in range(count):
        seen += "01"[held.io.input_bit(*bit)]
        held.clock.advance(0.001)
    return seen


def test_an_input_follows_after_the_delay_exactly_to_the_cycle() -> None:
    held = engine()
    held.clock.advance(0.0123)
    held.io.set_output_bit(*GRIPPER, value=True)
    assert cycles(held, 40) == "0" * 30 + "1" * 10
    held.io.set_output_bytes(0, bytes(8))
    assert cycles(held, 40) == "1" * 30 + "0" * 10


def test_an_inverted_wire_is_on_while_its_output_is_off() -> None:
    held = engine()
    assert inputs(held) == (False, True, False), "as if it had always been so"
    held.io.set_output_bit(*GRIPPER, value=True)
    assert cycles(held, 12, OPEN) == "1" * 10 + "0" * 2


def test_without_a_delay_the_input_follows_in_the_same_cycle() -> None:
    held = engine()
    held.io.set_output_bytes(3, b"\x80")
    assert held.io.input_bytes(6, 1) == b"\x80"
    held.io.set_output_bytes(3, b"\x7f")
    assert held.io.input_bytes(6, 1) == b"\x00", "and no other bit has a wire"
    held.io.set_output_bits([(3, 6, True), (3, 7, True)])
    assert held.io.input_bytes(6, 1) == b"\x80"


def test_pulses_shorter_than_the_delay_arrive_as_they_were() -> None:
    held = engine()
    sent = "0110010111100000"
    for value in sent:
        held.io.set_output_bit(*GRIPPER, value=value == "1")
        held.clock.advance(0.001)
    held.clock.advance(0.030 - len(sent) * 0.001)
    assert cycles(held, 20) == sent + "0000"


def test_setting_what_is_set_already_sends_nothing() -> None:
    with listening() as told:
        held = engine()
        held.io.set_output_bit(*GRIPPER, value=True)
        held.clock.advance(0.020)
        held.io.set_output_bit(*GRIPPER, value=True)
        held.io.set_output_bit(2, 1, value=True)
        told.clear()
        held.after(1.0)
    assert told == [(30, b"\x02\x00")]


@pytest.mark.parametrize(("delay", "expected"), [(0.0004, 0), (0.0016, 2), (60.0, 60_000)])
def test_a_delay_is_rounded_to_whole_cycles(delay: float, expected: int) -> None:
    assert Wire(output=GRIPPER, input=CLOSED, delay=delay).cycles == expected


# Forced inputs


def test_a_forced_input_wins_until_it_is_released() -> None:
    held = engine()
    held.fake.call("io", "force_input_bit", *CLOSED, value=False)
    held.io.set_output_bit(*GRIPPER, value=True)
    held.clock.advance(1.0)
    assert inputs(held) == (False, False, False), "its neighbour still has its wire"
    held.fake.call("io", "release_input_bit", *CLOSED)
    assert inputs(held) == (True, False, False)


def test_a_forced_block_wins_until_it_is_released() -> None:
    held = engine()
    held.fake.call("io", "force_input_bytes", 4, b"\xaa\xff\xaa")
    held.io.set_output_bit(*GRIPPER, value=True)
    held.clock.advance(1.0)
    assert held.io.input_bytes(3, 5) == b"\x00\xaa\xff\xaa\x00"
    for bit in range(8):
        held.fake.call("io", "release_input_bit", 5, bit)
    assert held.io.input_bytes(3, 5) == b"\x00\xaa\x02\xaa\x00"


# Communication


def test_outputs_go_off_when_the_communication_stops_and_the_wires_carry_that() -> None:
    held = engine()
    held.io.set_output_bytes(0, b"\xff" * 8000)
    held.clock.advance(0.1)
    held.engine.stop_communication()
    held.clock.advance(0.009)
    held.engine.start_communication()
    assert held.io.output_bytes(0, 8000) == bytes(8000)
    assert cycles(held, 3, OPEN) == "011"
    held.clock.advance(0.017)
    assert cycles(held, 3) == "100"


def test_no_axis_switches_an_output_any_more_after_communication() -> None:
    held = engine()
    place = PositionOutput(axis=0, address=3, bit=5, position=0.5, value=True)
    held.reactions.set_position_outputs([0], [place])
    held.engine.stop_communication()
    held.engine.start_communication()
    held.motion.set_position(0, 1.0)
    held.after(0.1)
    assert not held.io.output_bit(3, 5)


# Whoever looks


steps = st.lists(st.tuples(st.integers(0, 40), st.booleans()), max_size=20)


@settings(max_examples=cases(100))
@given(steps, st.lists(st.integers(1, 50), max_size=30))
def test_inputs_do_not_depend_on_who_looks_when(
    orders: list[tuple[int, bool]], looks: list[int]
) -> None:
    def run(pending: list[int]) -> Told:
        with listening() as told:
            held = engine()
            for wait, value in [*orders, (100, False), (100, False)]:
                while pending and pending[0] < wait:
                    wait -= pending[0]
                    held.after(pending.pop(0) / 1000)
                held.clock.advance(wait / 1000)
                held.io.set_output_bit(*GRIPPER, value=value)
            return told

    unseen = run([])
    assert run(list(looks)) == unseen
    moments = [cycle for cycle, _ in unseen]
    assert moments == sorted(moments)


def test_the_axes_are_told_of_inputs_at_the_cycle_in_which_they_change() -> None:
    with listening() as told:
        held = engine()
        held.clock.advance(0.1)
        held.io.set_output_bit(*GRIPPER, value=True)
        told.clear()
        held.after(10.0)
        held.fake.call("io", "force_input_bit", 6, 0, value=True)
    assert told == [(110, b"\x00\x00"), (130, b"\x02\x00"), (10_100, b"\x02\x01")]
