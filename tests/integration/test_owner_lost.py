"""A node that is killed cannot tell the end of its motions: the engine node does."""

import signal
import time
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
import system as systems
from actuator_client import Actuators
from motion_events import EVENTS_QOS
from ros import eventually
from system import MOVING, System
from wmx_ros2_message.msg import ActuatorCommand, BeginMotion, EndMotion

from wmx_core.values import DEFAULT_DEVICE_PATH, OperationState, TorqueMove
from wmx_ros2_package.control.ownership import Ownership
from wmx_ros2_package.node_base.domain.discovery import PROFILE, variable


@pytest.fixture(scope="module")
def moving() -> Iterator[System]:
    with systems.place() as place, systems.system(place, executables=MOVING) as system:
        system.client.attached()
        yield system


@pytest.mark.parametrize("alive", [False, True], ids=["its node died", "it lasts too long"])
def test_a_torque_that_no_engine_ends_is_ended(moving: System, alive: bool) -> None:
    """As on the vendor's engine, where the node that ordered it has to."""
    client = moving.client
    begins = client.node.create_publisher(BeginMotion, "wmx/motion/begin", EVENTS_QOS)
    eventually(begins.get_subscription_count, "the engine node hears of motions")
    torque = {"index": [0, 1], "data": [2, 2]}
    eventually(lambda: client.call("wmx/axis/set_mode", **torque).success, "the axes rest")
    client.must("wmx/axis/set_on", index=[0, 1], data=[1, 1])
    with moving.place.driver(name="ghost") as ghost:
        ownership = Ownership(ghost.name, ghost.motion.status, ghost.status_latency)
        ownership.open(DEFAULT_DEVICE_PATH, "/ghost")
        with ownership.commanding([0, 1]):
            ghost.motion.move_torque([TorqueMove(axis=axis, torque=5.0) for axis in (0, 1)])
        begin = BeginMotion(source="/ghost", axes=[0], type=BeginMotion.EFFORT)
        begin.target_position, begin.initial_position = [float("nan")], [0.0]
        begin.command_id.uuid = list(uuid4().bytes)
        if alive:
            begin.expected_arrival = client.node.get_clock().now().to_msg()
        begins.publish(begin)
        if not alive:
            ownership.close()
        state = ghost.motion.status
        eventually(lambda: state().op_state[0] != OperationState.TRQ, "the torque ends")
        assert state().op_state[1] == OperationState.TRQ, "nobody told of that one"
        ghost.motion.stop([1])
        ownership.close()


def test_what_has_no_duration_ends_with_a_node_that_hangs(moving: System) -> None:
    """Where its node is killed, `test_dead_man.py` shows it of each kind of motion."""
    client, place = moving.client, moving.place
    client.must("wmx/axis/set_on", index=[0], data=[0])
    position = {"index": [0], "data": [0]}
    eventually(lambda: client.call("wmx/axis/set_mode", **position).success, "the axis rests")
    client.must("wmx/axis/set_on", index=[0], data=[1])
    node = place.start("wmx_actuator_node")
    node.says("wmx_actuator_node is ready")
    actuators = Actuators(client)
    actuators.accepted("axis_0", ActuatorCommand.EFFORT, 5.0)
    client.states.next(lambda s: s.actual_velocity[0] > 1.0)
    node.send_signal(signal.SIGSTOP)
    stood = time.monotonic()
    client.states.next(lambda s: abs(s.actual_torque[0]) < 1.0 and not s.velocity_cmd[0])
    client.states.next(lambda s: abs(s.actual_velocity[0]) < 0.01)
    assert time.monotonic() < stood + 10.0
    node.kill()
    place.processes.remove(node)


def test_a_hold_of_a_killed_node_ends_though_one_of_its_name_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As soon as DDS takes the dead one for gone: after 20 s by itself, here after 5."""
    profile = tmp_path / "profile.xml"
    lease = "<leaseDuration><sec>5</sec></leaseDuration>"
    profile.write_text(
        PROFILE.read_text().replace("<discovery_config>", f"<discovery_config>{lease}")
    )
    monkeypatch.setenv(variable(), str(profile))
    executables = (*MOVING, "wmx_actuator_node")
    with systems.place() as place, systems.system(place, executables=executables) as system:
        system.client.attached()
        system.client.must("wmx/axis/set_on", index=[0], data=[1])
        actuators = Actuators(system.client)
        id = actuators.accepted("axis_0", ActuatorCommand.HOLD)
        time.sleep(2.0)  # the engine node looks who tells of it, ten times a second
        place.kill("wmx_actuator_node")
        place.start("wmx_actuator_node")
        actuators.meet()
        end = actuators.ends.first(0.0, lambda e: e.command_id == id, timeout=60.0)
        assert end.reason == EndMotion.OWNER_LOST
