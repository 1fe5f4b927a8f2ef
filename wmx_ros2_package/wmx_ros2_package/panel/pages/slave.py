"""One slave of the EtherCAT network: its ports, its registers, and objects of its dictionary."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from nicegui import ui

from ...client import MachineError
from ..frame import Frame

MOST_OBJECT_BYTES = 1024
PORTS = ("number", "link", "open", "invalid_frames", "rx_errors", "lost_links")


def one_slave(frame: Frame, master: Callable[[], int]) -> None:
    """Make the part of the page; `master` is the one that the page shows."""

    def network() -> Any:
        return frame.link.connected.network

    ui.label("One slave").classes("text-h6")
    slave = ui.number("Slave", value=0, min=0, precision=0).classes("w-24").props("id=slave")

    def chosen() -> int:
        return int(slave.value or 0)

    with ui.row().classes("items-center w-full"):

        async def read_ports() -> None:
            ports.rows = []
            found = await asyncio.to_thread(lambda: network().ports(chosen(), master=master()))
            ports.rows = [{name: _word(getattr(port, name)) for name in PORTS} for port in found]

        button = ui.button("Read ports", icon="settings_ethernet")
        message = ui.label().classes("mono").props("id=ports-error")
        button.on_click(_reporting(read_ports, message))
    columns = [{"name": n, "label": n.replace("_", " "), "field": n} for n in PORTS]
    ports = ui.table(columns=columns, rows=[], row_key="number").classes("max-w-full")
    ports.props('dense id=ports no-data-label="not read yet"')

    with ui.row().classes("items-center"):
        address = ui.input("Register", value="0x130").classes("w-28")
        length = ui.number("Bytes", value=2, min=1, max=1024, precision=0).classes("w-24")
        register = ui.label().classes("mono")

        async def read_register() -> None:
            at, size = int(address.value, 0), int(length.value or 2)
            data = await asyncio.to_thread(
                lambda: network().register(chosen(), at, size, master=master())
            )
            register.text = _bytes(data)

        ui.button("Read register", on_click=_reporting(read_register, register))
    _dictionary(frame, network, chosen, master)


def _dictionary(
    frame: Frame, network: Callable[[], Any], slave: Callable[[], int], master: Callable[[], int]
) -> None:
    """Make the part that reads and writes objects of a slave's dictionary (SDOs)."""
    with ui.row().classes("items-center"):
        index = ui.input("Object", value="0x1018").classes("w-28")
        subindex = ui.number("Subindex", value=1, min=0, max=255, precision=0).classes("w-24")
        size = ui.number("Bytes", value=4, min=1, max=MOST_OBJECT_BYTES, precision=0)
        size.classes("w-24")
        answer = ui.label().classes("mono").props("id=object")

        def place() -> tuple[int, int, int]:
            return slave(), int(index.value, 0), int(subindex.value or 0)

        async def read() -> None:
            at, most = place(), int(size.value or 4)
            data = await asyncio.to_thread(
                lambda: network().read_object(*at, size=most, master=master())
            )
            answer.text = _bytes(data)

        ui.button("Read object", on_click=_reporting(read, answer))
        value = ui.input("New value", placeholder="12 or 0x0C").classes("w-28")

        async def write() -> None:
            number, most, at = int(value.value, 0), int(size.value or 4), place()
            data = number.to_bytes(most, "little", signed=number < 0)
            await frame.order(
                f"write {number:#x} to object {at[1]:#06x}:{at[2]:02x} of slave {at[0]}",
                lambda: network().write_object(*at, data, master=master()),
            )

        frame.on_click(ui.button("Write object").props("outline"), _reporting(write, answer))


def _reporting(
    act: Callable[[], Awaitable[None]], message: ui.label
) -> Callable[[], Awaitable[None]]:
    """Do `act`, and show in `message` what is wrong with it."""

    async def do() -> None:
        message.text = ""
        try:
            await act()
        except (MachineError, ValueError, OverflowError) as error:
            message.text = str(error)

    return do


def _bytes(data: bytes) -> str:
    value = int.from_bytes(data, "little")
    return f"{data.hex(' ')}  ({value:#x}, {value})"


def _word(value: int) -> str | int:
    return ("yes" if value else "no") if isinstance(value, bool) else value
