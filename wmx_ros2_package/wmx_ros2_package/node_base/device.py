"""The device of a node: how it is opened, and how its axes come to rest before it is closed."""

from __future__ import annotations

from typing import Any

from wmx_core.errors import CommandRefused, WmxError

from ..control.request import EndReason
from ..control.stopping import stop_and_wait
from .context import NodeContext
from .hooks import call_all

STOP_TIMEOUT = 5.0
"""How long a node that lets go of its axes waits until they rest, s."""
NODE_ENDED = "the node let go of the engine"


def open_device(node: NodeContext[Any], path: str, name: str) -> None:
    """Attach the device `name` of `node` to the engine at `path`."""
    node.driver.engine.create_device(path, name)
    try:
        node.ownership.open(path, node.full_name)
        if node.common.device_watchdog:
            node.driver.engine.set_watchdog(node.common.device_watchdog)
    except Exception:
        close_device(node)
        raise


def close_device(node: NodeContext[Any]) -> None:
    """Give the device up; an engine that refuses is logged, for the device is gone anyway."""
    try:
        node.driver.engine.close_device()
    except WmxError as error:
        node.log.error(f"Closing the device: {error}")
    finally:
        node.ownership.close()


def bring_to_rest(node: NodeContext[Any], axes: list[int] | None) -> bool:
    """Command no axis any more, stop `axes`, or all, and wait; return whether they rest.

    What is refused, a stop or a status, is logged: it must not keep the rest of an exit from
    happening.
    """
    node.gate.close()
    node.engine_lost = _why_lost(node)  # once: one that does not answer delays the stop each time
    try:
        call_all(reversed(node.on_let_go))
    finally:
        at_rest = axes == [] or _stop(node, axes)
    return at_rest


def _why_lost(node: NodeContext[Any]) -> str:
    try:
        node.gate.status()
    except CommandRefused:  # by an engine that lives
        pass
    except Exception as error:  # EngineLost, or a bug: neither keeps trajectories from ending
        return str(error)
    return ""


def _stop(node: NodeContext[Any], axes: list[int] | None) -> bool:
    gate, reason, message = node.gate, EndReason.NODE_ENDED, NODE_ENDED
    if node.engine_lost:
        reason, message = EndReason.ENGINE_LOST, node.engine_lost
    node.tracker.set_end_reason(reason, message)

    def stop(busy: Any) -> None:
        node.log.info(
            f"Slowing axes {list(busy)} down, for {STOP_TIMEOUT:g} s at most",
            throttle_duration_sec=1.0,  # what is refused is given again soon
        )
        gate.end_motion(busy, reason=reason, message=message)

    try:
        latency = node.driver.status_latency
        left = stop_and_wait(gate.status, stop, axes, latency, STOP_TIMEOUT, gate.clock)
    except WmxError as error:  # an engine that seems lost may live, and its axes move
        node.log.error(f"Whether axes have come to rest is not known: {error}")
        return False
    if left is not None:
        why = f": {left.refusal}" if left.refusal else ""
        node.log.error(
            f"Axes {left.busy} still move {STOP_TIMEOUT:g} s after they were stopped{why}"
        )
    return left is None


def end_motions(node: NodeContext[Any]) -> None:
    """End every motion of the node: its axes rest by now, as far as can be known."""
    try:
        status = node.gate.status()
        node.tracker.update(status)
        node.tracker.end_all(EndReason.NODE_ENDED, NODE_ENDED, status)
    except WmxError as error:
        node.tracker.end_all(EndReason.ENGINE_LOST, str(error))
