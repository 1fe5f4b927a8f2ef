"""The short verbs, which ask one thing of axes or of the system and print what became of it.

They are `on`, `off`, `clear`, `mode`, `confirm`, `home`, `stop`, `estop` and `release`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from .arguments import add_axes, add_system
from .connection import ALL, connected, has_names, select, select_known, select_numbers
from .failures import Exit, Failure
from .progress import follow
from .terminal import Terminal

if TYPE_CHECKING:
    from ..client import Axes, Machine, MachineError


def add_on(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    _add(parser, _of_axes(lambda axes: axes.on(), "on: {}"), required=True)


def add_off(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    _add(parser, _of_axes(lambda axes: axes.off(), "off: {}", to_stop=True))


def add_clear(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    _add(parser, _of_axes(lambda axes: axes.clear(), "alarms cleared: {}"))


def add_mode(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    add_axes(parser, required=True)
    parser.add_argument("mode", choices=("position", "velocity", "torque"))
    add_system(parser)
    parser.set_defaults(run=run_mode)


def run_mode(out: Terminal, options: argparse.Namespace) -> None:
    """Let axes, which must rest, be commanded by position, velocity or torque."""
    with connected(out, options) as machine:
        axes = select(machine, options.axis)
        with out.progress(f"{options.mode} mode: waiting for the answer", told=True):
            axes.set_mode(options.mode)
        done(out, f"{options.mode} mode: {{}}", axes.numbers, axes.names)


def add_confirm(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    _add(parser, _of_axes(lambda axes: axes.confirm(), "as they are: {}"), required=True)


def add_home(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    _add(parser, run_home, required=True)


def add_stop(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument("--quick", action="store_true", help="with the quick stop deceleration")
    _add(parser, run_stop)


def add_estop(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.epilog = "This is software: it does not replace an emergency stop in hardware."
    stop = _of_machine(lambda machine: machine.estop(), "emergency stop", to_stop=True)
    _add(parser, stop, axes=False)


def add_release(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    text = "released: nothing moves before it is commanded anew"
    _add(parser, _of_machine(lambda machine: machine.release(), text), axes=False)


Run = Callable[[Terminal, argparse.Namespace], None]


def _add(
    parser: argparse.ArgumentParser, run: Run, *, axes: bool = True, required: bool = False
) -> None:
    if axes:
        add_axes(parser, required=required)
    add_system(parser)
    parser.set_defaults(run=run)


def _of_axes(act: Callable[[Axes], None], said: str, *, to_stop: bool = False) -> Run:
    """Return what carries `act` out on the axes that are named.

    One `to_stop` reaches those that there are before it fails for a word that names none.
    """

    def run(out: Terminal, options: argparse.Namespace) -> None:
        with connected(out, options, to_stop=to_stop) as machine:
            unknown: list[Failure | MachineError] = []
            if to_stop:
                known, unknown = select_known(machine, options.axis)
                if not known:
                    first = unknown[0]
                    raise Failure(first.text, remedy=first.remedy, exit_code=Exit.NOT_ASKED)
                if machine.systems > 1 and has_names(options.axis):
                    raise _of_several_systems()
                if machine.systems > 1 and not select_numbers(options.axis or [ALL])[1]:
                    unknown.append(_of_more_axes(len(known)))
                axes = machine.axes[known]
            else:
                axes = select(machine, options.axis)
            with out.progress(f"{options.verb}: waiting for the answer", told=True):
                act(axes)
            others = machine.other_namespaces if to_stop else None
            done(out, said, axes.numbers, axes.names, machine.systems, others, unknown)
        _fail_for(unknown)

    return run


def _fail_for(unknown: Sequence[Failure | MachineError]) -> None:
    """Fail where words have named no axis, once what the others name is done and shown."""
    if unknown:
        text = "; ".join(error.text for error in unknown)
        raise Failure(text, remedy=unknown[0].remedy, exit_code=Exit.NOT_ASKED, shown=True)


def _of_several_systems() -> Failure:
    """Why a name names no axis: the first system that answers says which, and others may differ."""
    text = "several systems run, in which a name may be that of different axes"
    return Failure(text, remedy="axes by number", exit_code=Exit.NOT_ASKED)


def _of_more_axes(count: int) -> Failure:
    """Why these may not be all axes: they are those of the first system that answers."""
    text = f"several systems run, and one may have more axes than these {count}"
    return Failure(text, remedy="machine.disarm()    # in Python: all axes of each system")


def _of_machine(act: Callable[[Machine], None], said: str, *, to_stop: bool = False) -> Run:
    """Return what carries `act` out on the whole machine."""

    def run(out: Terminal, options: argparse.Namespace) -> None:
        with connected(out, options, to_stop=to_stop) as machine:
            with out.progress(f"{options.verb}: waiting for the answer", told=True):
                act(machine)
            done_with_all(out, said, machine, to_stop=to_stop)

    return run


def done_with_all(
    out: Terminal, said: str, machine: Machine, *, to_stop: bool, **more: object
) -> None:
    """Print what was done with the whole machine; `more` is for JSON."""
    data: dict[str, object] = {"done": said.partition(":")[0], "systems": machine.systems, **more}
    reached = of_systems(machine.systems)
    if to_stop:
        data["not_reached"] = machine.other_namespaces
        reached += not_of(machine.other_namespaces)
    out.show(data, lambda: f"{said}{reached}")


def run_home(out: Terminal, options: argparse.Namespace) -> None:
    """Home axes, and wait until they are."""
    with connected(out, options) as machine:
        axes = select(machine, options.axis)
        follow(out, axes.home(), "homing")
        done(out, "homed: {}", axes.numbers, axes.names)


def run_stop(out: Terminal, options: argparse.Namespace) -> None:
    """Slow axes down to rest, whichever client moves them; it does not wait until they rest."""
    # A stop of what a shell makes of an unset variable is one of all axes: the safe side.
    if any(options.axis) and options.axis != [ALL]:
        run: Run = _run_stop_of_axes
    else:  # of which no axis has to be known, before it or after
        run = _of_machine(
            lambda machine: machine.stop(quick=options.quick), "stopped: all axes", to_stop=True
        )
    run(out, options)


def _run_stop_of_axes(out: Terminal, options: argparse.Namespace) -> None:
    with connected(out, options, to_stop=True) as machine:
        with out.progress("stop: waiting for the answer", told=True):
            numbers, names, unknown = _stop_named(machine, options.axis, quick=options.quick)
        if numbers:
            others = machine.other_namespaces
            done(out, "stopped: {}", numbers, names, machine.systems, others, unknown)
        else:
            texts = [error.text for error in unknown]
            done_with_all(out, "stopped: all axes", machine, to_stop=True, unknown=texts)
    _fail_for(unknown)


def _stop_named(
    machine: Machine, words: Sequence[str], *, quick: bool
) -> tuple[Sequence[int], Sequence[str], Sequence[Failure | MachineError]]:
    """Stop the axes that `words` name, by number before the machine is asked for anything.

    What it consists of takes seconds to ask where a node of it is suspended or was killed. Where
    that leaves the axis of a name unknown all axes are stopped: it may be any, and is to rest.
    Return which were stopped, none for all, their names, and why other words name none.
    """
    from ..client import NoPart, NotAnswered, Refused, UnknownAxis

    numbers, only_numbers = select_numbers(words)
    # Such as of an axis that there is not: it is asked below which there are. Of what one of
    # several systems has not answered the others may still stop what is named by name.
    passed = (Refused,) if only_numbers else (Refused, NotAnswered)
    stopped: list[int] = []
    if numbers:
        try:
            machine.stop(numbers, quick=quick)
            stopped = numbers
        except passed:
            if only_numbers and machine.systems > 1:  # another one has what this one has not
                raise
    if stopped and only_numbers:
        return stopped, [*map(str, stopped)], []
    try:
        known, unknown = select_known(machine, words)
    except (NoPart, NotAnswered) as error:
        if only_numbers:
            raise
        known, unknown = [], [error]
    if several := machine.systems > 1 and has_names(words):
        unknown = [_of_several_systems()]
    if several or any(not isinstance(error, (Failure, UnknownAxis)) for error in unknown):
        machine.stop(quick=quick)
        return [], [], unknown
    if not known:
        raise unknown[0]
    if left := [axis for axis in known if axis not in stopped]:
        machine.stop(left, quick=quick)
    return known, machine.axes[known].names, unknown


def done(
    out: Terminal,
    said: str,
    numbers: Sequence[int],
    names: Sequence[str],
    systems: int = 1,
    others: Sequence[str] | None = None,
    unknown: Sequence[Failure | MachineError] = (),
) -> None:
    """Print what was done, and with which axes: those of one system, or of each of several.

    Axes of several systems have numbers in common. A stop has not reached the namespaces `others`,
    and `unknown` is why words named none of its axes.
    """
    shown = names if systems <= 1 else [f"axis {number}" for number in numbers]
    data = {
        "done": said.partition(":")[0],
        "axes": numbers,
        "names": names,
        "systems": systems,
        "unknown": [error.text for error in unknown],
    }
    if others is not None:
        data["not_reached"] = others
    text = said.format(", ".join(shown)) + of_systems(systems) + not_of(others or ())
    out.show(data, lambda: text)


def of_systems(count: int) -> str:
    """Return the text for a command that has reached several systems, all of which answered."""
    return f", of {count} systems" if count > 1 else ""


def not_of(namespaces: Sequence[str]) -> str:
    """Return the text for systems that a stop has not reached, for they have other names."""
    return f"; not reached: namespace {', '.join(namespaces)}" if namespaces else ""
