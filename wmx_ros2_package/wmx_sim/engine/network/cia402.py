"""The objects of a servo drive by CiA 402 (IEC 61800-7-201), for each of its axes.

Axis n of a slave has the objects at 0x6000 + 0x800 n, and its device type at 0x67FF + 0x800 n
(CiA 301, multiple device modules). Its PDOs are at 0x1600 + 0x10 n and 0x1A00 + 0x10 n, as is usual
for drives of several axes. Positions are encoder
counts, velocities counts/s, torques thousandths of rated torque.

Modelled: a drive that its master commands each cycle in one of the cyclic synchronous modes.
Not modelled: the profile and homing modes of a drive, and what a limit written here would do.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from wmx_core.parameters.axis_parameters import AxisParameters
from wmx_core.values import CommandMode, MotionStatus

from .object_dictionary import (
    I8,
    I16,
    I32,
    U16,
    U32,
    Access,
    Entry,
    Integer,
    constant,
    record,
)

AXIS_STRIDE, PDO_STRIDE = 0x800, 0x10
"""From the objects and from the PDOs of an axis to those of the next."""

SERVO_DRIVE = 0x0002_0192
"""Device type: profile 402 (0x192), type servo drive."""
SEVERAL_DEVICES = 0xFFFF_0192
"""Device type of a slave with several axes, each of which has its own."""


@dataclass(slots=True, kw_only=True)
class AxisFeedback:
    """The feedback of one axis of a drive, in the drive's units and direction.

    Positions are counts, velocities counts/s, torques percent of rated torque.
    """

    servo_on: bool
    alarm_code: int
    """0 without an alarm."""
    amp_alarm: bool
    following_error_alarm: bool
    command_mode: CommandMode
    position_demand: float
    position_actual: float
    following_error: float
    velocity_demand: float
    velocity_actual: float
    torque_demand: float
    """0 but in torque mode."""
    torque_actual: float
    max_torque: float
    max_motor_speed: float
    """rpm"""
    negative_limit: bool
    positive_limit: bool
    home_switch: bool


def axis_feedback(
    axis: int, status: MotionStatus, p: AxisParameters, origin: float
) -> AxisFeedback:
    """Return the feedback of one axis with the parameters `p` at the time of `status`.

    The drive counts encoder counts in its own direction, whatever zero the axis has: that is at
    `origin` of them.
    """
    mode = CommandMode(status.command_mode[axis])
    torque = status.actual_torque.item(axis) * p.polarity
    return AxisFeedback(
        servo_on=bool(status.servo_on[axis]),
        alarm_code=int(status.alarm_code[axis]),
        amp_alarm=bool(status.amp_alarm[axis]),
        following_error_alarm=bool(status.following_error_alarm[axis]),
        command_mode=mode,
        position_demand=origin + status.pos_cmd.item(axis) * p.counts_per_unit,
        position_actual=origin + status.actual_pos.item(axis) * p.counts_per_unit,
        following_error=status.following_error.item(axis) * p.counts_per_unit,
        velocity_demand=status.velocity_cmd.item(axis) * p.counts_per_unit,
        velocity_actual=status.actual_velocity.item(axis) * p.counts_per_unit,
        torque_demand=torque if mode is CommandMode.TORQUE else 0.0,
        torque_actual=torque,
        max_torque=p.max_torque_limit,
        max_motor_speed=p.max_motor_speed,
        negative_limit=bool(status.negative_ls[axis]),
        positive_limit=bool(status.positive_ls[axis]),
        home_switch=bool(status.home_switch[axis]),
    )


FeedbackSource = Callable[[int], AxisFeedback]
"""The feedback of an axis of the machine, true when it is called."""

MODES = {CommandMode.POSITION: 8, CommandMode.VELOCITY: 9, CommandMode.TORQUE: 10}
"""Modes of operation: cyclic synchronous position, velocity and torque."""

SUPPORTED_MODES = 0x0380
"""Bits 7 to 9: those of MODES."""

ENABLE_OPERATION, SHUTDOWN = 0x000F, 0x0006
"""Control words of a servo that is to be on, and off."""

OPERATION_ENABLED, READY_TO_SWITCH_ON = 0x0037, 0x0031
"""Status words, with bit 4 (the power stage has voltage)."""
FAULT_REACTION, FAULT = 0x001F, 0x0018
REMOTE = 0x0200
"""The drive follows its control word."""
FOLLOWS_COMMAND = 0x1000
FOLLOWING_ERROR = 0x2000

NO_WINDOW = 0xFFFF_FFFF
"""A following error window of this size supervises nothing: the engine does that."""
NO_HOMING = 0
"""The engine homes the axis, not the drive."""


def status_word(axis: AxisFeedback) -> int:
    """Return the state of the drive in bits 0 to 6, and flags."""
    if axis.amp_alarm:
        word = FAULT_REACTION if axis.servo_on else FAULT
    else:
        word = OPERATION_ENABLED | FOLLOWS_COMMAND if axis.servo_on else READY_TO_SWITCH_ON
    return word | REMOTE | (FOLLOWING_ERROR if axis.following_error_alarm else 0)


def digital_inputs(axis: AxisFeedback) -> int:
    """Bit 0 negative limit switch, 1 positive limit switch, 2 home switch."""
    return axis.negative_limit | axis.positive_limit << 1 | axis.home_switch << 2


def wrapped(counts: float) -> int:
    """Return a position as a 32-bit counter shows it, which overflows to the other end."""
    return (round(counts) + (1 << 31)) % (1 << 32) - (1 << 31)


class Object(NamedTuple):
    """One row of `OBJECTS`: the type, the value for an axis, which side sets it."""

    kind: Integer
    value: Callable[[AxisFeedback], float]
    access: Access = Access.READ_ONLY


OBJECTS = {
    0x603F: Object(U16, lambda axis: axis.alarm_code),
    0x6040: Object(
        U16,
        lambda axis: ENABLE_OPERATION if axis.servo_on else SHUTDOWN,
        Access.PROCESS_DATA,
    ),
    0x6041: Object(U16, status_word),
    0x6060: Object(I8, lambda axis: MODES[axis.command_mode], Access.PROCESS_DATA),
    0x6061: Object(I8, lambda axis: MODES[axis.command_mode]),
    0x6062: Object(I32, lambda axis: wrapped(axis.position_demand)),
    0x6064: Object(I32, lambda axis: wrapped(axis.position_actual)),
    0x6065: Object(U32, lambda axis: NO_WINDOW, Access.READ_WRITE),
    0x606C: Object(I32, lambda axis: axis.velocity_actual),
    0x6071: Object(I16, lambda axis: 10 * axis.torque_demand, Access.PROCESS_DATA),
    0x6072: Object(U16, lambda axis: 10 * axis.max_torque, Access.READ_WRITE),
    0x6077: Object(I16, lambda axis: 10 * axis.torque_actual),
    0x607A: Object(I32, lambda axis: wrapped(axis.position_demand), Access.PROCESS_DATA),
    0x6080: Object(U32, lambda axis: axis.max_motor_speed, Access.READ_WRITE),
    0x6098: Object(I8, lambda axis: NO_HOMING, Access.READ_WRITE),
    0x60F4: Object(I32, lambda axis: axis.following_error),
    0x60FD: Object(U32, digital_inputs),
    0x60FF: Object(I32, lambda axis: axis.velocity_demand, Access.PROCESS_DATA),
    0x6502: Object(U32, lambda axis: SUPPORTED_MODES),
}
"""The objects of the first axis, by index; each has subindex 0 alone."""

RXPDO = 0x6040, 0x6060, 0x607A, 0x60FF, 0x6071
"""What an axis receives each cycle: control word, mode, target position, velocity and torque."""

TXPDO = 0x6041, 0x6061, 0x6064, 0x606C, 0x6077, 0x60F4, 0x60FD, 0x603F
"""What an axis sends each cycle: status word, mode, actual position, velocity and torque,
following error, digital inputs, error code."""


def pdo_size(pdo: tuple[int, ...]) -> int:
    """Return the bytes of a PDO."""
    return sum(OBJECTS[index].kind.size for index in pdo)


def drive_entries(axes: range, feedback: FeedbackSource) -> dict[tuple[int, int], Entry]:
    """Return the dictionary of a drive for `axes` of the machine, by the drive profile."""
    entries: dict[tuple[int, int], Entry] = {}
    for assignment, mapping, pdo in ((0x1C12, 0x1600, RXPDO), (0x1C13, 0x1A00, TXPDO)):
        mappings = tuple(mapping + PDO_STRIDE * n for n in range(len(axes)))
        entries |= record(assignment, U16, mappings)
        for n, index in enumerate(mappings):
            entries |= record(index, U32, tuple(_mapped(AXIS_STRIDE * n, each) for each in pdo))
    for n, axis in enumerate(axes):
        offset = AXIS_STRIDE * n
        entries[0x67FF + offset, 0] = constant(U32, SERVO_DRIVE)
        for index, row in OBJECTS.items():
            read = partial(_read, row, feedback, axis)
            entries[index + offset, 0] = Entry(read, row.access)
    return entries


def _read(row: Object, feedback: FeedbackSource, axis: int) -> bytes:
    return row.kind.pack(row.value(feedback(axis)))


def _mapped(offset: int, index: int) -> int:
    """Return an entry of a PDO mapping: index, subindex and length in bits."""
    return (index + offset) << 16 | 8 * OBJECTS[index].kind.size
