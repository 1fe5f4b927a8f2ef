"""`python3 -m wmx_sim program.py`: a program for the vendor's SDK, with no hardware."""

import argparse
import sys
from pathlib import Path

from .sdk.program import run
from .sdk.runtime import Runtime


def main() -> int:
    """Run it; 2 where there is none."""
    parser = argparse.ArgumentParser(prog="python3 -m wmx_sim", description=__doc__)
    add_arguments(parser)
    chosen = parser.parse_args()
    if not chosen.program.is_file():
        print(f"wmx_sim: there is no file {chosen.program}", file=sys.stderr)
        return 2
    run_program(chosen)
    return 0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of a program that is run, which `wmx sim` takes, too."""
    parser.add_argument("program", type=Path, help="a program that imports WMX3ApiPython")
    parser.add_argument(
        "--fast", action="store_true", help="time passes as fast as it can be computed"
    )
    parser.add_argument("--logs", type=Path, default=Path(), help="where logs go; here by default")
    parser.add_argument("--limit", type=float, default=3600.0, help="engine time it may take, s")


def run_program(chosen: argparse.Namespace, runtime: Runtime | None = None) -> None:
    """Run the chosen program, over `runtime` where it is given; what it raises is raised."""
    run(chosen.program, fast=chosen.fast, logs=chosen.logs, limit=chosen.limit, runtime=runtime)


if __name__ == "__main__":
    sys.exit(main())
