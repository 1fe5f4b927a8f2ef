"""The machine that a configuration needs: the axes and the bytes of I/O that it names."""

import hashlib
import re
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from wmx_core.private_directory import private_directory
from wmx_core.values import IO_BYTES, MAX_AXES

from .catalogue import Robot
from .gripper import POWER_INPUT, POWER_OUTPUT
from .parameter_files import sections_of

Pair = tuple[int, int]

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


def machine_of(robot: Robot) -> Path:
    """The machine file of a robot, or one with the axes and the I/O that its parameters need.

    BadRequest or OSError where these cannot be read.
    """
    if robot.machine is not None:
        return robot.machine
    return needed_machine(sections_of(robot.parameters).values(), robot.wmx_parameters)


def needed_machine(sections: Iterable[Mapping[str, Any]], wmx_parameters: Path | None) -> Path:
    """The file of a machine for nodes with the parameters of `sections`, and the axes of a file.

    The same parameters have the same file, in a folder of this user alone.
    """
    axes, outputs, inputs = LEAST_AXES, LEAST_BYTES, LEAST_BYTES
    wiring = []
    for section in sections:
        axes = max(axes, *_axes(section))
        outputs = max(outputs, *_safe_outputs(section))
        wires = [(_pair(section.get("gripper_address")), _pair(section.get("confirm_address")))]
        if section.get("pre_setup_io") is True:
            power = _pair(section.get("pre_setup_input", POWER_INPUT))
            wires.append((_lowest_bit(section.get("pre_setup_output", POWER_OUTPUT)), power))
        for output, confirmed in wires:
            outputs = max(outputs, output[0] + 1 if output else 0)
            inputs = max(inputs, confirmed[0] + 1 if confirmed else 0)
            if output and confirmed and (wire := _wire(output, confirmed)) not in wiring:
                wiring.append(wire)
    machine = {
        **({"parameters": str(wmx_parameters.resolve())} if wmx_parameters is not None else {}),
        "wiring": wiring,
        "masters": [{"slaves": _slaves(min(axes, MAX_AXES), outputs, inputs)}],
    }
    text = yaml.safe_dump(machine, sort_keys=False)
    name = f"wmx_machine_{hashlib.sha256(text.encode()).hexdigest()[:16]}.yaml"
    folder = private_directory("wmx-machines")
    with tempfile.NamedTemporaryFile("w", dir=folder, delete=False) as draft:
        draft.write(text)
    return Path(draft.name).replace(folder / name)


def _axes(section: Mapping[str, Any]) -> list[int]:
    """How many axes each parameter of a section needs."""
    named = [axis for name in OF_AXES for axis in _numbers(section.get(name))]
    named += [axis for name in OF_AXIS for axis in _numbers([section.get(name)])]
    counts = [count for name in OF_COUNT for count in _numbers([section.get(name)])]
    actuators = section.get("names")
    if isinstance(actuators, list) and not section.get("axes"):
        counts.append(len(actuators))  # they are on the axes 0, 1, 2...
    return [0, *counts, *(axis + 1 for axis in named)]


def _safe_outputs(section: Mapping[str, Any]) -> list[int]:
    """How many bytes of outputs each one needs that is set when actuators are disarmed."""
    texts = section.get("safe_outputs")
    named = texts if isinstance(texts, list) else []
    found = [re.match(r"([0-9]{1,4})\.", str(text)) for text in named]
    return [0, *(int(each[1]) + 1 for each in found if each and int(each[1]) < IO_BYTES)]


def _numbers(value: Any) -> list[int]:
    return [each for each in value if type(each) is int] if isinstance(value, list) else []


def _pair(value: Any) -> Pair | None:
    """A byte and what is of it; None for what is of another form: the nodes refuse that."""
    pair = tuple(value) if isinstance(value, (list, tuple)) else ()
    if len(pair) != 2 or not all(type(each) is int for each in pair):
        return None
    return pair if 0 <= pair[0] < IO_BYTES and pair[1] >= 0 else None


def _lowest_bit(value: Any) -> Pair | None:
    """The address of the lowest bit that is on in the value of a byte."""
    pair = _pair(value)
    return (pair[0], (pair[1] & -pair[1]).bit_length() - 1) if pair and pair[1] else None


def _wire(output: Pair, to: Pair) -> dict[str, Any]:
    return {"output": f"{output[0]}.{output[1]}", "input": f"{to[0]}.{to[1]}", "delay": 0.2}


def _slaves(axes: int, outputs: int, inputs: int) -> list[dict[str, Any]]:
    return [
        {"name": "servo drive", "count": axes, "axes": 1},
        {"name": "digital I/O", "input_size": inputs, "output_size": outputs},
    ]
