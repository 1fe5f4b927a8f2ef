"""How a driver is opened: what all backends get, whether they use it or not."""

from dataclasses import dataclass

from .clock import STEADY, ProcessClock
from .errors import CommandRefused, ErrorCode, WmxError
from .values import DEFAULT_DEVICE_PATH

LONGEST_TIMEOUT = 3600.0
MACHINE_FILES = ".yaml", ".yml"
"""How a `device_path` ends that is a machine file of the simulated engine, and no folder."""

SHORTEST_DEAD_MAN, LONGEST_DEAD_MAN = 0.05, 60.0
"""s."""
SHORTEST_WATCHDOG = 1.0
"""s; a device that is closed under a living process on a busy machine could end the engine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverOptions:
    """Refused with ParamOutOfRange (WmxError) when they contradict a rule."""

    in_process: bool = False
    """A simulated engine is the driver's own: it runs in this process, and no other driver and no
    other process reaches it, whatever the device path."""
    hosts_engine: bool = False
    """A simulated engine runs in this process and serves the others at the device path. The driver
    is unavailable while another process runs one there."""
    device_path: str = DEFAULT_DEVICE_PATH
    """Where a vendor's SDK that is not installed for Python is looked for."""
    starts_engine: bool = True
    """Whether a device may start a real engine where none runs; else it is refused there, as far
    as that can be known."""
    timeout: float = 10.0
    """How long creating a device, and starting or stopping communication, may take, s."""
    core: int = -1
    """The CPU core of a real engine that has to be started; -1 leaves it to the engine."""
    affinity: int = 0
    """The CPU cores of a real engine, bit n for core n; 0 for none besides `core`."""
    clock: ProcessClock = STEADY
    """The clock of a simulated engine in this process."""

    def __post_init__(self) -> None:
        if self.in_process and self.hosts_engine:
            detail = "in_process and hosts_engine: only one of them can be true"
            raise WmxError(ErrorCode.ParamOutOfRange, detail)
        if not 0.0 < self.timeout <= LONGEST_TIMEOUT:
            raise WmxError(
                ErrorCode.ParamOutOfRange,
                f"timeout is {self.timeout} s: must be more than 0 and at most {LONGEST_TIMEOUT}",
            )


def require_dead_man(timeout: float) -> None:
    """Refuse a dead man that would stop axes of a living process, or late."""
    if timeout and not SHORTEST_DEAD_MAN <= timeout <= LONGEST_DEAD_MAN:
        limits = f"{SHORTEST_DEAD_MAN:g} to {LONGEST_DEAD_MAN:g}"
        detail = f"timeout is {timeout} s: must be 0, or {limits}"
        raise CommandRefused(ErrorCode.TimeArgumentOutOfRange, detail)


def require_watchdog(timeout: float) -> None:
    """Refuse a watchdog that would bite a living process, or never bite."""
    if not SHORTEST_WATCHDOG <= timeout <= LONGEST_TIMEOUT:
        detail = f"timeout is {timeout} s: must be {SHORTEST_WATCHDOG:g} to {LONGEST_TIMEOUT:g}"
        raise CommandRefused(ErrorCode.ParamOutOfRange, detail)
