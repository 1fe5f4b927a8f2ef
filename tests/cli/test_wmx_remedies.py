"""Every remedy that `explain` names, carried out against the state that it is named for.

Each code of a condition has a case here: one that brings the condition about, or a reason why no
command clears it. The buttons of the panel are pressed against the same states.
"""

import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
import system as systems
from command_line import Shell
from held_system import HeldSystem, held_system
from lifecycle import Managed

from wmx_core.interface import Driver
from wmx_core.values import EcState, EngineState, Gearing, VelocityMove
from wmx_ros2_package.client import Machine
from wmx_ros2_package.control.motion_ends import InPosition
from wmx_ros2_package.diagnosis.blockers import Blocker
from wmx_ros2_package.diagnosis.blockers import BlockerCode as Code
from wmx_ros2_package.diagnosis.snapshot import Snapshot
from wmx_ros2_package.nodes.core_motion import explain
from wmx_ros2_package.panel import remedies

MOST_TRIES = 30
"""A step off a limit is repeated until the axis is off it."""
UNOWNED = 2
"""An axis that no node commands: who did so last would own what another program commands."""
RESTS = 0.01
"""A motor that is slower rests, u/s."""
SWITCHES = 0.15
"""Where limit switches are, revolutions."""
MACHINE = """
parameters: {parameters}
axis_model: {{positive_limit_switch: {switches}, negative_limit_switch: -{switches}}}
masters:
  - slaves:
      - {{name: drive, count: 6, axes: 1}}
      - {{name: digital I/O, input_size: 4, output_size: 4}}
"""


@pytest.fixture(scope="module")
def system() -> Iterator[HeldSystem]:
    """Axes with limit switches, soft limits and following error alarms."""
    with systems.place() as place:
        text = (systems.CONFIG / "wmx_parameters_6_axes.xml").read_text()
        for name, value in (
            ("FollowingErrorMoving", "0.1"),
            ("SoftLimitType", "3"),
            ("SoftLimitPositivePos", "0.5"),
            ("SoftLimitNegativePos", "-0.5"),
        ):
            text = re.sub(f"<{name}>[^<]*<", f"<{name}>{value}<", text)
        parameters = place.folder / "parameters.xml"
        parameters.write_text(text)
        machine = place.folder / "machine.yaml"
        machine.write_text(MACHINE.format(parameters=parameters, switches=SWITCHES))
        with held_system(place, f"device_path:={machine}") as system:
            system.ready()
            yield system


@pytest.fixture(scope="module")
def machine(system: HeldSystem) -> Iterator[Machine]:
    with Machine(domain=system.place.domain) as machine:
        yield machine


@dataclass
class Bench:
    """The system, as the cases use it."""

    system: HeldSystem
    machine: Machine
    shell: Shell
    patch: pytest.MonkeyPatch

    def must(self, service: str, **fields: Any) -> None:
        self.system.client.must(service, **fields)

    def fault(self, *names: str) -> None:
        """Let these happen, each to axis 1 or slave 1."""
        known = {"axis": "{axis: 1}", "slave": "{slave: 1}"}
        entries = [f"{name}: {known.get(of, '{}')}" for name, of in map(str.split, names)]
        script = ", ".join(f"{{{entry}}}" for entry in entries)
        self.must("wmx/simulation/inject_faults", script=f"[{script}]")

    def drive_to(self, target: float) -> None:
        """Move axis 1 by the topic, which is refused by limits of the engine alone."""
        self.system.client.move("wmx/axis/position", [1], [target], [1.0], [50.0], [50.0])
        self.system.client.clock.sleep(abs(target) + InPosition().timeout)

    def set_estop_level(self, level: int) -> None:
        assert Managed(self.system.client, "wmx_engine_node").set(estop_level=level) == ""

    def codes(self, axis: int) -> list[Code | str]:
        return [blocker.code for blocker in self.blockers(axis)]

    def blockers(self, axis: int) -> tuple[Blocker, ...]:
        [found] = self.machine.explain([axis])
        return found.blockers


Act = Callable[[Bench], object]


def nothing(bench: Bench) -> None:
    pass


@dataclass
class Case:
    """How the condition comes about on an axis, and what people do with their hands about it."""

    cause: Act
    by_hand: Act = nothing
    has_button: bool = True
    axis: int = 1


def emergency_stop(level: int) -> Act:
    def cause(bench: Bench) -> None:
        bench.set_estop_level(level)
        bench.machine.estop()

    return cause


def not_communicating(bench: Bench) -> None:
    """It is shown in the moment until the node detaches, which the test makes last."""
    real = explain.snapshot_of

    def attached_still(node: Any) -> Snapshot:
        found = real(node)
        return found if found.engine_state else replace(found, engine_state=EngineState.RUNNING)

    bench.patch.setattr(explain, "snapshot_of", attached_still)
    bench.machine.engine.stop()


def no_slave_known(bench: Bench) -> None:
    bench.fault("drop_slave slave")
    bench.patch.setattr(Driver, "networks", lambda driver: [])


