"""`wmx3` over the binding, the declarations of the SDK for C++, and the simulated SDK."""

import ctypes
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import pytest
from backends import Backend
from engines import SimulatedSdk
from sdk_headers import build

from wmx3.driver import driver_on
from wmx_core.interface import Driver
from wmx_core.options import DriverOptions


@cache
def binding_and_library(edition: int) -> tuple[ModuleType, Any]:
    """The binding to an edition, and the library that it calls."""
    module = build.binding(edition)
    library = ctypes.PyDLL(str(build.built(edition) / "sdk" / "lib" / "libwmx3api.so"))
    return module, library


class CompiledSdk(SimulatedSdk):
    """The binding to the newest declarations."""

    edition: ClassVar = 2

    def __init__(self, folder: Path, axis_model: Mapping[str, object]) -> None:
        if lacking := build.missing():
            pytest.skip(lacking)
        super().__init__(folder, axis_model)
        self._binding, library = binding_and_library(self.edition)
        library.stand_in_connect(ctypes.py_object(self._module))

    def open(self) -> Driver:
        self._opened.append(driver_on(self._binding, DriverOptions(), self._clock))
        return self._opened[-1]


class CompiledOlderSdk(CompiledSdk):
    """The binding to the declarations of older releases."""

    edition: ClassVar = 1


COMPILED: dict[str, type[Backend]] = {"binding": CompiledSdk, "older_binding": CompiledOlderSdk}
