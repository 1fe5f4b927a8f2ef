"""Why an axis does not move: each blocker alone, with the command that clears it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from held_engine import MODEL, HeldEngine, position_move

from wmx_core.values import (
    CommandMode,
    EmergencyStop,
    EngineState,
    LimitType,
    LinearMove,
    NetworkState,
)
from wmx_ros2_package.control.axis_file.records import Speed
from wmx_ros2_package.control.settings.document import Loss
from wmx_ros2_package.control.settings.kept import WORDS
from wmx_ros2_package.diagnosis import explanations, typed_commands
from wmx_ros2_package.diagnosis.blockers import ALL_AXES, Blocker
from wmx_ros2_package.diagnosis.blockers import BlockerCode as Code
from wmx_ros2_package.diagnosis.snapshot import Snapshot
from wmx_ros2_package.diagnosis.typed_commands import as_typed, start_system, wmx_program

NODE = "/robot/wmx_core_motion_node"


def snapshot(held: HeldEngine, **known: Any) -> Snapshot:
    """All that there is to know of `held`."""
    return Snapshot(
        **{
            "node": NODE,
            "engine_state": held.engine.state(),
            "status": held.status(),
            "networks": [held.ecat.network_state(0)],
            **known,
        }
    )


def blockers(axis: int, snapshot: Snapshot) -> list[Blocker]:
    return explanations.blockers([axis], snapshot)


def explanation(axis: int, snapshot: Snapshot) -> str:
    return explanations.explanation(axis, blockers(axis, snapshot))


def only(snapshot: Snapshot, axis: int = 0) -> Blocker:
    [blocker] = blockers(axis, snapshot)
    return blocker


def test_a_pause_blocks_every_axis() -> None:
    blocker = only(snapshot(HeldEngine().servo_on(), speed=Speed(20, paused=True)))
    assert (blocker.axis, blocker.code) == (-1, Code.PAUSED)
    assert blocker.remedy == "wmx resume -n /robot"


def test_an_override_blocks_nothing_and_is_named() -> None:
    slow = snapshot(HeldEngine().servo_on(), speed=Speed(20))
    assert blockers(0, slow) == []
    assert explanations.explanation(0, [], slow) == (
        "axis 0: nothing blocks motion; all axes move at 20 % of their speed: "
        "wmx speed 100 -n /robot"
    )


def test_nothing_blocks_an_axis_that_is_on() -> None:
    held = HeldEngine().servo_on()
    assert explanation(0, snapshot(held)) == "axis 0: nothing blocks motion"
    held.motion.move_absolute([position_move(0, 0.1)])
    assert explanation(0, snapshot(held)) == "axis 0: nothing blocks motion"


def test_a_servo_that_is_off() -> None:
    assert explanation(1, snapshot(HeldEngine())) == (
        "axis 1:\n- its servo is off\n    wmx on 1 -n /robot"
    )


def test_a_motor_that_stands_elsewhere_than_its_command() -> None:
    blocker = only(snapshot(HeldEngine().servo_on(), out_of_position={0: 0.3}))
    assert blocker.reason == "its motor stands 0.3 u from its command, which rests"
    assert blocker.remedy.startswith("wmx off 0 -n /robot    # ")
    assert blockers(1, snapshot(HeldEngine().servo_on(), out_of_position={0: 0.3})) == []


def test_an_axis_that_slows_down_needs_no_stop() -> None:
    held = HeldEngine().servo_on()
    held.motion.move_absolute([position_move(0, 50.0)])
    held.after(1.0)
    held.motion.stop([0])
    status = held.after(0.01)
    for known in ({}, {"owners": {0: "/arm (position)"}}):
        assert only(snapshot(held, status=status, **known)).remedy == "wait until it rests"


def test_a_soft_limit_that_has_switched_the_servo_off_is_named_with_it() -> None:
    held = HeldEngine().servo_on()
    held.apply(soft_limit_type=LimitType.SERVO_OFF, soft_limit_positive=1.0)
    held.motion.set_position(0, 0.0)
    held.motion.move_absolute([position_move(0, 1.2)])
    held.after(5.0)
    servo, limit = blockers(0, snapshot(held))
    assert servo.reason == "its servo is off"
    assert limit.reason == "its positive soft limit is on: only the negative way is free"


def test_time_that_is_held() -> None:
    blocker = only(snapshot(HeldEngine().servo_on(), time_is_held=True))
    assert blocker.reason == "the time of the simulated engine is held"
    assert blocker.remedy == "wmx faults play run_time -n /robot"


@pytest.mark.parametrize("state", [None, EngineState.IDLE, EngineState.SHUTDOWN])
def test_no_engine_hides_all_else(state: EngineState | None) -> None:
    blocker = only(snapshot(HeldEngine(), engine_state=state))
    assert blocker.reason == "there is no engine"
    assert blocker.remedy == "wmx engine start -n /robot"


def test_an_engine_that_does_not_communicate() -> None:
    blocker = only(snapshot(HeldEngine(start=False)))
    assert blocker.reason == "the network does not communicate"
    assert blocker.remedy == "wmx engine start -n /robot"


def test_an_engine_without_a_licence_says_so_first() -> None:
    held = HeldEngine(start=False)
    status = replace(held.status(), invalid_licence=True)
    licence, network = blockers(0, snapshot(held, status=status))
    assert licence.reason == "the engine has no valid licence"
    assert network.reason == "the network does not communicate"


def test_a_node_that_is_not_active() -> None:
    blocker = only(snapshot(HeldEngine(), active=False))
    assert blocker.reason == f"{NODE} is inactive"
    assert blocker.remedy == "wmx node activate wmx_core_motion_node -n /robot"
    assert (blocker.code, blocker.axis, blocker.node) == (Code.NODE_INACTIVE, ALL_AXES, NODE)


@pytest.mark.parametrize(
    ("level", "words"), [(EmergencyStop.FINAL, "final"), (EmergencyStop.LEVEL1, "level 1")]
)
def test_an_emergency_stop(level: EmergencyStop, words: str) -> None:
    held = HeldEngine().servo_on()
    held.motion.emergency_stop(level)
    blocker = blockers(0, snapshot(held))[0]
    assert blocker.reason == f"an emergency stop ({words}) is active"
    assert blocker.remedy == "wmx release -n /robot"


def test_another_system_of_the_same_names_is_one_blocker() -> None:
    held = HeldEngine().servo_on()
    own = "get_parameters", "get_type_description", "set_parameters"
    shared = {f"{NODE}/{name}": NODE for name in own} | {"/robot/wmx/axis/explain": NODE}
    blocker = only(snapshot(held, shared_names=shared))
    assert (blocker.axis, blocker.code) == (ALL_AXES, Code.SHARED_NAME)
    assert "ROS_DOMAIN_ID or namespace" in blocker.remedy


def test_each_absolute_name_that_another_system_has_is_a_blocker() -> None:
    held = HeldEngine().servo_on()
    shared = dict.fromkeys(["/arm/follow", "/arm/state"], NODE)
    found = blockers(0, snapshot(held, shared_names=shared))
    assert [blocker.reason.partition(" ")[0] for blocker in found] == [*shared]
    assert all("absolute_names:=move" in blocker.remedy for blocker in found)


def test_an_alarm_in_words_and_the_servo_that_it_switched_off() -> None:
    held = HeldEngine().servo_on()
    held.raise_alarm(0, 0x3220)
    alarm, servo = blockers(0, snapshot(held))
    assert alarm.reason == "its drive has alarm 0x3220 (DC link undervoltage)"
    assert alarm.remedy == "wmx clear 0 -n /robot"
    assert servo.reason == "its servo is off"


def test_a_motor_that_stands_elsewhere_is_let_go_before_its_alarm_is_cleared() -> None:
    """A servo that is on pulls it to its command as soon as it is free."""
    held = HeldEngine(following_error_moving=0.1, following_error_type=1).servo_on()
    held.fake.call("motion", "freeze_encoder", 0, frozen=True)
    held.motion.move_absolute([position_move(target=1.0)])
    held.after(5.0)
    found = blockers(0, snapshot(held, out_of_position={0: 0.3}))
    assert [each.code for each in found] == [Code.OUT_OF_POSITION, Code.FOLLOWING_ERROR]
    assert [each.remedy.partition(" ")[2].partition("    #")[0] for each in found] == [
        "off 0 -n /robot",
        "clear 0 -n /robot",
    ]


@pytest.mark.parametrize(
    ("mode", "name"), [(CommandMode.VELOCITY, "velocity"), (CommandMode.TORQUE, "torque")]
)
def test_another_mode(mode: CommandMode, name: str) -> None:
    blocker = only(snapshot(HeldEngine().servo_on(mode=mode)))
    assert blocker.reason == (
        f"it is in {name} mode: homing, and positions and jogs by wmx/axis, are refused; "
        "a move by wmx/actuator switches it"
    )
    assert blocker.remedy == "wmx mode 0 position -n /robot"


@pytest.mark.parametrize(
    ("target", "side", "free", "by"),
    [(3.0, "positive", "negative", "-0.1"), (-3.0, "negative", "positive", "0.1")],
)
def test_a_limit_switch_and_which_way_is_free(target: float, side: str, free: str, by: str) -> None:
    model = replace(MODEL, positive_limit_switch=1.0, negative_limit_switch=-1.0)
    held = HeldEngine(model=model, ls_type=LimitType.DEC, ls_dec=20.0).servo_on()
    held.motion.move_absolute([position_move(0, target)])
    held.after(5.0)
    blocker = only(snapshot(held))
    assert blocker.reason == f"its {side} limit switch is on: only the {free} way is free"
    assert blocker.remedy == f"wmx move 0 {by} --by -n /robot    # again until it is off"
    assert blocker.direction == (1 if side == "positive" else -1)
    held.motion.move_relative([position_move(0, float(by))])


@pytest.mark.parametrize(("target", "side"), [(1.0, "positive"), (-1.0, "negative")])
def test_a_soft_limit(target: float, side: str) -> None:
    held = HeldEngine(
        soft_limit_type=LimitType.DEC,
        soft_limit_positive=0.5,
        soft_limit_negative=-0.5,
        ls_dec=20.0,
        home_type=0,
    ).servo_on()
    held.motion.home(0)
    held.after(1.0)
    assert blockers(0, snapshot(held)) == []
    held.motion.move_absolute([position_move(0, target)])
    held.after(5.0)
    blocker = only(snapshot(held))
    assert blocker.reason.startswith(f"its {side} soft limit is on: only the ")


@pytest.mark.parametrize(
    ("known", "reason"),
    [
        ({}, "its drive, slave 1 of master 0, is offline"),
        ({"networks": []}, "its drive is offline"),  # no slave is known
    ],
)
def test_a_drive_that_is_not_reached(known: dict[str, Any], reason: str) -> None:
    held = HeldEngine().servo_on()
    held.play("[{drop_slave: {slave: 1}}]")
    held.after(0.1)
    offline, servo = blockers(1, snapshot(held, **known))
    assert offline.reason == reason
    assert offline.remedy.startswith("wmx ecat hot-connect -n /robot    # once it has power")
    assert servo.reason == "its servo is off"
    assert blockers(0, snapshot(held, **known)) == [], "and its neighbour is not concerned"


@pytest.mark.parametrize(
    ("broken", "where"),
    [
        ({"inaccessible": True}, "is behind a broken line"),
        ({"inaccessible": True, "offline": True}, "is behind a broken line"),
        ({"offline": True}, "is offline"),
    ],
)
def test_a_slave_of_another_master_that_is_not_there(broken: dict[str, bool], where: str) -> None:
    """Axes are numbered along the slaves of one master after the other."""
    held = HeldEngine().servo_on()
    network = held.ecat.network_state(0)
    first, second = network.slaves
    networks = [
        replace(network, slaves=(first,)),
        replace(network, master_id=1, slaves=(replace(second, **broken),)),
    ]
    blocker = only(snapshot(held, networks=networks), 1)
    assert blocker.reason == f"its drive, slave 1 of master 1, {where}"
    assert blocker.remedy.startswith("wmx ecat hot-connect --master 1 -n /robot    # once")
    assert (blocker.master, blocker.slave) == (1, 1)
    assert blockers(0, snapshot(held, networks=networks)) == []


def test_a_slave_that_is_not_in_op() -> None:
    held = HeldEngine().servo_on()
    network: NetworkState = held.ecat.network_state(0)
    slaves = tuple(
        replace(slave, state=type(slave.state).SAFEOP, al_status_code=0x1B)
        for slave in network.slaves
    )
    blocker = only(snapshot(held, networks=[replace(network, slaves=slaves)]))
    assert blocker.reason == (
        "its drive, slave 0 of master 0, is in state SAFEOP, not OP: "
        "0x001B (sync manager watchdog: no process data came)"
    )


def test_somebody_else_owns_it() -> None:
    held = HeldEngine().servo_on()
    blocker = only(snapshot(held, owners={0: "/arm (trajectory), process 7"}))
    assert blocker.reason == "it is owned by /arm (trajectory), process 7"
    assert blocker.remedy == "wmx stop 0 -n /robot    # or wait until it rests"


def test_it_is_on_a_line_with_others() -> None:
    held = HeldEngine().servo_on()
    held.motion.move_linear(
        LinearMove(axes=(0, 1), targets=(1.0, 1.0), velocity=1.0, acc=1.0, dec=1.0)
    )
    blocker = only(snapshot(held))
    assert blocker.reason == "it is on a line or spline together with other axes"


@pytest.mark.parametrize("axis", [-1, 2, 127])
def test_an_axis_that_there_is_not(axis: int) -> None:
    blocker = only(snapshot(HeldEngine()), axis)
    assert blocker.reason == f"the engine has no axis {axis}"
    assert blocker.remedy == "it has the axes 0 to 1"


def test_what_is_to_be_cleared_first_comes_first() -> None:
    held = HeldEngine().servo_on(mode=CommandMode.VELOCITY)
    held.motion.emergency_stop(EmergencyStop.FINAL)
    held.raise_alarm(0)
    reasons = [each.reason.split()[0:3] for each in blockers(0, snapshot(held))]
    assert [" ".join(words) for words in reasons] == [
        "an emergency stop",
        "its drive has",
        "its servo is",
        "it is in",
    ]


def test_no_namespace_needs_no_option() -> None:
    node = "/wmx_core_motion_node"
    assert only(snapshot(HeldEngine(), node=node), 1).remedy == "wmx on 1"


def test_where_only_ros2_finds_it_that_is_what_is_typed() -> None:
    [blocker] = blockers(1, snapshot(HeldEngine(), program="ros2 wmx"))
    assert blocker.remedy == "ros2 wmx on 1 -n /robot"


@pytest.mark.parametrize(
    ("programs", "typed", "starts"),
    [
        (["wmx", "ros2"], "wmx", "make run"),
        (["wmx"], "wmx", "make run"),
        (["ros2"], "ros2 wmx", "ros2 launch "),
        ([], "wmx", "make run"),
    ],
)
def test_what_is_typed_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, programs: list[str], typed: str, starts: str
) -> None:
    for name in programs:
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert wmx_program() == typed
    assert start_system().startswith(starts)


REMEDIES = {
    Loss.PARAMETERS: "wmx params load FILE",
    Loss.MODE: "wmx mode 1 MODE",
    Loss.REFERENCE: "wmx home 1",
    Loss.POSITION_OUTPUT: "wmx position-output 1 ...",
}


@pytest.mark.parametrize("loss", Loss)
def test_what_was_lost_with_an_engine(loss: Loss) -> None:
    held = HeldEngine().servo_on()
    blocker = only(snapshot(held, lost={1: [loss]}), 1)
    assert blocker.reason == WORDS[loss]
    first, _, other = blocker.remedy.partition("    # lets it be as it is now; or: ")
    assert (first, other) == ("wmx confirm 1 -n /robot", f"{REMEDIES[loss]} -n /robot")
    assert explanation(0, snapshot(held, lost={1: [loss]})) == "axis 0: nothing blocks motion"


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        (
            "wmx on 0\nwmx clear 1    # or wmx off",
            "ros2 wmx on 0\nros2 wmx clear 1    # or ros2 wmx off",
        ),
        (
            "type `wmx jog AXIS`; see: wmx ecat slaves",
            "type `ros2 wmx jog AXIS`; see: ros2 wmx ecat slaves",
        ),
        ("ros2 wmx on 0", "ros2 wmx on 0"),
        ("/opt/wmx and wmx/axis/stop, wmx: gone", "/opt/wmx and wmx/axis/stop, wmx: gone"),
    ],
)
def test_commands_are_named_as_they_are_typed(
    monkeypatch: pytest.MonkeyPatch, text: str, typed: str
) -> None:
    monkeypatch.setattr(typed_commands, "wmx_program", lambda: "ros2 wmx")
    assert as_typed(text) == typed


@pytest.mark.parametrize(
    "text",
    [
        "{}wmx on 0    # or {}wmx off 0",
        "{}make run    # starts a system\n{}wmx doctor    # finds out why none is found",
        "{}ros2 launch wmx_ros2_package wmx_ros2_general_package.launch.py    # starts a system",
        "ROS_DOMAIN_ID=5 WMX_DEVICE_PATH=second make run    # another system",
        "wait until it rests",
    ],
)
def test_commands_reach_the_domain_that_was_asked(
    monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setattr(typed_commands, "wmx_program", lambda: "wmx")
    worded = text.replace("{}", "")
    monkeypatch.setenv("ROS_DOMAIN_ID", "3")
    assert as_typed(worded, 7) == text.replace("{}", "ROS_DOMAIN_ID=7 ")
    assert as_typed(worded, 3) == as_typed(worded) == worded
    monkeypatch.delenv("ROS_DOMAIN_ID")
    assert as_typed(worded, 0) == worded