def frozen(bench: Bench) -> None:
    bench.fault("freeze_encoder axis")
    bench.drive_to(0.4)


def out_of_position(bench: Bench) -> None:
    """Less than the following error that is an alarm."""
    bench.fault("freeze_encoder axis")
    bench.drive_to(0.05)


def at_soft_limit(bench: Bench) -> None:
    bench.machine.axes[1].home().wait()
    bench.drive_to(0.8)


def by_another_program(method: str, *orders: object) -> Act:
    """What a program for the vendor's SDK commands, which knows nothing of owners."""

    def cause(bench: Bench) -> None:
        with bench.system.place.engine() as engine:
            engine.call("motion", method, *orders)

    return cause


def endless(bench: Bench) -> None:
    bench.machine.axes[UNOWNED].set_mode("velocity")
    move = VelocityMove(axis=UNOWNED, velocity=0.01, acc=1.0, dec=1.0)
    by_another_program("move_velocity", [move])(bench)


def with_the_engine(set_it: Act) -> Act:
    """What a client has set before the engine is lost."""

    def cause(bench: Bench) -> None:
        set_it(bench)
        bench.fault("crash_engine -")
        bench.system.client.clock.sleep(5.0)
        bench.system.ready()

    return cause


def with_the_file(bench: Bench) -> None:
    """The document of what clients have set is lost while the node that knows it is away.

    While it runs, it puts the document back once a second.
    """

    def change(*transitions: str) -> None:
        for transition in transitions:
            bench.machine.nodes.change("wmx_core_motion_node", transition)

    bench.must("wmx/axis/set_polarity", index=[1], data=[1])
    change("deactivate", "cleanup")
    [document] = bench.system.place.folder.glob("wmx-axes-*/*.settings")
    document.unlink()
    change("configure", "activate")
    bench.system.client.clock.sleep(1.0)


def low_state(state: EcState) -> Act:
    return lambda bench: bench.machine.network.bring_to(1, state)


CASES: dict[Code, list[Case]] = {
    Code.NODE_INACTIVE: [
        Case(lambda bench: bench.machine.nodes.change("wmx_core_motion_node", "deactivate"))
    ],
    Code.NO_ENGINE: [Case(lambda bench: bench.must("wmx/engine/set_device", data=False))],
    Code.NOT_COMMUNICATING: [Case(not_communicating)],
    Code.TIME_HELD: [Case(lambda bench: bench.fault("hold_time -"))],
    Code.EMERGENCY_STOP: [Case(emergency_stop(1), has_button=False)],
    Code.EMERGENCY_STOP_FINAL: [Case(emergency_stop(0), has_button=False)],
    Code.PAUSED: [Case(lambda bench: bench.machine.pause(), has_button=False)],
    Code.STOP_INPUT: [
        Case(lambda bench: bench.machine.axes[1].stop_on_input(0, 3), has_button=False)
    ],
    Code.PARAMETERS_LOST: [Case(with_the_file)],
    Code.MODE_LOST: [Case(with_the_engine(lambda bench: bench.machine.axes[1].set_mode("torque")))],
    Code.REFERENCE_LOST: [Case(with_the_engine(lambda bench: bench.machine.axes[1].home().wait()))],
    Code.POSITION_OUTPUT_LOST: [
        Case(with_the_engine(lambda bench: bench.machine.axes[1].switch_output(1, 2, 0.5)))
    ],
    Code.SLAVE_BEHIND_BREAK: [
        Case(
            lambda bench: bench.fault("cut_cable slave"),
            lambda bench: bench.fault("mend_cable slave"),
        )
    ],
    Code.SLAVE_OFFLINE: [
        Case(
            lambda bench: bench.fault("drop_slave slave"),
            lambda bench: bench.fault("return_slave slave"),
        )
    ],
    Code.SLAVE_NOT_OP: [
        Case(low_state(state))
        for state in (EcState.INIT, EcState.PREOP, EcState.SAFEOP, EcState.BOOT)
    ],
    Code.DRIVE_OFFLINE: [
        Case(no_slave_known, lambda bench: bench.fault("return_slave slave")),
    ],
    Code.DRIVE_ALARM: [
        Case(
            lambda bench: bench.must(
                "wmx/simulation/inject_faults", script="[{raise_alarm: {axis: 1, code: 0x7121}}]"
            )
        )
    ],
    Code.FOLLOWING_ERROR: [Case(frozen, lambda bench: bench.fault("free_encoder axis"))],
    Code.SERVO_OFF: [Case(lambda bench: bench.machine.axes[1].off())],
    Code.OUT_OF_POSITION: [Case(out_of_position, lambda bench: bench.fault("free_encoder axis"))],
    Code.MODE: [
        Case(lambda bench: bench.machine.axes[1].set_mode("velocity")),
        Case(lambda bench: bench.machine.axes[1].set_mode("torque")),
    ],
    Code.LIMIT_SWITCH: [
        Case(lambda bench: bench.drive_to(1.5)),
        Case(lambda bench: bench.drive_to(-1.5)),
    ],
    Code.SOFT_LIMIT: [Case(at_soft_limit)],
    Code.OWNED: [Case(lambda bench: bench.machine.axes[1].move(0.4, velocity=0.001))],
    Code.FOLLOWING: [
        Case(
            by_another_program("start_gearing", [Gearing(slave=UNOWNED, master=0, ratio=1.0)]),
            axis=UNOWNED,
        )
    ],
    Code.BUSY: [Case(endless, axis=UNOWNED)],
}
NO_COMMAND = {
    Code.NO_LICENCE: "a licence is installed by hand",
    Code.NO_SUCH_AXIS: "no axis can be added",
    Code.SHARED_FILE_LOST: "the nodes put the file back by themselves",
    Code.SLOWING_DOWN: "it ends by itself",
    Code.SHARED_NAME: "one of two systems has to be started otherwise",
}
"""Conditions that no command clears, and why not."""
WAYS = "wmx", "panel"
LEFT = {Code.SERVO_OFF, Code.MODE}
"""What may be left: it is shown as another condition, with a remedy of its own."""


