"""AdvancedMotion: tables of points in time, splines, paths, and electronic cams."""

from .cams import AdvSync
from .lookahead import LookaheadPaths
from .not_simulated import NotSimulated
from .parts import Part
from .paths import Paths
from .rotation import RotationPaths
from .runtime import Runtime
from .splines import Splines
from .tables import Tables


class AdvMotion(Tables, Splines, Paths, LookaheadPaths, RotationPaths):
    """AdvancedMotion.advMotion."""


class AdvancedMotion(Part):
    """Tables, splines, paths and cams."""

    def __init__(self, runtime: Runtime, missing: NotSimulated) -> None:
        super().__init__(runtime, missing)
        self.advMotion = AdvMotion(runtime, missing)
        self.advSync = AdvSync(runtime, missing)
