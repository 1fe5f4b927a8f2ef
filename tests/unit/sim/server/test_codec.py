"""What crosses the socket: every value of the driver interface as it was, and nothing else."""

import threading
from collections import namedtuple
from dataclasses import is_dataclass, make_dataclass
from enum import Enum
from typing import Any

import msgpack
import numpy as np
import pytest
from held_engine import HeldEngine, position_move, same, velocity_move
from hypothesis import given
from hypothesis import strategies as st
from profile_shapes import shaped

from wmx_core.errors import (
    UNNUMBERED,
    CommandRefused,
    EngineLost,
    ErrorCode,
    ParameterFileError,
    WmxError,
)
from wmx_core.parameters.parameter_set import ParameterSet
from wmx_core.profile_types import ProfileType
from wmx_core.values import (
    CommandMode,
    EcState,
    EmergencyStop,
    EngineState,
    LinearMove,
    MasterMode,
    SplineMove,
    TorqueMove,
)
from wmx_sim.engine.machine.description import MachineFileError
from wmx_sim.server import handshake
from wmx_sim.server.codec import EngineMistake, pack, reply_of, result_of, unpack
from wmx_sim.server.handshake import version


def arrived(value: object) -> Any:
    return unpack(pack(value))


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        3,
        -(2**63),
        1.5,
        "ä",
        b"\x00\xff",
        (),
        ((0, 1, True), (7999, 7, False)),
        {"on": True},
        CommandMode.TORQUE,
        EmergencyStop.LEVEL1,
        EcState.OP,
        MasterMode.PP,
        EngineState.COMMUNICATING,
        position_move(1, -0.5),
        velocity_move(run_time=0.5),
        TorqueMove(axis=1, torque=5.0),
        LinearMove(axes=(1,), targets=(0.5,), velocity=1.0, acc=1.0, dec=1.0),
        *(position_move(profile=shaped(kind)) for kind in ProfileType),
    ],
    ids=repr,
)
def test_a_value_arrives_as_it_was(value: object) -> None:
    came = arrived(value)
    assert came == value
    assert type(came) is type(value)


def test_enums_of_one_number_are_told_apart() -> None:
    came = arrived((EngineState.RUNNING, CommandMode.VELOCITY, EmergencyStop.LEVEL1, EcState.INIT))
    assert [type(each) for each in came] == [EngineState, CommandMode, EmergencyStop, EcState]


def test_lists_and_numpy_s_numbers_arrive_as_plain_ones() -> None:
    came = arrived(([np.int64(0), np.int32(1)], range(2), np.float64(1.5), np.True_))
    assert came == ((0, 1), (0, 1), 1.5, True)
    assert [type(each) for each in (*came[0], *came[2:])] == [int, int, float, bool]


def test_a_spline_arrives_with_its_arrays() -> None:
    times, positions = np.arange(3.0), np.arange(6.0).reshape(3, 2)
    came = arrived(SplineMove(axes=(0, 1), times=times, positions=positions))
    assert came.axes == (0, 1)
    assert np.array_equal(came.times, times)
    assert np.array_equal(came.positions, positions)
    assert came.positions.dtype == np.float64


@given(st.floats(), st.integers(-(2**63), 2**63 - 1))
def test_every_number_arrives(number: float, whole: int) -> None:
    came, came_whole = arrived((number, whole))
    assert came_whole == whole
    assert came == number or came != number != number


@pytest.mark.parametrize("number", [2**64, -(2**63) - 1])
def test_a_number_beyond_64_bits_is_refused(number: int) -> None:
    with pytest.raises(CommandRefused) as refused:
        pack(("axis", number))
    assert refused.value.code == ErrorCode.ArgumentOutOfRange


def test_a_status_arrives_to_the_last_bit() -> None:
    held = HeldEngine(5).servo_on()
    held.motion.move_absolute([position_move(4)])
    held.raise_alarm(2)
    held.motion.emergency_stop(EmergencyStop.LEVEL1)
    status = held.after(0.1234)
    came = arrived(status)
    assert same(came, status)
    assert (came.time, came.cycle) == (status.time, status.cycle)
    assert came.engine_state is EngineState.COMMUNICATING
    for name in type(status).__slots__:
        if isinstance(array := getattr(came, name), np.ndarray):
            assert array.dtype == getattr(status, name).dtype
            assert not array.flags.writeable


def test_a_network_arrives() -> None:
    state = HeldEngine(3).ecat.network_state(0)
    came = arrived(state)
    assert came == state
    assert type(came.slaves[0].state) is EcState


@pytest.mark.parametrize("axes", [1, 6, 128])
def test_parameters_arrive(axes: int) -> None:
    shipped = ParameterSet.defaults(axes).with_axis(0, in_pos_width=0.125)
    came = arrived(shipped)
    assert came == shipped
    assert came.to_xml() == shipped.to_xml()


def test_threads_that_send_other_parameters_send_their_own() -> None:
    sets = [ParameterSet.defaults(1).with_axis(0, in_pos_width=0.1 * n) for n in range(1, 5)]
    wrong: list[ParameterSet] = []

    def send(parameters: ParameterSet) -> None:
        wrong.extend(parameters for _ in range(20) if arrived(parameters) != parameters)

    threads = [threading.Thread(target=send, args=(each,)) for each in sets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


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
def test_errors_are_raised_as_they_were(error: WmxError) -> None:
    with pytest.raises(WmxError) as raised:
        result_of(arrived(reply_of(error)))
    came = raised.value
    assert type(came) is type(error)
    assert (came.code, came.detail, came.name) == (error.code, error.detail, error.name)


def test_every_version_reads_a_refusal() -> None:
    """Its code does not depend on which other types a version has."""
    refusal = pack(reply_of(CommandRefused(ErrorCode.StartProcessFailed)))
    assert msgpack.unpackb(refusal, ext_hook=lambda code, _: code) == [False, 0]


@pytest.mark.parametrize(
    ("kinds", "other"),
    [
        ("DATACLASSES", make_dataclass("Ramp", ["rate"])),
        ("NAMED_TUPLES", namedtuple("Span", ["start"])),
        ("ENUMS", Enum("StopKind", ["STOP"])),
    ],
)
def test_what_a_value_consists_of_makes_another_version(
    monkeypatch: pytest.MonkeyPatch, kinds: str, other: type
) -> None:
    before = version()
    known = getattr(handshake, kinds)
    assert other.__name__ in [kind.__name__ for kind in known]
    changed = [other if kind.__name__ == other.__name__ else kind for kind in known]
    monkeypatch.setattr(handshake, kinds, changed)
    version.cache_clear()
    try:
        assert version() != before
    finally:
        version.cache_clear()


def test_a_mistake_in_the_engine_is_raised_as_one() -> None:
    with pytest.raises(EngineMistake, match="ZeroDivisionError: by nothing"):
        result_of(arrived(reply_of(ZeroDivisionError("by nothing"))))


def test_nothing_but_values_can_be_written() -> None:
    for value in (object(), {1, 2}, open, lambda: None, is_dataclass):
        with pytest.raises(TypeError, match="no value of the driver interface"):
            pack(value)
