"""wmx_ethercat_node: the dictionaries and the states of slaves."""

from typing import Any

import pytest
from ros import Client

IDENTITY, VENDOR = 0x1018, 1
FOLLOWING_ERROR_WINDOW = 0x6065
IO_SLAVE = 6
SAFEOP, OP = 8, 16
OBJECT = {"master_id": 0, "slave_id": 0, "index": FOLLOWING_ERROR_WINDOW, "subindex": 0}


def test_a_network_is_scanned_by_its_master(client: Client) -> None:
    done = client.must("wmx/ecat/scan_network", master_id=0)
    assert done.message == "ScanNetwork done. masterId=0"
    message = client.refused("wmx/ecat/scan_network", master_id=1)
    assert message.startswith("ScanNetwork failed. masterId=1 Error=1559 (IDOutOfRange)")


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


@pytest.mark.parametrize(
    ("service", "wrong", "text"),
    [
        ("sdo_upload", {"index": 0x10000, "size": 4}, "Invalid index 65536"),
        ("sdo_upload", {"subindex": 256, "size": 4}, "Invalid subindex 256"),
        ("sdo_upload", {"size": 0}, "Invalid size 0"),
        ("sdo_upload", {"size": 4097}, "Invalid size 4097"),
        ("sdo_download", {"data": []}, "Invalid size 0"),
        ("sdo_download", {"index": -1, "data": [1]}, "Invalid index -1"),
    ],
)
def test_what_can_be_no_object_is_refused(
    client: Client, service: str, wrong: dict[str, Any], text: str
) -> None:
    assert text in client.refused(f"wmx/ecat/{service}", **(OBJECT | wrong))


def test_a_slave_goes_to_safeop_and_back(client: Client) -> None:
    def state() -> int:
        states = client.must("wmx/ecat/get_network_state", master_id=0).slave_states
        return int(states[IO_SLAVE])

    for wanted in SAFEOP, OP:
        client.must("wmx/ecat/set_slave_state", master_id=0, slave_id=IO_SLAVE, state=wanted)
        client.eventually(lambda wanted=wanted: state() == wanted, f"state {wanted}")


@pytest.mark.parametrize("state", [-1, 0, 3, 17])
def test_what_is_no_state_is_refused(client: Client, state: int) -> None:
    wrong = {"master_id": 0, "slave_id": IO_SLAVE, "state": state}
    assert f"Invalid state {state}" in client.refused("wmx/ecat/set_slave_state", **wrong)


def test_no_slave_leaves_op_while_an_axis_moves(client: Client) -> None:
    client.must("wmx/axis/set_on", index=[0], data=[1])
    client.move("wmx/axis/position", [0], [5.0], [0.5], [1.0], [1.0])
    client.states.next(lambda s: s.velocity_cmd[0] > 0.1)
    message = client.refused("wmx/ecat/set_slave_state", master_id=0, slave_id=0, state=SAFEOP)
    client.must("wmx/axis/stop", index=[0], data=[])
    assert "(NotIdleState): axes move" in message
    client.states.next(lambda s: not s.velocity_cmd[0])
