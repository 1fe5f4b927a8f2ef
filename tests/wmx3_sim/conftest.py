"""An engine whose time the test holds, and the vendor's module over it."""

from typing import Any

import pytest

from wmx3_sim.module import build
from wmx3_sim.parts import NotSimulated
from wmx3_sim.runtime import Runtime


@pytest.fixture
def runtime() -> Runtime:
    return Runtime(held=True)


@pytest.fixture
def told() -> list[str]:
    """What the program is told on stderr."""
    return []


@pytest.fixture
def sdk(runtime: Runtime, told: list[str]) -> Any:
    return build(runtime, NotSimulated(told.append))
