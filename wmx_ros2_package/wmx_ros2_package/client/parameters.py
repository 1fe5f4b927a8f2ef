"""The engine's parameters of the axes, as WMX parameter files have them."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from wmx_ros2_message.srv import GetWmxParams, LoadWmxParams

from wmx_core.parameters.dump import Sections, read_sections

from .session import Session


class Parameters:
    """The engine's parameters, in user units (u) and per second."""

    def __init__(self, session: Session, count: int) -> None:
        self._session = session
        self._count = count

    def get(self, axes: Sequence[int] | None = None) -> dict[int, Sections]:
        """Those of `axes`, by number, or of all: {0: {"AxisParam": {"GearRatio": ...}}}."""
        wanted = list(range(self._count) if axes is None else axes)
        answer = self._session.call(GetWmxParams, "wmx/params/get", index=wanted)
        dumps = "\n".join(answer.params_dump).split("=== Axis ")[1:]
        return {int(dump.split(" ", 1)[0]): read_sections(dump) for dump in dumps}

    def export(self, axes: Sequence[int] | None = None) -> str:
        """All elements of `axes`, or of all, with every digit: the text of a parameter file."""
        wanted = list(range(self._count) if axes is None else axes)
        answer = self._session.call(GetWmxParams, "wmx/params/export", index=wanted)
        return "".join(answer.params_dump)

    def change(self, path: str | PathLike[str]) -> str:
        """Give axes, which must rest, the elements that a parameter file holds.

        All others stay as they are. Refused with what is wrong, and then nothing has changed.
        """
        return self._apply("wmx/params/change", path)

    def load(self, path: str | PathLike[str]) -> str:
        """Apply a parameter file to the axes, which must rest; the machine's node reads it.

        Refused with what is wrong in it, and then none of it is applied. Returns what was loaded.
        """
        return self._apply("wmx/params/load", path)

    def _apply(self, service: str, path: str | PathLike[str]) -> str:
        # A second request could undo what another client has changed since, or be refused.
        file = str(Path(path).absolute())
        answer = self._session.call_once(LoadWmxParams, service, file_path=file)
        self._session.states.outdate()  # positions may have other numbers now
        return str(answer.message)
