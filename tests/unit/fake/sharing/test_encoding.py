"""What crosses the socket: every value of the driver seam as it was, and nothing else."""

import pickle
from contextlib import suppress
from dataclasses import is_dataclass
from inspect import signature
from typing import Any

import msgpack
import numpy as np
import pytest
from held_engine import HeldEngine, position_move, same, velocity_move
from hypothesis import given
from hypothesis import strategies as st

from wmx_ros2_package.drivers.errors import (
    UNNUMBERED,
    CommandRefused,
    EngineLost,
    ErrorCode,
    ParameterFileError,
    WmxError,
)
from wmx_ros2_package.drivers.fake.machine.description import MachineFileError
from wmx_ros2_package.drivers.fake.proxies import METHODS
from wmx_ros2_package.drivers.fake.sharing import encoding
from wmx_ros2_package.drivers.fake.sharing.encoding import EngineMistake
from wmx_ros2_package.drivers.fake.sharing.value_types import Malformed
from wmx_ros2_package.drivers.parameters.parameter_set import ParameterSet
from wmx_ros2_package.drivers.values import (
    CommandMode,
    EcState,
    EmergencyStop,
    EngineState,
    LinearMove,
    SplineMove,
    TorqueMove,
)

SPLINE = SplineMove(axes=(0, 1), times=np.arange(3.0), positions=np.arange(6.0).reshape(3, 2))
ARGUMENTS: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "set_servo": ((3,), {"on": True}),
    "set_command_mode": ((0, CommandMode.TORQUE), {}),
    "set_gear_ratio": ((0, 1.5, 2.0), {}),
    "move_absolute": (((position_move(), position_move(1, -0.5)),), {}),
    "move_velocity": (((velocity_move(),),), {}),
    "move_torque": (((TorqueMove(axis=1, torque=5.0),),), {}),
    "move_linear": ((LinearMove(axes=(1,), targets=(0.5,), velocity=1.0, acc=1.0, dec=1.0),), {}),
    "stop": (((0, 1),), {}),
    "emergency_stop": ((EmergencyStop.LEVEL1,), {}),
    "load_parameters": (("/tmp/ä.xml",), {}),
    "set_output_bytes": ((0, b"\x00\xff"), {}),
    "set_slave_state": ((0, 1, EcState.OP), {}),
    "stick_switch": ((0, "home", None), {}),
    "set_output_bits": ((((0, 1, True), (7999, 7, False)),), {}),
    "input_bits": ((((0, 1), (7999, 7)),), {}),
    "start_communication": ((), {}),
}


def part_of(method: str) -> str:
    return next(part for part, name in METHODS if name == method)


