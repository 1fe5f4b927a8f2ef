"""What axes are commanded to do, and do, over time: as arrays, as a plot, and in a notebook."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from copy import copy
from io import BytesIO
from threading import Lock
from typing import Any, TypeVar

import numpy as np

from wmx_core.values import Floats

from .states import States
from .status import Status, html_table, in_digits

C = TypeVar("C", bound="Curves")
MOST_SAMPLES = 2000
"""Of a motion; beyond them every second sample is dropped, then three of four, and so on."""
_QUANTITIES = "command", "position", "command_velocity", "velocity", "torque"
_SUMMARY = "axis", "unit", "from", "to", "position", "velocity /s", "torque %", "behind"
"""Of each axis: its commands, where its motor is now, and the greatest of the others."""


class Curves:
    """Command and feedback of axes at many times.

    Arrays have the shape (samples,) for one axis, else (samples, axes). One thread may add what
    others read.
    """

    def __init__(self, axes: Sequence[int], names: Sequence[str], units: Sequence[str]) -> None:
        """Of `axes` with these names, whose positions have these units."""
        self.names = tuple(names)
        self._units = tuple(units)
        self._axes = list(axes)
        self._samples: list[tuple[float, Floats]] = []
        """Each a time, and an array of the shape (quantities, axes)."""

    def add(self, status: Status) -> None:
        """Append a sample; none of a system of fewer axes that has taken the place of this one."""
        if max(self._axes) >= len(status):
            return
        values = [getattr(status, quantity)[self._axes] for quantity in _QUANTITIES]
        self._samples.append((status.time, np.array(values)))

    def __len__(self) -> int:
        return len(self._samples)

    @property
    def time(self) -> Floats:
        """The time from the first sample on, s."""
        times = np.array([time for time, _ in self._samples])
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
        now = self._now()
        return now.command - now.position

    def plot(self) -> Any:
        """A figure of matplotlib with command and feedback over time; needs matplotlib."""
        from matplotlib.figure import Figure

        now, count = self._now(), len(self._axes)
        unit = "/".join(dict.fromkeys(self._units))
        figure = Figure(figsize=(8.0, 6.0), layout="constrained")
        rows = (
            (f"position, {unit}", now.command, now.position),
            (f"velocity, {unit}/s", now.command_velocity, now.velocity),
            ("torque, %", None, now.torque),
        )
        for plot, (label, command, feedback) in zip(
            figure.subplots(len(rows), sharex=True), rows, strict=True
        ):
            columns = feedback.reshape(-1, count)
            for i, name in enumerate(self.names):
                [line] = plot.plot(now.time, columns[:, i], label=name)
                if command is not None:
                    ordered = command.reshape(-1, count)[:, i]
                    plot.plot(now.time, ordered, "--", color=line.get_color(), alpha=0.6)
            plot.set_ylabel(label)
        plot.set_xlabel("time, s (dashed: command)")
        plot.legend(loc="upper right")
        return figure

    def _now(self: C) -> C:
        """The same curves as far as they go now: others may come while they are read."""
        now = copy(self)
        now._samples = [*self._samples]
        return now

    def _of(self, quantity: str) -> Floats:
        row = _QUANTITIES.index(quantity)
        table = np.array([values[row] for _, values in self._samples])
        table = table.reshape(-1, len(self._axes))
        return table[:, 0] if len(self._axes) == 1 else table


class Recording(Curves):
    """What axes are commanded to do, and do, from its beginning until `stop`.

        with axis.record() as recording:
            axis.move(1.0).wait()
        recording.position.max()
        recording.plot()

    Arrays have the shape (samples,) for one axis, else (samples, axes); 100 samples a second as
    the nodes are shipped.
    """

    def __init__(
        self, states: States, axes: Sequence[int], names: Sequence[str], units: Sequence[str]
    ) -> None:
        super().__init__(axes, names, units)
        self._adding = Lock()
        """Held while a sample is added: after `stop` none is, also none that was on its way."""
        self._stopped = False
        self._end = states.subscribe(self.add)

    def add(self, status: Status) -> None:
        """Append a sample, unless the recording is stopped."""
        with self._adding:
            if not self._stopped:
                super().add(status)

    def stop(self) -> None:
        """End the recording; its arrays stay as they are."""
        self._end()
        with self._adding:
            self._stopped = True

    def __enter__(self) -> Recording:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _repr_html_(self) -> str:
        end = f"{self.time[-1]:.2f} s" if len(self) else "nothing"
        return f"<p>Recording of {', '.join(self.names)}: {len(self)} samples, {end}</p>"


class MotionCurves(Curves):
    """The curves of one motion, thinned so that a long one takes no more memory."""

    def __init__(self, axes: Sequence[int], names: Sequence[str], units: Sequence[str]) -> None:
        super().__init__(axes, names, units)
        self._count, self._step = 0, 1

    def add(self, status: Status) -> None:
        """Append a sample, unless it is one of those that are left out."""
        if self._count % self._step == 0:
            super().add(status)
        self._count += 1
        if len(self) >= MOST_SAMPLES:
            self._samples = self._samples[::2]
            self._step *= 2

    def html(self) -> str:
        """The plot as a picture, or the table where matplotlib is missing; "" before a sample."""
        now = self._now()
        if not now:
            return ""
        try:
            figure = now.plot()
        except ImportError:
            return html_table(_SUMMARY, now._summary())
        picture = BytesIO()
        figure.savefig(picture, format="png")
        data = b64encode(picture.getvalue()).decode()
        return f'<img src="data:image/png;base64,{data}"/>'

    def _summary(self) -> list[tuple[str, ...]]:
        """A row for each axis."""
        samples = np.array([values for _, values in self._samples])
        rows = []
        for i, named in enumerate(zip(self.names, self._units, strict=True)):
            command, position, _, velocity, torque = samples[:, :, i].T
            places = (command[0], command[-1], position[-1], abs(velocity).max())
            row = [in_digits(value, 4) for value in places]
            behind = in_digits(abs(command - position).max(), 4)
            rows.append((*named, *row, in_digits(abs(torque).max(), 2), behind))
        return rows
