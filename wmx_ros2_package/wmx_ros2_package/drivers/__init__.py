"""The backends: who answers for a motion engine.

`open_driver` is the one way in. A backend is imported when it is asked for, so that a missing
SDK hurts only its user.
"""

import os
from collections.abc import Callable
from importlib.util import find_spec

from .errors import DriverUnavailable, ErrorCode
from .interface import Driver


def default_driver() -> str:
    """The backend of the environment variable WMX_DRIVER, or else the simulated engine."""
    return os.environ.get("WMX_DRIVER") or "fake"


def open_driver(name: str, *, inside: bool = False) -> Driver:
    """A driver on the backend `name`, not attached to an engine yet.

    With `inside`, a simulated engine that has to be started runs in this process.
    DriverUnavailable when there is no such backend or when it cannot run on this machine.
    """
    try:
        backend = BACKENDS[name]
    except KeyError:
        known = " or ".join(repr(known) for known in BACKENDS)
        raise _unavailable(f"unknown driver {name!r}: choose {known}") from None
    return backend(inside)


def _open_fake(inside: bool) -> Driver:
    from .fake.device import open_fake

    return open_fake(inside=inside)


def _open_wmx3(_inside: bool) -> Driver:
    if find_spec("WMX3ApiPython") is None:
        raise _unavailable(
            "driver 'wmx3' needs the vendor SDK, whose Python module WMX3ApiPython is not "
            "installed here; driver 'fake' runs without it"
        )
    raise _unavailable("driver 'wmx3' is not part of this version; choose driver 'fake'")


def _unavailable(detail: str) -> DriverUnavailable:
    return DriverUnavailable(ErrorCode.NoSupportedFunction, detail)


BACKENDS: dict[str, Callable[[bool], Driver]] = {"fake": _open_fake, "wmx3": _open_wmx3}
"""Each opens a driver; its argument says whether a simulated engine runs in this process."""
