"""The backends: who answers for a motion engine.

`open_driver` is the one way in. A backend is imported when it is asked for, so that a missing
SDK hurts only its user.
"""

import os
from collections.abc import Callable

from .errors import DriverUnavailable, ErrorCode
from .interface import Driver
from .options import DriverOptions
from .values import DEFAULT_DEVICE_PATH


def default_driver() -> str:
    """The backend of the environment variable WMX_DRIVER, or else the simulated engine."""
    return os.environ.get("WMX_DRIVER") or "fake"


def default_device_path() -> str:
    """The device path of the environment variable WMX_DEVICE_PATH, or else where the SDK stands."""
    return os.environ.get("WMX_DEVICE_PATH") or DEFAULT_DEVICE_PATH


def open_driver(
    name: str, options: DriverOptions | None = None, *, in_process: bool = False
) -> Driver:
    """Return a driver on the backend `name`, not attached to an engine yet.

    DriverUnavailable when there is no such backend or when it cannot run on this machine.
    """
    try:
        backend = BACKENDS[name]
    except KeyError:
        known = " or ".join(repr(known) for known in BACKENDS)
        raise DriverUnavailable(
            ErrorCode.NoSupportedFunction, f"unknown driver {name!r}: choose {known}"
        ) from None
    return backend(options or DriverOptions(in_process=in_process))


def _open_fake(options: DriverOptions) -> Driver:
    from .fake import open_fake

    return open_fake(options)


def _open_wmx3(options: DriverOptions) -> Driver:
    from .wmx3.device import open_wmx3

    return open_wmx3(options)


BACKENDS: dict[str, Callable[[DriverOptions], Driver]] = {"fake": _open_fake, "wmx3": _open_wmx3}
"""Each opens a driver, or raises with the reason why it cannot run here."""
