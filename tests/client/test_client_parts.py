"""I/O, network, parameters, simulation, status and recordings by the client library."""

import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from held_system import HeldSystem
from system import CONFIG, System
from until import until

from wmx_core.parameters.parameter_set import ParameterSet
from wmx_ros2_package.client import Machine, MotionBegin, MotionEnd, NotAnswered, Refused, base
from wmx_ros2_package.client.curves import MotionCurves

QUICK = {"velocity": 2.0, "acceleration": 20.0}


def test_outputs_and_inputs(machine: Machine) -> None:
    outputs, inputs = machine.io.outputs, machine.io.inputs
    outputs[1, 5] = True
    assert outputs[1, 5] is True
    outputs[2:4] = bytes([15, 14])
    assert outputs[2:4] == bytes([15, 14])
    outputs.set({(1, 5): False, (2, 0): False})
    assert (outputs[1, 5], outputs[2:3]) == (False, bytes([14]))
    machine.simulation.fault("force_input", input="0.3", value=True, after=0.1)
    inputs.wait(0, 3)
    assert machine.io.read([(0, 3), (0, 4)]) == [True, False]
    assert inputs[0:1] == bytes([8])
    machine.simulation.fault("release_input", input="0.3")
    inputs.wait(0, 3, False)
    with pytest.raises(NotAnswered):
        inputs.wait(0, 3, timeout=0.05)


def test_an_axis_follows_another_as_long_as_the_client_wants(machine: Machine) -> None:
    master, slave = machine.axes[0], machine.axes[1]
    before = slave.status.command
    with slave.follow_axis(master, 0.5) as following:
        master.move_by(0.4, **QUICK).wait()
        assert not following.done
        assert slave.status.command == pytest.approx(before + 0.2, abs=1e-3)
        with pytest.raises(Refused):
            slave.move_by(0.1)
    assert following.done
    master.move_by(-0.4, **QUICK).wait()
    assert slave.status.command == pytest.approx(before + 0.2, abs=1e-3)


def test_the_network(machine: Machine) -> None:
    state = machine.network.state()
    assert state.state.name == "OP"
    assert [slave.id for slave in state.slaves] == list(range(len(state.slaves)))
    assert sum(slave.axes for slave in state.slaves) == state.total_axes
    assert "OP" in state._repr_html_()
    assert machine.network.register(0, 0x130)[0] == 8  # AL status: OP
    machine.network.reset_statistics()


@pytest.mark.long
def test_time_that_is_held(machine: Machine) -> None:
    axis, simulation = machine.axes[0], machine.simulation
    assert not simulation.held
    simulation.hold()
    start, began = axis.status.command, simulation.time
    motion = axis.move_by(1.0, velocity=1.0, acceleration=10.0)
    for cycles, gone in ((1, 5e-6), (99, 0.05), (400, 0.45)):
        simulation.step(cycles)
        assert axis.status.command - start == pytest.approx(gone)
        assert simulation.held
        assert not motion.done
    simulation.advance(0.25)
    assert simulation.time - began == pytest.approx(0.75)
    simulation.run()
    assert motion.wait().arrived
    assert not simulation.held
    for cycles in (0, -1, 3_600_001):
        with pytest.raises(ValueError, match="cycles"):
            simulation.step(cycles)


def test_time_goes_on_when_the_client_that_holds_it_leaves(system: System) -> None:
    with (
        Machine(domain=system.place.domain, timeout=30.0) as other,
        Machine(domain=system.place.domain, timeout=30.0) as machine,
    ):
        machine.simulation.hold()
        assert other.simulation.held
        machine.close()
        system.client.eventually(lambda: not other.simulation.held, "time goes on")


def test_parameters(machine: Machine, tmp_path: Path) -> None:
    parameters = machine.parameters.get()
    assert list(parameters) == list(range(6))
    assert "/" in parameters[0]["AxisParam"]["GearRatio"]
    machine.axes.off()
    until(machine, lambda: not machine.status().servo_on.any(), "a cycle later they are off")
    machine.parameters.load(CONFIG / "wmx_parameters_6_axes.xml")
    with pytest.raises(Refused) as failed:
        machine.parameters.load(tmp_path / "none.xml")
    in_force = ParameterSet.from_xml(machine.parameters.export([3]).encode())
    assert in_force.axes == (3,)
    file = tmp_path / "one.xml"
    file.write_text(
        '<Parameters><AxisParameters Axis="3"><FeedbackParam><InPosWidth>0.012345678</InPosWidth>'
        "</FeedbackParam></AxisParameters></Parameters>"
    )
    assert machine.parameters.change(file) == f"Changed params as in: {file}"
    changed = ParameterSet.from_xml(machine.parameters.export().encode())
    assert changed.axis(3) == replace(in_force.axis(3), in_pos_width=0.012345678)
    machine.parameters.load(CONFIG / "wmx_parameters_6_axes.xml")
    assert failed.value.name == "FileOperationFailed"
    with pytest.raises(Refused):
        machine.parameters.get([999])


