"""The simulated machine of the contract: its drives, its switches, its parameters, its faults.

One user unit is one motor revolution, so what the machine file says in revolutions is where a
test finds it. All names that the simulated engine's files are written with stand here.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import yaml

from wmx_core.parameters.parameter_set import ParameterSet
from wmx_core.values import LimitType

AXES = 3
COUNTS = 10_000
"""Encoder counts per motor revolution, and per user unit."""
SERVO_ON_TIME = 0.05
POSITION_GAIN = 40.0
RATED_ACCELERATION = 100.0
"""u/s^2 that rated torque gives."""
DRIVE = {"vendor_id": 0xFA4E, "product_code": 0x0402, "revision": 0x10000, "serial": 1001}
IO_SLAVE = AXES
IO_SIZE = 4
"""Bytes of inputs and of outputs."""

# Where the marks of an axis with switches are, u from where the motor is at the start.
LIMIT = 2.0
HOME_SWITCH = 1.0, 1.2
Z_PULSE = 0.3
"""In every revolution."""
END = 2.5

LIMIT_SWITCHES: Mapping[str, object] = {
    "positive_limit_switch": LIMIT,
    "negative_limit_switch": -LIMIT,
}
SWITCHES: Mapping[str, object] = {
    **LIMIT_SWITCHES,
    "home_switch_from": HOME_SWITCH[0],
    "home_switch_to": HOME_SWITCH[1],
    "z_pulse": Z_PULSE,
}
ENDS: Mapping[str, object] = {"positive_end": END, "negative_end": -END}

LIMIT_DEC, LIMIT_SLOW_DEC = 20.0, 5.0
QUICK_STOP_DEC, EMERGENCY_DEC = 20.0, 40.0
"""u/s^2."""

NUMERATOR = "AxisParam/AxisGearRatioNumerator"
"""Encoder counts per user unit: what differs on real hardware."""
PARAMETERS: Mapping[str, float] = {
    NUMERATOR: COUNTS,
    "AxisParam/AxisGearRatioDenominator": 1,
    "AxisParam/AxisPolarity": 1,
    "AxisParam/AxisCommandMode": 0,
    "AxisParam/MaxTrqLimit": 300,
    "AxisParam/MaxMotorSpeed": 3000,
    "AxisParam/VelocityFeedforwardGain": 0,
    "FeedbackParam/InPosWidth": 0.001,
    "FeedbackParam/PosSetWidth": 0.001,
    "MotionParam/QuickStopDec": QUICK_STOP_DEC,
    "MotionParam/ProhibitOvertravel": 0,  # a move that takes over never jumps
    "EmergencyStopParam/EStopDec": EMERGENCY_DEC,
    "AlarmParam/FollowingErrorType": 0,
    "AlarmParam/FollowingErrorStopped": 0,
    "AlarmParam/FollowingErrorMoving": 0,
    "AlarmParam/ServoOffDuringAmpAlarm": 1,
    "LimitParam/LSType": LimitType.DEC,
    "LimitParam/LSDec": LIMIT_DEC,
    "LimitParam/LSSlowDec": LIMIT_SLOW_DEC,
    "LimitParam/SoftLimitType": LimitType.NONE,
    "LimitParam/SoftLimitPositivePos": 0,
    "LimitParam/SoftLimitNegativePos": 0,
    "HomeParam/HomeType": 0,
    "HomeParam/HomeDir": 0,
    "HomeParam/HomePosition": 0,
    "HomeParam/HomingVelSlow": 0.5,
    "HomeParam/HomingVelSlowAcc": 20,
    "HomeParam/HomingVelSlowDec": 20,
    "HomeParam/HomingVelFast": 2,
    "HomeParam/HomingVelFastAcc": 20,
    "HomeParam/HomingVelFastDec": 20,
    "HomeParam/HomeShiftVel": 2,
    "HomeParam/HomeShiftAcc": 20,
    "HomeParam/HomeShiftDec": 20,
    "HomeParam/ClearHomeDoneOnServoOff": 0,
    "HomeParam/ClearHomeDoneOnCommStop": 1,
}


def write_machine(
    folder: Path, axis_model: Mapping[str, object], clock_rate: float | None = None
) -> Path:
    """A machine file in `folder`: three drives whose axes have `axis_model`, and an I/O module."""
    parameters = folder / "machine.xml"
    parameters.write_text(_parameters())
    machine: dict[str, object] = {
        "parameters": parameters.name,
        "axis_model": {
            "servo_on_time": SERVO_ON_TIME,
            "position_gain": POSITION_GAIN,
            "rated_acceleration": RATED_ACCELERATION * COUNTS,
            "counts_per_revolution": COUNTS,
            **axis_model,
        },
        "masters": [
            {
                "slaves": [
                    {"name": "drive", "count": AXES, "axes": 1, **DRIVE},
                    {"name": "digital I/O", "input_size": IO_SIZE, "output_size": IO_SIZE},
                ]
            }
        ],
    }
    if clock_rate is not None:
        machine["clock_rate"] = clock_rate
    path = folder / "machine.yaml"
    path.write_text(yaml.safe_dump(machine))
    return path


@cache
def _parameters() -> str:
    """The text of the machine's parameters."""
    return changed(ParameterSet.defaults(AXES), range(AXES), PARAMETERS)


def changed(parameters: ParameterSet, axes: Sequence[int], changes: Mapping[str, float]) -> str:
    """The text of `parameters` with the elements `changes` names (section/element) in `axes`."""
    root = ElementTree.fromstring(parameters.to_xml())
    for axis in root.iter("AxisParameters"):
        if int(axis.attrib["Axis"]) in axes:
            for path, number in changes.items():
                section, name = path.split("/")
                parent = axis.find(section)
                if parent is None:
                    parent = ElementTree.SubElement(axis, section)
                element = parent.find(name)
                if element is None:
                    element = ElementTree.SubElement(parent, name)
                element.text = repr(float(number)) if number % 1 else str(int(number))
    return ElementTree.tostring(root, encoding="unicode")


# Faults, as entries of a script


def raise_alarm(axis: int, code: int) -> dict[str, object]:
    """The amplifier of `axis` reports alarm `code`."""
    return {"raise_alarm": {"axis": axis, "code": code}}


def drop_slave(slave: int) -> dict[str, object]:
    """A slave loses power."""
    return {"drop_slave": {"slave": slave}}


def return_slave(slave: int) -> dict[str, object]:
    """A slave has power again."""
    return {"return_slave": {"slave": slave}}


def force_input(byte: int, bit: int, value: bool) -> dict[str, object]:
    """An input is held at `value`."""
    return {"force_input": {"input": f"{byte}.{bit}", "value": value}}


def crash_engine() -> dict[str, object]:
    """The engine is gone, for every device."""
    return {"crash_engine": {}}
