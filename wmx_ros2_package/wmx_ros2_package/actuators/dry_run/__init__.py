"""What commands would do: carried out on a copy of the engine, and nothing moves.

| module      | what it is                                                        |
|-------------|-------------------------------------------------------------------|
| `run`       | carries out the steps of an order, by the rules they really have  |
| `rehearsal` | a copy of the engine with a gate, a tracker and a supervisor      |
| `extremes`  | what is seen on the way: extremes, limits that are met, the paths |
| `values`    | what is asked for, and what comes of it                           |
"""

from .run import DryRun, StepRefused, axes_of
from .values import USUAL, Order, Outcome, Peaks, Step, Tried

__all__ = [
    "USUAL",
    "DryRun",
    "Order",
    "Outcome",
    "Peaks",
    "Step",
    "StepRefused",
    "Tried",
    "axes_of",
]
