"""`python -m wmx3_sim program.py`: a program for the vendor's SDK, with no hardware."""

import argparse
import sys
from pathlib import Path

from .run import run


def main() -> int:
    """Run it; 2 where there is none."""
    parser = argparse.ArgumentParser(prog="python -m wmx3_sim", description=__doc__)
    parser.add_argument("program", type=Path, help="a program that imports WMX3ApiPython")
    parser.add_argument("--fast", action="store_true", help="time passes as fast as it is reckoned")
    parser.add_argument("--logs", type=Path, default=Path(), help="where logs go; here by default")
    parser.add_argument("--limit", type=float, default=3600.0, help="engine time it may take, s")
    chosen = parser.parse_args()
    if not chosen.program.is_file():
        print(f"wmx3_sim: there is no file {chosen.program}", file=sys.stderr)
        return 2
    run(chosen.program, fast=chosen.fast, logs=chosen.logs, limit=chosen.limit)
    return 0


if __name__ == "__main__":
    sys.exit(main())
