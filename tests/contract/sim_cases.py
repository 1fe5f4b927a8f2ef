"""Which tests are not for `wmx3_sim`, and why.

It is the vendor's SDK for programs of one process: an engine, its axes, inputs and outputs.
"""

NO_NETWORK = "it plays no EtherCAT functions"
IDLE_IS_THERE = "its programs' motors do not lag behind: what is idle is in position"

MODULES = {
    "test_contract_ecat": NO_NETWORK,
    "test_contract_ecat_slaves": NO_NETWORK,
}
TESTS = {
    "test_the_axes_are_those_on_the_networks": NO_NETWORK,
    "test_without_communication_orders_are_refused[wmx3_sim-start_hotconnect]": NO_NETWORK,
    "test_the_motor_arrives_where_it_is_commanded_to": IDLE_IS_THERE,
    "test_a_motion_is_not_complete_before_the_motor_is_in_position": IDLE_IS_THERE,
}


def why_not(module: str, test: str) -> str:
    """Why a test, by its module and its name with its case, is not for it; empty where it is."""
    return MODULES.get(module, "") or TESTS.get(test, "") or TESTS.get(test.partition("[")[0], "")
