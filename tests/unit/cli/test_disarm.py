"""`wmx disarm` reaches one engine: it says which, and claims its axes alone."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checked_sdk import CheckedSdk
from command_line import Shell
from held_engine import HeldEngine
from stubborn import Stubborn
from waits import eventually

from wmx_core.errors import CommandRefused, EngineLost, ErrorCode
from wmx_core.interface import Driver
from wmx_core.opening import open_driver
from wmx_core.options import DriverOptions
from wmx_core.values import EngineState
from wmx_ros2_package.cli import disarm
from wmx_ros2_package.control import disarming
from wmx_ros2_package.control.stops import device_stops


@contextmanager
def engine(path: str, node: str) -> Iterator[Driver]:
    """An engine on which a node runs, and all servos are on."""
    driver = open_driver("fake", DriverOptions(device_path=path), in_process=True)
    with device_stops(driver, path, node) as stops:
        driver.engine.start_communication()
        for axis in range(stops.status().axes):
            stops.set_servo(axis, on=True)
        eventually(lambda: servos(driver) == stops.status().axes, "the servos are on")
        yield driver


def servos(driver: Driver) -> int:
    """How many servos are on."""
    return int(np.count_nonzero(driver.motion.status().servo_on))


def test_the_axes_of_one_engine_are_disarmed_and_it_is_named(
    shell: Shell, runtime: Path, tmp_path: Path
) -> None:
    here, elsewhere = "/opt/wmx3", str(tmp_path)
    with ExitStack() as stack:
        mine = stack.enter_context(engine(here, "/wmx_io_node"))
        other = stack.enter_context(engine(elsewhere, "/cell2/wmx_io_node"))
        armed = servos(other)
        ended = shell("disarm", "--json")
        assert (servos(mine), servos(other)) == (0, armed)
        again = shell("disarm")
    assert (ended.code, again.code) == (0, 0), ended
    assert ended.data == {
        "disarmed": True,
        "device_path": here,
        "axes": armed,
        "nodes": ["/wmx_io_node"],
    }
    assert again.out == (
        f"the {armed} axes of the simulated engine of /opt/wmx3 rest, and their servos are off\n"
    )
    assert again.err.startswith("wmx: nodes run on the simulated engine of /opt/wmx3")
    assert again.err.endswith(": /wmx_io_node\n")


@pytest.mark.usefixtures("runtime")
def test_an_output_that_no_slave_has_fails(shell: Shell) -> None:
    """All else is done."""
    with engine("/opt/wmx3", "/wmx_io_node") as driver:
        ended = shell("disarm", "--output", "7999.7=1", "--output", "0.1=1")
        assert (ended.code, ended.out) == (1, "")
        assert ended.err.endswith("output 7999.7: no slave has it\n")
        assert (servos(driver), driver.io.output_bit(0, 1)) == (0, True)


@pytest.mark.usefixtures("runtime")
@pytest.mark.parametrize(
    ("refusals", "error", "code", "said"),
    [
        (1, CommandRefused, 0, "servos are off"),
        (inf, CommandRefused, 1, "whether servos are off and motors rest is not known"),
        (inf, EngineLost, 1, "whether servos are off and motors rest is not known"),
    ],
)
def test_a_status_that_is_refused_keeps_no_servo_on(
    shell: Shell,
    monkeypatch: pytest.MonkeyPatch,
    refusals: float,
    error: type[CommandRefused] | type[EngineLost],
    code: int,
    said: str,
) -> None:
    """An engine that seems lost, as one that does not run, has been disarmed all the same."""

    def stubborn(*asked: Any) -> Driver:
        driver: Any = open_driver(*asked)
        motion: Any = Stubborn(
            driver, "status", refusals=refusals, code=ErrorCode.SystemIsNoRunning, error=error
        )
        return replace(driver, motion=motion)

    monkeypatch.setattr(disarm, "open_driver", stubborn)
    if refusals == inf:
        monkeypatch.setattr(disarming, "REST_TIMEOUT", 0.02)
    with engine("/opt/wmx3", "/wmx_io_node") as driver:
        ended = shell("disarm")
        assert ended.code == code, ended
        eventually(lambda: servos(driver) == 0, "the servos are off")
    assert said in ended.out + ended.err


@pytest.mark.usefixtures("runtime")
def test_an_engine_that_does_not_run_is_named(shell: Shell, tmp_path: Path) -> None:
    ended = shell("disarm", "--device-path", tmp_path)
    assert ended.code == 2
    assert f"nothing was done: the simulated engine of {tmp_path} does not" in ended.err
    assert "the simulated engine of '' does not" in shell("disarm", "--device-path=").err


def test_a_robot_is_one_of_the_simulated_engine(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the driver for real hardware would be given the robot's simulated machine."""
    opened: list[Any] = []
    monkeypatch.setattr(disarm, "open_driver", lambda *asked: opened.append(asked))
    monkeypatch.setenv("WMX_DRIVER", "wmx3")
    ended = shell("disarm", "--robot", "arm")
    assert (ended.code, ended.out, opened) == (2, "", [])
    assert ended.err.startswith(
        "wmx: --robot is of the simulated engine, and the driver is 'wmx3'\n    --driver fake"
    )


@pytest.mark.usefixtures("runtime")
def test_an_engine_of_the_vendor_that_does_not_run(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = HeldEngine(2, start=False)
    held.fake.enter(EngineState.SHUTDOWN)
    vendor = CheckedSdk(held.fake)
    monkeypatch.setattr(disarm, "open_driver", lambda _, options: vendor.driver(options))
    assert shell("disarm", "--driver", "wmx3").code == 2
