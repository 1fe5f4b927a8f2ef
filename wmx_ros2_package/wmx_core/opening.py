"""The one way in to a motion engine: `open_driver` opens a driver by its name.

A driver is imported when it is asked for, so that a missing SDK hurts only its user. Two are
shipped; a package that is installed beside this one offers more as entry points of the group
`wmx.drivers`, each with the name of a driver and a function from DriverOptions to Driver:

    [project.entry-points."wmx.drivers"]
    mine = "my_package.driver:open_mine"
"""

import os
from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points

from .errors import DriverUnavailable, ErrorCode
from .interface import Driver
from .options import DriverOptions
from .values import DEFAULT_DEVICE_PATH

GROUP = "wmx.drivers"
Backend = Callable[[DriverOptions], Driver]


def default_driver() -> str:
    """The driver of the environment variable WMX_DRIVER, or else the simulated engine."""
    return os.environ.get("WMX_DRIVER") or "fake"


def default_device_path() -> str:
    """The device path of the environment variable WMX_DEVICE_PATH, or else where the SDK stands."""
    return os.environ.get("WMX_DEVICE_PATH") or DEFAULT_DEVICE_PATH


def known_drivers() -> list[str]:
    """The names of all drivers: the shipped ones, then those of other packages."""
    return [*dict.fromkeys((*BACKENDS, *sorted(_offered())))]


def open_driver(
    name: str, options: DriverOptions | None = None, *, in_process: bool = False
) -> Driver:
    """Return a driver on the backend `name`, not attached to an engine yet.

    DriverUnavailable when there is no such backend or when it cannot run on this machine.
    """
    backend = BACKENDS.get(name) or _installed(name)
    return backend(options or DriverOptions(in_process=in_process))


def _installed(name: str) -> Backend:
    """Return the backend that another package offers; the shipped ones need no search."""
    offered = _offered()
    if name not in offered:
        known = " or ".join(map(repr, known_drivers()))
        raise DriverUnavailable(
            ErrorCode.NoSupportedFunction, f"unknown driver {name!r}: choose {known}"
        )
    return _of(offered[name])


def _offered() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}


def _of(entry: EntryPoint) -> Backend:
    """Return what imports the function of `entry` once a driver is opened."""

    def open_it(options: DriverOptions) -> Driver:
        try:
            backend: Backend = entry.load()
        except (ImportError, AttributeError) as error:
            detail = f"driver {entry.name!r} cannot be loaded from {entry.value!r}: {error}"
            raise DriverUnavailable(ErrorCode.NoSupportedFunction, detail) from error
        return backend(options)

    return open_it


BACKENDS: dict[str, Backend] = {
    name: _of(EntryPoint(name, value, GROUP))
    for name, value in (("fake", "wmx_sim.driver:open_fake"), ("wmx3", "wmx3.driver:open_wmx3"))
}
"""The shipped ones: each opens a driver, or raises with the reason why it cannot run here."""
