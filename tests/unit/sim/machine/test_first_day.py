"""A machine that does not begin as it is wanted: motors elsewhere, not homed, slaves in PREOP."""

from dataclasses import replace

import pytest
from held_engine import MODEL, HeldEngine, position_move

from wmx_core.values import EcState
from wmx_sim.engine.clock import HeldClock
from wmx_sim.engine.engine import SimulatedEngine
from wmx_sim.engine.fault_proxies import AxisFaults
from wmx_sim.engine.machine.description import (
    CONFIG,
    AxisModel,
    Machine,
    MasterDescription,
    SlaveDescription,
    load_machine,
)
from wmx_sim.engine.proxies import EcatProxy, EngineProxy, MotionProxy


def test_a_motor_stands_where_the_file_says() -> None:
    """In the units of its parameters, and not homed; a limit switch there is on."""
    model = replace(MODEL, start_position=2.5, positive_limit_switch=2.0)
    held = HeldEngine(model=model)
    status = held.status()
    assert status.actual_pos.tolist() == status.pos_cmd.tolist() == [2.5, 2.5]
    assert not status.home_done.any()
    assert status.positive_ls.all()
    held.servo_on()
    held.motion.move_absolute([position_move(0, 1.5)])
    assert held.after(5.0).actual_pos.tolist() == pytest.approx([1.5, 2.5])


def test_a_slave_begins_in_the_state_that_the_file_says() -> None:
    drive = SlaveDescription(name="drive", axes=1, start_state="PREOP")
    machine = Machine(
        masters=(MasterDescription(slaves=(drive,)),), axes=(AxisModel(),), parameters=None
    )
    clock = HeldClock()
    engine = SimulatedEngine(machine, clock)
    ecat, motion = EcatProxy(engine.call), MotionProxy(engine.call)
    EngineProxy(engine.call).start_communication()

    def state() -> EcState:
        return ecat.network_state(0).slaves[0].state

    assert state() is EcState.PREOP
    assert motion.status().servo_offline[0]
    for step in (EcState.SAFEOP, EcState.OP):
        ecat.set_slave_state(0, 0, step)
    assert state() is EcState.OP
    assert not motion.status().servo_offline[0]
    EngineProxy(engine.call).stop_communication()
    EngineProxy(engine.call).start_communication()
    assert state() is EcState.OP, "only the first time"


def test_the_machine_of_the_first_day_is_brought_up() -> None:
    engine = SimulatedEngine(load_machine(CONFIG / "fake_network_first_day.yaml"), HeldClock())
    clock, motion, ecat = engine.clock, MotionProxy(engine.call), EcatProxy(engine.call)
    EngineProxy(engine.call).start_communication()
    begun = motion.status()
    assert (begun.servo_offline.all(), begun.home_done.any()) == (True, False)
    assert (begun.actual_pos != 0.0).all()
    for slave in range(6):
        for step in (EcState.SAFEOP, EcState.OP):
            ecat.set_slave_state(0, slave, step)
    motion.set_servo(5, on=True)
    clock.advance(0.05)
    assert not motion.status().servo_on[5], "its brake is still shut"
    clock.advance(0.2)
    assert motion.status().servo_on[5]
    AxisFaults(engine.call).raise_alarm(5, 0x7121)
    clock.advance(1.0)
    assert 0.0 < begun.actual_pos[5] - motion.status().actual_pos[5] < 0.1, "the brake has closed"
