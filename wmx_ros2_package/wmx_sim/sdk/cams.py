"""Electronic cams: a table gives the position of a slave for that of its master."""

from bisect import bisect_right
from typing import Any

from .enums import ENUMS
from .not_simulated import NotSimulated
from .parts import Part
from .runtime import Runtime
from .sdk_commands import numbers
from .structs import inner, struct

_OPTIONS = struct(
    "AdvSync_ECAMOptions",
    type=0,
    source=inner("Source", type=0),
    clutch=inner("Clutch", type=0, simpleCatchUpVelocity=0.0, simpleCatchUpAcc=0.0),
)
struct(
    "AdvSync_ECAMData",
    {"MasterPos": 0.0, "SlavePos": 0.0},
    masterAxis=0,
    slaveAxis=0,
    numPoints=0,
    options=_OPTIONS,
)


class AdvSync(Part):
    """AdvancedMotion.advSync: a table gives the position of a slave for that of its master."""

    def __init__(self, runtime: Runtime, missing: NotSimulated) -> None:
        super().__init__(runtime, missing)
        self._cams: dict[int, Any] = {}
        self._resting: dict[int, float] = {}
        """Where a master is that has not moved yet, which moves its slave no sooner."""

    def StartECAM(self, channel: int, cam: Any) -> int:
        repeats = cam.options.type == ENUMS["AdvSync_ECAMType"].Repeat
        if repeats and self.runtime.single_turns.get(cam.masterAxis):
            return self.missing.note("AdvSync_ECAMType.Repeat of an axis of a single turn")
        self._cams[channel] = cam.copy()
        self.runtime.watch(self._follow)
        self._resting[channel] = self.runtime.position(cam.masterAxis)
        self.runtime.step()
        return 0

    def StopECAM(self, channel: int) -> int:
        self._cams.pop(channel, None)
        self.runtime.step()
        return 0

    def _follow(self) -> None:
        for channel, cam in self._cams.items():
            if self._resting.get(channel) == self.runtime.position(cam.masterAxis):
                continue
            self._resting.pop(channel, None)
            place = self._place(cam)
            if place is not None and place != self.runtime.position(cam.slaveAxis):
                self.runtime.put(cam.slaveAxis, place)

    def _place(self, cam: Any) -> float | None:
        """Return where the slave has to be, or None where the table ends."""
        kinds, kind = ENUMS["AdvSync_ECAMType"], cam.options.type
        masters = numbers(cam, "MasterPos", cam.numPoints)
        slaves = numbers(cam, "SlavePos", cam.numPoints)
        at, turns = self.runtime.position(cam.masterAxis), 0.0
        at = self.runtime.shown(cam.masterAxis, at)
        if kind in (kinds.Repeat, kinds.Periodic):
            turns, rest = divmod(at - masters[0], masters[-1] - masters[0])
            at = masters[0] + rest
        if not masters[0] - 1e-9 <= at <= masters[-1] + 1e-9:
            return None
        i = min(max(bisect_right(masters, at), 1), len(masters) - 1)
        share = (at - masters[i - 1]) / (masters[i] - masters[i - 1])
        place = slaves[i - 1] + share * (slaves[i] - slaves[i - 1])
        repeats = kind == kinds.Repeat
        return place + turns * (slaves[-1] - slaves[0]) if repeats else place
