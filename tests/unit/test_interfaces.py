"""The interfaces are a wire contract: what was built has the agreed fields, types and hashes."""

import json
from importlib import import_module
from pathlib import Path

import pytest

packages = pytest.importorskip("ament_index_python.packages", reason="needs a built workspace")

FIELDS = {
    "msg/AxisPose": (
        "int32[] index, float64[] target, float64[] velocity, float64[] acc, float64[] dec"
    ),
    "msg/AxisVelocity": "int32[] index, float64[] velocity, float64[] acc, float64[] dec",
    "msg/AxisState": (
        "std_msgs/Header header, bool[] amp_alarm, bool[] servo_on, bool[] home_done, "
        "bool[] home_switch, bool[] negative_ls, bool[] positive_ls, bool[] motion_complete, "
        "float64[] pos_cmd, float64[] velocity_cmd, float64[] actual_pos, "
        "float64[] actual_velocity, float64[] actual_torque"
    ),
    "srv/SetEngine": "bool data, string path, string name --- bool success, string message",
    "srv/SetAxis": "int32[] index, int32[] data --- bool success, string message",
    "srv/SetAxisGearRatio": (
        "int32[] index, float64[] numerator, float64[] denominator --- bool success, string message"
    ),
    "srv/LoadWmxParams": "string file_path --- bool success, string message",
    "srv/GetWmxParams": "int32[] index --- bool success, string message, string[] params_dump",
    "srv/GetIoBit": "int32 byte, int32 bit --- bool success, int32 value, string message",
    "srv/GetIoBytes": "int32 byte, int32 length --- bool success, uint8[] data, string message",
    "srv/SetIoBit": "int32 byte, int32 bit, int32 value --- bool success, string message",
    "srv/SetIoBytes": "int32 byte, uint8[] data --- bool success, string message",
    "srv/EcatRegisterRead": (
        "int32 master_id, int32 slave_id, int32 reg_address, int32 length "
        "--- bool success, uint8[] data, string message"
    ),
    "srv/EcatResetStatistics": "int32 master_id --- bool success, string message",
    "srv/EcatStartHotconnect": "int32 master_id --- bool success, string message",
    "srv/EcatGetNetworkState": (
        "int32 master_id --- bool success, string message, int32 master_state, int32 master_mode, "
        "uint32 comm_period, uint32 total_axes, uint32 total_input_size, uint32 total_output_size, "
        "uint32 ring_num, uint32 total_rxpdo_size, uint32 total_txpdo_size, "
        "uint32 tx_delay, uint32 min_tx_delay, uint32 max_tx_delay, "
        "uint32 packet_loss, uint32 packet_timeout, uint32 over_cycle, "
        "int32 num_of_slaves, int32[] slave_ids, int32[] slave_states, int32[] slave_al_codes, "
        "int32[] slave_positions, int32[] slave_addresses, "
        "bool[] slave_offline, bool[] slave_inaccessible, bool[] slave_new, bool[] slave_reverse, "
        "uint32[] slave_vendor_ids, uint32[] slave_product_codes, uint32[] slave_revision_nos, "
        "uint32[] slave_serial_nos, uint32[] slave_aliases, "
        "int32[] slave_input_addrs, int32[] slave_input_sizes, "
        "int32[] slave_output_addrs, int32[] slave_output_sizes, int32[] slave_num_of_axes"
    ),
}
"""The contract of existing clients, by their type hashes."""
HASHES = json.loads(Path(__file__).with_name("interface_hashes.json").read_text())


def in_words(message: type) -> str:
    """The fields of a generated class, written as in an interface file."""
    spelling = {"boolean": "bool", "double": "float64"}

    def word(kind: str) -> str:
        if kind.startswith("sequence<"):
            return word(kind[len("sequence<") : -1]) + "[]"
        return spelling.get(kind, kind)

    kinds = message.get_fields_and_field_types()
    return ", ".join(f"{word(kind)} {name}" for name, kind in kinds.items())


@pytest.mark.parametrize(("name", "fields"), FIELDS.items(), ids=[*FIELDS])
def test_fields(name: str, fields: str) -> None:
    folder, _, name_only = name.partition("/")
    interface = getattr(import_module(f"wmx_ros2_message.{folder}"), name_only)
    parts = [interface] if folder == "msg" else [interface.Request, interface.Response]
    assert " --- ".join(map(in_words, parts)).strip() == fields


def test_type_hashes() -> None:
    share = Path(packages.get_package_share_directory("wmx_ros2_message"))
    descriptions = [*share.glob("msg/*.json"), *share.glob("srv/*.json")]
    if not descriptions:
        pytest.skip("this ROS release has no type hashes (they came with Iron)")
    built = {
        entry["type_name"]: entry["hash_string"]
        for description in descriptions
        for entry in json.loads(description.read_text())["type_hashes"]
        if entry["type_name"].startswith("wmx_ros2_message/")
    }
    assert {name: built.get(name) for name in HASHES} == HASHES
