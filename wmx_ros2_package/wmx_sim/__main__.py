"""`python3 -m wmx_sim program.py`: a program for the vendor's SDK, with no hardware."""

import argparse
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

from .sdk.program import run
from .sdk.runtime import Runtime

FAILED, MISUSED, INTERRUPTED = 1, 2, 130
HERE = Path(__file__).parent


def main() -> int:
    """Run the program; return the exit code, see `run_program`."""
    parser = argparse.ArgumentParser(prog="python3 -m wmx_sim", description=__doc__)
    add_arguments(parser)
    return run_program(parser.parse_args())


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of a program that is run, which `wmx sim` takes, too."""
    parser.add_argument("program", type=Path, help="a program that imports WMX3ApiPython")
    parser.add_argument(
        "arguments", nargs="*", help="what it finds in sys.argv; after -- where that begins with -"
    )
    parser.add_argument(
        "--fast", action="store_true", help="time passes as fast as it can be computed"
    )
    parser.add_argument("--logs", type=Path, default=Path(), help="where logs go; here by default")
    parser.add_argument("--limit", type=_seconds, default=3600.0, help="engine time it may take, s")


def _seconds(text: str) -> float:
    """Return a time of the engine, s."""
    if not (seconds := float(text)) > 0.0:
        raise argparse.ArgumentTypeError(f"{text} must be more than 0")
    return seconds


def positions(runtime: Runtime) -> dict[int, float]:
    """Return where the axes are that were moved or whose servo is on, u."""
    status = runtime.status
    return {
        axis: float(position)
        for axis, position in enumerate(status.pos_cmd)
        if position or status.servo_on[axis]
    }


def print_report(runtime: Runtime) -> None:
    """Print the engine's time, and where the axes are, to stderr: stdout is the program's."""
    axes = [f"axis {axis} is at {position:g}" for axis, position in positions(runtime).items()]
    where = "; ".join(axes) or "no axis was switched on"
    print(f"wmx_sim: {runtime.time:.3f} s of engine time; {where}", file=sys.stderr)


def run_program(
    chosen: argparse.Namespace, report: Callable[[Runtime], None] = print_report
) -> int:
    """Run the chosen program and `report` how it ended.

    Returns 1 when it raises, of which its own lines alone are printed, 130 after Ctrl-C and 2 where
    there is no such file, or no folder for its logs; a program that exits does so with its own
    code.
    """
    if not chosen.program.is_file():
        print(f"wmx_sim: there is no file {chosen.program}", file=sys.stderr)
        return MISUSED
    if not chosen.logs.is_dir():
        print(f"wmx_sim: there is no folder {chosen.logs}", file=sys.stderr)
        return MISUSED
    runtime, code = Runtime(fast=chosen.fast, limit=chosen.limit), 0
    try:
        run(
            chosen.program,
            fast=chosen.fast,
            logs=chosen.logs,
            runtime=runtime,
            arguments=chosen.arguments,
        )
    except KeyboardInterrupt:
        code = INTERRUPTED
    except SystemExit:
        report(runtime)
        raise
    except Exception as error:
        _print_own_lines(error, chosen.program)
        return FAILED
    report(runtime)
    return code


def _print_own_lines(error: Exception, program: Path) -> None:
    """Print the traceback from the first line of `program` to the last that is none of ours."""
    found = traceback.TracebackException.from_exception(error)
    frames = [*found.stack]
    own = [i for i, frame in enumerate(frames) if frame.filename == str(program)]
    frames = frames[own[0] :] if own else []
    while frames and Path(frames[-1].filename).is_relative_to(HERE):
        frames.pop()
    found.stack = traceback.StackSummary.from_list(frames)
    print("".join(found.format()), end="", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
