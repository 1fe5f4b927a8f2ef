"""Scripts of what goes wrong with the simulated machine: their format, judged and played.

A script is a YAML list. Each entry is one fault, and `after` how many communication cycles
(milliseconds of engine time) after the script is played it happens, 0 if it is left out:

    - {drop_slave: {slave: 2}}
    - {after: 500, return_slave: {slave: 2}}
    - {after: 500, raise_alarm: {axis: 0, code: 0x7121}}

    raise_alarm     axis, code                  the amplifier reports an alarm, until cleared
    stick_switch    axis, switch, state         a switch stays on (true) or off (false)
    free_switch     axis, switch                it works again
    freeze_encoder  axis                        its position stays, and the motor stands there
    free_encoder    axis                        it works again
    stick_brake     axis, state                 a brake stays shut (true) or open (false)
    free_brake      axis                        it works again
    drop_slave      slave, master (0)           a slave loses power
    return_slave    slave, master (0)           it has power again, and waits to join
    cut_cable       slave, master (0)           the cable that leads to a slave breaks
    mend_cable      slave, master (0)           it is whole again; those behind it wait to join
    lose_packets    count, master (0)           so many lost frames are counted, no more
    force_input     input, value                an input is held on (true) or off (false)
    release_input   input                       it has the value of its wire
    slow_calls      seconds, count (1), method  the next calls, of any method or one, are slow
    crash_engine    none: {}                    the engine is gone, until a device attaches again
    hold_time       none: {}                    the engine's time stands still
    run_time        none: {}                    it goes on

What stands in brackets is taken for a key that is left out. Axes, slaves and masters count from
0. The others may be:

    after           0 to 3600000 cycles         code            1 to 0xFFFF
    switch          home, positive, negative    input           "byte.bit", "0.0" to "7999.7"
    count           1 to 1000000                seconds         0 to 60

A whole script is judged before any of it happens, and refused with the entry, the key, the value
and the rule. Entries may stand in any order, 1000 at most; those of one cycle happen in theirs.
Cycles are counted whether the network communicates or not. Several scripts may be under way at
once; none survives the engine.

A slow call is carried out at once and answered `seconds` of engine time later: it holds up its
caller only. Attaching, closing, loading parameters and `status` are never late. Without
a `method` the next calls of whatever kind are slow, also those by which nodes check whether the
engine is there; with one, those of that method of the driver interface:

    set_servo clear_alarm set_command_mode set_polarity set_gear_ratio set_position
    parameters home
    move_absolute move_relative move_velocity move_torque move_linear move_spline jog
    start_gearing
    set_override stop quick_stop emergency_stop release_emergency_stop
    input_bit input_bytes output_bit output_bytes set_output_bit set_output_bytes
    input_bits set_output_bits
    set_stop_inputs set_touch_probes touched set_position_outputs
    network_state read_register reset_statistics start_hotconnect scan_network
    set_slave_state read_sdo write_sdo
    start_communication stop_communication feed_dead_man state

A later `slow_calls` of the same method, or of any, takes the place of an earlier one. A device in
another process takes an answer that is late by more than 5 s of real time for a lost engine.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import Annotated

import yaml

from wmx_core.errors import CommandRefused, ErrorCode

from ..calls import Call
from ..clock import Clock, newest_cycle
from ..event_queue import EventQueue
from ..machine.description import Machine
from ..machine.yaml_records import Limits, limit, parse, read
from .faults import (
    CrashEngine,
    CutCable,
    DropSlave,
    Fault,
    ForceInput,
    FreeBrake,
    FreeEncoder,
    FreeSwitch,
    FreezeEncoder,
    HoldTime,
    LosePackets,
    MendCable,
    RaiseAlarm,
    ReleaseInput,
    ReturnSlave,
    RunTime,
    SlowCalls,
    StickBrake,
    StickSwitch,
)

MAX_SCRIPT = 64 * 1024
"""Characters of a script."""
ENTRIES = Limits(1, 1000, "entries")
Cycles = Annotated[int, Limits(0, 3_600_000, "cycles")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An entry of a script: one fault, and when it happens."""

    after: Cycles = 0
    raise_alarm: RaiseAlarm | None = None
    stick_switch: StickSwitch | None = None
    free_switch: FreeSwitch | None = None
    freeze_encoder: FreezeEncoder | None = None
    free_encoder: FreeEncoder | None = None
    stick_brake: StickBrake | None = None
    free_brake: FreeBrake | None = None
    drop_slave: DropSlave | None = None
    return_slave: ReturnSlave | None = None
    cut_cable: CutCable | None = None
    mend_cable: MendCable | None = None
    lose_packets: LosePackets | None = None
    force_input: ForceInput | None = None
    release_input: ReleaseInput | None = None
    slow_calls: SlowCalls | None = None
    crash_engine: CrashEngine | None = None
    hold_time: HoldTime | None = None
    run_time: RunTime | None = None

    def faults(self) -> dict[str, Fault]:
        """Return the faults it has, by their keys."""
        given = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "after"}
        return {key: fault for key, fault in given.items() if fault is not None}


def read_script(text: str) -> tuple[Entry, ...]:
    """Return the entries of a script, judged as far as that needs no machine.

    Raises CommandRefused with ArgumentOutOfRange, also for text of more than 64 Ki characters.
    """
    try:
        limit(len(text), Limits(0, MAX_SCRIPT, "characters"), "length of the script")
        script: tuple[Entry, ...]
        script = read(Annotated[tuple[Entry, ...], ENTRIES], parse(text, "script"), "script")
        for i, entry in enumerate(script):
            if len(entry.faults()) != 1:
                given = ", ".join(entry.faults()) or "none"
                rule = "must have exactly one, such as crash_engine: {}"
                raise ValueError(f"script[{i}] has the faults {given}: {rule}")
        return script
    except (ValueError, yaml.YAMLError) as error:
        raise _refused(error) from None


class FaultPlayer:
    """Lets the faults of read scripts happen to `machine`, by way of `call`."""

    def __init__(self, machine: Machine, events: EventQueue, call: Call, clock: Clock) -> None:
        self._machine = machine
        self._events = events
        self._call = call
        self._clock = clock

    def time(self) -> tuple[float, bool]:
        """Return the time of the engine, s, and whether it is held."""
        return newest_cycle(self._clock).time, self._clock.held

    def play_entries(self, script: Sequence[Entry]) -> None:
        """Put every fault of `script` in the event queue, or refuse them all."""
        faults = [entry.faults() for entry in script]
        try:
            for i, given in enumerate(faults):
                for key, fault in given.items():
                    fault.judge(self._machine, f"script[{i}].{key}")
        except ValueError as error:
            raise _refused(error) from None
        for entry, given in zip(script, faults, strict=True):
            for fault in given.values():
                self._events.add(entry.after, partial(fault.happen, self._call))


def _refused(error: Exception) -> CommandRefused:
    return CommandRefused(ErrorCode.ArgumentOutOfRange, " ".join(str(error).split()))
