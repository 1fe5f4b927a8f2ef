"""`wmx sim program.py`: a program for the vendor's SDK, on a simulated engine of its own.

`python3 -m wmx_sim` is the same without `wmx`; this prints in the end where the axes are, and of a
program that fails the lines of that program alone.
"""

import argparse
import sys
import traceback
from pathlib import Path
from types import TracebackType

from wmx_sim.__main__ import add_arguments, run_program
from wmx_sim.sdk.runtime import Runtime

from .failures import Exit, wrong
from .terminal import Terminal


def add_sim(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    add_arguments(parser)
    parser.set_defaults(run=run_sim)


def run_sim(out: Terminal, options: argparse.Namespace) -> int:
    """Run the program; 1 when it raises, its own code when it exits."""
    if not options.program.is_file():
        raise wrong(f"there is no file {options.program}")
    runtime = Runtime(fast=options.fast, limit=options.limit)
    try:
        run_program(options, runtime)
    except Exception as error:
        _print_own_lines(error, options.program)
        return Exit.REFUSED
    _report(out, runtime)
    return Exit.DONE


def _print_own_lines(error: Exception, program: Path) -> None:
    """Print the traceback from the first line of `program` on, and none of ours above it."""
    frame: TracebackType | None = error.__traceback__
    while frame is not None and frame.tb_frame.f_code.co_filename != str(program):
        frame = frame.tb_next
    traceback.print_exception(type(error), error, frame or error.__traceback__)


def _report(out: Terminal, runtime: Runtime) -> None:
    """Print the engine's time, and where the axes are that have a position: on stderr."""
    positions = {
        axis: float(position)
        for axis, position in enumerate(runtime.status.pos_cmd)
        if position or runtime.status.servo_on[axis]
    }
    if out.as_json:
        out.show({"engine_time": runtime.time, "positions": positions}, str)
        return
    where = "; ".join(f"axis {axis} is at {position:g}" for axis, position in positions.items())
    print(
        f"wmx: {runtime.time:.3f} s of engine time; {where or 'no axis was switched on'}",
        file=sys.stderr,
    )
