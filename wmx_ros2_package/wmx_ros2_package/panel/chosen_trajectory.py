"""The trajectory that a page has chosen to run: one file, named and told from all others."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..trajectories.point_files import Trajectory, read_trajectory
from .foreseen import Foreseen, foresee

CHECKSUM_LENGTH = 12


@dataclass(frozen=True, slots=True, eq=False)
class ChosenTrajectory:
    """What a page shows and runs."""

    name: str
    """The name of its file, or what else it is."""
    trajectory: Trajectory
    checksum: str
    """The first digits of the SHA-256 of the file, as `sha256sum` prints them; of its points where
    there is no file."""
    foreseen: Foreseen

    @property
    def label(self) -> str:
        """What it is called in a line."""
        return f"{self.name} ({self.trajectory.duration:.2f} s, sha256 {self.checksum})"

    @property
    def words(self) -> str:
        """What tells it from all others."""
        trajectory = self.trajectory
        return (
            f"{self.name}: {len(trajectory.times)} points, {trajectory.duration:.2f} s, "
            f"joints {', '.join(trajectory.joints)}, sha256 {self.checksum}"
        )


def read_chosen(data: bytes, name: str, server: Mapping[str, Any]) -> ChosenTrajectory:
    """The trajectory in the file `name`, for a server with these parameters.

    ValueError has the point and the rule that it breaks.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{name}: is no text in UTF-8") from None
    trajectory = read_trajectory(text, name)
    return ChosenTrajectory(name, trajectory, _checksum(data), foresee(trajectory, server))


def made(trajectory: Trajectory, name: str, server: Mapping[str, Any]) -> ChosenTrajectory:
    """A trajectory that was made here."""
    points = trajectory.times.tobytes() + trajectory.positions.tobytes()
    return ChosenTrajectory(name, trajectory, _checksum(points), foresee(trajectory, server))


def _checksum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:CHECKSUM_LENGTH]
