"""Steps that let the engine react by itself, to an input or to where an axis is."""

from contextlib import suppress

from wmx_core.errors import WmxError
from wmx_core.reactions import PositionOutput, StopInput, StopKind, TouchProbe
from wmx_core.values import OperationState

from .session import Facts, Probe, Unable

BYTE, BIT = 0, 0
"""The input of the steps, and the output."""
BY_HAND = 10.0
"""How long a person has to change the input, s."""
KINDS = StopKind.STOP, StopKind.QUICK_STOP, StopKind.EMERGENCY_STOP


def stop_input(probe: Probe, facts: Facts) -> None:
    """How soon an input that is on already stops an axis, by each kind of stop."""
    axis = probe.settings.axes[0]
    probe.ready(axis)
    level = probe.driver.io.input_bit(BYTE, BIT)
    facts["level of the input"] = level
    jog = probe.slow_jog(axis)
    try:
        for kind in KINDS:
            on = StopInput(axis=axis, address=BYTE, bit=BIT, value=level, kind=kind)
            probe.motion.jog([jog])
            probe.wait(lambda status: abs(status.velocity_cmd[axis]) >= 0.99 * jog.velocity)
            began = probe.clock.now()
            probe.driver.reactions.set_stop_inputs([on])
            probe.wait(lambda status: status.op_state[axis] != OperationState.JOG)
            name = kind.name.lower()
            facts[f"{name}: no jog any more after, with setting it, s"] = probe.clock.now() - began
            facts[f"{name}: emergency stop"] = str(probe.rest(axis).emergency_stop)
            probe.driver.reactions.set_stop_inputs([])
            probe.motion.release_emergency_stop()
            probe.go(axis, 0.0)
    finally:
        with suppress(WmxError):
            probe.driver.reactions.set_stop_inputs([])


def touch_probe(probe: Probe, facts: Facts) -> None:
    """In which units a touch probe latches an axis that rests, by an input that is changed."""
    axis = probe.settings.axes[0]
    probe.ready(axis)
    probe.go(axis, probe.settings.distance / 2.0)
    value = not probe.driver.io.input_bit(BYTE, BIT)
    touch_probe = TouchProbe(axis=axis, address=BYTE, bit=BIT, value=value)
    reactions = probe.driver.reactions
    try:
        reactions.set_touch_probes([axis], [touch_probe])
        facts["before the change"] = reactions.touched([axis])[0]
        probe.wait(lambda _: probe.driver.io.input_bit(BYTE, BIT) is value, BY_HAND)
        probe.clock.sleep(0.01)
        found = probe.session.look().GetAxesStatus(axis)
        facts["latched"] = reactions.touched([axis])[0]
        facts["measured position, u"] = found.actualPos
        facts["encoder"] = found.encoderFeedback
        facts["asked again"] = reactions.touched([axis])[0]
    except Unable:
        raise Unable(f"input {BYTE}.{BIT} was not changed within {BY_HAND:g} s") from None
    finally:
        reactions.set_touch_probes([axis], [])
    probe.go(axis, 0.0)


def position_output(probe: Probe, facts: Facts) -> None:
    """Whether an output follows an axis, and what becomes of it when communication ends."""
    axis = probe.settings.axes[0]
    probe.ready(axis)
    io, reactions = probe.driver.io, probe.driver.reactions
    there = probe.settings.distance / 2.0
    found = io.output_bit(BYTE, BIT)
    output = PositionOutput(
        axis=axis, address=BYTE, bit=BIT, position=probe.homes[axis] + there / 2.0, value=True
    )
    try:
        reactions.set_position_outputs([axis], [output])
        probe.clock.sleep(0.01)
        facts["before it passes"] = io.output_bit(BYTE, BIT)
        probe.go(axis, there)
        facts["beyond"] = io.output_bit(BYTE, BIT)
        probe.go(axis, 0.0)
        facts["back"] = io.output_bit(BYTE, BIT)
        probe.stop_communication()
        probe.communicate()
        probe.ready(axis)
        probe.go(axis, there)
        facts["beyond, after communication was started again"] = io.output_bit(BYTE, BIT)
        probe.go(axis, 0.0)
    finally:
        with suppress(WmxError):
            reactions.set_position_outputs([axis], [])
            io.set_output_bit(BYTE, BIT, value=found)
