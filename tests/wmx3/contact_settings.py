"""Settings of a run of `wmx_first_contact`, in tests."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from wmx_ros2_package.cli.first_contact.session import Settings


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
