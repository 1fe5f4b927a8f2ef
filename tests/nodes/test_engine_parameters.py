"""wmx_engine_node loads a WMX parameter file before others attach, or does not become ready."""

from collections.abc import Iterator

import pytest
import system as systems
from held_system import held_system
from system import CONFIG, Place

XML = CONFIG / "robots" / "base" / "wmx_parameters.xml"


@pytest.fixture
def place() -> Iterator[Place]:
    with systems.place() as place:
        yield place


def test_the_file_is_in_force(place: Place) -> None:
    with held_system(place, f"parameter_file:={XML}") as system:
        system.ready()
        system.says(f"[wmx_engine_node]: Loaded WMX parameters from {XML}")
        dump = system.client.must("wmx/params/get", index=[0]).params_dump
        assert any("10485760.000000 / 6.283185" in line for line in dump), dump


def test_without_it_nothing_becomes_ready(place: Place) -> None:
    parameters = "wmx_param_file_path:=/no/such.xml", "retry_count:=2", "retry_delay:=0.1"
    with held_system(place, *parameters, executables=["wmx_engine_node"]) as system:
        system.says("Failed to start the engine after 2 attempts: Error=1562 (FileOperationFailed)")
        assert "Communication started" not in system.output
        assert not system.client.ready["wmx/engine/ready"].latest().data
