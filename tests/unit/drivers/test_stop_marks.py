"""A stop leaves a mark that every process on the engine sees, whether the axis moved or not."""

from collections.abc import Callable

import pytest
from other_processes import Client

from wmx_ros2_package.drivers.interface import Driver, Owners
from wmx_ros2_package.drivers.ownership import EMERGENCY_STOPPED, STOPPED

Drivers = Callable[..., Driver]


@pytest.fixture
def driver(drivers: Drivers) -> Driver:
    driver = drivers()
    driver.engine.create_device("", "/one")
    driver.engine.start_communication()
    return driver


def owners(driver: Driver) -> Owners:
    assert driver.owners is not None
    return driver.owners


@pytest.mark.parametrize(
    ("stop", "kind"),
    [
        ("stop([1])", STOPPED),
        ("quick_stop([1])", STOPPED),
        ("set_servo(1, on=False)", STOPPED),
        ("emergency_stop(1)", EMERGENCY_STOPPED),
    ],
)
def test_another_process_stops(driver: Driver, stop: str, kind: bytes) -> None:
    before = owners(driver).stop_marks([0, 1])
    other = Client()
    try:
        other.answer()
        other.ask("driver.engine.create_device('', '/other')")
        assert other.ask(f"driver.motion.{stop}") == "None"
    finally:
        other.end()
    zero, one = owners(driver).stop_marks([0, 1])
    assert one != before[1]
    assert one.startswith(kind)
    assert (zero != before[0]) is (kind == EMERGENCY_STOPPED)


def test_each_stop_is_another(driver: Driver) -> None:
    seen = set()
    for _ in range(20):
        driver.motion.stop([0])
        seen.add(owners(driver).stop_marks([0]))
    assert len(seen) == 20


def test_nothing_else_leaves_a_mark(driver: Driver) -> None:
    before = owners(driver).stop_marks([0])
    driver.motion.set_servo(0, on=True)
    driver.motion.clear_alarm(0)
    driver.motion.status()
    driver.motion.release_emergency_stop()
    assert owners(driver).stop_marks([0]) == before


def test_a_stop_that_is_refused_leaves_one_all_the_same(driver: Driver) -> None:
    before = owners(driver).stop_marks([0])
    driver.engine.stop_communication()
    with pytest.raises(Exception, match="CommNotStarted"):
        driver.motion.stop([0])
    assert owners(driver).stop_marks([0]) != before


def test_who_ends_a_motion_of_his_own_leaves_none(driver: Driver) -> None:
    before = owners(driver).stop_marks([0])
    with owners(driver).unmarked():
        driver.motion.stop([0])
    assert owners(driver).stop_marks([0]) == before
    driver.motion.stop([0])
    assert owners(driver).stop_marks([0]) != before
