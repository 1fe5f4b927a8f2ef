"""`python3 -m wmx_sim.compare FOLDER`: compares programs with their logs of the real engine.

Runs every program of a folder and compares each log that it writes with the one of the same name
beside the program.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path

from .programs import outcomes


def main() -> int:
    """Compare and count; 2 where a folder is missing."""
    parser = argparse.ArgumentParser(prog="python3 -m wmx_sim.compare", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, help="folders of programs and their logs")
    parser.add_argument("--processes", type=int, default=1, help="programs that run at a time")
    chosen = parser.parse_args()
    for folder in chosen.folders:
        if not folder.is_dir():
            print(f"wmx_sim.compare: there is no folder {folder}", file=sys.stderr)
            return 2
    verdicts: Counter[str] = Counter()
    missing: Counter[str] = Counter()
    for folder in chosen.folders:
        for outcome in outcomes(folder, chosen.processes):
            print(f"{outcome.program}: {outcome.verdict} {outcome.detail}".rstrip(), flush=True)
            verdicts[outcome.verdict] += 1
            if outcome.verdict == "not simulated":
                missing.update(outcome.detail.split(", "))
    total = sum(verdicts.values())
    print(f"{total} programs:", ", ".join(f"{n} {verdict}" for verdict, n in verdicts.items()))
    for name, count in missing.most_common(20):
        print(f"  {name}: {count} programs", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
