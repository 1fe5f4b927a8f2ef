"""wmx_ethercat_node: every service, with the texts that clients match on."""

from typing import Any

import pytest
from ros import Client
from system import System
from wmx_ros2_message.srv import EcatGetNetworkState

SAFEOP, OP, NONE = 8, 16, 0
SLAVES = 7
IDENTITY, VENDOR = 0x1018, 1
FOLLOWING_ERROR_WINDOW = 0x6065
IO_SLAVE = 6
REGISTER = {"master_id": 0, "slave_id": 2, "reg_address": 0x130, "length": 2}
OBJECT = {"master_id": 0, "slave_id": 0, "index": FOLLOWING_ERROR_WINDOW, "subindex": 0}


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


UNKNOWN: dict[str, tuple[dict[str, int], str]] = {
    "get_network_state": ({"master_id": -1}, "GetMasterInfo failed. masterId=-1"),
    "reset_statistics": ({"master_id": 1}, "ResetTransmitStatisticsInfo failed. masterId=1"),
    "start_hotconnect": ({"master_id": 1}, "StartHotconnect failed. masterId=1"),
    "scan_network": ({"master_id": 1}, "ScanNetwork failed. masterId=1"),
    "register_read": (
        REGISTER | {"slave_id": 7},
        "RegisterRead failed. slaveId=7 reg=0x130 length=2",
    ),
}


@pytest.mark.parametrize("service", UNKNOWN)
def test_a_master_or_a_slave_that_there_is_not(client: Client, service: str) -> None:
    request, failed = UNKNOWN[service]
    message = client.refused(f"wmx/ecat/{service}", **request)
    assert message.startswith(f"{failed} Error=1559 (IDOutOfRange)")


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
        engine.call("ecat", "return_slave", 2)
    assert slave(2) == (1, True, True)
    done = client.must("wmx/ecat/start_hotconnect", master_id=0)
    assert done.message == "StartHotconnect done. masterId=0"
    assert slave(2) == (OP, False, False)


def test_registers_are_read(client: Client) -> None:
    """The whole space of them at once."""
    space = REGISTER | {"reg_address": 0, "length": 4096}
    read = client.must("wmx/ecat/register_read", **space)
    assert read.message == "RegisterRead success. slaveId=2 reg=0x000 length=4096"
    data = bytes(read.data)
    assert len(data) == 4096
    assert data[:2] == b"\x98\x01"
    assert data[0x10:0x12] == (1003).to_bytes(2, "little")
    assert data[0x130] == 0x08, "operational, as ETG.1000 numbers it"


def test_a_slave_without_power_does_not_answer(system: System, client: Client) -> None:
    with system.place.engine() as engine:
        engine.call("ecat", "drop_slave", 4)
        message = client.refused("wmx/ecat/register_read", **REGISTER | {"slave_id": 4})
        engine.call("ecat", "return_slave", 4)
    assert "Error=65616 (WaitTimeout): slave 4" in message
    client.must("wmx/ecat/start_hotconnect", master_id=0)


def test_a_network_is_scanned_by_its_master(client: Client) -> None:
    done = client.must("wmx/ecat/scan_network", master_id=0)
    assert done.message == "ScanNetwork done. masterId=0"


def test_an_object_is_read(client: Client) -> None:
    identity = OBJECT | {"index": IDENTITY, "subindex": VENDOR}
    answer = client.must("wmx/ecat/sdo_upload", **identity, size=4)
    vendors = client.must("wmx/ecat/get_network_state", master_id=0).slave_vendor_ids
    assert int.from_bytes(bytes(answer.data), "little") == vendors[0]


def test_an_object_is_as_it_was_written(client: Client) -> None:
    before = client.must("wmx/ecat/sdo_upload", **OBJECT, size=4).data
    client.must("wmx/ecat/sdo_download", **OBJECT, data=[0x78, 0x56, 0x34, 0x12])
    assert bytes(client.must("wmx/ecat/sdo_upload", **OBJECT, size=4).data).hex() == "78563412"
    client.must("wmx/ecat/sdo_download", **OBJECT, data=list(before))


def test_a_refusal_has_the_abort_code_of_the_slave(client: Client) -> None:
    absent = OBJECT | {"index": 0x5FFF}
    message = client.refused("wmx/ecat/sdo_upload", **absent, size=4)
    assert message.startswith("SdoUpload failed. slaveId=0 index=0x5FFF subindex=0 Error=")
    assert "0x06020000" in message, "the object does not exist, ETG.1000.6"


INVALID: list[tuple[str, dict[str, Any], str]] = [
    (
        "register_read",
        REGISTER | {"reg_address": 0x1000},
        "Invalid reg_address: must be in [0x000, 0xFFF].",
    ),
    ("sdo_upload", OBJECT | {"index": 0x10000, "size": 4}, "Invalid index 65536"),
    ("sdo_upload", OBJECT | {"subindex": 256, "size": 4}, "Invalid subindex 256"),
    ("sdo_upload", OBJECT | {"size": 4097}, "Invalid size 4097"),
    ("sdo_download", OBJECT | {"data": []}, "Invalid size 0"),
    (
        "set_slave_state",
        {"master_id": 0, "slave_id": IO_SLAVE, "state": 17},
        "Invalid state 17",
    ),
]


@pytest.mark.parametrize(("service", "wrong", "text"), INVALID)
def test_what_breaks_a_rule_is_refused(
    client: Client, service: str, wrong: dict[str, Any], text: str
) -> None:
    assert client.refused(f"wmx/ecat/{service}", **wrong).startswith(text)


def test_a_slave_goes_to_safeop_and_back(client: Client) -> None:
    def state() -> int:
        states = client.must("wmx/ecat/get_network_state", master_id=0).slave_states
        return int(states[IO_SLAVE])

    for wanted in SAFEOP, OP:
        client.must("wmx/ecat/set_slave_state", master_id=0, slave_id=IO_SLAVE, state=wanted)
        client.eventually(lambda wanted=wanted: state() == wanted, f"state {wanted}")


def test_no_slave_leaves_op_while_an_axis_moves(client: Client) -> None:
    client.must("wmx/axis/set_on", index=[0], data=[1])
    client.move("wmx/axis/position", [0], [5.0], [0.5], [1.0], [1.0])
    client.states.next(lambda s: s.velocity_cmd[0] > 0.1)
    message = client.refused("wmx/ecat/set_slave_state", master_id=0, slave_id=0, state=SAFEOP)
    client.must("wmx/axis/stop", index=[0], data=[])
    assert "(NotIdleState): axes move" in message
    client.states.next(lambda s: not s.velocity_cmd[0])
