"""wmx_core_motion_node: parameter files, loaded and shown."""

from pathlib import Path

import pytest
from ros import Client
from system import CONFIG, System

from wmx_core.parameters.differences import differences
from wmx_core.parameters.dump import describe_axis
from wmx_core.parameters.parameter_set import ParameterSet, read_parameters

SHIPPED = CONFIG / "wmx_parameters_6_axes.xml"


def parameters(**elements: str) -> str:
    """A file with elements of axis 0's AxisParam."""
    inner = "".join(f"<{name}>{text}</{name}>" for name, text in elements.items())
    return (
        '<?xml version="1.0"?><Parameters ver="1.00"><AxisParameters Axis="0">'
        f"<AxisParam>{inner}</AxisParam></AxisParameters></Parameters>"
    )


def value(client: Client, name: str, axis: int = 0) -> str:
    dump = client.must("wmx/params/get", index=[axis]).params_dump
    [line] = [line for line in dump if line.split("=")[0].strip() == name]
    return line.split("=", 1)[1].strip()


@pytest.mark.parametrize("index", [[0], [5, 0]])
def test_the_dump_has_the_lines_of_each_axis(client: Client, index: list[int]) -> None:
    shown = client.must("wmx/params/get", index=index)
    assert shown.message == "OK"
    file = read_parameters(SHIPPED)
    assert shown.params_dump == [line for axis in index for line in describe_axis(file, axis)]


@pytest.mark.parametrize("index", [[6], [0, 128], [-1], [2**31 - 1]])
def test_an_axis_that_there_is_not_is_not_shown(client: Client, index: list[int]) -> None:
    response = client.call("wmx/params/get", index=index)
    assert not response.success
    assert "Error=1547 (AxisOutOfRange)" in response.message
    assert not response.params_dump


def test_a_loaded_file_is_in_force(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "own.xml"
    path.write_bytes(b"\xef\xbb\xbf" + parameters(MaxMotorSpeed="1234").encode() + b"\r\n")
    done = client.must("wmx/params/load", file_path=str(path))
    assert done.message == f"Loaded params from: {path}"
    assert float(value(client, "MaxMotorSpeed")) == 1234.0
    client.must("wmx/params/load", file_path=str(SHIPPED))
    assert float(value(client, "MaxMotorSpeed")) != 1234.0


def test_a_bad_file_changes_nothing(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "bad.xml"
    path.write_text(parameters(AxisPolarity="3"))
    before = client.must("wmx/params/get", index=list(range(6))).params_dump
    message = client.refused("wmx/params/load", file_path=str(path))
    error = "Error=65542 (ParameterFileParseError)"
    assert message.startswith(f"Failed to load params: {error}: '{path}'")
    assert "root:" not in message
    assert client.must("wmx/params/get", index=list(range(6))).params_dump == before
    message = client.refused("wmx/params/load", file_path=str(tmp_path))
    assert message.startswith("Failed to load params: Error=1562 (FileOperationFailed)")


def test_what_is_probably_a_mistake_in_a_file_is_said(
    system: System, client: Client, tmp_path: Path
) -> None:
    path = tmp_path / "mistyped.xml"
    path.write_text(parameters(AxisPolarty="-1"))
    client.must("wmx/params/load", file_path=str(path))
    system.says(
        "unknown elements, which the simulated engine ignores: axis 0, AxisParam/'AxisPolarty'"
    )
    system.says("no parameters of these axes, which have the vendor's defaults: 1, 2, 3, 4, 5")
    client.must("wmx/params/load", file_path=str(SHIPPED))


def test_a_change_leaves_all_other_elements_as_they_are(client: Client, tmp_path: Path) -> None:
    def exported() -> ParameterSet:
        [text] = client.must("wmx/params/export", index=[0, 1]).params_dump
        return ParameterSet.from_xml(text.encode())

    before = exported()
    assert before.axes == (0, 1)
    assert before.axis(0) == read_parameters(SHIPPED).axis(0)
    path = tmp_path / "own.xml"
    path.write_text(parameters(MaxMotorSpeed="1234.5678901"))
    done = client.must("wmx/params/change", file_path=str(path))
    assert done.message == f"Changed params as in: {path}"
    changed = exported()
    assert [*differences(changed, before)] == [
        ("axis 0", "AxisParam/MaxMotorSpeed", "1234.5678901", "3000.000000")
    ]
    client.must("wmx/params/load", file_path=str(SHIPPED))
    assert exported() == before


CHANGES = {
    "an element that there is not": (parameters(AxisPolrity="-1"), "there is no 'AxisPolrity' in"),
    "an axis that there is not": (parameters(AxisUnit="1").replace('"0"', '"99"'), "axis 99: "),
    "a value out of its range": (parameters(AxisPolarity="3"), "must be 1 or -1"),
    "elements where a number is": (
        parameters(AxisUnit="<pid>1</pid>"),
        "must be a finite number, but holds elements",
    ),
    "a number where elements are": (
        '<Parameters><AxisParameters Axis="0"><AxisParam/></AxisParameters></Parameters>',
        "'AxisParam' holds no elements",
    ),
    "global parameters": (
        "<Parameters><GlobalParameters><EmergencyStopParam><EStopLevel1Type>1</EStopLevel1Type>"
        '</EmergencyStopParam></GlobalParameters><AxisParameters Axis="0"><AxisParam><AxisUnit>0'
        "</AxisUnit></AxisParam></AxisParameters></Parameters>",
        "'GlobalParameters': there is no such axis, and nothing else is changed so",
    ),
    "the mode": (parameters(AxisCommandMode="1"), "its mode is not changed so, but by set_mode"),
}


@pytest.mark.parametrize(("content", "why"), CHANGES.values(), ids=CHANGES)
def test_a_bad_change_changes_nothing(
    client: Client, tmp_path: Path, content: str, why: str
) -> None:
    path = tmp_path / "bad.xml"
    path.write_text(content)
    before = client.must("wmx/params/export", index=list(range(6))).params_dump
    message = client.refused("wmx/params/change", file_path=str(path))
    assert message.startswith("Failed to change params: Error=")
    assert why in message
    assert client.must("wmx/params/export", index=list(range(6))).params_dump == before
