"""The binding, compiled against the declarations of the SDK, and what stands behind them."""

import ctypes
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace

import pytest
from sdk_headers import build

from wmx_sim.engine.clock import HeldClock
from wmx_sim.engine.engine import SimulatedEngine
from wmx_sim.engine.machine.description import default_machine
from wmx_sim.sdk.module import build as build_sdk
from wmx_sim.sdk.not_simulated import NotSimulated
from wmx_sim.sdk.runtime import Runtime


@pytest.fixture(params=build.EDITIONS)
def edition(request: pytest.FixtureRequest) -> int:
    if lacking := build.missing():
        pytest.skip(lacking)
    number: int = request.param
    return number


@pytest.fixture
def sdk(edition: int) -> ModuleType:
    """The binding to one edition."""
    return build.binding(edition)


@pytest.fixture
def device(sdk: ModuleType, edition: int) -> Iterator[SimpleNamespace]:
    """A device of the binding on a simulated engine that communicates, and what was not played."""
    clock = HeldClock()
    engine = SimulatedEngine(default_machine(), clock, vendor_rules=True)
    reported: list[str] = []
    simulated = build_sdk(Runtime(engine=engine, newer=True), NotSimulated(reported.append))
    library = ctypes.PyDLL(str(build.built(edition) / "sdk" / "lib" / "libwmx3api.so"))
    library.stand_in_connect(ctypes.py_object(simulated))
    api = sdk.WMX3Api()
    assert api.CreateDevice("/opt/wmx3", sdk.DeviceType.DeviceTypeNormal, 1000) == 0
    assert api.StartCommunication(1000) == 0
    yield SimpleNamespace(api=api, core=sdk.CoreMotion(api), clock=clock, reported=reported)
    assert api.CloseDevice() == 0
