"""How a driver is opened: what all backends are told, whether they have a use for it or not."""

from dataclasses import dataclass

from .errors import CommandRefused, ErrorCode, WmxError
from .values import DEFAULT_DEVICE_PATH

LONGEST_TIMEOUT = 3600.0

SHORTEST_WATCHDOG = 1.0
"""s; a device that is closed under a living process on a busy machine could end the engine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverOptions:
    """Refused with ParamOutOfRange (WmxError) when `timeout` is not a time that can be waited."""

    owner: str = ""
    """Who others are told that the axes belong to; empty for the name of the device."""
    in_process: bool = False
    """A simulated engine that has to be started runs in this process."""
    device_path: str = DEFAULT_DEVICE_PATH
    """Where a vendor's SDK that is not installed for Python is looked for."""
    timeout: float = 10.0
    """How long creating a device, and starting or stopping communication, may take, s."""
    core: int = -1
    """The CPU core of a real engine that has to be started; -1 leaves it to the engine."""
    affinity: int = 0
    """The CPU cores likewise, bit n for core n; 0 for none besides `core`."""

    def __post_init__(self) -> None:
        if not 0.0 < self.timeout <= LONGEST_TIMEOUT:
            raise WmxError(
                ErrorCode.ParamOutOfRange,
                f"timeout is {self.timeout} s: must be more than 0 and at most {LONGEST_TIMEOUT}",
            )


def require_watchdog(timeout: float) -> None:
    """Refuse a watchdog that would bite a living process, or never bite."""
    if not SHORTEST_WATCHDOG <= timeout <= LONGEST_TIMEOUT:
        detail = f"timeout is {timeout} s: must be {SHORTEST_WATCHDOG:g} to {LONGEST_TIMEOUT:g}"
        raise CommandRefused(ErrorCode.ParamOutOfRange, detail)
