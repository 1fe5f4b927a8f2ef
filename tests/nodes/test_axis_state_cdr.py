"""The bytes of AxisState mean what the message means, and nothing else than the axes and time."""

import sys
from dataclasses import fields, replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from rclpy.serialization import deserialize_message, serialize_message
from wmx_ros2_message.msg import AxisState

from wmx_ros2_package.drivers.values import EngineState, Flags, Floats, Ints, MotionStatus
from wmx_ros2_package.messages import conversion
from wmx_ros2_package.messages.axis_state_cdr import AxisStateCdr

pytestmark = pytest.mark.skipif(sys.byteorder != "little", reason="the nodes send messages then")

COUNTS = st.integers(1, 128)
STAMPS = st.integers(0, 2**31 * 1_000_000_000 - 1)
FRAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)


KINDS: dict[object, Any] = {
    Flags: partial(arrays, np.bool_),
    Ints: partial(arrays, np.int32),
    Floats: partial(arrays, np.float64),
}


ARRAYS = [(f.name, KINDS[f.type]) for f in fields(MotionStatus) if f.type in KINDS]


@st.composite
def statuses(draw: st.DrawFn, axes: int) -> MotionStatus:
    """Any values at all, those that are no numbers included."""
    return MotionStatus(
        time=0.0,
        cycle=0,
        engine_state=EngineState.COMMUNICATING,
        emergency_stop=None,
        **{name: draw(kind(axes)) for name, kind in ARRAYS},
    )


def content(message: AxisState) -> list[object]:
    """What the message holds, so that every bit of it is compared."""
    return [
        message.header.stamp.sec,
        message.header.stamp.nanosec,
        message.header.frame_id,
        *(
            np.asarray(getattr(message, name)).tobytes()
            for name in AxisState.get_fields_and_field_types()
            if name != "header"
        ),
    ]


@settings(deadline=None)
@given(data=st.data(), axes=COUNTS, stamp=STAMPS)
def test_the_bytes_are_those_of_the_message(data: st.DataObject, axes: int, stamp: int) -> None:
    count = data.draw(st.integers(1, axes))
    status = data.draw(statuses(axes))
    message = conversion.axis_state(count, status, stamp)
    raw = AxisStateCdr(count, conversion.FRAME_ID)(status, stamp)
    assert content(deserialize_message(raw, AxisState)) == content(message)
    assert len(raw) == len(serialize_message(message)), "nothing behind the message"


@settings(deadline=None)
@given(axes=COUNTS, frame=FRAMES, data=st.data())
def test_a_frame_of_any_length(axes: int, frame: str, data: st.DataObject) -> None:
    status = data.draw(statuses(axes))
    message = conversion.axis_state(axes, status, 0)
    message.header.frame_id = frame
    raw = AxisStateCdr(axes, frame)(status, 0)
    assert content(deserialize_message(raw, AxisState)) == content(message)


@given(data=st.data(), shared=st.sets(st.sampled_from([name for name, _ in ARRAYS])))
def test_arrays_that_a_sample_shares_with_the_last_one(
    data: st.DataObject, shared: set[str]
) -> None:
    serialise = AxisStateCdr(6, conversion.FRAME_ID)
    first, second = data.draw(statuses(6)), data.draw(statuses(6))
    second = replace(second, **{name: getattr(first, name) for name in shared})
    for number, status in enumerate((first, second, second, first)):
        assert serialise(status, number) == AxisStateCdr(6, conversion.FRAME_ID)(status, number)


@settings(deadline=None)
@given(data=st.data())
def test_nothing_of_the_last_message_is_left(data: st.DataObject) -> None:
    serialise = AxisStateCdr(6, conversion.FRAME_ID)
    first, second = data.draw(statuses(6)), data.draw(statuses(6))
    before = serialise(first, 1)
    serialise(second, 2)
    assert serialise(first, 1) == before == AxisStateCdr(6, conversion.FRAME_ID)(first, 1)
