"""Object dictionaries of slaves, read and written by SDO."""

from collections.abc import Callable

import pytest
from ecat_networks import DOUBLE, DRIVE, IO, SENSOR, Feedback, network_of
from hypothesis import given
from hypothesis import strategies as st

from wmx_core.errors import UNNUMBERED, CommandRefused, ErrorCode
from wmx_core.values import CommandMode, EcState
from wmx_sim.engine.machine.description import MasterDescription, SlaveDescription
from wmx_sim.engine.network.cia402 import OBJECTS, RXPDO, TXPDO, wrapped
from wmx_sim.engine.network.network import Network
from wmx_sim.engine.network.object_dictionary import I8, I16, U8, U16, U32

COUPLER = SlaveDescription(name="coupler")
WIDE = SlaveDescription(name="16 axes", axes=16)
LINE = MasterDescription(slaves=(DRIVE, IO, DOUBLE, SENSOR, COUPLER, WIDE))


@pytest.fixture
def axes() -> dict[int, Feedback]:
    """What the drives know of each axis; a test may change it at any time."""
    return {axis: Feedback() for axis in range(19)}


@pytest.fixture
def running(axes: dict[int, Feedback]) -> Network:
    network = network_of(LINE, axes=axes)
    network.start_communication()
    return network


def number(network: Network, slave_id: int, index: int, subindex: int = 0) -> int:
    return int.from_bytes(network.read_sdo(0, slave_id, index, subindex, 64), "little")


def signed(network: Network, slave_id: int, index: int) -> int:
    data = network.read_sdo(0, slave_id, index, 0, 64)
    return int.from_bytes(data, "little", signed=True)


def refusal(order: Callable[[], object]) -> CommandRefused:
    with pytest.raises(CommandRefused) as refused:
        order()
    return refused.value


# What every device has


def test_identity(running: Network) -> None:
    assert [number(running, 0, 0x1018, i) for i in range(5)] == [4, 1, 2, 3, 4]
    assert [len(running.read_sdo(0, 0, 0x1018, i, 4)) for i in range(5)] == [1, 4, 4, 4, 4]
    assert running.read_sdo(0, 2, 0x1008, 0, 64) == b"double drive"
    assert running.read_sdo(0, 0, 0x1009, 0, 64) == running.read_sdo(0, 0, 0x100A, 0, 64) == b"1.0"


@pytest.mark.parametrize(
    ("slave_id", "device_type"),
    [(0, 0x0002_0192), (1, 0x0003_0191), (2, 0xFFFF_0192), (3, 0x0001_0191), (4, 0)],
)
def test_device_type(running: Network, slave_id: int, device_type: int) -> None:
    assert running.read_sdo(0, slave_id, 0x1000, 0, 4) == device_type.to_bytes(4, "little")


def test_the_error_register_shows_an_alarm_of_any_axis_of_the_slave(
    running: Network, axes: dict[int, Feedback]
) -> None:
    axes[2].amp_alarm = True
    assert [number(running, slave_id, 0x1001) for slave_id in range(6)] == [0, 0, 1, 0, 0, 0]


def test_a_name_beyond_ascii_is_shown_in_ascii() -> None:
    network = network_of(MasterDescription(slaves=(SlaveDescription(name="Gerät"),)))
    network.start_communication()
    assert network.read_sdo(0, 0, 0x1008, 0, 64) == b"Ger?t"


# PDOs


def test_the_pdo_mapping_is_that_of_the_cyclic_data(running: Network) -> None:
    for mapping, pdo in ((0x1600, RXPDO), (0x1A00, TXPDO)):
        rows = [number(running, 0, mapping, i + 1) for i in range(number(running, 0, mapping))]
        assert [row >> 16 for row in rows] == list(pdo)
        assert [row & 0xFF00 for row in rows] == [0] * len(pdo)
        for row in rows:
            assert row & 0xFF == 8 * len(running.read_sdo(0, 0, row >> 16, 0, 64))
        shown = network_sizes(running)
        assert sum(row & 0xFF for row in rows) == 8 * shown[mapping]
    assert number(running, 0, 0x1600, 3) == 0x607A_0020
    assert number(running, 0, 0x1A00, 8) == 0x603F_0010


