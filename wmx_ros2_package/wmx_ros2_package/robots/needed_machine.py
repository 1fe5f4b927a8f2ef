"""The machine that a configuration needs: the axes and the bytes of I/O that it names."""

import hashlib
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from ..drivers.values import MAX_AXES

LEAST_AXES, LEAST_BYTES = 6, 4
"""As many as the default machine has."""
OF_AXES = (
    "joint_axes",
    "degree_axes",
    "rpm_axes",
    "gazebo_position_joint_axes",
    "gazebo_velocity_joint_axes",
    "axes",
)
OF_AXIS = "left_axis", "right_axis"
OF_COUNT = "joint_number", "axis_count"
POWER_OUTPUT, POWER_INPUT = (28, 113), (0, 1)
"""Of a gripper with pre_setup_io, where its parameters do not say."""


def needed_machine(sections: Iterable[Mapping[str, Any]], wmx_parameters: Path | None) -> Path:
    """The file of a machine for nodes with the parameters of `sections`, and the axes of a file.

    The same parameters have the same file, in the folder for temporary files.
    """
    axes, outputs, inputs = LEAST_AXES, LEAST_BYTES, LEAST_BYTES
    wiring = []
    for section in sections:
        axes = max(axes, *_axes(section))
        output, confirmed = section.get("gripper_address"), section.get("confirm_address")
        outputs = max(outputs, _bytes(output))
        inputs = max(inputs, _bytes(confirmed))
        if _bytes(output) and _bytes(confirmed):
            wiring.append(_wire(output, confirmed))
        if section.get("pre_setup_io") is True:
            byte, value = section.get("pre_setup_output", POWER_OUTPUT)
            power = section.get("pre_setup_input", POWER_INPUT)
            lowest = (value & -value).bit_length() - 1
            outputs, inputs = max(outputs, byte + 1), max(inputs, _bytes(power))
            wiring.append(_wire((byte, lowest), power))
    machine = {
        **({"parameters": str(wmx_parameters)} if wmx_parameters is not None else {}),
        "wiring": wiring,
        "masters": [{"slaves": _slaves(min(axes, MAX_AXES), outputs, inputs)}],
    }
    text = yaml.safe_dump(machine, sort_keys=False)
    name = f"wmx_machine_{hashlib.sha256(text.encode()).hexdigest()[:16]}.yaml"
    path = Path(tempfile.gettempdir()) / name
    unfinished = path.with_suffix(".new")
    unfinished.write_text(text)
    return unfinished.replace(path)


def _axes(section: Mapping[str, Any]) -> list[int]:
    """How many axes each parameter of a section needs."""
    named = [axis for name in OF_AXES for axis in _numbers(section.get(name))]
    named += [axis for name in OF_AXIS for axis in _numbers([section.get(name)])]
    counts = [count for name in OF_COUNT for count in _numbers([section.get(name)])]
    return [0, *counts, *(axis + 1 for axis in named)]


def _numbers(value: Any) -> list[int]:
    return [each for each in value if type(each) is int] if isinstance(value, list) else []


def _bytes(address: Any) -> int:
    """How many bytes an image needs for an address."""
    byte = address[0] if isinstance(address, (list, tuple)) and address else -1
    return byte + 1 if type(byte) is int else 0


def _wire(output: Any, to: Any) -> dict[str, Any]:
    return {"output": f"{output[0]}.{output[1]}", "input": f"{to[0]}.{to[1]}", "delay": 0.2}


def _slaves(axes: int, outputs: int, inputs: int) -> list[dict[str, Any]]:
    return [
        {"name": "servo drive", "count": axes, "axes": 1},
        {"name": "digital I/O", "input_size": inputs, "output_size": outputs},
    ]
