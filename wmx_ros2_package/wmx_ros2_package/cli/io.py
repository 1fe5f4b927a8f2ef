"""`wmx io get`, `wmx io set` and `wmx io watch`: the bits and bytes of inputs and outputs."""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Collection
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from wmx_core.numerals import whole

from .arguments import add_for, add_system
from .connection import connected
from .failures import Failure, wrong
from .terminal import Terminal

if TYPE_CHECKING:
    from ..client import Machine

PLACE = re.compile(r"(?:(in|out)\.?)?([0-9]+)(?:\.([0-9]+)|:([0-9]+))?")
SHOWN = 8
"""Bytes of each image that are shown where none is named."""
WATCH_PERIOD = 0.05
MOST_MASTERS = 2
SLAVES = "wmx ecat slaves"
"""What shows where the inputs and outputs of each slave are."""


class Place(NamedTuple):
    """A bit, or `length` bytes, of the inputs or the outputs."""

    output: bool
    byte: int
    bit: int | None
    length: int

    def __str__(self) -> str:
        where = f".{self.bit}" if self.bit is not None else f":{self.length}"
        return f"{'out' if self.output else 'in'}{self.byte}{where}"

    def read(self, machine: Machine) -> int | list[int]:
        """Return the bit, or the bytes."""
        image = machine.io.outputs if self.output else machine.io.inputs
        if self.bit is not None:
            return int(image[self.byte, self.bit])
        return [*image[self.byte : self.byte + self.length]]


def place(text: str) -> Place:
    """Return the place that `in0.3`, `out2:4` or `in5` names."""
    found = PLACE.fullmatch(text.lower())
    if found and found[3] and int(found[3]) > 7:
        raise argparse.ArgumentTypeError(f"{text!r}: bit {found[3]} must be 0 to 7")
    if not found:
        raise argparse.ArgumentTypeError(
            f"{text!r} must be in0.3 (a bit), out2 (a byte) or in0:4 (four bytes)"
        )
    bit = int(found[3]) if found[3] else None
    return Place(found[1] == "out", int(found[2]), bit, int(found[4] or 1))


def add_io(parser: argparse.ArgumentParser) -> None:
    """Add the verbs below this one."""
    below = parser.add_subparsers(metavar="get|set|watch", required=True)
    get = below.add_parser("get", help="read inputs and outputs")
    put = below.add_parser("set", help="set outputs")
    watch = below.add_parser("watch", help="print each change")
    for each, run in ((get, run_get), (watch, run_watch)):
        each.add_argument(
            "place", nargs="*", type=place, help="in0.3, out2, in0:4; the first 8 bytes without"
        )
        each.set_defaults(run=run)
    add_for(watch)
    put.add_argument("value", nargs="+", metavar="OUT=VALUE", help="out0.3=1, out2=0xF0")
    put.set_defaults(run=run_set)
    for each in (get, put, watch):
        add_system(each)


def of_no_slave(machine: Machine, places: Collection[Place]) -> list[str]:
    """Return those of `places` that no slave has; none where no slave is known."""
    from ..client import MachineError, NoSystem

    known: dict[bool, set[int]] = {True: set(), False: set()}
    any_slave = False
    for master in range(MOST_MASTERS if places else 0):
        try:
            slaves = machine.network.state(master).slaves
        except NoSystem:  # nobody to ask, which is waited for once
            break
        except MachineError:  # there is no such master, or its network is not there
            continue
        for slave in slaves:
            any_slave = True
            known[False].update(range(slave.input_address, slave.input_address + slave.input_size))
            known[True].update(
                range(slave.output_address, slave.output_address + slave.output_size)
            )
    return [
        str(each)
        for each in places
        if any_slave
        and not known[each.output].issuperset(range(each.byte, each.byte + each.length))
    ]


def require_slaves(machine: Machine, places: Collection[Place]) -> None:
    """Raise a Failure, before anything is set, where no slave has one of `places`."""
    if nowhere := of_no_slave(machine, places):
        raise Failure(f"no slave has {', '.join(nowhere)}: nothing is set", remedy=SLAVES)


def _no_slave(nowhere: list[str]) -> str:
    return f"no slave has {', '.join(nowhere)}: what is shown is no more than memory of the engine"


def run_get(out: Terminal, options: argparse.Namespace) -> None:
    """Print what is asked for; a Failure where no slave has it."""
    with connected(out, options) as machine:
        nowhere = of_no_slave(machine, options.place)
        read = {str(each): each.read(machine) for each in options.place or EVERYTHING}
        out.show(read, lambda: "\n".join(line(name, value) for name, value in read.items()))
    if nowhere:
        raise Failure(_no_slave(nowhere), remedy=SLAVES, shown=True)


def run_set(out: Terminal, options: argparse.Namespace) -> None:
    """Set outputs: all bits in one call, then bytes."""
    bits: dict[tuple[int, int], bool] = {}
    blocks: list[tuple[int, int]] = []
    places: list[Place] = []
    named: set[tuple[int, int]] = set()
    for word in options.value:
        where, value = _assignment(word)
        own = {(where.byte, bit) for bit in (range(8) if where.bit is None else [where.bit])}
        if own & named:
            raise wrong(f"{word!r}: bits of byte {where.byte} are named twice")
        named |= own
        places.append(where)
        if where.bit is not None:
            bits[where.byte, where.bit] = bool(value)
        else:
            blocks.append((where.byte, value))
    with connected(out, options) as machine:
        require_slaves(machine, places)
        if bits:
            machine.io.outputs.set(bits)
        for byte, value in blocks:
            machine.io.outputs[byte : byte + 1] = bytes([value])
        out.show({"done": options.value}, lambda: f"set: {' '.join(options.value)}")


def _assignment(word: str) -> tuple[Place, int]:
    name, _, text = word.partition("=")
    try:
        where, value = place(name), whole(text)
    except argparse.ArgumentTypeError as error:
        raise wrong(str(error)) from None
    except ValueError:
        raise wrong(f"{word!r} must be out0.3=1 or out2=0xF0") from None
    most = 1 if where.bit is not None else 255
    if not where.output or where.length != 1:
        raise wrong(f"{word!r}: only outputs can be set, a bit or a byte each, such as out0.3=1")
    if not 0 <= value <= most:
        raise wrong(f"{word!r}: the value must be 0 to {most}")
    return where, value


def run_watch(out: Terminal, options: argparse.Namespace) -> None:
    """Print each value when it changes; all of them first."""
    last: dict[str, int | list[int]] = {}
    with connected(out, options) as machine:
        if nowhere := of_no_slave(machine, options.place):
            out.warn(_no_slave(nowhere))
        end = machine.clock.now() + options.seconds
        while machine.clock.now() < end:
            for each in options.place or EVERYTHING:
                value, name = each.read(machine), str(each)
                if last.get(name) != value:
                    last[name] = value
                    out.show({name: value}, partial("{}  {}".format, _clock(), line(name, value)))
            machine.clock.sleep(WATCH_PERIOD)


def line(name: str, value: int | list[int]) -> str:
    """Return a bit as `in0.3 = 1`; bytes in hexadecimal, the bits of each from 7 to 0."""
    if isinstance(value, int):
        return f"{name} = {value}"
    return f"{name} = " + "  ".join(f"0x{byte:02X} ({byte:08b})" for byte in value)


def _clock() -> str:
    return time.strftime("%H:%M:%S")


EVERYTHING = (Place(False, 0, None, SHOWN), Place(True, 0, None, SHOWN))