def network_sizes(network: Network) -> dict[int, int]:
    """Bytes of the PDOs of one axis, by the statistics of the master."""
    now = network.network_state(0).statistics
    rx = (now.total_rxpdo_size - now.total_output_size) // now.total_axes
    tx = (now.total_txpdo_size - now.total_input_size) // now.total_axes
    return {0x1600: rx, 0x1A00: tx}


def test_every_axis_has_its_pdos_and_its_objects(running: Network) -> None:
    assert [number(running, 2, 0x1C12, i) for i in range(3)] == [2, 0x1600, 0x1610]
    assert [number(running, 2, 0x1C13, i) for i in range(3)] == [2, 0x1A00, 0x1A10]
    assert number(running, 2, 0x1610, 1) == 0x6840_0010
    assert number(running, 2, 0x1A10, 3) == 0x6864_0020
    assert [number(running, 2, 0x67FF), number(running, 2, 0x6FFF)] == [0x0002_0192] * 2
    assert number(running, 5, 0x1C12) == 16
    assert number(running, 5, 0x16F0, 1) == 0xD840_0010
    assert number(running, 5, 0xD841) == 0x1237


def test_the_axes_of_a_slave_are_those_of_the_machine(
    running: Network, axes: dict[int, Feedback]
) -> None:
    axes[0].position_actual, axes[1].position_actual, axes[2].position_actual = 10.0, 11.0, 12.0
    axes[3].position_actual, axes[18].position_actual = 13.0, 28.0
    assert signed(running, 0, 0x6064) == 10
    assert [signed(running, 2, index) for index in (0x6064, 0x6864)] == [11, 12]
    assert [signed(running, 5, index) for index in (0x6064, 0xD864)] == [13, 28]


# CiA 402

SIZES = {
    0x603F: 2,
    0x6040: 2,
    0x6041: 2,
    0x6060: 1,
    0x6061: 1,
    0x6062: 4,
    0x6064: 4,
    0x6065: 4,
    0x606C: 4,
    0x6071: 2,
    0x6072: 2,
    0x6077: 2,
    0x607A: 4,
    0x6080: 4,
    0x6098: 1,
    0x60F4: 4,
    0x60FD: 4,
    0x60FF: 4,
    0x6502: 4,
}


def test_every_object_has_the_size_of_its_type(running: Network) -> None:
    assert set(OBJECTS) == set(SIZES)
    assert {index: len(running.read_sdo(0, 0, index, 0, 64)) for index in SIZES} == SIZES


def test_live_values(running: Network) -> None:
    values = {
        0x6062: 1_000_101,
        0x6064: -1_000_102,
        0x606C: -100_105,
        0x6071: 106,
        0x6072: 3000,
        0x6077: -107,
        0x607A: 1_000_101,
        0x6080: 3000,
        0x6098: 0,
        0x60F4: -103,
        0x60FF: 104,
        0x6502: 0x0380,
    }
    assert {index: signed(running, 0, index) for index in values} == values
    assert number(running, 0, 0x6065) == 0xFFFF_FFFF


@pytest.mark.parametrize(
    ("state", "control", "status"),
    [
        ({"servo_on": True}, 0x000F, 0x1237),
        ({"servo_on": False}, 0x0006, 0x0231),
        ({"servo_on": False, "amp_alarm": True}, 0x0006, 0x0218),
        ({"servo_on": True, "amp_alarm": True}, 0x000F, 0x021F),
        ({"servo_on": True, "following_error_alarm": True}, 0x000F, 0x3237),
        ({"servo_on": False, "following_error_alarm": True}, 0x0006, 0x2231),
    ],
)
def test_control_and_status_word(
    running: Network, axes: dict[int, Feedback], state: dict[str, bool], control: int, status: int
) -> None:
    axes[0] = Feedback(**state)
    assert (number(running, 0, 0x6040), number(running, 0, 0x6041)) == (control, status)


