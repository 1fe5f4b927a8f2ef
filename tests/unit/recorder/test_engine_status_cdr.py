"""EngineStatus as bytes is what the middleware makes of the message."""

import numpy as np
import pytest
from held_engine import HeldEngine, position_move
from rclpy.serialization import deserialize_message, serialize_message
from wmx_ros2_message.msg import EngineStatus

from wmx_core.values import MAX_AXES, EmergencyStop
from wmx_ros2_package.messages.engine_status_cdr import (
    engine_status_cdr,
    read_engine_status,
    values_of,
)

STAMP = 1_795_405_286_143_032_989


@pytest.mark.parametrize("axes", [1, 2, 3, 7, 128])
def test_the_bytes_are_those_of_the_message(axes: int) -> None:
    held = HeldEngine(axes).servo_on()
    held.motion.move_absolute([position_move(axis, 1.0 + axis) for axis in range(axes)])
    for _ in range(3):
        status = held.after(0.1)
        [data] = engine_status_cdr(values_of(status), [STAMP])
        message = deserialize_message(data, EngineStatus)
        assert len(serialize_message(message)) == len(data)
        assert (message.header.stamp.sec, message.header.stamp.nanosec) == divmod(STAMP, 10**9)
        assert (message.cycle, message.time) == (status.cycle, status.time)
        assert message.emergency_stop == -1
        record = read_engine_status(data)
        for name in EngineStatus.get_fields_and_field_types():
            if isinstance(given := getattr(status, name, None), np.ndarray):
                assert list(getattr(message, name)) == given.tolist()
                assert record[name].tolist() == given.tolist()


def test_the_level_of_an_emergency_stop() -> None:
    held = HeldEngine(1)
    held.motion.emergency_stop(EmergencyStop.LEVEL1)
    [data] = engine_status_cdr(values_of(held.status()), [STAMP])
    record = read_engine_status(data)
    assert record["emergency_stop"] == EmergencyStop.LEVEL1


@pytest.mark.parametrize("data", [b"", b"\0\1\0\0", bytes(40), bytes(200)])
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="EngineStatus"):
        read_engine_status(data)


@pytest.mark.parametrize("axes", [MAX_AXES + 1, 3_000_000, 0xFFFFFFFF])
def test_more_axes_than_there_can_be_are_refused_at_once(axes: int) -> None:
    """A layout of so many takes hundreds of megabytes, and would be kept."""
    data = axes.to_bytes(4, "little") * 64
    with pytest.raises(ValueError, match=f"has {MAX_AXES} axes at most, not {axes}"):
        read_engine_status(data)
