"""What the steps of `wmx_first_contact` work with, over the stand-in."""

from pathlib import Path
from typing import Any

import pytest
from contact_settings import contact_settings
from stand_in import StandIn

from wmx_ros2_package.commands.first_contact import bench as benches
from wmx_ros2_package.commands.first_contact.bench import Bench
from wmx_ros2_package.drivers.values import EngineState


@pytest.fixture
def bench(world: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.setattr(benches, "open_wmx3", lambda _: world.driver())
    settings = contact_settings(tmp_path, device_path="/opt/wmx3", simulation_mode=False)
    return Bench(settings)


def idle(world: StandIn) -> tuple[Any]:
    status = world.sdk.EngineStatus()
    status.state = world.sdk.EngineState.Idle
    return (status,)


def test_a_device_on_an_idle_engine_is_attached(bench: Bench, world: StandIn) -> None:
    world.play("WMX3Api.GetEngineStatus", idle)
    bench.attach()
    assert bench.driver.engine.state() is EngineState.IDLE
    bench.attach()
    assert len(world.called("WMX3Api.CreateDevice")) == 1
    bench.close()
    bench.attach()
    assert len(world.called("WMX3Api.CreateDevice")) == 2
