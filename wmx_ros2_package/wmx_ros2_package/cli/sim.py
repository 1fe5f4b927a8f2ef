"""`wmx sim program.py`: a program for the vendor's SDK, as `python3 -m wmx_sim` runs it."""

import argparse

from wmx_sim.__main__ import add_arguments, positions, print_report, run_program
from wmx_sim.sdk.runtime import Runtime

from .failures import wrong
from .terminal import Terminal


def add_sim(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    add_arguments(parser)
    parser.set_defaults(run=run_sim)


def run_sim(out: Terminal, options: argparse.Namespace) -> int:
    """Run the program; return the exit code, see `run_program`."""
    if not options.program.is_file():
        raise wrong(f"there is no file {options.program}")
    if not options.logs.is_dir():
        raise wrong(f"there is no folder {options.logs}")

    def report(runtime: Runtime) -> None:
        if out.as_json:
            out.show({"engine_time": runtime.time, "positions": positions(runtime)}, str)
        else:
            print_report(runtime)

    with out.progress(options.program.name):
        return run_program(options, report)
