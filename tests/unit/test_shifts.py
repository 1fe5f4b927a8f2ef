"""Which tests the extra worker of pytest-xdist is given."""

import os

import pytest

pytest.importorskip("xdist", reason="pytest-xdist is not installed")

from shifts import is_extra, is_timeless


@pytest.mark.parametrize("folder", ["tests", "wmx_ros2_package/tests"])
def test_what_looks_at_real_time_is_not_for_it(folder: str) -> None:
    assert is_timeless(f"{folder}/unit/test_domain.py::test_a_number")
    assert is_timeless(f"{folder}/contract/test_contract_io.py::test_a_bit[held]")
    assert is_timeless(f"{folder}/sdk/test_rotation.py")
    assert is_timeless(f"{folder}/integration/test_demo.py::test_without_a_system")
    assert not is_timeless(f"{folder}/integration/test_leases.py::test_a_demo")
    assert not is_timeless(f"{folder}/unit/sim/server/test_one_engine.py::test_a_stop")
    assert not is_timeless(f"{folder}/contract/test_contract_io.py::test_a_bit[set-process]")
    assert not is_timeless(f"{folder}/nodes/test_unit.py::test_a_node")


def test_it_is_the_last_of_more_than_there_are_processors() -> None:
    processors = os.cpu_count() or 1
    assert is_extra(f"gw{processors + 1}", processors + 2)
    assert not is_extra(f"gw{processors}", processors + 2)
    assert not is_extra("gw0", processors + 2)
    assert not is_extra(f"gw{processors - 1}", processors)
    assert not is_extra("", 0), "where there are no workers"
