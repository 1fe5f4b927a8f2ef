"""Steps that let the engine react by itself, to an input or to where an axis is."""

import time
from contextlib import suppress

from ...drivers.errors import WmxError
from ...drivers.reactions import PositionOutput, StopInput, StopKind, TouchProbe
from ...drivers.values import OperationState, VelocityMove
from .bench import Bench, Facts, Unable

BYTE, BIT = 0, 0
"""The input of the steps, and the output."""
LONGEST = 2.0
"""How long the axis moves at most, s: the jog has that as its run time."""
BY_HAND = 10.0
"""How long a person has to change the input, s."""
KINDS = StopKind.STOP, StopKind.QUICK_STOP, StopKind.EMERGENCY_STOP


def stop_input(bench: Bench, facts: Facts) -> None:
    """How soon an input that is on already stops an axis, by each kind of stop."""
    axis = bench.settings.axes[0]
    bench.ready(axis)
    level = bench.driver.io.input_bit(BYTE, BIT)
    facts["level of the input"] = level
    slow = min(bench.settings.velocity, bench.settings.distance / (2.0 * LONGEST))
    acc = bench.acceleration
    try:
        for kind in KINDS:
            on = StopInput(axis=axis, address=BYTE, bit=BIT, value=level, kind=kind)
            jog = VelocityMove(axis=axis, velocity=slow, acc=acc, dec=acc, run_time=LONGEST)
            bench.motion.jog([jog])
            bench.wait(lambda status: abs(status.velocity_cmd[axis]) >= 0.99 * slow)
            began = time.monotonic()
            bench.driver.reactions.set_stop_inputs([on])
            bench.wait(lambda status: status.op_state[axis] != OperationState.JOG)
            name = kind.name.lower()
            facts[f"{name}: no jog any more after, with setting it, s"] = time.monotonic() - began
            facts[f"{name}: emergency stop"] = str(bench.rest(axis).emergency_stop)
            bench.driver.reactions.set_stop_inputs([])
            bench.motion.release_emergency_stop()
            bench.go(axis, 0.0)
    finally:
        with suppress(WmxError):
            bench.driver.reactions.set_stop_inputs([])


def touch_probe(bench: Bench, facts: Facts) -> None:
    """In which units a touch probe latches an axis that rests, by an input that is changed."""
    axis = bench.settings.axes[0]
    bench.ready(axis)
    bench.go(axis, bench.settings.distance / 2.0)
    value = not bench.driver.io.input_bit(BYTE, BIT)
    probe = TouchProbe(axis=axis, address=BYTE, bit=BIT, value=value)
    reactions = bench.driver.reactions
    try:
        reactions.set_touch_probes([axis], [probe])
        facts["before the change"] = reactions.touched([axis])[0]
        bench.wait(lambda _: bench.driver.io.input_bit(BYTE, BIT) is value, BY_HAND)
        time.sleep(0.01)
        found = bench.session.look().GetAxesStatus(axis)
        facts["latched"] = reactions.touched([axis])[0]
        facts["measured position, u"] = found.actualPos
        facts["encoder"] = found.encoderFeedback
        facts["asked again"] = reactions.touched([axis])[0]
    except Unable:
        raise Unable(f"input {BYTE}.{BIT} was not changed within {BY_HAND:g} s") from None
    finally:
        reactions.set_touch_probes([axis], [])
    bench.go(axis, 0.0)


def position_output(bench: Bench, facts: Facts) -> None:
    """Whether an output follows an axis, and what becomes of it when communication ends."""
    axis = bench.settings.axes[0]
    bench.ready(axis)
    io, reactions = bench.driver.io, bench.driver.reactions
    there = bench.settings.distance / 2.0
    found = io.output_bit(BYTE, BIT)
    output = PositionOutput(
        axis=axis, address=BYTE, bit=BIT, position=bench.homes[axis] + there / 2.0, value=True
    )
    try:
        reactions.set_position_outputs([axis], [output])
        time.sleep(0.01)
        facts["before it passes"] = io.output_bit(BYTE, BIT)
        bench.go(axis, there)
        facts["beyond"] = io.output_bit(BYTE, BIT)
        bench.go(axis, 0.0)
        facts["back"] = io.output_bit(BYTE, BIT)
        bench.stop_communication()
        bench.communicate()
        bench.ready(axis)
        bench.go(axis, there)
        facts["beyond, after communication was started again"] = io.output_bit(BYTE, BIT)
        bench.go(axis, 0.0)
    finally:
        with suppress(WmxError):
            reactions.set_position_outputs([axis], [])
            io.set_output_bit(BYTE, BIT, value=found)