def arrived(method: str, *args: Any, **kwargs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call as the engine gets them."""
    message = encoding.pack_call(part_of(method), method, args, kwargs)
    part, name, *arguments = encoding.unpack_call(message)
    assert (part, name) == (part_of(method), method)
    return arguments[0], arguments[1]


def answered(method: str, result: object) -> Any:
    read = encoding.result_reader(part_of(method), method)
    return encoding.unpack_answer(encoding.pack_result(result), read)


@pytest.mark.parametrize("method", ARGUMENTS)
def test_arguments_arrive_as_they_were_given(method: str) -> None:
    args, kwargs = ARGUMENTS[method]
    assert arrived(method, *args, **kwargs) == (args, kwargs)
    for gave, came in zip(args, arrived(method, *args, **kwargs)[0], strict=True):
        assert type(came) is type(gave)


def test_lists_and_numpy_s_numbers_arrive_as_plain_ones() -> None:
    assert arrived("stop", [np.int64(0), np.int32(1)]) == (((0, 1),), {})
    assert arrived("set_gear_ratio", 0, np.float64(1.5), 2) == ((0, 1.5, 2.0), {})
    assert arrived("set_servo", 0, on=np.True_) == ((0,), {"on": True})


def test_arguments_may_be_named_and_left_out() -> None:
    assert arrived("set_gear_ratio", denominator=2.0, axis=1, numerator=1.0)[0] == (1, 1.0, 2.0)
    assert arrived("slow_calls", 0.5) == ((0.5, 1, ""), {})
    assert arrived("disturb", packet_loss=3)[1]["packet_loss"] == 3


def test_a_number_without_a_name_is_for_the_engine_to_refuse() -> None:
    assert arrived("set_command_mode", 0, 77) == ((0, 77), {})


def test_a_spline_arrives_with_its_arrays() -> None:
    ((came,), _) = arrived("move_spline", SPLINE)
    assert came.axes == SPLINE.axes
    for name in "times", "positions":
        assert np.array_equal(getattr(came, name), getattr(SPLINE, name))
        assert getattr(came, name).dtype == np.float64


@given(st.floats(), st.integers(-(2**63), 2**63 - 1))
def test_every_number_arrives(number: float, axis: int) -> None:
    ((came_axis, came, _), _) = arrived("set_gear_ratio", axis, number, 1.0)
    assert came_axis == axis
    assert came == number or came != number != number


def test_a_number_beyond_64_bits_is_refused() -> None:
    with pytest.raises(CommandRefused) as refused:
        arrived("clear_alarm", 2**64)
    assert refused.value.code == ErrorCode.ArgumentOutOfRange


def test_a_status_arrives_to_the_last_bit() -> None:
    held = HeldEngine(5).servo_on()
    held.motion.move_absolute([position_move(4)])
    held.raise_alarm(2)
    held.motion.emergency_stop(EmergencyStop.LEVEL1)
    status = held.after(0.1234)
    came = answered("status", status)
    assert same(came, status)
    assert (came.time, came.cycle) == (status.time, status.cycle)
    assert came.engine_state is EngineState.COMMUNICATING
    for name in type(status).__slots__:
        if isinstance(array := getattr(came, name), np.ndarray):
            assert array.dtype == getattr(status, name).dtype
            assert not array.flags.writeable


def test_a_network_arrives() -> None:
    state = HeldEngine(3).ecat.network_state(0)
    came = answered("network_state", state)
    assert came == state
    assert type(came.slaves[0].state) is EcState


@pytest.mark.parametrize("axes", [1, 6, 128])
def test_parameters_arrive_and_are_shared_among_like_axes(axes: int) -> None:
    shipped = ParameterSet.defaults(axes).with_axis(0, in_pos_width=0.125)
    came = answered("parameters", shipped)
    assert came == shipped
    assert came.to_xml() == shipped.to_xml()
    assert len(encoding.pack_result(shipped)) < 2 * len(pickle.dumps(shipped))


@pytest.mark.parametrize(
    "error",
    [
        CommandRefused(ErrorCode.ServoOff, "axis 3"),
        EngineLost(ErrorCode.IMLibIsNotRunning),
        ParameterFileError(ErrorCode.FileOperationFailed, "x" * 1000),
        MachineFileError(ErrorCode.ParamOutOfRange, "ä: \n"),
        WmxError(12345),
        CommandRefused(UNNUMBERED, "", "SlaveSdoUploadError"),
    ],
    ids=str,
)
def test_errors_arrive_as_they_were_raised(error: WmxError) -> None:
    came = encoding.unpack_error(encoding.pack_error(error))
    assert type(came) is type(error)
    assert isinstance(came, WmxError)
    assert (came.code, came.detail, came.name) == (error.code, error.detail, error.name)
    with pytest.raises(type(error)):
        encoding.unpack_answer(encoding.pack_error(error), lambda value: value)


def test_a_mistake_in_the_engine_arrives_as_one() -> None:
    with pytest.raises(EngineMistake, match="ZeroDivisionError: by nothing"):
        encoding.unpack_answer(
            encoding.pack_error(ZeroDivisionError("by nothing")), lambda value: value
        )


# What does not cross


def test_every_method_that_may_be_called_from_outside_has_a_form() -> None:
    for (part, method), declared in METHODS.items():
        if declared.local:
            with pytest.raises(AttributeError, match="process of the engine"):
                encoding.pack_call(part, method, (), {})
        else:
            arguments = len(signature(declared.signature).parameters) - 1
            assert len(encoding._form(part, method).readers) == arguments


@pytest.mark.parametrize(
    ("part", "method"),
    [("motion", "stop_communication"), ("motion", "apply_parameters"), ("engine", "call")],
)
def test_what_is_not_declared_cannot_be_called_from_outside(part: str, method: str) -> None:
    with pytest.raises(AttributeError):
        encoding.unpack_call(encoding.pack((part, method, ())))


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("set_servo", (0,)),
        ("set_servo", (0, 1)),
        ("set_servo", (True, True)),
        ("set_servo", (0.0, True)),
        ("set_servo", ("0", True)),
        ("stop", (0,)),
        ("stop", ((0, "1"),)),
        ("stop", (b"01",)),
        ("move_absolute", (((0, 1.0, 2.0, 3.0),),)),
        ("move_absolute", (((0, 1.0, 2.0, 3.0, None),),)),
        ("move_absolute", ((({"axis": 0},) * 5,),)),
        ("set_command_mode", (0, "1")),
        ("set_output_bytes", (0, "text")),
        ("load_parameters", (b"/bytes",)),
        ("move_spline", (((0,), (0.0, 1.0), (0.0, 1.0)),)),
        ("move_spline", (((0,), ("<f8", (2,), b"123"), ("<f8", (2,), bytes(16))),)),
        ("move_spline", (((0,), ("|O", (1,), bytes(8)), ("<f8", (1,), bytes(8))),)),
        ("move_spline", (((0,), ("<f8", (2**40, 0), b""), ("<f8", (-1, -1), bytes(8))),)),
        ("move_spline", (((0,), ("<f8", (1, 1, 1), bytes(8)), ("<f8", (1,), bytes(8))),)),
        ("set_output_bits", (((0, 1),),)),
        ("set_output_bits", (((0, 1, 1),),)),
        ("input_bits", (((0, 1, True),),)),
        ("start_communication", (0,)),
    ],
)
def test_arguments_of_other_types_are_a_mistake(method: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError, match=method):
        encoding.unpack_call(encoding.pack((part_of(method), method, arguments)))


def test_arguments_that_are_none_of_the_method_are_noticed_before_they_cross() -> None:
    for args, kwargs in (
        ((), {}),
        ((0, True), {}),
        ((0,), {"off": True}),
        ((0,), {"axis": 1, "on": True}),
        ((0, 1, 2), {"on": True}),
    ):
        with pytest.raises(TypeError, match="set_servo"):
            encoding.pack_call("motion", "set_servo", args, kwargs)


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"\xc1",
        b"\x93",
        b"\xdd\xff\xff\xff\xff",
        b"\xc6\xff\xff\xff\xff",
        b"\x91" * 100_000,
        b"\x91" * 500,
        msgpack.packb({"part": "motion"}),
        msgpack.packb(("motion", "status")),
        msgpack.packb(("motion", "status", ())) + b"\x00",
        msgpack.packb(("motion", b"status", ())),
        msgpack.packb(("motion", "status", {})),
        msgpack.packb(msgpack.ExtType(5, b"code")),
        msgpack.packb(("motion", "status", msgpack.Timestamp(0))),
        pickle.dumps(("motion", "status", ())),
    ],
    ids=range(15),
)
def test_what_is_no_message_is_malformed(message: bytes) -> None:
    with pytest.raises(Malformed):
        encoding.unpack_call(message)
    with pytest.raises(Malformed):
        encoding.unpack_answer(message, lambda value: value)


@pytest.mark.parametrize(
    "rows",
    [
        (),
        5,
        (("Parameters",),),
        (("Parameters", (), "", (0,)),),
        (("Parameters", (), "", (-1,)),),
        (("Parameters", (), "", ("0",)),),
        (("Parameters", (("a",),), "", ()),),
        (("Parameters", (("a", 1),), "", ()),),
        ((b"Parameters", (), "", ()),),
        (("Parameters", (), None, ()),),
        (("a", (), "", ()), ("Parameters", (), "", ({},))),
    ],
)
def test_what_is_no_set_of_parameters_is_malformed(rows: Any) -> None:
    with pytest.raises(Malformed):
        answered("parameters", rows)


def test_nothing_but_values_can_be_written() -> None:
    for value in (object(), {1, 2}, open, lambda: None, is_dataclass):
        with pytest.raises(TypeError, match="no value of the driver seam"):
            encoding.pack(value)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_call_a_mistake_or_malformed(message: bytes) -> None:
    with suppress(Malformed, AttributeError, TypeError):
        encoding.unpack_call(message)
