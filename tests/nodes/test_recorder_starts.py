"""wmx_recorder_node started late, where no file can be written, and on another engine."""

from pathlib import Path

import pytest
from held_system import held_system
from lifecycle import ACTIVATE, CONFIGURE, Managed
from ros import COMMANDS
from std_srvs.srv import Trigger
from system import Place, System
from waits import WAIT_TIMEOUT

from wmx_ros2_package.node_base.qos import SERVICE_QOS
from wmx_ros2_package.recordings.reading import Recording

pytestmark = pytest.mark.long

ABSOLUTE = next(iter(COMMANDS))
SAVE = "wmx/recorder/save"
NODE = "wmx_recorder_node"


def ask(system: System, *, success: bool) -> str:
    """What asking for a recording is answered."""
    saving = system.client.node.create_client(Trigger, SAVE, qos_profile=SERVICE_QOS)
    assert saving.wait_for_service(WAIT_TIMEOUT)
    answer = system.client.answer(saving.call_async(Trigger.Request())).result()
    assert answer.success is success
    return str(answer.message)


def move(system: System, target: float) -> None:
    client = system.client
    client.must("wmx/axis/set_on", index=[0], data=[1])
    client.move(ABSOLUTE, [0], [target], [2.0], [10.0], [10.0])
    client.at_rest(0, target)


def test_a_recorder_that_is_started_late_has_nothing_of_before(place: Place) -> None:
    parameters = f"folder:={place.folder / 'late'}", f"{NODE}:autostart:=false"
    with held_system(place, *parameters, options=["--recorder"]) as system:
        system.ready()
        move(system, 0.2)
        begun = system.client.clock.time_ns()
        system.client.clock.sleep(0.01)  # the newest cycle is one of after that
        recorder = Managed(system.client, NODE)
        assert recorder.change(CONFIGURE)
        assert recorder.change(ACTIVATE)
        system.says(f"{NODE} is ready")
        move(system, 0.4)
        path = Path(ask(system, success=True))
        times = [message.time for message in Recording(path).messages()]
        assert min(times) > begun


@pytest.mark.parametrize("kind", ["full", "gone"])
def test_a_disk_that_takes_nothing_is_reported_and_the_machine_moves_on(
    place: Place, kind: str
) -> None:
    (place.folder / "file").write_text("")
    folder = place.folder / ("files" if kind == "full" else "file/files")
    parameters = [f"folder:={folder}", "continuous:=true"]
    parameters += ["least_free_megabytes:=1000000"] if kind == "full" else []
    with held_system(place, *parameters, options=["--recorder"]) as system:
        system.ready()
        assert str(folder) in ask(system, success=False)
        system.says("Recording is interrupted: ")
        move(system, 0.1)


@pytest.mark.parametrize("name", [NODE, "wmx_core_motion_node"])
def test_a_node_on_another_engine_says_so_and_is_not_ready(place: Place, name: str) -> None:
    other = f"{name}:device_path:={place.machine('other.yaml')}"
    folder = f"folder:={place.folder / 'files'}"
    with held_system(place, other, folder, options=["--recorder"]) as system:
        system.says(f"[{name}]: ")
        system.says("does not communicate: must be that of wmx_engine_node, which is ready")
        system.client.clock.sleep(2.0)
        assert f"{name} is ready" not in system.output
        assert not [*place.folder.glob("files/*_engine_lost.mcap*")], "it has lost none"
