"""`wmx ecat`: the EtherCAT networks, their slaves and registers."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ..drivers.device_codes import al_status_in_words
from ..drivers.values import EcState
from .arguments import add_system, whole
from .connection import connected
from .failures import Exit, wrong
from .terminal import Terminal, table

if TYPE_CHECKING:
    from rich.table import Table

    from ..client.network import NetworkState, Slave

COUNTS = {
    "comm_period": "communication cycle [us]",
    "tx_delay": "delay of the last transmission [us]",
    "max_tx_delay": "greatest delay of a transmission [us]",
    "packet_loss": "packets lost",
    "packet_timeout": "packets too late",
    "over_cycle": "cycles that took too long",
}
REGISTERS = 0x1000


def add_ecat(parser: argparse.ArgumentParser) -> None:
    """Add the verbs below this one."""
    below = parser.add_subparsers(metavar="slaves|state|register|sdo|hot-connect", required=True)
    slaves = below.add_parser("slaves", help="list the slaves")
    state = below.add_parser("state", help="the master, and what it counts")
    register = below.add_parser("register", help="read registers of a slave controller")
    sdo = below.add_parser("sdo", help="read or write an object of a slave's dictionary")
    join = below.add_parser("hot-connect", help="let slaves that are back join the network")
    register.add_argument("slave", type=whole(0, 255))
    register.add_argument("address", type=whole(0, REGISTERS - 1), help="such as 0x130, AL status")
    register.add_argument("length", type=whole(1, REGISTERS), nargs="?", default=2, help="bytes")
    sdo.add_argument("slave", type=whole(0, 255))
    sdo.add_argument("index", type=whole(0, 0xFFFF), help="such as 0x1018, identity")
    sdo.add_argument("subindex", type=whole(0, 0xFF), nargs="?", default=0)
    sdo.add_argument("--size", type=whole(1, 4096), default=4, help="bytes (default %(default)s)")
    sdo.add_argument(
        "--write", type=whole(-(2**63), 2**64 - 1), metavar="N", help="of `size` bytes"
    )
    state.add_argument("--reset", action="store_true", help="and set its counts to zero")
    for each, run in (
        (slaves, run_slaves),
        (state, run_state),
        (register, run_register),
        (sdo, run_sdo),
        (join, run_join),
    ):
        each.add_argument("--master", type=whole(0, 1), default=0)
        each.set_defaults(run=run)
        add_system(each)


def run_slaves(out: Terminal, options: argparse.Namespace) -> int:
    """List the slaves; 1 where one of them takes no part."""
    with connected(out, options) as machine:
        state = machine.network.state(options.master)
        columns = ("slave", "state", "axes", "vendor", "product", "inputs", "outputs", "")
        out.show(state.slaves, lambda: table(columns, [_row(each) for each in state.slaves]))
        return Exit.DONE if all(map(takes_part, state.slaves)) else Exit.REFUSED


def run_state(out: Terminal, options: argparse.Namespace) -> int:
    """Print the master's state and counts; 1 where it is not operational."""
    with connected(out, options) as machine:
        state = machine.network.state(options.master)
        out.show(state, lambda: _state_table(state))
        if options.reset:
            machine.network.reset_statistics(options.master)
            out.say("its counts are zero")
        return Exit.DONE if state.state is EcState.OP else Exit.REFUSED


def run_register(out: Terminal, options: argparse.Namespace) -> None:
    """Print registers, in the order of their addresses."""
    with connected(out, options) as machine:
        data = machine.network.register(
            options.slave, options.address, options.length, master=options.master
        )
        value = int.from_bytes(data, "little")
        out.show(
            {"address": options.address, "data": [*data]},
            lambda: f"0x{options.address:04X}: {data.hex(' ')} (0x{value:X}, {value})",
        )


def run_sdo(out: Terminal, options: argparse.Namespace) -> None:
    """Print an object of a slave's dictionary, or write it first."""
    place = options.slave, options.index, options.subindex
    name = f"0x{options.index:04X}:{options.subindex:02X}"
    if options.write is not None:
        try:
            data = options.write.to_bytes(options.size, "little", signed=options.write < 0)
        except OverflowError:
            raise wrong(f"{options.write} does not fit into {options.size} bytes") from None
    with connected(out, options) as machine:
        if options.write is not None:
            machine.network.write_object(*place, data, master=options.master)
        else:
            data = machine.network.read_object(*place, size=options.size, master=options.master)
        value = int.from_bytes(data, "little")
        out.show(
            {"object": name, "data": [*data]},
            lambda: f"{name}: {data.hex(' ')} (0x{value:X}, {value})",
        )


def run_join(out: Terminal, options: argparse.Namespace) -> None:
    """Start hot connect."""
    with connected(out, options) as machine:
        machine.network.hot_connect(options.master)
        out.show({"done": "hot connect"}, lambda: "hot connect started; see: wmx ecat slaves")


def takes_part(slave: Slave) -> bool:
    """Return whether the slave is operational."""
    return slave.state is EcState.OP and not (slave.offline or slave.inaccessible)


def _row(slave: Slave) -> tuple[int | str, ...]:
    trouble = [
        text
        for holds, text in (
            (slave.offline, "OFFLINE"),
            (slave.inaccessible, "behind a broken line"),
            (slave.new, "new"),
            (slave.reverse, "cables swapped"),
            (slave.al_status_code, al_status_in_words(slave.al_status_code)),
        )
        if holds
    ]
    return (
        slave.id,
        slave.state.name,
        slave.axes,
        f"0x{slave.vendor_id:08X}",
        f"0x{slave.product_code:08X}",
        _bytes(slave.input_address, slave.input_size),
        _bytes(slave.output_address, slave.output_size),
        ", ".join(trouble),
    )


def _bytes(first: int, size: int) -> str:
    return f"{first}:{size}" if size else ""


def _state_table(state: NetworkState) -> Table:
    rows: list[tuple[str, int | str]] = [
        (f"master {state.master}", f"{state.state.name}, {state.mode.name.lower()}"),
        ("slaves", str(len(state.slaves))),
        *((text, str(getattr(state, name))) for name, text in COUNTS.items()),
    ]
    return table(("", ""), rows)
