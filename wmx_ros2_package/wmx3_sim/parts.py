"""What every part of the SDK is made of: the engine it stands for, and what it does not do."""

from collections.abc import Callable
from inspect import isfunction
from typing import Any

from wmx_ros2_package.drivers.errors import ErrorCode

from .arguments import judged
from .enums import ENUMS
from .runtime import Runtime


class NotSimulated:
    """The names that a program used and nobody plays, each told once."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self.names: list[str] = []
        self._ignored: set[str] = set()
        self._tell = tell

    def note(self, name: str) -> None:
        """A program has used `name`."""
        if name not in self.names:
            self.names.append(name)
            self._tell(f"wmx3_sim: {name} is not simulated; it answers NoSupportedFunction")

    def ignored(self, what: str) -> None:
        """Tell once of `what` a program asked for that changes nothing, and answers success."""
        if what not in self._ignored:
            self._ignored.add(what)
            self._tell(f"wmx3_sim: {what}")


class Part:
    """A class of the SDK over one runtime; its functions answer codes, also for their arguments."""

    enums = ENUMS
    listed: frozenset[str] = frozenset()
    """What the SDK's class has; what of it is not played answers NoSupportedFunction."""

    def __init__(self, runtime: Runtime, missing: NotSimulated) -> None:
        self.runtime = runtime
        self.missing = missing

    def __init_subclass__(cls) -> None:
        for name, method in [*vars(cls).items()]:
            if name[0].isupper() and isfunction(method):
                setattr(cls, name, judged(method))

    def __getattr__(self, name: str) -> Any:
        if not name[0].isupper():
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        full = f"{type(self).__name__}.{name}"

        def answer(*_args: Any) -> Any:
            self.missing.note(full)
            return int(ErrorCode.NoSupportedFunction)

        return answer

    def IsDeviceValid(self) -> bool:
        return self.runtime.attached

    def ErrorToString(self, code: int) -> str:
        try:
            return ErrorCode(code).name
        except ValueError:
            return "None" if code == 0 else f"error {code}"
