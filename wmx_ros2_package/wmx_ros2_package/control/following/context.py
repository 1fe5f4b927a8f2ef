"""What executions of trajectories share, and how they can end."""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any
from uuid import UUID

from wmx_core.errors import EngineLost

from ...trajectories.goal import STOPPING_TIME
from ...trajectories.plan import Plan
from ..gate import Gate
from ..supervisor import TASK_PERIOD
from ..tracker import MotionTracker


class TrajectoryEnd(Enum):
    """How the execution of a trajectory can end."""

    SUCCEEDED = auto()
    CANCELED = auto()
    PREEMPTED = auto()
    """Another command has taken the axes over."""
    NOT_STARTED = auto()
    """The axes were not as they have to be at the start, or the engine refused."""
    OFF_PATH = auto()
    """Something kept the axes from following the path."""
    OFF_GOAL = auto()
    """The axes have not settled at the goal in time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How an execution has ended, and in words why."""

    ending: TrajectoryEnd
    text: str = ""
    code: int = 0
    """That of the refusal of one that has not begun: an ErrorCode, a RefusalCode, or 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat:
    """How an endless trajectory goes on: `part` plans the next part from where a plan ends."""

    span: float
    """When the next part takes over, s in each part."""
    part: Callable[[Plan, float], Plan]
    """Gets the plan before and `span`; BadRequest with the reasons where there is no next part."""


@dataclass(slots=True, kw_only=True)
class ExecutionContext:
    """The parts that all executions of a node share."""

    gate: Gate
    tracker: MotionTracker
    latency: float
    """How long after a command a status shows it at the latest, s."""
    plan_in: Callable[[Callable[[], Any]], "Future[Any]"]
    """Does work in the thread that plans; BadRequest if too much waits for that."""
    log: Callable[[str], None]
    stopping_time: float = STOPPING_TIME
    """How long a stop may take the engine with the deceleration of the path, s; else it is a quick
    stop."""
    has_expired: Callable[[UUID], bool] = lambda _: False
    """Whether the client of a trajectory, by its id, no longer renews its lease."""
    require_sent_after_suspension: Callable[[float], None] = lambda _: None
    """CommandRefused for what was sent before this process woke up from a suspension."""
    lose_engine: Callable[[EngineLost], None] = lambda _: None
    """Has the node let go of an engine that seems lost, which stops its axes where it lives."""
    period: float = TASK_PERIOD
    """How often samples are looked at unless something is due earlier, s."""
    cycle_time: float = field(init=False)
    """The communication cycle of the engine that the node is attached to, s, once it is."""
