"""The parameters that every node has."""

from dataclasses import dataclass

from ..drivers import default_driver
from ..drivers.options import LONGEST_TIMEOUT, SHORTEST_WATCHDOG, DriverOptions
from ..drivers.values import DEFAULT_DEVICE_PATH
from ..validation import BadRequest
from .parameters import parameter

_DEFAULT = DriverOptions()


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonParameters:
    """How a node starts, and how it reaches the engine."""

    autostart: bool = parameter(True, "configure and activate the node when it starts")
    # Clients ask for this one, to know whether hardware moves.
    driver: str = parameter(
        default_driver, "backend: fake or wmx3; empty for that of WMX_DRIVER, else fake"
    )
    device_path: str = parameter(
        DEFAULT_DEVICE_PATH,
        "where the SDK stands, or a machine file (.yaml) for the simulated engine",
    )
    device_timeout: float = parameter(
        _DEFAULT.timeout,
        "how long a real engine may take to start, and its network, s",
        (0.1, 600.0),
    )
    device_core: int = parameter(
        _DEFAULT.core, "CPU core of a real engine, -1 for its own", (-1, 1023)
    )
    device_affinity: int = parameter(
        _DEFAULT.affinity, "CPU cores of a real engine, bit n for core n", (0, 2**32 - 1)
    )
    device_watchdog: float = parameter(
        0.0,
        "s after this process has died until a real engine closes its device; 0: its own default",
        (0.0, LONGEST_TIMEOUT),
    )

    def __post_init__(self) -> None:
        if 0.0 < self.device_watchdog < SHORTEST_WATCHDOG:
            raise BadRequest(
                [
                    f"device_watchdog is {self.device_watchdog:g}: must be 0, or "
                    f"{SHORTEST_WATCHDOG:g} to {LONGEST_TIMEOUT:g}"
                ]
            )

    @property
    def driver_name(self) -> str:
        """The backend that is meant."""
        return self.driver or default_driver()

    def driver_options(self, *, owner: str, in_process: bool) -> DriverOptions:
        """How the driver of the node `owner` is opened."""
        return DriverOptions(
            owner=owner,
            in_process=in_process,
            device_path=self.device_path,
            timeout=self.device_timeout,
            core=self.device_core,
            affinity=self.device_affinity,
        )
