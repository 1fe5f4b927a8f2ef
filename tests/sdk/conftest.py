"""An engine whose time the test holds, and the vendor's module over it."""

from typing import Any

import pytest

from wmx_sim.sdk.module import build
from wmx_sim.sdk.not_simulated import NotSimulated
from wmx_sim.sdk.runtime import Runtime


@pytest.fixture
def runtime() -> Runtime:
    return Runtime(held=True)


@pytest.fixture
def reported() -> list[str]:
    """The lines that the program gets on stderr."""
    return []


@pytest.fixture
def sdk(runtime: Runtime, reported: list[str]) -> Any:
    return build(runtime, NotSimulated(reported.append))


@pytest.fixture
def api(sdk: Any) -> Any:
    """A device, as programs attach it."""
    api = sdk.WMX3Api()
    assert api.CreateDevice("", sdk.DeviceType.DeviceTypeNormal, 1) == 0
    return api
