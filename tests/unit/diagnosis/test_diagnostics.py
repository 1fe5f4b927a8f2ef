"""How engine, axes and slaves are: the levels, and the values that come with them."""

from dataclasses import replace
from typing import Any

import pytest
from held_engine import MODEL, HeldEngine, position_move
from test_explanations import snapshot

from wmx_core.values import EcState, EmergencyStop, EngineState, LimitType
from wmx_ros2_package.control.conditions import Level
from wmx_ros2_package.control.settings.document import Loss
from wmx_ros2_package.control.settings.kept import WORDS
from wmx_ros2_package.diagnosis.diagnostics import (
    DiagnosticEntry,
    axis_entries,
    changed,
    counts,
    engine_entry,
    slave_entries,
)


def axis(held: HeldEngine, index: int = 0, **known: Any) -> DiagnosticEntry:
    entries = [*axis_entries(snapshot(held, **known), "fake /opt/wmx3", {0: "what it was"})]
    assert [entry.name for entry in entries] == ["wmx: axis 0", "wmx: axis 1"]
    return entries[index]


def engine(held: HeldEngine, **known: Any) -> DiagnosticEntry:
    now = snapshot(held, **known)
    return engine_entry(now, "fake /opt/wmx3", counts(now), "the last one")


def test_all_is_well() -> None:
    held = HeldEngine().servo_on()
    entry = engine(held)
    assert (entry.level, entry.message) == (Level.OK, "communicating")
    assert entry.values["master 0 packet_loss"] == "0"
    assert entry.values["master 0 overruns"] == "0"
    assert entry.values["cycle"] == str(held.status().cycle)
    assert entry.values["last_error"] == "the last one"
    one = axis(held, owners={0: "/arm (jog)"})
    assert (one.level, one.message) == (Level.OK, "at rest")
    assert one.hardware_id == "fake /opt/wmx3 axis 0"
    assert one.values["owner"] == "/arm (jog)"
    assert one.values["last_error"] == "what it was"
    assert axis(held, 1).values["last_error"] == ""
    slaves = [*slave_entries(snapshot(held))]
    assert [(slave.name, slave.level, slave.message) for slave in slaves] == [
        ("wmx: slave 0 of master 0", Level.OK, "OP"),
        ("wmx: slave 1 of master 0", Level.OK, "OP"),
    ]


def test_a_motor_elsewhere_is_a_warning() -> None:
    entry = axis(HeldEngine().servo_on(), out_of_position={0: 0.25})
    assert entry.level is Level.WARN
    assert entry.message == "its motor stands 0.25 u from its command, which rests"
    assert axis(HeldEngine().servo_on(), 1, out_of_position={0: 0.25}).level is Level.OK


def test_numbers_are_those_of_the_sample() -> None:
    held = HeldEngine().servo_on()
    held.motion.move_absolute([position_move()])
    held.after(0.5)
    status, entry = held.status(), axis(held)
    assert entry.message == "moves to a position"
    assert float(entry.values["following_error"]) == pytest.approx(status.following_error[0])
    assert float(entry.values["position"]) == pytest.approx(status.actual_pos[0])


def test_levels_of_the_engine() -> None:
    held = HeldEngine(start=False)
    assert engine(held).level is Level.WARN
    for state in None, EngineState.IDLE, EngineState.SHUTDOWN:
        none = engine(held, engine_state=state)
        assert (none.level, none.message) == (Level.ERROR, "no engine")
    held = HeldEngine()
    without = engine(held, status=replace(held.status(), invalid_licence=True))
    assert (without.level, without.message) == (Level.ERROR, "no valid licence")
    assert (without.values["licence"], engine(held).values["licence"]) == ("invalid", "valid")
    held.motion.emergency_stop(EmergencyStop.LEVEL1)
    assert (engine(held).level, engine(held).message) == (Level.ERROR, "emergency stop: LEVEL1")


def test_lost_packets_are_a_warning_until_no_more_are_lost() -> None:
    now = snapshot(HeldEngine())
    before = counts(now)
    [network] = now.networks
    lost = replace(now, networks=[replace(network, statistics=replace(
        network.statistics, packet_loss=network.statistics.packet_loss + 1
    ))])  # fmt: skip
    assert engine_entry(lost, "", before, "").level is Level.WARN
    assert engine_entry(lost, "", counts(lost), "").level is Level.OK


def test_levels_of_an_axis() -> None:
    held = HeldEngine()
    assert (axis(held).level, axis(held).message) == (Level.OK, "servo off")
    held.raise_alarm(0, 0x4310)
    assert (axis(held).level, axis(held).message) == (Level.ERROR, "alarm 0x4310 (motor too hot)")
    assert axis(held).values["alarm"] == "0x4310 (motor too hot)"
    held.play("[{drop_slave: {slave: 1}}]")
    held.after(0.1)
    assert (axis(held, 1).level, axis(held, 1).message) == (Level.ERROR, "drive offline")
    held.engine.stop_communication()
    assert axis(held).level is Level.STALE


def test_what_was_lost_of_an_axis_is_an_error() -> None:
    held = HeldEngine()
    one = axis(held, lost={0: [Loss.REFERENCE]})
    assert (one.level, one.message) == (Level.ERROR, WORDS[Loss.REFERENCE])
    assert axis(held, 1, lost={0: [Loss.REFERENCE]}).level is Level.OK
    held.raise_alarm(0, 0x4310)
    assert axis(held, lost={0: [Loss.REFERENCE]}).message == "alarm 0x4310 (motor too hot)"


def test_a_limit_switch_is_a_warning() -> None:
    model = replace(MODEL, positive_limit_switch=1.0)
    held = HeldEngine(model=model, ls_type=LimitType.DEC, ls_dec=20.0).servo_on()
    held.motion.move_absolute([position_move(0, 3.0)])
    held.after(5.0)
    assert (axis(held).level, axis(held).message) == (Level.WARN, "positive limit switch on")


def test_levels_of_a_slave() -> None:
    held = HeldEngine()
    [network] = snapshot(held).networks
    slave = network.slaves[0]

    def level(**changes: Any) -> tuple[Level, str]:
        broken = replace(network, slaves=(replace(slave, **changes),))
        [entry] = slave_entries(snapshot(held, networks=[broken]))
        return entry.level, entry.message

    assert level(offline=True) == (Level.ERROR, "offline")
    assert level(inaccessible=True) == (Level.ERROR, "behind a broken line")
    assert level(state=EcState.PREOP) == (Level.ERROR, "in state PREOP")
    assert level(new=True) == (Level.WARN, "new on the network")
    assert level(reverse=True) == (Level.WARN, "its cables are the wrong way round")
    network = replace(network, state=EcState.PREOP)
    assert level(state=EcState.PREOP) == (Level.OK, "in state PREOP")
    why = "in state PREOP: 0x001B (sync manager watchdog: no process data came)"
    assert level(state=EcState.PREOP, al_status_code=0x1B) == (Level.ERROR, why)


def test_a_level_that_changes_is_to_be_told() -> None:
    held = HeldEngine()
    before = [engine(held), axis(held)]
    levels = {entry.name: entry.level for entry in before}
    assert not changed([engine(held), axis(held)], levels)
    held.raise_alarm(0)
    assert changed([engine(held), axis(held)], levels)
