"""The EtherCAT network: its master, what it counts, and its slaves in the order of the wiring."""

from __future__ import annotations

import asyncio
from typing import Any

from nicegui import ui

from wmx_core.device_codes import al_status_in_words

from ...client import MachineError
from ..description import ANSWER_TIMEOUT
from ..frame import Frame
from ..numbers import NoNumber, NumberRule
from .number_field import NumberField
from .slave import one_slave
from .tables import table

PERIOD = 1.0
COUNTS = {
    "comm_period": "cycle {} µs",
    "packet_loss": "{} packets lost",
    "packet_timeout": "{} packets too late",
    "over_cycle": "{} cycles too long",
    "tx_delay": "last transmission {} µs late",
    "max_tx_delay": "at most {} µs",
}
"""What the master counts, by its field, in words."""
COLUMNS = (
    "id",
    "state",
    "joined",
    "axes",
    "vendor",
    "product",
    "serial",
    "inputs",
    "outputs",
    "AL status",
)


def build(frame: Frame) -> None:
    """Make the page."""
    with ui.row().classes("items-center"):
        number = NumberRule(name="master", low=0, high=1, whole=True)
        master = NumberField("Master", 0, number)
        master.input.classes("w-24")

        def network() -> Any:
            return frame.link.connected.network

        chosen = master.read_whole

        async def hot_connect() -> None:
            of = chosen()
            await frame.order(
                f"start hot connect of master {of}", lambda: network().hot_connect(of)
            )

        async def reset() -> None:
            of = chosen()
            await frame.order(
                f"reset the statistics of master {of}", lambda: network().reset_statistics(of)
            )

        frame.on_click(ui.button("Hot connect", icon="cable"), hot_connect)
        button = ui.button("Reset counters", icon="restart_alt")
        frame.on_click(button.props("outline"), reset)
        frame.button("Scan", "scan the network", lambda: network().scan(), icon="search").props(
            "outline"
        )
    summary = ui.label().classes("text-h6").props("id=master")
    counts = ui.label()
    slaves = table(COLUMNS, key="id")
    with ui.card().classes("card"):
        one_slave(frame, chosen)

    async def update() -> None:
        try:
            shown = chosen()
            state = await asyncio.to_thread(lambda: network().state(shown, timeout=ANSWER_TIMEOUT))
        except (MachineError, NoNumber) as error:
            summary.text, counts.text, slaves.rows = getattr(error, "text", str(error)), "", []
            return
        lost = sum(each.offline or each.inaccessible for each in state.slaves)
        summary.text = (
            f"Master {state.master}: {state.state.name}, {len(state.slaves)} slaves, {lost} offline"
        )
        counts.text = " · ".join(text.format(getattr(state, name)) for name, text in COUNTS.items())
        rows = [_row(each) for each in state.slaves]
        if rows != slaves.rows:
            slaves.rows = rows

    ui.timer(PERIOD, update)


def _row(slave: Any) -> dict[str, Any]:
    joined = "OFFLINE" if slave.offline else "BEHIND A BREAK" if slave.inaccessible else "yes"
    if slave.new:
        joined = "new: hot connect it"
    code = slave.al_status_code
    return {
        "id": slave.id,
        "state": slave.state.name,
        "joined": joined + (", reversed cables" if slave.reverse else ""),
        "axes": slave.axes,
        "vendor": f"{slave.vendor_id:#x}",
        "product": f"{slave.product_code:#x}",
        "serial": slave.serial,
        "inputs": f"{slave.input_size} B at {slave.input_address}" if slave.input_size else "—",
        "outputs": f"{slave.output_size} B at {slave.output_address}" if slave.output_size else "—",
        "AL status": f"{code:#x} {al_status_in_words(code)}" if code else "—",
    }
