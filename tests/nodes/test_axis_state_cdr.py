"""The bytes of AxisState mean what the message means, and nothing else than the axes and time."""

from dataclasses import fields, replace
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from rclpy.serialization import deserialize_message, serialize_message
from wmx_ros2_message.msg import AxisState

from wmx_core.values import EngineState, Flags, Floats, Ints, MotionStatus
from wmx_ros2_package.messages.axis_state_cdr import AxisStateCdr, AxisStateReader
from wmx_ros2_package.messages.conversion import FRAME_ID

COUNTS = st.integers(1, 128)
STAMPS = st.integers(0, 2**31 * 1_000_000_000 - 1)
FRAMES = st.text(max_size=20).map(lambda text: text.replace("\0", ""))


TYPES: dict[object, Any] = {Flags: np.bool_, Ints: np.int32, Floats: np.float64}
ARRAYS = [(f.name, TYPES[f.type]) for f in fields(MotionStatus) if f.type in TYPES]
SPECIAL = np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 5e-324, 1.0
SEEDS = st.integers(0, 2**32 - 1)


def any_status(seed: int, axes: int) -> MotionStatus:
    """Any values at all, those that are no numbers included: bits at random."""
    chance = np.random.default_rng(seed)

    def values(kind: Any) -> "np.ndarray[Any, Any]":
        bits = np.frombuffer(chance.bytes(axes * np.dtype(kind).itemsize), kind).copy()
        if kind is np.bool_:
            return bits.view(np.uint8) % 2 == 1
        if kind is np.float64:
            special = chance.random(axes) < 0.3
            bits[special] = chance.choice(SPECIAL, special.sum())
        return bits

    return MotionStatus(
        time=0.0,
        cycle=0,
        engine_state=EngineState.COMMUNICATING,
        emergency_stop=None,
        **{name: values(kind) for name, kind in ARRAYS},
    )


def message_of(count: int, status: MotionStatus, stamp: int, frame: str = FRAME_ID) -> AxisState:
    """The first `count` axes of `status`, sampled at `stamp` (ns)."""
    message = AxisState()
    message.header.stamp.sec, message.header.stamp.nanosec = divmod(stamp, 1_000_000_000)
    message.header.frame_id = frame
    for name in AxisState.get_fields_and_field_types():
        if name != "header":
            setattr(message, name, getattr(status, name)[:count].tolist())
    return message


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
@given(data=st.data(), axes=COUNTS, stamp=STAMPS, frame=FRAMES, seed=SEEDS)
def test_the_bytes_are_those_of_the_message(
    data: st.DataObject, axes: int, stamp: int, frame: str, seed: int
) -> None:
    count = data.draw(st.integers(1, axes))
    status = any_status(seed, axes)
    message = message_of(count, status, stamp, frame)
    raw = AxisStateCdr(count, frame)(status, stamp)
    assert content(deserialize_message(raw, AxisState)) == content(message)
    assert len(raw) == len(serialize_message(message)), "nothing behind the message"


@given(seed=SEEDS, shared=st.sets(st.sampled_from([name for name, _ in ARRAYS])))
def test_nothing_is_left_of_the_last_message_with_which_a_sample_may_share_arrays(
    seed: int, shared: set[str]
) -> None:
    serialise = AxisStateCdr(6, FRAME_ID)
    first, second = any_status(seed, 6), any_status(seed + 1, 6)
    second = replace(second, **{name: getattr(first, name) for name in shared})
    for number, status in enumerate((first, second, second, first)):
        assert serialise(status, number) == AxisStateCdr(6, FRAME_ID)(status, number)


def reader() -> AxisStateReader:
    return AxisStateReader(lambda data: deserialize_message(data, AxisState))


def read_content(read: Any) -> list[object]:
    """What was read, as `content` has it, but for the frame."""
    message = AxisState()
    message.header.stamp.sec = read.header.stamp.sec
    message.header.stamp.nanosec = read.header.stamp.nanosec
    for name in AxisState.get_fields_and_field_types():
        if name != "header":
            setattr(message, name, getattr(read, name).tolist())
    return content(message)


@settings(deadline=None)
@given(messages=st.lists(st.tuples(COUNTS, FRAMES, STAMPS, SEEDS), min_size=1, max_size=4))
def test_what_is_read_is_what_the_message_holds(messages: list[tuple[int, str, int, int]]) -> None:
    read = reader()
    for axes, frame, stamp, seed in messages:
        message = message_of(axes, any_status(seed, axes), stamp, frame)
        found = read(serialize_message(message))
        assert isinstance(found.pos_cmd, np.ndarray), "it stands in the bytes"
        message.header.frame_id = ""
        assert read_content(found) == content(message)


def test_what_is_read_is_nobody_elses() -> None:
    raw = AxisStateCdr(6, FRAME_ID)(any_status(1, 6), 1)
    read = reader()
    first, second = read(raw), read(raw)
    before = second.pos_cmd.tobytes()
    first.pos_cmd[:] = 7.0
    first.servo_on[:] = True
    assert second.pos_cmd.tobytes() == read(raw).pos_cmd.tobytes() == before


@settings(deadline=None)
@given(lengths=st.lists(st.integers(0, 7), min_size=12, max_size=12))
def test_a_message_of_another_layout_is_read_as_well(lengths: list[int]) -> None:
    message = message_of(6, any_status(1, 6), 5)
    arrays = [name for name in AxisState.get_fields_and_field_types() if name != "header"]
    for name, length in zip(arrays, lengths, strict=True):
        setattr(message, name, getattr(message, name)[:1] * length)
    raw = serialize_message(message)
    read = reader()
    read(serialize_message(message_of(6, any_status(1, 6), 5)))  # which it may be taken for
    found = read(raw)
    for name in arrays:
        values = np.asarray(getattr(message, name))
        assert np.asarray(getattr(found, name)).tobytes() == values.tobytes()
