"""A snapshot of engine, network and owners of axes, for `wmx/axis/explain`."""

from contextlib import suppress
from typing import Any

from ...diagnosis.explanations import Snapshot, wmx_program
from ...drivers.errors import WmxError
from ...drivers.interface import Driver
from ...drivers.values import NetworkState
from ...node.context import NodeContext

MOST_MASTERS = 16
"""Of EtherCAT; the engine refuses the first that it has not."""


def snapshot_of(node: NodeContext[Any]) -> Snapshot:
    """Return what `node` can read now."""
    lifecycle = "active" if node.active else "inactive"
    nothing = Snapshot(node=node.full_name, program=wmx_program(), lifecycle=lifecycle)
    driver = node.driver
    try:
        engine_state = driver.engine.state()
        status = driver.motion.status()
    except WmxError:
        return nothing
    owners = node.ownership.owners(range(status.axes), status)
    return Snapshot(
        node=node.full_name,
        program=nothing.program,
        lifecycle=lifecycle,
        engine_state=engine_state,
        status=status,
        networks=networks_of(driver),
        owners=owners,
        stopped_by=_stop_inputs_on(node),
    )


def _stop_inputs_on(node: NodeContext[Any]) -> dict[int, str]:
    """The stop inputs that are on, by their axes."""
    inputs = node.stop_inputs.all()
    with suppress(WmxError):
        levels = node.stop_inputs.on(inputs) if inputs else []
        return {each.axis: each.place for each, on in zip(inputs, levels, strict=True) if on}
    return {}


def networks_of(driver: Driver) -> list[NetworkState]:
    """Every network of the engine, in the order of the master ids."""
    networks: list[NetworkState] = []
    with suppress(WmxError):
        for master in range(MOST_MASTERS):
            networks.append(driver.ecat.network_state(master))
    return networks
