"""Command and feedback of axes for as long as a program records them."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Thread

from .curves import Curves, Named
from .status import Status
from .stream import Stream


class Recording(Curves):
    """What axes are commanded to do, and do, from its beginning until `stop`.

        with axis.record() as recording:
            axis.move(1.0).wait()
        recording.position.max()
        recording.plot()

    Arrays have the shape (samples,) for one axis, else (samples, axes); 100 samples a second as
    the nodes are shipped.
    """

    def __init__(self, states: Stream[Status], axes: Sequence[Named]) -> None:
        super().__init__(axes)
        self._states = states
        self._thread = Thread(target=self._collect, name="wmx-recording", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the recording; its arrays stay."""
        self._states.close()
        self._thread.join()

    def __enter__(self) -> Recording:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _repr_html_(self) -> str:
        end = f"{self.time[-1]:.2f} s" if len(self) else "nothing"
        return f"<p>Recording of {', '.join(self.names)}: {len(self)} samples, {end}</p>"

    def _collect(self) -> None:
        for status in self._states:
            self.add(status)
