"""`wmx status`, `wmx watch` and `wmx events`: what the axes are and do."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from ..diagnosis.blockers import ALL_AXES, BlockerCode
from .arguments import add_axes, add_for, add_system, positive
from .connection import connected, select
from .event_lines import begin_line, end_line
from .terminal import NarrowingTable, Terminal

if TYPE_CHECKING:
    from ..client import Axes, AxisStatus, Event, Explanation, Machine, Status

COLUMNS = "axis", "name", "unit", "command", "position", "velocity\nper s", "torque\n%", "state"
SPARE = "torque\n%", "velocity\nper s", "command", "axis"
"""Left out in a narrow terminal, one after the other: a name is as good as a number."""
REFRESH = 10.0
"""How often a live table is drawn, Hz: no eye follows more."""
CHECK_PERIOD = 1.0
"""Between two questions about what is not published, s."""
ALARMS = BlockerCode.DRIVE_ALARM, BlockerCode.FOLLOWING_ERROR
"""The state of an axis has that of its drive alone."""
STOP_ACTIVE = "wmx/engine/estop_active"
PIPED = 1.0
"""How often a table is printed where it cannot be drawn over the last one, Hz."""


def add_status(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    add_axes(parser)
    add_system(parser)
    parser.epilog = "The unit is u where no node says what the user unit of the axis is."
    parser.set_defaults(run=run_status)


def run_status(out: Terminal, options: argparse.Namespace) -> None:
    """Print the state of axes once."""
    with connected(out, options) as machine:
        axes, status = select(machine, options.axis), machine.status()
        blocks = what_blocks(machine, axes)
        out.show(
            status_data(machine, axes, status, blocks),
            lambda: status_table(out, machine, axes, status, blocks),
        )


def add_watch(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    add_axes(parser)
    add_system(parser)
    parser.add_argument("--rate", type=positive, help="tables a second, or lines of JSON")
    add_for(parser)
    parser.set_defaults(run=run_watch)


def run_watch(out: Terminal, options: argparse.Namespace) -> None:
    """Draw the state of axes until Ctrl-C, over itself in a terminal."""
    from std_msgs.msg import Bool

    from ..client import NotAnswered
    from ..client.session import EXPLAIN_TIMEOUT

    period = 1.0 / (options.rate or (REFRESH if out.live or out.as_json else PIPED))
    with connected(out, options) as machine, out.drawing() as draw:
        end = machine.clock.now() + options.seconds
        axes = select(machine, options.axis)
        blocks, due = what_blocks(machine, axes), machine.clock.now() + CHECK_PERIOD
        stop_changes = machine.clock.event()
        machine.ros.subscribe(Bool, STOP_ACTIVE, lambda _: stop_changes.set(), depth=1, keeps=True)
        while (now := machine.clock.now()) < end:
            status = machine.status()
            if now >= due or stop_changes.is_set():
                stop_changes.clear()
                due = now + CHECK_PERIOD
                with suppress(NotAnswered):  # whether the system has gone the next status tells
                    blocks = what_blocks(machine, axes, EXPLAIN_TIMEOUT)
            if out.as_json:
                out.show(status_data(machine, axes, status, blocks), str)
            else:
                draw(status_table(out, machine, axes, status, blocks))
            machine.clock.sleep(max(0.0, min(period, end - now) - (machine.clock.now() - now)))


def add_events(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    add_system(parser)
    add_for(parser)
    parser.set_defaults(run=run_events)


def run_events(out: Terminal, options: argparse.Namespace) -> None:
    """Print the begin and the end of each motion, of whichever node and program."""
    from ..client import NotAnswered

    with connected(out, options) as machine, machine.events() as events:
        now = machine.clock.now()
        end, due = now + options.seconds, now + CHECK_PERIOD
        since = machine.status().time  # the topics keep those of before, too
        out.say(f"motions of {len(machine.axes)} axes; Ctrl-C ends this")
        while (now := machine.clock.now()) < end:
            if now >= due:
                machine.status()  # SystemLost where nothing will come any more
                due = now + CHECK_PERIOD
            with suppress(NotAnswered):
                event = events.get(min(due, end) - now)
                if event.time >= since:
                    data = {"event": type(event).__name__, **asdict(event)}
                    out.show(data, partial(event_line, event, machine.axes))


@dataclass(frozen=True, slots=True)
class Blocks:
    """What blocks axes; nothing is known of it at first."""

    explained: Sequence[Explanation] = ()
    stop_inputs: Mapping[int, str] = field(default_factory=dict)
    """The inputs that stop axes now, by their numbers."""


def what_blocks(machine: Machine, axes: Axes, timeout: float | None = None) -> Blocks:
    """Ask the machine what blocks `axes`."""
    explained = machine.explain(axes.numbers, timeout=timeout)
    if not any(BlockerCode.STOP_INPUT in each.codes for each in explained):
        return Blocks(explained)
    inputs = {i: f"in{each.byte}.{each.bit}" for i, each in axes.stop_inputs().items() if each.on}
    return Blocks(explained, inputs)


def status_table(
    out: Terminal, machine: Machine, axes: Axes, status: Status, blocks: Blocks | None = None
) -> NarrowingTable:
    """Return the state of axes as a table, with what concerns all of them above it.

    With what `blocks` the axes it also has what stops them by order of people.
    """
    kind = "simulated engine" if machine.simulated else "REAL HARDWARE"
    title = f"{len(status)} axes, {kind}, ROS domain {machine.domain}"
    blocks = blocks or Blocks()
    for blocker in blocks.explained[0].blockers if blocks.explained else ():
        if blocker.axis == ALL_AXES:
            title += f"\n[bold red]{out.typed(f'{blocker.reason}: {blocker.remedy}')}[/]"
    stopped = {i: [f"STOPPED by {at}"] for i, at in blocks.stop_inputs.items()}
    return NarrowingTable(
        COLUMNS,
        [
            (
                each.axis,
                each.name,
                each.unit,
                each.command,
                each.position,
                each.velocity,
                each.torque,
                " ".join([*each.flags, *stopped.get(each.axis, [])]),
            )
            for each in shown(axes, status, blocks)
        ],
        SPARE,
        title,
    )


def status_data(machine: Machine, axes: Axes, status: Status, blocks: Blocks) -> dict[str, object]:
    """Return the same for programs."""
    return {
        "time": status.time,
        "simulated": machine.simulated,
        "emergency_stop": blocks.explained[0].emergency_stop,
        "stop_inputs_on": blocks.stop_inputs,
        "axes": shown(axes, status, blocks),
    }


def shown(axes: Axes, status: Status, blocks: Blocks) -> list[AxisStatus]:
    """Return the states of `axes`; one that is blocked by an alarm of the engine has an alarm."""
    alarmed = {
        blocker.axis
        for each in blocks.explained
        for blocker in each.blockers
        if blocker.code in ALARMS
    }
    found = [status[number] for number in axes.numbers]
    return [replace(each, alarm=each.alarm or each.axis in alarmed) for each in found]


def event_line(event: Event, axes: Axes) -> str:
    """Return an event as one line: when, which axes, what, and how it ended."""
    from ..client import MotionBegin

    names = dict(enumerate(axes.names))
    units = dict(enumerate(axes.units))
    if isinstance(event, MotionBegin):
        what = event.kind, event.targets, event.source
        return begin_line(event.time, *what, event.axes, event.names, names=names, units=units)
    ended = event.reason, event.message, event.final, event.source
    return end_line(event.time, *ended, event.axes, event.names, names=names, units=units)
