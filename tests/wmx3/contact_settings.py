"""Settings and clock of a run of `wmx_first_contact`, in tests."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from wmx_ros2_package.cli.first_contact.session import Settings
from wmx_sim.engine.clock import HeldClock

READ_TIME = 50e-6
"""How much time passes with each read of the clock, s, so that loops without sleep end."""


class ReadClock(HeldClock):
    """Runs where something sleeps on it, and by a little where it is read."""

    def __init__(self, least: float = 0.0) -> None:
        """A sleep lasts `least` seconds at least."""
        super().__init__()
        self._least = least

    def now(self) -> float:
        self.advance(READ_TIME)
        return super().now()

    def sleep(self, seconds: float) -> None:
        super().sleep(max(seconds, self._least))


def contact_settings(folder: Path, **changes: Any) -> Settings:
    """A short run of axis 0 whose report goes to `folder`, but for `changes`."""
    settings = Settings(
        device_path="",
        axes=(0,),
        distance=0.2,
        velocity=1.0,
        rounds=3,
        torque=10.0,
        engine_process="",
        folder=folder,
    )
    return replace(settings, **changes)