@pytest.mark.parametrize(
    ("mode", "shown"),
    [(CommandMode.POSITION, 8), (CommandMode.VELOCITY, 9), (CommandMode.TORQUE, 10)],
)
def test_modes_of_operation(
    running: Network, axes: dict[int, Feedback], mode: CommandMode, shown: int
) -> None:
    axes[0].command_mode = mode
    assert (number(running, 0, 0x6060), number(running, 0, 0x6061)) == (shown, shown)
    assert number(running, 0, 0x6502) & 1 << (shown - 1), "a mode that the drive supports"


@pytest.mark.parametrize(
    ("switch", "bits"), [("negative_limit", 1), ("positive_limit", 2), ("home_switch", 4)]
)
def test_digital_inputs(
    running: Network, axes: dict[int, Feedback], switch: str, bits: int
) -> None:
    axes[0] = Feedback(**{switch: True})
    assert number(running, 0, 0x60FD) == bits


@given(st.floats(-1e15, 1e15))
def test_a_position_overflows_as_a_32_bit_counter_does(counts: float) -> None:
    shown = wrapped(counts)
    assert -(2**31) <= shown < 2**31
    assert (shown - round(counts)) % 2**32 == 0


def test_what_is_no_position_stops_at_the_end_of_its_type() -> None:
    assert I16.pack(1e9) == b"\xff\x7f"
    assert I16.pack(-1e9) == b"\x00\x80"
    assert U16.pack(-5.0) == b"\x00\x00"
    assert U32.pack(2**32) == b"\xff\xff\xff\xff"
    assert (U8.pack(1.5), I8.pack(-1.4)) == (b"\x02", b"\xff")


# Writing


def test_what_is_written_is_read_back_until_the_slave_loses_power(running: Network) -> None:
    running.write_sdo(0, 2, 0x6865, 0, b"\x10\x27\x00\x00")
    assert number(running, 2, 0x6865) == 10_000
    assert number(running, 2, 0x6065) == 0xFFFF_FFFF, "of the other axis"
    running.set_slave_state(0, 2, EcState.INIT)
    running.set_slave_state(0, 2, EcState.PREOP)
    assert number(running, 2, 0x6865) == 10_000
    running.drop_slave(2)
    running.return_slave(2)
    running.start_hotconnect(0)
    assert number(running, 2, 0x6865) == 0xFFFF_FFFF


@pytest.mark.parametrize("index", [0x6065, 0x6072, 0x6080, 0x6098])
def test_what_an_sdo_may_write(running: Network, index: int) -> None:
    data = bytes(range(1, 1 + SIZES[index]))
    running.write_sdo(0, 0, index, 0, data)
    assert running.read_sdo(0, 0, index, 0, 4) == data


ABORTS = {
    0x0601_0002: "OBJECT_IS_READ_ONLY",
    0x0602_0000: "OBJECT_DOES_NOT_EXIST",
    0x0607_0010: "LENGTH_DOES_NOT_MATCH",
    0x0609_0011: "SUBINDEX_DOES_NOT_EXIST",
    0x0800_0022: "NOT_IN_THIS_DEVICE_STATE",
}


@pytest.mark.parametrize(
    ("index", "subindex", "data", "abort"),
    [
        (0x6041, 0, b"\x00\x00", 0x0601_0002),
        (0x1018, 1, b"\x00", 0x0601_0002),
        (0x1018, 5, b"\x00", 0x0609_0011),
        (0x6065, 1, b"\x00", 0x0609_0011),
        (0x6865, 0, b"\x00", 0x0602_0000),
        (0x0000, 0, b"\x00", 0x0602_0000),
        (0x6065, 0, b"\x00\x00\x00", 0x0607_0010),
        (0x6065, 0, b"\x00\x00\x00\x00\x00", 0x0607_0010),
        (0x6065, 0, b"", 0x0607_0010),
        *((index, 0, b"\x00" * SIZES[index], 0x0800_0022) for index in RXPDO),
    ],
)
def test_a_slave_aborts_a_download(
    running: Network, index: int, subindex: int, data: bytes, abort: int
) -> None:
    before = number(running, 0, 0x6065)
    error = refusal(lambda: running.write_sdo(0, 0, index, subindex, data))
    assert (error.code, error.name) == (UNNUMBERED, "SlaveSdoDownloadError")
    assert error.detail == (
        f"SDO 0x{index:04X}:{subindex:02X} of slave 0 of master 0: "
        f"abort code 0x{abort:08X} ({ABORTS[abort]})"
    )
    assert number(running, 0, 0x6065) == before


