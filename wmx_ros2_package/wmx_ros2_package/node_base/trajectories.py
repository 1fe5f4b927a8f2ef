"""What carries out the trajectories of a node: it comes and goes with the engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..control.following.context import ExecutionContext
from ..control.following.executor import TrajectoryExecutor
from ..trajectories.goal import STOPPING_TIME
from .context import NodeContext


def trajectory_executor(
    node: NodeContext[Any],
    let_go: str,
    *,
    on_count: Callable[[int], None] = lambda _: None,
    preempt: bool = True,
    stopping_time: float = STOPPING_TIME,
) -> TrajectoryExecutor:
    """The executor of `node`, whose trajectories end with `let_go` when it lets go of its axes.

    Where it does so because the engine is lost, they end with the words of that.
    """
    context = ExecutionContext(
        gate=node.gate,
        tracker=node.tracker,
        latency=node.driver.status_latency,
        plan_in=node.threads.planner.submit,
        log=node.log_error,
        stopping_time=stopping_time,
        has_expired=node.motion_leases.has_expired,
        require_sent_after_suspension=node.leases.require_sent_after_suspension,
        lose_engine=node.lose_engine,
    )
    executor = TrajectoryExecutor(context, node.supervisor, on_count=on_count, preempt=preempt)

    def attach() -> None:
        network = node.driver.ecat.network_state(0)
        executor.attach(network.statistics.comm_period * 1e-6 or 1e-3)

    node.on_attach.append(attach)
    node.on_let_go.append(lambda: executor.detach(node.engine_lost or let_go))
    return executor
