"""wmx_ethercat_node: every service, with the texts that clients match on."""

import pytest
from ros import Client
from system import System
from wmx_ros2_message.srv import EcatGetNetworkState

OP, NONE = 16, 0
SLAVES = 7
UNKNOWN_MASTERS = [-1, 1, 2**31 - 1, -(2**31)]

UNKNOWN_MASTER = "Error=1559 (IDOutOfRange)"


def test_the_network_shows_its_master_and_every_slave(client: Client) -> None:
    state = client.must("wmx/ecat/get_network_state", master_id=0)
    assert state.message == "Master 0: slaves=7"
    assert (state.master_state, state.master_mode) == (OP, 0)
    assert (state.comm_period, state.total_axes, state.ring_num) == (1000, 6, 1)
    assert (state.total_input_size, state.total_output_size) == (4, 4)
    assert state.min_tx_delay <= state.tx_delay <= state.max_tx_delay
    assert (state.packet_loss, state.packet_timeout, state.over_cycle) == (0, 0, 0)
    assert state.num_of_slaves == SLAVES
    assert list(state.slave_ids) == list(range(SLAVES))
    assert list(state.slave_states) == [OP] * SLAVES
    assert list(state.slave_addresses) == list(range(1001, 1001 + SLAVES))
    assert list(state.slave_product_codes) == [0x0402] * 6 + [0x0401]
    assert list(state.slave_serial_nos) == [*range(1001, 1007), 2001]
    assert list(state.slave_num_of_axes) == [1] * 6 + [0]
    assert list(state.slave_input_sizes) == [0] * 6 + [4]
    assert not any(state.slave_offline)


def test_every_array_of_slaves_is_as_long_as_the_network(client: Client) -> None:
    state = client.must("wmx/ecat/get_network_state", master_id=0)
    fields = EcatGetNetworkState.Response.get_fields_and_field_types()
    arrays = [name for name, kind in fields.items() if kind.startswith("sequence<")]
    assert len(arrays) == 19
    assert {name: len(getattr(state, name)) for name in arrays} == dict.fromkeys(arrays, SLAVES)


@pytest.mark.parametrize("master", UNKNOWN_MASTERS)
@pytest.mark.parametrize(
    ("service", "call"),
    [
        ("get_network_state", "GetMasterInfo"),
        ("reset_statistics", "ResetTransmitStatisticsInfo"),
        ("start_hotconnect", "StartHotconnect"),
    ],
)
def test_a_master_that_there_is_not(client: Client, service: str, call: str, master: int) -> None:
    message = client.refused(f"wmx/ecat/{service}", master_id=master)
    assert message.startswith(f"{call} failed. masterId={master} {UNKNOWN_MASTER}")


def test_statistics_are_reset(system: System, client: Client) -> None:
    with system.place.engine() as engine:
        engine.call("ecat", "disturb", packet_loss=3, packet_timeout=2, over_cycle=1)
    before = client.must("wmx/ecat/get_network_state", master_id=0)
    assert (before.packet_loss, before.packet_timeout, before.over_cycle) == (3, 2, 1)
    done = client.must("wmx/ecat/reset_statistics", master_id=0)
    assert done.message == "Statistics reset and ScanNetwork done. masterId=0"
    after = client.must("wmx/ecat/get_network_state", master_id=0)
    assert (after.packet_loss, after.packet_timeout, after.over_cycle) == (0, 0, 0)


def test_a_slave_that_came_back_joins_by_hotconnect(system: System, client: Client) -> None:
    def slave(number: int) -> tuple[int, bool, bool]:
        state = client.must("wmx/ecat/get_network_state", master_id=0)
        return state.slave_states[number], state.slave_offline[number], state.slave_new[number]

    with system.place.engine() as engine:
        engine.call("ecat", "drop_slave", 2)
        assert slave(2) == (NONE, True, False)
        lost = client.must("wmx/ecat/get_network_state", master_id=0).packet_loss
        client.eventually(
            lambda: client.must("wmx/ecat/get_network_state", master_id=0).packet_loss > lost,
            "a missing slave costs packets",
        )
        engine.call("ecat", "return_slave", 2)
    assert slave(2) == (1, True, True)
    done = client.must("wmx/ecat/start_hotconnect", master_id=0)
    assert done.message == "StartHotconnect done. masterId=0"
    assert slave(2) == (OP, False, False)


@pytest.mark.parametrize(
    ("address", "length", "data"),
    [
        (0x0000, 2, b"\x98\x01"),
        (0x0010, 2, (1003).to_bytes(2, "little")),
        (0x0130, 1, b"\x08"),
        (0x0FFF, 1, b"\0"),
    ],
)
def test_registers_are_read(client: Client, address: int, length: int, data: bytes) -> None:
    read = client.must(
        "wmx/ecat/register_read", master_id=0, slave_id=2, reg_address=address, length=length
    )
    assert bytes(read.data) == data
    assert read.message == (f"RegisterRead success. slaveId=2 reg=0x{address:03X} length={length}")


def test_the_whole_register_space_is_read_at_once(client: Client) -> None:
    read = client.must(
        "wmx/ecat/register_read", master_id=0, slave_id=0, reg_address=0, length=4096
    )
    assert len(read.data) == 4096


@pytest.mark.parametrize(
    ("address", "length", "message"),
    [
        (-1, 1, "Invalid reg_address: must be in [0x000, 0xFFF]."),
        (0x1000, 1, "Invalid reg_address: must be in [0x000, 0xFFF]."),
        (0, 0, "Invalid length: must be in [1, 4096]."),
        (0, -5, "Invalid length: must be in [1, 4096]."),
        (0, 4097, "Invalid length: must be in [1, 4096]."),
        (1, 2**31 - 1, "Invalid length: must be in [1, 4096]."),
        (0xFFF, 2, "reg_address + length exceeds 0x1000."),
        (1, 4096, "reg_address + length exceeds 0x1000."),
    ],
)
def test_registers_outside_the_space_are_not_read(
    client: Client, address: int, length: int, message: str
) -> None:
    fields = {"master_id": 0, "slave_id": 0, "reg_address": address, "length": length}
    assert client.refused("wmx/ecat/register_read", **fields) == message


@pytest.mark.parametrize(("master", "slave"), [(0, 7), (0, -1), (1, 0), (-1, 0)])
def test_a_slave_that_there_is_not(client: Client, master: int, slave: int) -> None:
    fields = {"master_id": master, "slave_id": slave, "reg_address": 0x130, "length": 2}
    message = client.refused("wmx/ecat/register_read", **fields)
    start = f"RegisterRead failed. slaveId={slave} reg=0x130 length=2 {UNKNOWN_MASTER}"
    assert message.startswith(start)


def test_a_slave_without_power_does_not_answer(system: System, client: Client) -> None:
    with system.place.engine() as engine:
        engine.call("ecat", "drop_slave", 4)
        fields = {"master_id": 0, "slave_id": 4, "reg_address": 0x130, "length": 2}
        message = client.refused("wmx/ecat/register_read", **fields)
        engine.call("ecat", "return_slave", 4)
    assert "Error=65616 (WaitTimeout): slave 4" in message
    client.must("wmx/ecat/start_hotconnect", master_id=0)