def test_a_status_is_a_table(machine: Machine) -> None:
    status = machine.status()
    assert status.position.shape == status.servo_on.shape == (6,)
    assert [axis.name for axis in status] == [f"axis_{i}" for i in range(6)]
    assert [axis.axis for axis in status[1:3]] == [1, 2]
    assert status[-1].axis == 5
    assert "servo" in status[0].flags
    lines = str(status).splitlines()
    assert len(lines) == 7
    assert lines[1].split()[:2] == ["0", "axis_0"]
    assert "-0.0000" not in str(status)
    assert status._repr_html_().count("<tr>") == 7
    assert status[0]._repr_html_().count("<tr>") == 2
    with pytest.raises(IndexError):
        status[6]


def test_a_recording_is_arrays(machine: Machine) -> None:
    axis = machine.axes[0]
    with axis.record() as one, machine.record() as all_axes:
        axis.move_by(0.5, velocity=1.0).wait()
    assert len(one) > 20
    assert one.time.shape == one.position.shape == one.torque.shape == (len(one),)
    assert (np.diff(one.time) > 0.0).all()
    assert one.command[-1] - one.command[0] == pytest.approx(0.5, abs=0.05)
    assert abs(one.command_velocity).max() <= 1.0 + 1e-9
    assert 0.0 < abs(one.following_error).max() < 0.1
    assert all_axes.velocity.shape == (len(all_axes), 6)
    assert "axis_0" in one._repr_html_()
    length = len(one)
    one.add(machine.status())  # one that was on its way
    one.stop()  # once more does no harm
    assert len(one) == length


def test_a_motion_is_a_table_where_matplotlib_is_missing(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    machine.axes[0:2].move([0.0, 0.0], **QUICK).wait()
    motion = machine.axes[0:2].move([0.5, 0.1], **QUICK)
    motion.wait()
    html = motion._repr_html_()
    assert "ARRIVED" in html
    machine.axes[0].move_by(1.0, **QUICK).wait()
    assert motion._repr_html_() == html, "what it did until it ended"


def test_a_motion_is_a_plot(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    picture = SimpleNamespace(savefig=lambda file, format: file.write(format.encode()))
    monkeypatch.setattr(MotionCurves, "plot", lambda self: picture)
    motion = machine.axes[0].move_by(0.5, **QUICK)
    motion.wait()
    assert motion._repr_html_().endswith('<img src="data:image/png;base64,cG5n"/>')
    monkeypatch.undo()
    pytest.importorskip("matplotlib")
    assert len(motion._repr_html_()) > 5000


def test_streams(system: HeldSystem, machine: Machine) -> None:
    with machine.states() as states, machine.events() as events:
        assert states.get().time < states.get().time
        machine.axes[0].move_by(0.01, **QUICK).wait()
        assert [type(events.get()) for _ in range(2)] == [MotionBegin, MotionEnd]
    list(states)  # ends, for it is closed
    assert states.waiting() == []

    async def some() -> int:
        with machine.states() as states:
            count = 0
            async for _ in states:
                count += 1
                if count == 3:
                    return count
        return 0

    assert system.time.run_async(some()) == 3
    with machine.events() as events, pytest.raises(NotAnswered):
        events.get(0.05)


def test_the_history_of_events(machine: Machine) -> None:
    result = machine.axes[0].move_by(0.01, **QUICK).wait()
    with machine.events(history=True) as events:
        ids = set()
        while result.ends[0].id not in ids:
            event = events.get()
            ids |= {event.id} if isinstance(event, MotionEnd) else set()


def test_a_node_that_does_not_change_is_in_the_state_that_it_was_in(machine: Machine) -> None:
    with pytest.raises(Refused, match="wmx_io_node does not configure: it is active; its log"):
        machine.nodes.change("wmx_io_node", "configure")


def test_a_drive_goes_on_no_more_where_its_process_was_suspended() -> None:
    now, commands = [100.0], list[float]()
    clock: Any = SimpleNamespace(now=lambda: now[0])
    go_on = base.in_time(lambda: commands.append(now[0]), 0.25, clock)
    for after in 0.05, 0.2, 0.3, 0.05, 0.05:
        now[0] += after
        go_on()
    assert commands == pytest.approx([100.05, 100.25])
