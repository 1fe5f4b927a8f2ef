"""Engines that cannot start or start with parameters, and what is done by hand after a loss."""

from collections.abc import Iterator

import pytest
import system as systems
from held_system import HeldSystem, held_system, refusal
from system import CONFIG, Place

XML = CONFIG / "robots" / "base" / "wmx_parameters.xml"


@pytest.fixture
def failed() -> Iterator[HeldSystem]:
    """A system whose engine could not be started: a file is where its folder would be."""
    with systems.place() as place:
        machine = place.machine()
        place.engines.touch()
        settings = f"device_path:={machine}", "retry_count:=2", "retry_delay:=0.01"
        with held_system(place, *settings) as system:
            system.says("Failed to start the engine after 2 attempts")
            yield system


def test_after_a_failed_start_the_engine_is_started_by_hand(failed: HeldSystem) -> None:
    client = failed.client
    assert "no engine can run at" in failed.output
    assert client.must("wmx/engine/get_status").message == "Idle"
    for path in "", "x" * 300_000 + ".yaml", "/no/such/machine.yaml":
        message = client.refused("wmx/engine/set_device", data=True, path=path, name="")
        assert message.startswith("Failed to create device. Error="), message
    failed.place.engines.unlink()
    done = client.must("wmx/engine/set_device", data=True, path="", name="")
    assert done.message == "Created device with name: wmx_engine_node"
    assert client.must("wmx/engine/get_status").message == "Running"
    client.must("wmx/engine/set_comm", data=True)
    failed.ready()


@pytest.mark.parametrize(
    ("recover", "status", "calls"),
    [
        ("attach", "Running", ["wmx/engine/set_comm"]),
        ("none", "Idle", ["wmx/engine/set_device", "wmx/engine/set_comm"]),
    ],
)
def test_no_more_is_done_after_a_loss_than_is_to_be(
    recover: str, status: str, calls: list[str]
) -> None:
    with systems.place() as place, held_system(place, f"recover:={recover}") as system:
        system.ready()
        client = system.client
        ready = client.ready["wmx/engine/ready"]
        client.play("crash_engine: {}")
        system.says(
            f"recover is {recover}: call wmx/engine/set_device and wmx/engine/set_comm to go on"
        )
        assert client.must("wmx/engine/get_status").message == status
        assert not ready.next().data
        for service in calls:
            assert client.must("wmx/engine/get_status").message == status
            client.must(service, data=True)
            status = "Running"
        system.ready()
        assert not any(client.state().servo_on)


def test_without_an_engine_each_axis_is_explained() -> None:
    with (
        systems.place() as place,
        held_system(place, executables=["wmx_core_motion_node"]) as alone,
    ):
        answer = alone.client.must("wmx/axis/explain", index=[0, 5])
    for axis, said in zip((0, 5), answer.explanations, strict=True):
        assert f"axis {axis}:\n- there is no engine\n    wmx engine start" in said


def test_a_parameter_file_is_in_force(place: Place) -> None:
    with held_system(place, f"parameter_file:={XML}") as system:
        system.ready()
        system.says(f"[wmx_engine_node]: Loaded WMX parameters from {XML}")
        dump = system.client.must("wmx/params/get", index=[0]).params_dump
        assert any("10485760.000000 / 6.283185" in line for line in dump), dump


def test_without_its_parameter_file_the_node_does_not_start(place: Place) -> None:
    reason = refusal(place, "wmx_engine_node", "wmx_param_file_path:=/no/such.xml")
    assert reason == "Error=1562 (FileOperationFailed): '/no/such.xml': No such file or directory"


def test_a_wrong_machine_file_ends_the_node(place: Place) -> None:
    file = place.folder / "wrong.yaml"
    file.write_text("masters: [{slaves: [{nmae: drive, axes: 1}]}]")
    assert "wrong.yaml" in refusal(place, "wmx_engine_node", f"device_path:={file}")
