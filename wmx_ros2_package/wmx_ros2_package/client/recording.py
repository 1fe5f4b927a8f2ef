"""Command and feedback of axes over time, as arrays, and as a plot."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Thread
from types import TracebackType
from typing import Any, Protocol

import numpy as np

from ..drivers.values import Floats
from .status import Status
from .stream import Stream


class _Named(Protocol):
    @property
    def number(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def unit(self) -> str: ...


class Recording:
    """What axes are commanded to do, and do, from its beginning until `stop`.

        with axis.record() as recording:
            axis.move(1.0).wait()
        recording.position.max()
        recording.plot()

    Arrays have the shape (samples,) for one axis, else (samples, axes); 100 samples a second as
    the nodes are shipped.
    """

    def __init__(self, states: Stream[Status], axes: Sequence[_Named]) -> None:
        self.names = tuple(axis.name for axis in axes)
        self._unit = "/".join(dict.fromkeys(axis.unit for axis in axes))
        self._axes = [axis.number for axis in axes]
        self._states = states
        self._rows: list[Status] = []
        self._thread = Thread(target=self._collect, name="wmx-recording", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the recording; its arrays stay."""
        self._states.close()
        self._thread.join()

    def __enter__(self) -> Recording:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def time(self) -> Floats:
        """s from the first sample on."""
        times = np.array([row.time for row in self._rows])
        return np.asarray(times - times[:1])

    @property
    def command(self) -> Floats:
        """Commanded positions, u."""
        return self._of("command")

    @property
    def position(self) -> Floats:
        """Measured positions, u."""
        return self._of("position")

    @property
    def velocity(self) -> Floats:
        """Measured velocities, u/s."""
        return self._of("velocity")

    @property
    def command_velocity(self) -> Floats:
        """Commanded velocities, u/s."""
        return self._of("command_velocity")

    @property
    def torque(self) -> Floats:
        """Measured torques, percent of rated torque."""
        return self._of("torque")

    @property
    def following_error(self) -> Floats:
        """Commanded less measured positions, u."""
        return self.command - self.position

    def plot(self) -> Any:
        """A figure of matplotlib with command and feedback over time; needs matplotlib."""
        from matplotlib.figure import Figure

        time, count = self.time, len(self._axes)
        figure = Figure(figsize=(8.0, 6.0), layout="constrained")
        rows = (
            (f"position, {self._unit}", self.command, self.position),
            (f"velocity, {self._unit}/s", self.command_velocity, self.velocity),
            ("torque, %", None, self.torque),
        )
        for plot, (label, command, feedback) in zip(
            figure.subplots(len(rows), sharex=True), rows, strict=True
        ):
            columns = feedback.reshape(-1, count)
            for i, name in enumerate(self.names):
                [line] = plot.plot(time, columns[:, i], label=name)
                if command is not None:
                    ordered = command.reshape(-1, count)[:, i]
                    plot.plot(time, ordered, "--", color=line.get_color(), alpha=0.6)
            plot.set_ylabel(label)
        plot.set_xlabel("time, s (dashed: command)")
        plot.legend(loc="upper right")
        return figure

    def _repr_html_(self) -> str:
        end = f"{self.time[-1]:.2f} s" if self._rows else "nothing"
        return f"<p>Recording of {', '.join(self.names)}: {len(self)} samples, {end}</p>"

    def _of(self, quantity: str) -> Floats:
        table = np.array([getattr(row, quantity)[self._axes] for row in self._rows])
        table = table.reshape(-1, len(self._axes))
        return table[:, 0] if len(self._axes) == 1 else table

    def _collect(self) -> None:
        for status in self._states:
            self._rows.append(status)
