"""Settings of the whole process, or of a thread, with which the state is published in time.

Each of these was measured; benchmarks/results has the figures.
"""

import ctypes
import gc
import sys

_SWITCH_INTERVAL = 0.0002
"""How long a busy thread may keep Python from the others, s. At Python's own 5 ms a parameter file
that was read cost AxisState 82 of 300 messages, at a tenth of that about 35."""
_PR_SET_TIMERSLACK = 29


def tune_process() -> None:
    """Let threads take turns quickly, and collect no garbage among what is there to stay."""
    sys.setswitchinterval(_SWITCH_INTERVAL)
    gc.freeze()  # a full collection takes 7 ms, and next to nothing without what stays


def wake_on_time() -> None:
    """Have no slack in the timers of the calling thread.

    To save power, Linux may wake a thread up to 50 us late (timer slack, see prctl(2)): a third of
    what the thread that publishes AxisState was late.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_TIMERSLACK, ctypes.c_ulong(1))  # ns; 0 is the default
