"""`wmx stop-input`, `touch-probe` and `position-output`: what the engine does by itself."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING

from .arguments import add_system, number
from .connection import connected, select, select_one
from .failures import wrong
from .io import Place, require_slaves
from .terminal import Terminal

if TYPE_CHECKING:
    from ..client import Machine, StopInputStatus

NONE = "none"
PLACE = re.compile(r"(in|out)([0-9]+)\.([0-9]+)(?:=(.*))?")


def add_stop_input(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument(
        "word",
        nargs="*",
        metavar="AXIS... INPUT=LEVEL",
        help="0-2 in0.3=0 (these axes stop when the input becomes 0), 0 none; lists all without",
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--quick", action="store_true", help="with the quick stop deceleration")
    how.add_argument("--estop", action="store_true", help="emergency stop of all axes")
    add_system(parser)
    parser.epilog = "This is software: it does not replace a safety circuit."
    parser.set_defaults(run=run_stop_input)


def run_stop_input(out: Terminal, options: argparse.Namespace) -> None:
    """Have an input stop axes, or none, or print which do."""
    words, place, none = _read(options.word)
    if (place or none) and not words:
        raise wrong(f"{' '.join(options.word)!r} must begin with axes, such as 0 or all")
    if (options.quick or options.estop) and not place:
        raise wrong("--quick and --estop need an input, such as in0.3=1", "wmx stop-input --help")
    with connected(out, options) as machine:
        axes = select(machine, words)
        if place:
            _require_slave(machine, place)
            kind = "emergency_stop" if options.estop else "quick_stop" if options.quick else "stop"
            axes.stop_on_input(*place, kind=kind)
        elif none:
            axes.stop_on_no_input()
        inputs = axes.stop_inputs()
        shown = axes if words else [axis for axis in axes if axis.number in inputs]
        out.show(
            [{"axis": axis, **inputs[axis]._asdict()} for axis in inputs],
            lambda: (
                "\n".join(line(axis.name, inputs.get(axis.number)) for axis in shown)
                or "no axis has a stop input"
            ),
        )


def add_touch_probe(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument(
        "word",
        nargs="+",
        metavar="AXIS... [INPUT=LEVEL]",
        help="0-2 in0.3=1 (latches where these axes are when the input changes to 1), 0 none; "
        "without an input: what was latched",
    )
    add_system(parser)
    parser.set_defaults(run=run_touch_probe)


def run_touch_probe(out: Terminal, options: argparse.Namespace) -> None:
    """Arm or disarm touch probes, or print what they have latched."""
    words, place, none = _read(options.word)
    if not words:
        raise wrong(f"{options.word[-1]!r} must follow axes, such as 0 or all")
    with connected(out, options) as machine:
        axes = select(machine, words)
        if place:
            _require_slave(machine, place)
            axes.arm_touch_probe(*place)
            out.show({"armed": axes.names}, lambda: f"armed: {', '.join(axes.names)}")
        elif none:
            axes.disarm_touch_probe()
            out.show({"disarmed": axes.names}, lambda: f"disarmed: {', '.join(axes.names)}")
        else:
            latched = dict(zip(axes.names, axes.touched(), strict=True))
            lines = map(position_line, axes.names, latched.values(), axes.units)
            out.show(latched, lambda: "\n".join(lines))


def add_position_output(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument("axis", help="number or name")
    parser.add_argument("output", help="out0.3=1, or none")
    parser.add_argument("--beyond", type=number, metavar="POSITION", help="u; for out0.3=1")
    add_system(parser)
    parser.epilog = "The output has this value while the axis is commanded beyond, else the other."
    parser.set_defaults(run=run_position_output)


def run_position_output(out: Terminal, options: argparse.Namespace) -> None:
    """Have an axis switch an output, or none."""
    switched = _place(options.output, "out")
    if not switched and options.output != NONE:
        raise wrong(f"{options.output!r} must be out0.3=1 or none")
    if not switched and options.beyond is not None:
        raise wrong("--beyond needs an output, such as out0.3=1", "wmx position-output --help")
    if switched and options.beyond is None:
        raise wrong(
            f"{options.output} needs --beyond, the position beyond which it is switched",
            remedy=f"wmx position-output {options.axis} {options.output} --beyond 1.5",
        )
    with connected(out, options) as machine:
        axis = select_one(machine, options.axis)
        if switched:
            byte, bit, value = switched
            _require_slave(machine, switched, output=True)
            axis.switch_output(byte, bit, options.beyond, value)
            said = f"{options.output} while {axis.name} is beyond {options.beyond:g} {axis.unit}"
        else:
            axis.switch_no_output()
            said = f"{axis.name} switches no output"
        out.show({"done": said}, lambda: said)


def _read(words: list[str]) -> tuple[list[str], tuple[int, int, bool] | None, bool]:
    """Return the axes, the input and its level if there is one, and whether to have none."""
    last = words[-1] if words else ""
    place = _place(last, "in")
    return words[: -1 if place or last == NONE else None], place, last == NONE


def _place(word: str, image: str) -> tuple[int, int, bool] | None:
    """Return the byte, the bit and the level of a word such as `in0.3=1`, None of another one.

    A Failure names the rule that a place breaks.
    """
    if not (found := PLACE.fullmatch(word)):
        return None
    byte, bit, level = int(found[2]), int(found[3]), found[4] or ""
    if found[1] != image:
        raise wrong(f"{word!r} must begin with {image!r}")
    if bit > 7:
        raise wrong(f"{word!r}: bit {bit} must be 0 to 7")
    if level not in ("0", "1"):
        raise wrong(f"{word!r}: the level must be 0 or 1, such as {image}{byte}.{bit}=1")
    return byte, bit, level == "1"


def _require_slave(machine: Machine, place: tuple[int, int, bool], *, output: bool = False) -> None:
    """Raise a Failure where no slave has the place: the engine takes it, and it is 0 for ever."""
    byte, bit, _ = place
    require_slaves(machine, [Place(output, byte, bit, 1)])


def position_line(name: str, position: float | None, unit: str) -> str:
    """Return the text about a touch probe."""
    return f"{name}: {'armed' if position is None else f'touched at {position:.6g} {unit}'}"


def line(name: str, stop_input: StopInputStatus | None) -> str:
    """Return the text about the stop input of an axis."""
    if stop_input is None:
        return f"{name}: none"
    byte, bit, value, kind, on = stop_input
    how = kind.name.lower().replace("_", " ")
    return f"{name}: {how} when in{byte}.{bit} = {int(value)}{', which it is' if on else ''}"
