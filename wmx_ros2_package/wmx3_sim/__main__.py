"""`python -m wmx3_sim program.py`: a program for the vendor's SDK, with no hardware."""

import argparse
from pathlib import Path

from .run import run


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m wmx3_sim", description=__doc__)
    parser.add_argument("program", type=Path, help="a program that imports WMX3ApiPython")
    parser.add_argument("--fast", action="store_true", help="time passes as fast as it is reckoned")
    parser.add_argument("--logs", type=Path, default=Path(), help="where logs go; here by default")
    parser.add_argument("--limit", type=float, default=3600.0, help="engine time it may take, s")
    chosen = parser.parse_args()
    run(chosen.program, fast=chosen.fast, logs=chosen.logs, limit=chosen.limit)


if __name__ == "__main__":
    main()
