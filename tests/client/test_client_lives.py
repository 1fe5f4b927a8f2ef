"""How a client comes and goes: nothing goes on moving, and nothing waits for ever."""

import pytest
from motion_events import all_rest
from std_srvs.srv import Trigger
from system import System
from until import interrupted_wait

from wmx_ros2_package.client import (
    Closed,
    EndReason,
    Machine,
    MachineError,
    MotionEnd,
    MotionFailed,
    NoPart,
    NoSystem,
    NotReady,
    WrongNamespace,
)


def test_what_is_kept_of_a_machine_that_is_closed(system: System) -> None:
    with Machine(domain=system.place.domain, timeout=30.0) as machine:
        axis, states, recording = machine.axes[0], machine.states(), machine.axes[0].record()
        ros = machine.ros
        states.get(10.0)
        recorded = recording.command.shape
    start = system.client.clock.now()
    for ask in (
        lambda: axis.position,
        axis.on,
        axis.stop,
        axis.explain,
        lambda: axis.move(0.0),
        lambda: [*states],
        machine.status,
        lambda: ros.servers("wmx/axis/stop"),
        lambda: ros.publishers("wmx/axis/state"),
        lambda: ros.other_namespaces("wmx/axis/state"),
    ):
        with pytest.raises(Closed):
            ask()
    recording.stop()
    assert recording.command.shape >= recorded
    states.close()
    assert system.client.clock.now() < start + 2.0, "nothing waits for an answer"


@pytest.mark.long
def test_a_motion_of_a_client_that_lives_is_not_stopped(machine: Machine) -> None:
    motion = machine.axes[0].move_by(3.0, velocity=1.0)  # longer than leases hold
    assert motion.wait().arrived


def test_an_error_in_the_block_stops_what_it_moves(system: System, machine: Machine) -> None:
    def program() -> None:
        with Machine(domain=system.place.domain, timeout=30.0) as other:
            other.axes[0].move(1000.0, velocity=1.0)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        program()
    system.client.eventually(lambda: all_rest(machine), "the axis rests")


def test_leaving_the_block_early_stops_the_motion_and_warns(
    system: System, machine: Machine
) -> None:
    other = Machine(domain=system.place.domain, timeout=30.0)
    with pytest.warns(UserWarning, match="still moved"), other:
        other.axes[0].move(1000.0, velocity=1.0)
    system.client.eventually(lambda: all_rest(machine), "the axis rests")


def test_what_ctrl_c_leaves_without_a_handle_is_stopped(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    with machine.events() as events:
        with interrupted_wait(machine.ros, monkeypatch):
            machine.axes[0].move(1000.0, velocity=1.0)
        end = next(event for event in events if isinstance(event, MotionEnd))
    assert end.reason is EndReason.STOPPED, "at once, not when its lease expires"


def test_a_closed_machine_says_so(system: System) -> None:
    machine = Machine(domain=system.place.domain)
    assert repr(machine) == "<Machine: closed>"
    for use in (machine.status, lambda: machine.axes, machine.stop, lambda: machine.io):
        with pytest.raises(MachineError):
            use()
    machine.close()


def test_it_opens_again(system: System) -> None:
    machine = Machine(domain=system.place.domain, timeout=30.0)
    for _ in range(2):
        with machine:
            assert len(machine.axes) == len(machine.status()) == 6


@pytest.mark.parametrize("namespace", ["a b", "1cell", "cell//1", "~", "é"])
def test_a_namespace_that_cannot_be(namespace: str) -> None:
    with pytest.raises(WrongNamespace, match=f"namespace '/{namespace}' cannot be: .* must not"):
        Machine(namespace).open()


def test_a_namespace_may_end_with_a_slash() -> None:
    with pytest.raises(NoSystem, match="namespace /cell:"):
        Machine("/cell/", timeout=0.3).open()


def test_a_machine_without_an_engine_is_explained_and_refuses(system: System) -> None:
    system.client.must("wmx/engine/set_comm", data=False)
    try:
        with Machine(domain=system.place.domain, timeout=30.0) as machine:
            with pytest.raises(NotReady) as failed:
                machine.status()
            assert all(each.blocked for each in machine.explain())
            with pytest.raises(NotReady):
                machine.axes[0].on()
            with pytest.raises(NotReady):
                machine.axes[0].move(1.0)
    finally:
        system.client.must("wmx/engine/set_comm", data=True)
        system.ready()
    assert failed.value.remedy


def test_an_engine_that_dies_in_the_middle(system: System, machine: Machine) -> None:
    motion = machine.axes[0].move(1000.0, velocity=1.0)
    machine.simulation.fault("crash_engine")
    with pytest.raises(MotionFailed) as failed:
        motion.wait(60.0)
    assert failed.value.result.reason in (EndReason.ENGINE_LOST, EndReason.NODE_ENDED)
    system.ready()
    system.client.eventually(lambda: not machine.status().servo_on.any(), "servos are off")


def test_a_stop_is_sent_before_anything_is_asked(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask(*_: object) -> None:
        raise AssertionError("what the machine consists of is no matter of a stop")

    monkeypatch.setattr("wmx_ros2_package.client.session.Description", ask)
    with Machine(domain=system.place.domain, timeout=30.0).open(to_stop=True) as machine:
        machine.stop()
        machine.estop()
        machine.release()


def test_a_callback_waits_for_no_answer_and_its_stops_are_sent(machine: Machine) -> None:
    """It runs in the thread that takes the answers, and renews the leases of all motions."""
    states, events = machine.states(), machine.events()
    watched, other = (axis.move_by(50.0, velocity=1.0) for axis in machine.axes[0:2])
    refused: list[MachineError] = []

    def act(_: object) -> None:
        for ask in (
            lambda: machine.axes[0].move(0.0),
            machine.axes[0].home,
            machine.axes[0].on,
            machine.status,
            machine.release,
            machine.save_recording,
            lambda: machine.speed,
            lambda: machine.base,
            lambda: machine.actuators,
            lambda: machine.ros.server_of("wmx/none", 10.0),
            machine.close,
            lambda: machine.ros.call(Trigger, "wmx/none", to_all=True),
            other.wait,
            lambda: [*states],
            lambda: [*events],
        ):
            try:
                ask()
            except MachineError as error:
                refused.append(error)
        machine.stop()

    watched.when_ended(act)
    watched.cancel()
    with pytest.raises(MotionFailed) as failed:
        other.wait()
    assert failed.value.name == "STOPPED", "its lease was renewed until then"
    assert [*map(type, refused)] == [MachineError] * 11 + [NoPart] + [MachineError] * 3
