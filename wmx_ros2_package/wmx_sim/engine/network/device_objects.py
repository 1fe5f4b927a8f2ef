"""The dictionary of a slave: what every device has (CiA 301), and the objects of its profile."""

from functools import partial

from ..machine.description import SlaveDescription
from .cia402 import SERVO_DRIVE, SEVERAL_DEVICES, FeedbackSource, drive_entries
from .object_dictionary import U8, U32, Entries, Entry, ObjectDictionary, constant, record, text

VERSION = "1.0"

INPUTS, OUTPUTS, IO_DEVICE = 0x0001_0000, 0x0002_0000, 0x0000_0191
"""Device type by CiA 401: profile 401 (0x191), and which kinds of I/O there are."""

GENERIC_ERROR = 0x01


def dictionary_of(
    slave: SlaveDescription, axes: range, feedback: FeedbackSource
) -> ObjectDictionary:
    """Return the dictionary of a slave that moves `axes` of the machine."""
    return ObjectDictionary(partial(_entries_of, slave, axes, feedback))


def _entries_of(slave: SlaveDescription, axes: range, feedback: FeedbackSource) -> Entries:
    def error_register() -> bytes:
        return U8.pack(GENERIC_ERROR if any(feedback(axis).amp_alarm for axis in axes) else 0)

    identity = slave.vendor_id, slave.product_code, slave.revision, slave.serial
    entries = {
        (0x1000, 0): constant(U32, _device_type(slave)),
        (0x1001, 0): Entry(error_register),
        (0x1008, 0): text(slave.name),
        (0x1009, 0): text(VERSION),
        (0x100A, 0): text(VERSION),
        **record(0x1018, U32, identity),
    }
    return entries | drive_entries(axes, feedback) if axes else entries


def _device_type(slave: SlaveDescription) -> int:
    if slave.axes:
        return SERVO_DRIVE if slave.axes == 1 else SEVERAL_DEVICES
    io = (INPUTS if slave.input_size else 0) | (OUTPUTS if slave.output_size else 0)
    return io | IO_DEVICE if io else 0
