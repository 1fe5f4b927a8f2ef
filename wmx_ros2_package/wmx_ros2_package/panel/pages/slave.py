"""One slave of the EtherCAT network: its ports, its registers, and objects of its dictionary.

Each answer names what it is of, for the fields beside it may be changed since.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from nicegui import ui

from ...client import MachineError
from ..advice import words
from ..frame import Frame
from ..numbers import NumberRule, read_integer
from .number_field import NumberField

MOST_OBJECT_BYTES = 1024
MOST_REGISTER = MOST_OBJECT = 0xFFFF
PORTS = ("number", "link", "open", "invalid_frames", "rx_errors", "lost_links")


def one_slave(frame: Frame, master: Callable[[], int]) -> None:
    """Make the part of the page; `master` is the one that the page shows."""

    def network() -> Any:
        return frame.link.connected.network

    ui.label("One slave").classes("text-h6")
    slave = NumberField("Slave", 0, NumberRule(name="slave", low=0, whole=True), "slave")
    slave.input.classes("w-24")
    chosen = slave.read_whole

    with ui.row().classes("items-center w-full"):

        async def read_ports() -> None:
            ports.rows = []
            at_slave, of = chosen(), master()
            found = await asyncio.to_thread(lambda: network().ports(at_slave, master=of))
            ports.rows = [{name: _word(getattr(port, name)) for name in PORTS} for port in found]
            message.text = f"ports of slave {at_slave} of master {of}"

        button = ui.button("Read ports", icon="settings_ethernet")
        message = ui.label().classes("mono").props("id=ports-error")
        button.on_click(_reporting(read_ports, message))
    columns = [{"name": n, "label": n.replace("_", " "), "field": n} for n in PORTS]
    ports = ui.table(columns=columns, rows=[], row_key="number").classes("max-w-full")
    ports.props('dense id=ports no-data-label="not read yet"')

    with ui.row().classes("items-center"):
        address = ui.input("Register", value="0x130").classes("w-28")
        length = _size_field(2)
        register = ui.label().classes("mono")

        async def read_register() -> None:
            at = read_integer(address.value, "register", 0, MOST_REGISTER)
            size = length.read_whole()
            at_slave, of = chosen(), master()
            data = await asyncio.to_thread(
                lambda: network().register(at_slave, at, size, master=of)
            )
            register.text = f"register {at:#x} of slave {at_slave} of master {of}: {_bytes(data)}"

        ui.button("Read register", on_click=_reporting(read_register, register))
    _dictionary(frame, network, chosen, master)


def _dictionary(
    frame: Frame, network: Callable[[], Any], slave: Callable[[], int], master: Callable[[], int]
) -> None:
    """Make the part that reads and writes objects of a slave's dictionary (SDOs)."""
    with ui.row().classes("items-center"):
        index = ui.input("Object", value="0x1018").classes("w-28")
        part = NumberRule(name="subindex", low=0, high=255, whole=True)
        subindex = NumberField("Subindex", 1, part)
        subindex.input.classes("w-24")
        size = _size_field(4)
        answer = ui.label().classes("mono").props("id=object")

        def place() -> tuple[int, int, int]:
            number = read_integer(index.value, "object", 0, MOST_OBJECT)
            return slave(), number, subindex.read_whole()

        async def read() -> None:
            at, most, of = place(), size.read_whole(), master()
            data = await asyncio.to_thread(lambda: network().read_object(*at, size=most, master=of))
            answer.text = f"{_named(at, of)}: {_bytes(data)}"

        ui.button("Read object", on_click=_reporting(read, answer))
        value = ui.input("New value", placeholder="12 or 0x0C").classes("w-28")

        async def write() -> None:
            most, at, of = size.read_whole(), place(), master()
            low, high = -(1 << 8 * most - 1), (1 << 8 * most) - 1
            number = read_integer(value.value, "new value", low, high)
            data = number.to_bytes(most, "little", signed=number < 0)
            await frame.order(
                f"write {number:#x} to object {_named(at, of)}",
                lambda: network().write_object(*at, data, master=of),
            )

        frame.on_click(ui.button("Write object").props("outline"), _reporting(write, answer))


def _size_field(value: int) -> NumberField:
    """A field for how many bytes are read or written."""
    rule = NumberRule(name="bytes", low=1, high=MOST_OBJECT_BYTES, whole=True)
    field = NumberField("Bytes", value, rule)
    field.input.classes("w-24")
    return field


def _reporting(
    act: Callable[[], Awaitable[None]], message: ui.label
) -> Callable[[], Awaitable[None]]:
    """Do `act`, and show in `message` what is wrong with it."""

    async def do() -> None:
        message.text = ""
        try:
            await act()
        except (MachineError, ValueError) as error:
            message.text = words(error)

    return do


def _named(place: tuple[int, int, int], master: int) -> str:
    """An object, by its slave, index and subindex."""
    slave, index, subindex = place
    return f"{index:#06x}:{subindex:02x} of slave {slave} of master {master}"


def _bytes(data: bytes) -> str:
    value = int.from_bytes(data, "little")
    return f"{data.hex(' ')}  ({value:#x}, {value})"


def _word(value: int) -> str | int:
    return ("yes" if value else "no") if isinstance(value, bool) else value
