"""What an execution of a trajectory is given: by its goal, and by the server that leads it."""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

from ..drivers.interface import Motion
from ..drivers.values import MotionStatus
from .goal import Joints, Rules
from .tolerances import Tolerances

LOOK_PERIOD = 0.005
"""s; what goes wrong is seen and acted on within twice of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Demands:
    """How well a goal is to be followed."""

    path: Tolerances
    goal: Tolerances
    settling: float
    """How late the axes may settle, s."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What executions of one server share."""

    joints: Callable[[MotionStatus], Joints]
    """The joints of the server, with the limits that hold; this takes a while."""
    rules: Rules
    motion: Motion
    cycle_time: float
    """A communication cycle, s."""
    stopping: threading.Event
    """Set when the server lets go of the axes."""
    commanding: Callable[[], AbstractContextManager[None]] = nullcontext
    """Motion is commanded in there only."""
    ending: Callable[[], AbstractContextManager[None]] = nullcontext
    """A motion of this server is stopped in there: that stops no other one."""
    say: Callable[[str], None] = lambda _: None
    """Tells whoever reads the log what goes wrong."""
    turn: threading.Lock = field(default_factory=threading.Lock)
    """Held while a trajectory begins: of two that begin at once, one takes over from the other."""
