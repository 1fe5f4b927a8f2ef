"""Starts that are refused, many at once: the middleware must not keep one of them for ever."""

import time
from collections import Counter
from itertools import count

import pytest
import system as systems
from system import Process

AT_ONCE = 10
WAIT_TIMEOUT = 60.0
"""How long one start may take beside the others, s."""


@pytest.mark.parametrize(
    "starts",
    [10, pytest.param(1000, marks=[pytest.mark.slow, pytest.mark.timeout(7200)])],
)
def test_a_refused_start_ends(starts: int) -> None:
    codes: Counter[int] = Counter()
    guarded = 0
    with systems.place() as place:
        running: dict[Process, float] = {}
        for _ in count():
            while len(running) < AT_ONCE and sum(codes.values()) + len(running) < starts:
                process = place.start("wmx_io_node", "driver:=nonsense")
                running[process] = time.monotonic()
            if not running:
                break
            for process, began in list(running.items()):
                if process.running():
                    assert time.monotonic() < began + WAIT_TIMEOUT, process.output
                    continue
                del running[process]
                codes[process.wait()] += 1
                assert "unknown driver 'nonsense'" in process.output
                guarded += "no node runs but the process stays" in process.output
            time.sleep(0.02)
    print(f"{guarded} of {starts} were ended by their guard")
    assert codes == {1: starts}
