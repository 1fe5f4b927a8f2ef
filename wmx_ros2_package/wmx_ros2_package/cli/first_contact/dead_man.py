"""A step that lets the engine stop an axis which nothing feeds any more."""

import statistics

from wmx_core.values import OperationState

from .session import Facts, Probe

FEEDS = 200
TIMEOUT = 0.2
"""Of the dead man, s."""


def dead_man(probe: Probe, facts: Facts) -> None:
    """What a feed costs, and how soon an axis is stopped when it is not fed any more."""
    axis = probe.settings.axes[0]
    probe.ready(axis)
    engine = probe.driver.engine
    try:
        began = probe.clock.now()
        engine.feed_dead_man([axis], TIMEOUT)
        facts["first feed, with the events set, ms"] = 1e3 * (probe.clock.now() - began)
        took = []
        for _ in range(FEEDS):
            began = probe.clock.now()
            engine.feed_dead_man([axis], TIMEOUT)
            took.append(probe.clock.now() - began)
        facts["feed, median us"] = 1e6 * statistics.median(took)
        facts["feed, longest us"] = 1e6 * max(took)
        probe.motion.jog([probe.slow_jog(axis)])
        probe.wait(lambda status: status.op_state[axis] == OperationState.JOG)
        engine.feed_dead_man([axis], TIMEOUT)
        fed = probe.clock.now()
        probe.wait(lambda status: status.op_state[axis] != OperationState.JOG)
        facts["timeout, s"] = TIMEOUT
        facts["no jog any more after, s"] = probe.clock.now() - fed
        facts["emergency stop"] = str(probe.rest(axis).emergency_stop)
    finally:
        engine.feed_dead_man([axis], 0.0)
    probe.go(axis, 0.0)
