"""Every command of motion is tried with the engine in a process of its own."""

from pathlib import Path

import pytest
from process_cases import CASE_OF, REFUSAL, FurtherCases, is_slow

from wmx_ros2_package.drivers.interface import Motion


def test_there_is_one_for_each_command() -> None:
    commands = {name for name in vars(Motion) if not name.startswith("_")} - {"status"}
    assert set(CASE_OF) == commands


@pytest.mark.parametrize("case", [*CASE_OF.values(), REFUSAL])
def test_it_is_there(case: str) -> None:
    function = case.partition("[")[0]
    texts = [path.read_text() for path in Path(__file__).parent.glob("test_contract_motion_*.py")]
    assert any(f"\ndef {function}(" in text for text in texts)


@pytest.mark.parametrize(
    ("module", "test", "slow"),
    [
        ("test_contract_motion_lines", "test_a[process]", True),
        ("test_contract_motion_lines", "test_a[stop-process]", True),
        ("test_contract_motion_lines", "test_a[held]", False),
        ("test_contract_motion_lines", "test_of_a_process", False),
        ("test_contract_motion_stops", "test_a[process]", True),
        ("test_contract_motion_status", "test_a[process]", False),
        ("test_contract_engine", "test_a[process]", False),
        ("test_contract_ecat_slaves", "test_a[process]", False),
        ("test_contract_motion_moves", CASE_OF["move_absolute"], False),
        ("test_contract_motion_lines", "test_a[wmx3_sim]", True),
        ("test_contract_engine", "test_a[wmx3_sim]", False),
        ("test_contract_motion_servo", CASE_OF["set_servo"].replace("process", "wmx3_sim"), False),
    ],
)
def test_the_others_of_motion_are_slow(module: str, test: str, slow: bool) -> None:
    assert is_slow(module, test) is slow


def test_the_process_has_to_pass_one_case_of_each_test() -> None:
    further = FurtherCases()
    asked = [
        *(("test_contract_io", f"test_a_bit[{case}]") for case in ("process-0", "process-1")),
        *(("test_contract_io", f"test_b[{case}]") for case in ("held-0", "process-0", "held-1")),
        *(("test_contract_ecat", f"test_a_bit[{case}]") for case in ("process-1", "process-2")),
        *(("test_contract_motion_stops", f"test_a[{case}]") for case in ("process-1", "process-2")),
    ]
    assert [test for test in asked if further.has(*test)] == [asked[1], asked[6]]
