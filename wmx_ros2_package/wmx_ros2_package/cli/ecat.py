"""`wmx ecat`: the EtherCAT networks, their slaves and registers."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from wmx_core.device_codes import al_status_in_words
from wmx_core.values import EcState

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
STATES = [state.name for state in EcState if state is not EcState.NONE]


def add_ecat(parser: argparse.ArgumentParser) -> None:
    """Add the verbs below this one."""
    verbs = "slaves|state|states|register|upload|download|scan|hot-connect"
    below = parser.add_subparsers(metavar=verbs, required=True)
    slaves = below.add_parser("slaves", help="list the slaves")
    state = below.add_parser("state", help="the master, and what it counts")
    register = below.add_parser("register", help="read registers of a slave controller")
    states = below.add_parser("states", help="bring slaves to a state")
    upload = below.add_parser("upload", help="read an object of a slave's dictionary")
    download = below.add_parser("download", help="write an object of a slave's dictionary")
    sdo = below.add_parser("sdo", help="upload, or with --write download")
    scan = below.add_parser("scan", help="look again which slaves are there")
    join = below.add_parser("hot-connect", help="let slaves that are back join the network")
    register.add_argument("slave", type=whole(0, 255))
    register.add_argument("address", type=whole(0, REGISTERS - 1), help="such as 0x130, AL status")
    register.add_argument("length", type=whole(1, REGISTERS), nargs="?", default=2, help="bytes")
    for each in (upload, download, sdo):
        each.add_argument("slave", type=whole(0, 255))
        each.add_argument("index", type=whole(0, 0xFFFF), help="such as 0x1018, identity")
        optional = None if each is download else "?"
        each.add_argument("subindex", type=whole(0, 0xFF), nargs=optional, default=0)
        size = whole(1, 4096)
        each.add_argument("--size", type=size, default=4, help="bytes (default %(default)s)")
    value = whole(-(2**63), 2**64 - 1)
    upload.set_defaults(write=None)
    download.add_argument("write", type=value, metavar="value", help="of `size` bytes")
    sdo.add_argument("--write", type=value, metavar="N", help="of `size` bytes")
    states.add_argument("state", type=str.upper, choices=STATES, metavar="|".join(STATES))
    states.add_argument(
        "--slave", type=whole(0, 255), nargs="+", help="without: every slave of the master"
    )
    states.add_argument("--yes", action="store_true", help="leave OP without being asked")
    state.add_argument("--reset", action="store_true", help="then set its counts to zero, and scan")
    for each, run in (
        (slaves, run_slaves),
        (state, run_state),
        (register, run_register),
        (states, run_states),
        (upload, run_sdo),
        (download, run_sdo),
        (sdo, run_sdo),
        (scan, run_scan),
        (join, run_join),
    ):
        every = None if each is scan else 0
        each.add_argument("--master", type=whole(0, 1), default=every)
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
            out.say(machine.network.reset_statistics(options.master))
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


def run_states(out: Terminal, options: argparse.Namespace) -> int:
    """Bring slaves to a state, one after the other; 1 where the person at the terminal declines."""
    state = EcState[options.state]
    with connected(out, options) as machine:
        slaves = options.slave or [each.id for each in machine.network.state(options.master).slaves]
        which = f"slaves {', '.join(map(str, slaves))}"
        question = f"Bring {which} to {state.name}? Their axes can be moved in OP alone."
        asks = state is not EcState.OP and not options.yes
        if asks and not out.agrees(question, f"{which} may leave OP"):
            return Exit.REFUSED
        for slave in out.steps(f"to {state.name}", slaves):
            machine.network.bring_to(slave, state, master=options.master)
        out.show(
            {"slaves": slaves, "state": state},
            lambda: f"{which}: in {state.name}",
        )
        return Exit.DONE


def run_scan(out: Terminal, options: argparse.Namespace) -> None:
    """Look again which slaves are there."""
    with connected(out, options) as machine:
        with out.progress("scan"):
            machine.network.scan(options.master)
        said = out.typed("the network was scanned; see: wmx ecat slaves")
        out.show({"done": "scan"}, lambda: said)


def run_join(out: Terminal, options: argparse.Namespace) -> None:
    """Start hot connect."""
    with connected(out, options) as machine:
        with out.progress("hot connect"):
            machine.network.hot_connect(options.master)
        said = out.typed("hot connect started; see: wmx ecat slaves")
        out.show({"done": "hot connect"}, lambda: said)


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
