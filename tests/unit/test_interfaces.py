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
ACTUATOR_COMMAND = (
    "std_msgs/Header header, string name, uint8 type, float64 value, float64 velocity, "
    "float64 acceleration, builtin_interfaces/Duration duration, "
    "trajectory_msgs/JointTrajectoryPoint[] points, int32 repeat, bool decelerate, "
    "unique_identifier_msgs/UUID command_id, bool leased, "
    "unique_identifier_msgs/UUID system_id"
)
ADDED_FIELDS = {
    "srv/InjectFaults": "string script --- bool success, string message",
    "msg/ActuatorCommand": ACTUATOR_COMMAND,
    "msg/ActuatorCommands": "wmx_ros2_message/ActuatorCommand[] commands",
    "msg/BeginMotion": (
        "std_msgs/Header header, string source, string[] names, int32[] axes, uint8 type, "
        "float64[] initial_position, float64[] target_position, "
        "builtin_interfaces/Time expected_arrival, unique_identifier_msgs/UUID command_id"
    ),
    "msg/EndMotion": (
        "std_msgs/Header header, string source, string[] names, int32[] axes, "
        "float64[] final_position, uint8 reason, int32 error_code, string message, "
        "unique_identifier_msgs/UUID command_id, unique_identifier_msgs/UUID replaced_by"
    ),
    "msg/HardwareError": (
        "std_msgs/Header header, string[] path, int32 code, string name, string message, "
        "bool active"
    ),
    "msg/ActuatorValue": "uint8 semantics, float64 value",
    "msg/ActuatorValues": "wmx_ros2_message/ActuatorValue[] values",
    "msg/ActuatorGroup": (
        "std_msgs/Header header, string[] names, wmx_ros2_message/ActuatorValues[] actuators"
    ),
    "srv/CommandActuator": (
        "wmx_ros2_message/ActuatorCommand command --- bool accepted, string message, "
        "int32 code, unique_identifier_msgs/UUID command_id, "
        "builtin_interfaces/Time expected_arrival"
    ),
    "action/MoveActuators": (
        "wmx_ros2_message/ActuatorCommand[] commands --- bool success, string message, "
        "wmx_ros2_message/EndMotion[] ends --- std_msgs/Header header, string[] names, "
        "float64[] position, float64[] velocity, builtin_interfaces/Duration remaining"
    ),
    "srv/SetAxisPosition": "int32[] index, float64[] position --- bool success, string message",
    "srv/SetNodeState": "string node_name, string transition --- bool success, string message",
    "srv/GetNodeStates": "--- bool success, string message, string[] node_names, string[] states",
    "srv/ExplainAxes": (
        "int32[] index --- bool success, string message, bool other_systems, "
        "unique_identifier_msgs/UUID system_id, wmx_ros2_message/AxisBlocker[] blockers, "
        "string[] explanations"
    ),
    "msg/AxisBlocker": (
        "int32 axis, string code, string reason, string remedy, int32 master, int32 slave, "
        "int8 direction, string node"
    ),
    "srv/SetAxisOverride": "int32[] index, float64[] percent --- bool success, string message",
    "srv/SetStopInputs": (
        "int32[] index, int32[] byte, int32[] bit, int32[] value, int32[] data "
        "--- bool success, string message"
    ),
    "srv/GetStopInputs": (
        "--- bool success, string message, int32[] index, int32[] byte, int32[] bit, "
        "int32[] value, int32[] data, bool[] on"
    ),
    "srv/SetTouchProbes": (
        "int32[] index, int32[] byte, int32[] bit, int32[] value --- bool success, string message"
    ),
    "srv/GetTouchProbes": (
        "int32[] index --- bool success, string message, bool[] touched, float64[] position"
    ),
    "srv/SetGearing": (
        "int32[] index, int32[] master, float64[] ratio --- bool success, string message"
    ),
    "srv/SetSpeed": ("uint8 action, int32 percent --- bool success, int32 code, string message"),
    "msg/SystemSpeed": "int32 percent, bool paused",
    "srv/SetPositionOutputs": (
        "int32[] index, int32[] byte, int32[] bit, float64[] position, int32[] value "
        "--- bool success, string message"
    ),
    "srv/EcatScanNetwork": "int32 master_id --- bool success, string message",
    "srv/EcatSdoUpload": (
        "int32 master_id, int32 slave_id, int32 index, int32 subindex, int32 size "
        "--- bool success, string message, uint8[] data"
    ),
    "srv/EcatSdoDownload": (
        "int32 master_id, int32 slave_id, int32 index, int32 subindex, uint8[] data "
        "--- bool success, string message"
    ),
    "srv/EcatSetSlaveState": (
        "int32 master_id, int32 slave_id, int32 state --- bool success, string message"
    ),
    "srv/GetIoBits": ("int32[] byte, int32[] bit --- bool success, int32[] value, string message"),
    "srv/SetIoBits": ("int32[] byte, int32[] bit, int32[] value --- bool success, string message"),
    "msg/EngineCommand": (
        "std_msgs/Header header, string source, string method, string arguments, float64 "
        "called_at, float64 answered_at, int32 error_code, string message"
    ),
    "msg/EngineStatus": (
        "std_msgs/Header header, uint64 cycle, float64 time, uint8 engine_state, int8 "
        "emergency_stop, bool[] servo_on, bool[] servo_offline, bool[] amp_alarm, bool[] "
        "following_error_alarm, bool[] home_done, bool[] home_switch, bool[] negative_ls, "
        "bool[] positive_ls, bool[] negative_soft_limit, bool[] positive_soft_limit, bool[] "
        "motion_complete, int32[] alarm_code, int32[] op_state, int32[] command_mode, "
        "float64[] pos_cmd, float64[] velocity_cmd, float64[] actual_pos, float64[] "
        "actual_velocity, float64[] actual_torque, float64[] following_error"
    ),
    "msg/PlannedMotion": (
        "int32 step, string[] names, int32[] axes, uint8 type, float64 begin, float64 end, "
        "float64[] final_position, uint8 reason, int32 error_code, string message"
    ),
    "msg/PlannedAxis": (
        "string name, int32 axis, float64 settled, float64 low, float64 high, float64 velocity, "
        "float64 acceleration, float64 jerk, float64 torque, float64 following_error, "
        "string[] limits, float64[] limit_times, float64[] path, float64[] motor"
    ),
    "srv/PlanMotion": (
        "wmx_ros2_message/ActuatorCommands[] steps, bool line, float64 longest, uint32 samples "
        "--- bool accepted, string message, int32 refused_step, bool exact, float64 duration, "
        "wmx_ros2_message/PlannedMotion[] motions, wmx_ros2_message/PlannedAxis[] axes, "
        "float64[] times"
    ),
    "msg/IoChange": ("std_msgs/Header header, bool output, uint32 address, uint8[] data"),
}
"""What this project adds to the contract."""
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


@pytest.mark.parametrize(
    ("name", "fields"), [*FIELDS.items(), *ADDED_FIELDS.items()], ids=[*FIELDS, *ADDED_FIELDS]
)
def test_fields(name: str, fields: str) -> None:
    folder, _, name_only = name.partition("/")
    interface = getattr(import_module(f"wmx_ros2_message.{folder}"), name_only)
    parts = {
        "msg": lambda: [interface],
        "srv": lambda: [interface.Request, interface.Response],
        "action": lambda: [interface.Goal, interface.Result, interface.Feedback],
    }[folder]()
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
    # The _Event types belong to service introspection and are never sent between clients and us.
    kinds = {n: h for n, h in built.items() if not n.endswith("_Event")}
    assert {n: h for n, h in kinds.items() if n in HASHES} == HASHES
    added = {
        n.removesuffix("_Request").removesuffix("_Response") for n in kinds.keys() - HASHES.keys()
    }
    assert added == {f"wmx_ros2_message/{n}" for n in ADDED_FIELDS if not n.startswith("action/")}
