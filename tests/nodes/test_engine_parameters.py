"""wmx_engine_node loads a WMX parameter file before others attach, or does not start."""

from held_system import held_system, refusal
from system import CONFIG, Place

XML = CONFIG / "robots" / "base" / "wmx_parameters.xml"


def test_the_file_is_in_force(place: Place) -> None:
    with held_system(place, f"parameter_file:={XML}") as system:
        system.ready()
        system.says(f"[wmx_engine_node]: Loaded WMX parameters from {XML}")
        dump = system.client.must("wmx/params/get", index=[0]).params_dump
        assert any("10485760.000000 / 6.283185" in line for line in dump), dump


def test_without_it_the_node_does_not_start(place: Place) -> None:
    reason = refusal(place, "wmx_engine_node", "wmx_param_file_path:=/no/such.xml")
    assert reason == "Error=1562 (FileOperationFailed): '/no/such.xml': No such file or directory"


def test_a_wrong_machine_file_ends_the_node(place: Place) -> None:
    file = place.folder / "wrong.yaml"
    file.write_text("masters: [{slaves: [{nmae: drive, axes: 1}]}]")
    assert "wrong.yaml" in refusal(place, "wmx_engine_node", f"device_path:={file}")
