"""A snapshot of engine, network and owners of axes, for `wmx/axis/explain`."""

from contextlib import suppress
from dataclasses import replace
from typing import Any

from wmx_core.errors import WmxError

from ...control.conditions import out_of_position
from ...diagnosis.snapshot import Snapshot
from ...diagnosis.typed_commands import wmx_program
from ...node_base.context import NodeContext


def snapshot_of(node: NodeContext[Any]) -> Snapshot:
    """Return what `node` can read now."""
    nothing = Snapshot(node=node.full_name, program=wmx_program(), active=node.active)
    driver = node.driver
    try:
        engine_state = driver.engine.state()
        status = driver.motion.status()
    except WmxError:
        return nothing
    owners = node.ownership.owners(range(status.axes), status)
    return replace(
        nothing,
        engine_state=engine_state,
        status=status,
        networks=driver.networks(),
        owners=owners,
        stopped_by=_stop_inputs_on(node),
        lost=node.settings.losses(range(status.axes), status),
        time_is_held=_time_is_held(node),
        out_of_position=out_of_position(
            status, node.common.in_position_width, node.in_position_widths
        ),
        speed=node.gate.speed.speed,
        file_problem=node.ownership.problem,
    )


def _time_is_held(node: NodeContext[Any]) -> bool:
    faults = node.driver.faults
    with suppress(WmxError):
        return faults is not None and faults.time()[1]
    return False


def _stop_inputs_on(node: NodeContext[Any]) -> dict[int, str]:
    """The stop inputs that are on, by their axes."""
    inputs = node.stop_inputs.all()
    with suppress(WmxError):
        levels = node.stop_inputs.on(inputs) if inputs else []
        return {each.axis: each.place for each, on in zip(inputs, levels, strict=True) if on}
    return {}
