"""Compensation: that of pitch errors is kept, for the command stays what it was.

That of backlash changes the command, as a log of the real engine shows (DeepSeek-V3-M1/88 in the
public repository MCCodeAI/MCCoder: 11 u further), and is not simulated.
"""

from collections import defaultdict
from typing import Any

from .not_simulated import NotSimulated
from .parts import Part
from .runtime import Runtime
from .structs import CLASSES, Kept, struct

CLASSES["BacklashCompensationData"] = Kept
PitchErrors = struct("PitchErrorCompensationData", {"PitchCompensationValue": 0.0}, enable=0)


class Compensation(Part):
    """Tables of pitch errors, one for each axis."""

    def __init__(self, runtime: Runtime, missing: NotSimulated) -> None:
        super().__init__(runtime, missing)
        self._kept: defaultdict[int, Any] = defaultdict(PitchErrors)

    def SetPitchErrorCompensation(self, axis: int, data: Any) -> int:
        self._kept[axis] = data.copy()
        self.runtime.step()
        return 0

    def GetPitchErrorCompensation(self, axis: int) -> tuple[int, Any]:
        return 0, self._kept[axis].copy()

    def EnablePitchErrorCompensation(self, axis: int) -> int:
        return self._enable(axis, enable=1)

    def DisablePitchErrorCompensation(self, axis: int) -> int:
        return self._enable(axis, enable=0)

    def DisableBacklashCompensation(self, _axis: int) -> int:
        self.runtime.step()
        return 0

    def _enable(self, axis: int, *, enable: int) -> int:
        self._kept[axis].enable = enable
        self.runtime.step()
        return 0
