"""The file that processes share is deleted or overwritten while the system runs.

Everything stops within a second, stops are answered, and all is usable again by itself.
"""

import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import system as systems
from actuator_client import Actuators, later, position
from campaign_losses import FILE
from recording import stamp_of
from ros import eventually
from system import MOVING, System, pause
from wmx_ros2_message.msg import EndMotion

from wmx_core.errors import ErrorCode
from wmx_core.values import DEFAULT_DEVICE_PATH, EmergencyStop
from wmx_ros2_package.control.axis_file.records import ServoHistory
from wmx_ros2_package.control.ownership import Ownership
from wmx_ros2_package.diagnosis.blockers import BlockerCode

FOUND_WITHIN = 1.0
"""s, and what an axis takes to slow down."""
MOVING_AXIS, DELAYED, OFF = 0, 1, 5
DELAY = 2.0


@pytest.fixture(scope="module")
def running() -> Iterator[System]:
    executables = (*MOVING, "wmx_actuator_node")
    with systems.place() as place, systems.system(place, executables=executables) as system:
        system.client.attached()
        yield system


@pytest.fixture(scope="module")
def actuators(running: System) -> Actuators:
    return Actuators(running.client)


@pytest.fixture
def newcomer(running: System) -> Iterator[Ownership]:
    """A member of the system that comes later."""
    with running.place.driver(name="newcomer") as driver:
        ownership = Ownership(driver.name, driver.motion.status, driver.status_latency)
        yield ownership
        ownership.close()


def _file(running: System) -> Path:
    [path] = running.place.folder.glob("wmx-axes-*/*.axes*")
    return path


@pytest.mark.parametrize("damage", ["folder deleted", "axis file garbage"])
def test_everything_stops_and_is_usable_again(
    running: System, actuators: Actuators, newcomer: Ownership, damage: str
) -> None:
    client = running.client
    client.must("wmx/axis/set_on", index=[MOVING_AXIS, DELAYED, OFF], data=[1, 1, 1])
    client.must("wmx/axis/set_on", index=[OFF], data=[0])
    client.move("wmx/axis/position", [MOVING_AXIS], [1e5], [1.0], [50.0], [50.0])
    client.states.next(lambda s: s.velocity_cmd[MOVING_AXIS] > 0.9)
    due = time.monotonic() + DELAY
    id = actuators.wait(later(client, DELAY, position(f"axis_{DELAYED}", 1.0)))
    lines = running.output.count("was lost")
    path = _file(running)
    damaged, damaged_at = client.clock.now(), client.clock.time_ns()
    FILE[damage](path)
    newcomer.open(DEFAULT_DEVICE_PATH, "/newcomer")
    file = newcomer.file
    assert file is not None
    eventually(lambda: file.members_of("/wmx_core_motion_node"), "it is of the same system")
    assert file.servo_history(OFF) is ServoHistory.SWITCHED_OFF
    client.must("wmx/axis/stop", index=[DELAYED])
    stopped = client.states.first(damaged, lambda s: not s.velocity_cmd[MOVING_AXIS])
    assert stamp_of(stopped) < damaged_at + (FOUND_WITHIN + 1.0) * 1e9
    assert actuators.end_of(id).reason == EndMotion.REFUSED
    before = client.state().pos_cmd[DELAYED]
    pause(max(0.0, due + 0.3 - time.monotonic()))
    assert client.state().pos_cmd[DELAYED] == before
    assert 1 <= running.output.count("was lost") - lines <= 3, "once for each node"
    client.must("wmx/axis/set_on", index=[MOVING_AXIS], data=[1])
    client.move("wmx/axis/position", [MOVING_AXIS], [1e5], [1.0], [50.0], [50.0])
    client.states.next(lambda s: s.velocity_cmd[MOVING_AXIS] > 0.9)
    client.must("wmx/axis/stop", index=[MOVING_AXIS])
    client.states.next(lambda s: not s.velocity_cmd[MOVING_AXIS])


def test_an_emergency_stop_is_not_forgotten(running: System, newcomer: Ownership) -> None:
    client = running.client
    client.must("wmx/engine/estop", data=True)
    _file(running).unlink()
    newcomer.open(DEFAULT_DEVICE_PATH, "/newcomer")
    file = newcomer.file
    assert file is not None
    # A node that had not read of it may have put the file back: the engine node writes it again.
    blockers = client.must("wmx/axis/explain", index=[MOVING_AXIS]).blockers
    assert BlockerCode.EMERGENCY_STOP in [each.code for each in blockers], "the engine has it"
    eventually(lambda: file.emergency_stop is EmergencyStop.LEVEL1, "who comes knows of it")
    client.must("wmx/engine/estop", data=False)
    assert file.emergency_stop is None


def test_a_folder_that_cannot_be_there_blocks_motion_and_no_stop(
    running: System, actuators: Actuators, newcomer: Ownership
) -> None:
    """As when the runtime directory of a user is emptied and closed at log-out."""
    client = running.client
    client.must("wmx/axis/set_on", index=[MOVING_AXIS], data=[1])
    client.move("wmx/axis/position", [MOVING_AXIS], [1e5], [1.0], [50.0], [50.0])
    client.states.next(lambda s: s.velocity_cmd[MOVING_AXIS] > 0.9)
    folder = _file(running).parent

    def is_in_the_way() -> bool:
        """A node that looks between the two makes the folder again."""
        shutil.rmtree(folder, ignore_errors=True)
        with suppress(OSError):
            folder.write_text("no folder")
        return folder.is_file()

    eventually(is_in_the_way, "a file is where the folder was")
    client.states.next(lambda s: not s.velocity_cmd[MOVING_AXIS])
    client.must("wmx/axis/stop", index=[MOVING_AXIS])
    client.must("wmx/engine/estop", data=True)
    client.must("wmx/engine/estop", data=False)
    blockers = client.must("wmx/axis/explain", index=[MOVING_AXIS]).blockers
    assert BlockerCode.SHARED_FILE_LOST in [each.code for each in blockers]
    before = time.monotonic()
    client.move("wmx/axis/position", [MOVING_AXIS], [1e5], [1.0], [50.0], [50.0])
    end = actuators.ends.first(before, lambda end: end.reason == EndMotion.REFUSED)
    assert end.error_code == ErrorCode.FileOperationFailed
    assert not client.state().velocity_cmd[MOVING_AXIS]
    folder.unlink()

    def moves() -> bool:
        client.move("wmx/axis/position", [MOVING_AXIS], [1e5], [1.0], [50.0], [50.0])
        return bool(client.state().velocity_cmd[MOVING_AXIS])

    eventually(moves, "the axis moves again")
    client.must("wmx/axis/stop", index=[MOVING_AXIS])
    client.states.next(lambda s: not s.velocity_cmd[MOVING_AXIS])