@pytest.fixture
def bench(
    system: HeldSystem, machine: Machine, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Bench]:
    """Every axis is on and rests at zero; it is so again in the end."""
    bench = Bench(system, machine, shell, monkeypatch)
    axes = machine.axes[0:3]
    axes.on()
    yield bench
    monkeypatch.undo()
    bench.fault("run_time -", "free_encoder axis", "return_slave slave", "mend_cable slave")
    if Code.NODE_INACTIVE in bench.codes(1):
        machine.nodes.change("wmx_core_motion_node", "activate")
    machine.engine.start()
    machine.network.hot_connect()
    machine.network.bring_to(1, EcState.OP)
    machine.release()
    axes.stop_on_no_input()
    axes.confirm()
    machine.stop()
    client = system.client
    client.states.next(lambda s: not any(abs(v) > RESTS for v in s.actual_velocity))
    axes.clear()
    axes.set_mode("position")
    axes.on()
    client.move("wmx/axis/position", [0, 1], [0.0] * 2, [2.0] * 2, [50.0] * 2, [50.0] * 2)
    for axis in (0, 1):
        client.at_rest(axis, 0.0)
    assert bench.codes(1) == bench.codes(UNOWNED) == []


def test_every_code_has_a_case() -> None:
    assert {*CASES} | {*NO_COMMAND} == {*Code}
    assert not CASES.keys() & NO_COMMAND.keys()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("code", "case"),
    [
        pytest.param(code, case, id=f"{code.value}{number}")
        for code, cases in CASES.items()
        for number, case in enumerate(cases)
    ],
)
def test_what_is_named_clears_it(bench: Bench, code: Code, case: Case, way: str) -> None:
    if way == "panel" and not case.has_button:
        pytest.skip("no button stands beside it")
    case.cause(bench)
    bench.system.client.clock.sleep(0.2)
    [blocker] = [each for each in bench.blockers(case.axis) if each.code is code]
    case.by_hand(bench)
    for _ in range(MOST_TRIES):
        carry_out(bench, blocker, way, case.axis)
        if {*bench.codes(case.axis)} <= LEFT - {code}:
            return
    raise AssertionError(f"{code} is there still: {bench.blockers(case.axis)}")


@pytest.mark.long
@pytest.mark.parametrize("way", WAYS)
def test_a_motor_that_is_freed_does_not_move_before_it_is_commanded(bench: Bench, way: str) -> None:
    """The first remedy is carried out, then the motor is freed, then what is named again."""
    frozen(bench)
    bench.system.client.clock.sleep(0.2)
    stood = bench.machine.axes[1].status.position
    carry_out(bench, bench.blockers(1)[0], way, 1)
    bench.fault("free_encoder axis")
    for _ in range(MOST_TRIES):
        if not (found := bench.blockers(1)):
            break
        carry_out(bench, found[0], way, 1)
    assert bench.codes(1) == []
    assert bench.machine.axes[1].status.position == pytest.approx(stood, abs=1e-3)


def carry_out(bench: Bench, blocker: Blocker, way: str, axis: int) -> None:
    if way == "wmx":
        command = blocker.remedy.partition("#")[0].rpartition(", or: ")[2]
        program, *words = shlex.split(command)
        assert program == "wmx"
        bench.shell.done(*words)
    else:
        button = remedies.remedy(blocker)
        assert button is not None
        done = button[1](bench.machine, axis, blocker)
        if hasattr(done, "wait"):
            done.wait()
    bench.system.client.clock.sleep(0.2)


@pytest.mark.parametrize("code", NO_COMMAND)
def test_what_no_command_clears_has_no_button(code: Code) -> None:
    blocker = Blocker(axis=1, code=code, reason="", remedy="")
    assert remedies.remedy(blocker) is None
    assert remedies.why_no_button(blocker)