@pytest.mark.parametrize(
    ("slave_id", "index", "subindex", "abort"),
    [
        (0, 0x6865, 0, "0x06020000"),
        (0, 0x1610, 0, "0x06020000"),
        (1, 0x6041, 0, "0x06020000"),
        (1, 0x1C12, 0, "0x06020000"),
        (5, 0xE041, 0, "0x06020000"),
        (0, 0x1018, 5, "0x06090011"),
        (0, 0x1600, 6, "0x06090011"),
        (0, 0x6041, 255, "0x06090011"),
    ],
)
def test_a_slave_aborts_an_upload(
    running: Network, slave_id: int, index: int, subindex: int, abort: str
) -> None:
    error = refusal(lambda: running.read_sdo(0, slave_id, index, subindex, 4))
    assert (error.code, error.name) == (UNNUMBERED, "SlaveSdoUploadError")
    assert abort in error.detail


# Who answers


@pytest.mark.parametrize("transfer", ["upload", "download"])
@pytest.mark.parametrize("state", [EcState.INIT, EcState.BOOT])
def test_below_preop_there_is_no_mailbox(running: Network, state: EcState, transfer: str) -> None:
    running.set_slave_state(0, 0, EcState.INIT)
    running.set_slave_state(0, 0, state)
    error = refusal(lambda: transferred(running, transfer))
    assert str(error) == (
        "Error=-1 (SlaveStateBelowPreop): SDO 0x6065:00 of slave 0 of master 0: "
        f"there is no mailbox in {state.name}"
    )


@pytest.mark.parametrize("transfer", ["upload", "download"])
@pytest.mark.parametrize("state", [EcState.PREOP, EcState.SAFEOP, EcState.OP])
def test_from_preop_on_a_slave_answers(running: Network, state: EcState, transfer: str) -> None:
    for step in (EcState.INIT, EcState.PREOP, EcState.SAFEOP, EcState.OP):
        running.set_slave_state(0, 0, step)
        if step is state:
            break
    transferred(running, transfer)


def transferred(network: Network, transfer: str) -> None:
    if transfer == "upload":
        network.read_sdo(0, 0, 0x6065, 0, 4)
    else:
        network.write_sdo(0, 0, 0x6065, 0, b"\x01\x00\x00\x00")


@pytest.mark.parametrize("transfer", ["upload", "download"])
@pytest.mark.parametrize(
    "fault",
    [
        lambda network: network.drop_slave(0),
        lambda network: network.cut_cable(0),
        lambda network: (network.drop_slave(0), network.return_slave(0)),
    ],
)
def test_an_offline_slave_does_not_answer(
    running: Network, fault: Callable[[Network], object], transfer: str
) -> None:
    fault(running)
    error = refusal(lambda: transferred(running, transfer))
    assert error.code == ErrorCode.WaitTimeout
    assert error.detail == (
        "SDO 0x6065:00 of slave 0 of master 0: abort code 0x05040000 (TIMED_OUT)"
    )


@pytest.mark.parametrize("transfer", ["upload", "download"])
def test_no_slave_answers_without_communication(running: Network, transfer: str) -> None:
    running.stop_communication()
    assert refusal(lambda: transferred(running, transfer)).code == ErrorCode.CommNotStarted


def test_a_buffer_may_be_larger_than_an_object_but_not_smaller(running: Network) -> None:
    assert len(running.read_sdo(0, 0, 0x6064, 0, 4)) == 4
    error = refusal(lambda: running.read_sdo(0, 0, 0x6064, 0, 3))
    assert str(error) == (
        "Error=-1 (SlaveActualSizeLargerThanBufferSize): "
        "SDO 0x6064:00 of slave 0 of master 0 has 4 bytes, more than 3"
    )
