"""What commands would do: carried out on a copy of the engine, and nothing moves.

| module      | what it is                                                        |
|-------------|-------------------------------------------------------------------|
| `run`       | carries out the steps of a trial, by the rules they really have  |
| `rehearsal` | a copy of the engine with a gate, a tracker and a supervisor      |
| `extremes`  | what is seen on the way: extremes, limits that are met, the paths |
| `values`    | what is asked for, and what comes of it                           |
| `messages`  | between these and ROS messages                                    |
"""

from .run import DryRun, StepRefused, axes_of
from .values import USUAL, Outcome, Peaks, Step, Trial, Tried

__all__ = [
    "USUAL",
    "DryRun",
    "Outcome",
    "Peaks",
    "Step",
    "StepRefused",
    "Trial",
    "Tried",
    "axes_of",
]
